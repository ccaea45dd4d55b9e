package isel

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Lacking tells which arrivals and waits for warp-group matrix operations the
// source lacks, so that who wrote it can be told: registers are virtual and the
// order is the source's. Where none is lacking the compiler may still have to
// add some later, for reasons of its own.
func Lacking(f *ori.Func) []ori.Injected {
	if !flow.HasGroups(f) {
		return nil
	}
	w := &warpGroups{f: f}
	size := w.place()
	w.state = make([]flow.GroupCell, size)
	w.groups = flow.GroupsOf(f, size, flow.Spread, w.cells)
	var arrivals, waits []ori.Injected
	for _, b := range f.Blocks {
		arrivals = w.arrivals(arrivals, b)
		waits = w.waits(waits, b)
	}
	arrivals = slices.DeleteFunc(arrivals, func(x ori.Injected) bool { // who waits there arrives again
		x.Wait = true
		return slices.Contains(waits, x)
	})
	return append(arrivals, waits...)
}

// place numbers the words of the registers that the operations name, and of
// copies of these.
func (w *warpGroups) place() (size int) {
	w.places = make([]int32, len(w.f.Regs))
	for n := range w.places {
		w.places[n] = -1
	}
	add := func(o ori.Operand) {
		if o.Kind == ori.KReg && o.Class == ori.R && w.places[o.Reg] < 0 {
			w.places[o.Reg] = int32(size)
			size += int(w.f.Regs[o.Reg].Width)
		}
	}
	for _, b := range w.f.Blocks {
		for i := range b.Instrs {
			if i.IsGroupMMA() {
				for _, o := range i.Args {
					add(o)
				}
			}
		}
	}
	w.copies = make([]bool, len(w.f.Regs))
	for _, b := range w.f.Blocks {
		for i := range b.Instrs {
			if w.copied(i) && w.places[i.Args[0].Reg] < 0 {
				w.copies[i.Args[0].Reg] = true
				add(i.Args[0])
			}
		}
	}
	return size
}

// copied reports whether i copies what has a place.
func (w *warpGroups) copied(i *ori.Instr) bool {
	if i.Op != op.COPY {
		return false
	}
	d, s := i.Args[0], i.Args[1]
	return d.Kind == ori.KReg && d.Class == ori.R && s.Kind == ori.KReg && s.Class == ori.R && w.places[s.Reg] >= 0
}

// once adds what was not told yet.
func once(list []ori.Injected, i *ori.Instr, wait bool) []ori.Injected {
	x := ori.Injected{Pos: i.Line, Wait: wait}
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

// arrivals adds the operations of b whose accumulators were written since the
// last arrival, or a matrix in registers since an operation, or that have no
// arrival before them in their block. A copy has the age of what it copies.
func (w *warpGroups) arrivals(list []ori.Injected, b *ori.Block) []ori.Injected {
	arrived, begun := false, false
	written := make([]bool, len(w.f.Regs))
	late := func(o ori.Operand) bool { return o.Kind == ori.KReg && o.Class == ori.R && written[o.Reg] }
	for i := range b.Instrs {
		switch {
		case i.Op == op.WARPGROUP && i.Mods.Has(op.MARRIVE):
			arrived, begun = true, false
			clear(written)
		case i.IsGroupMMA() && i.Args[0].Kind == ori.KReg:
			if !arrived || slices.ContainsFunc(i.Dsts(), late) || begun && slices.ContainsFunc(i.Srcs(), late) {
				list = once(list, i, false)
				clear(written)
			}
			arrived, begun = true, true
		default:
			fresh := i.Op != op.COPY || slices.ContainsFunc(i.Srcs(), late)
			for _, o := range i.Dsts() {
				if o.Kind == ori.KReg && fresh {
					written[o.Reg] = true
				}
			}
		}
	}
	return list
}

// reader is the instruction of the source that reads what i does: i itself, or
// the first that reads what it copies, there or in its copy.
func reader(i *ori.Instr) *ori.Instr {
	var copied []ori.Reg
	for n := i; n != nil; n = n.Next() {
		switch {
		case n.Op == op.COPY:
			copied = append(copied, n.Args[0].Reg, n.Args[1].Reg)
		case slices.ContainsFunc(n.Srcs(), func(o ori.Operand) bool { return o.Kind == ori.KReg && slices.Contains(copied, o.Reg) }):
			return n
		}
	}
	return i
}

// waits adds the instructions of b that touch results of pending operations,
// and its exit where some are pending. Registers that operations only read can
// be others, and copies are touched where they are read.
func (w *warpGroups) waits(list []ori.Injected, b *ori.Block) []ori.Injected {
	w.groups.Start(w.state, b)
	w.written()
	for i := b.First(); i != nil; i = i.Next() {
		w.youngest, w.exits = 0, w.exits[:0]
		fresh := w.renewed(i)
		if !(fresh && w.copied(i)) && !w.allows(i) || len(w.exits) > 0 {
			if i.Op != op.EXIT || w.youngest > 1 { // what was never committed nobody waits for
				list = once(list, reader(i), true)
			}
			for n := range w.state {
				if w.state[n].Age >= w.youngest {
					w.state[n] = flow.GroupCell{}
				}
			}
		}
		if w.groups.Step(w.state, i); i.IsGroupMMA() { // no other makes anything pending
			w.written()
		}
	}
	return list
}

// written forgets the registers that operations only read.
func (w *warpGroups) written() {
	for n := range w.state {
		if !w.state[n].Acc {
			w.state[n] = flow.GroupCell{}
		}
	}
}

// renewed forgets what i overwrites of registers that are only copies, and
// reports whether it overwrites such a register.
func (w *warpGroups) renewed(i *ori.Instr) (copies bool) {
	for _, o := range i.Dsts() {
		if o.Kind == ori.KReg && o.Class == ori.R && w.copies[o.Reg] {
			first, n := w.cells(o)
			clear(w.state[first : first+n])
			copies = true
		}
	}
	return copies
}
