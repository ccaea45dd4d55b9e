package isel

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// WarpGroups makes sure that nothing touches the registers of warp-group
// matrix operations while they run, and that all of them start after a
// WARPGROUP.ARRIVE that sees their registers as they are. It runs when
// registers are assigned. Where something does touch them (a copy that could
// not be avoided, spill code, a result used too early) they are waited for
// before; where that is too often, every operation is waited for at once, and
// the result says so.
func WarpGroups(f *ori.Func, a *target.Arch) (serial bool) {
	if !flow.HasGroups(f) {
		return false
	}
	w := &warpGroups{f: f, state: make([]flow.GroupCell, generalRegisters)}
	for range maxWaits {
		w.exits = w.exits[:0]
		w.groups = flow.GroupsOf(f, generalRegisters, flow.Stay, w.cells)
		at := w.disturbed()
		if at == nil {
			w.arrive()
			return false
		}
		if !w.wait(at) {
			break
		}
	}
	w.serialize()
	return true
}

// maxWaits bounds the waits that are added.
const maxWaits = 16

// generalRegisters is how many registers file R has, RZ among them.
const generalRegisters = 256

type warpGroups struct {
	f      *ori.Func
	groups *flow.Groups
	state  []flow.GroupCell
	exits  []*ori.Instr // that groups are pending at
	places []int32      // cells of virtual registers, -1 for those that do not matter; nil: physical ones
	copies []bool       // virtual registers that only have a place because they are copies

	youngest uint8 // see allows
}

// cells returns the registers of an operand.
func (w *warpGroups) cells(o ori.Operand) (first, n int) {
	at, words := o.Part()
	if w.places != nil {
		if w.places[o.Reg] < 0 {
			return 0, 0
		}
		return int(w.places[o.Reg]) + int(at), int(words)
	}
	return int(w.f.Regs[o.Reg].Phys) + int(at), int(words)
}

// disturbed returns the first instruction that touches registers of pending
// operations, with the state before it.
func (w *warpGroups) disturbed() *ori.Instr {
	for _, b := range w.f.Blocks {
		w.groups.Start(w.state, b)
		for i := b.First(); i != nil; i = i.Next() {
			if w.youngest = 0; !w.allows(i) {
				return i
			}
			w.groups.Step(w.state, i)
		}
	}
	return nil
}

// wait adds a wait before i for the operations it disturbs. Those of an open
// group are made one of their own first: smaller groups are waited for no
// later than larger ones.
func (w *warpGroups) wait(i *ori.Instr) bool {
	left := int64(w.youngest) - 2
	if left < 0 {
		j := i.Prev()
		for j != nil && !j.IsGroupMMA() {
			j = j.Prev()
		}
		if j == nil || j.Commits() {
			return false
		}
		w.commit(j)
		left = 0
	}
	w.add(i, false, op.M(op.MDEPBAR, op.MLE), ori.Special(op.SRGroup0), ori.Imm(left))
	return true
}

// commit makes i the last of its group.
func (w *warpGroups) commit(i *ori.Instr) {
	if !i.Commits() {
		w.f.SetArgs(i, i.Dsts(), append(append([]ori.Operand(nil), i.Srcs()...), ori.Special(op.SRGroup0)))
	}
}

// touch notes that a register of pending operations is touched.
func (w *warpGroups) touch(x flow.GroupCell) {
	if w.youngest == 0 || x.Age < w.youngest {
		w.youngest = x.Age
	}
}

// allows reports whether i may run now; youngest is the age of the youngest
// operation that it may not disturb.
func (w *warpGroups) allows(i *ori.Instr) bool {
	switch i.Op {
	case op.EXIT:
		if w.pending(0) {
			w.exits = append(w.exits, i)
		}
		return !w.pending(1)
	case op.CALL, op.RET:
		return !w.pending(0)
	}
	for k, o := range i.Args {
		if !o.HasReg() || o.Class != ori.R {
			continue
		}
		if o.Kind == ori.KConst {
			o.Sub, o.N = 0, 1
		}
		first, n := w.cells(o)
		acc := i.IsGroupMMA() && i.Args[0].Kind == ori.KReg && o.Reg == i.Args[0].Reg
		for _, x := range w.state[first : first+n] {
			switch {
			case x.Age == 0:
			case acc: // one after the other, in the same place
				if !x.Acc || int(x.Base) != first || int(x.Width) != n {
					w.touch(x)
				}
			case k < int(i.NDst) || x.Acc:
				w.touch(x)
			}
		}
	}
	return w.youngest == 0
}

// pending reports whether any operation is pending, of an open group if open
// is 1.
func (w *warpGroups) pending(open uint8) bool {
	found := false
	for _, x := range w.state {
		if x.Age > 0 && (open == 0 || x.Age == open) {
			w.touch(x)
			found = true
		}
	}
	return found
}

// serialize waits for every operation right behind it.
func (w *warpGroups) serialize() {
	for _, b := range w.f.Blocks {
		for i := range b.Instrs {
			if !i.IsGroupMMA() || i.Args[0].Kind != ori.KReg || i.Mods.Has(op.MLOOSE) {
				continue
			}
			if p := i.Prev(); p == nil || p.Op != op.WARPGROUP || !p.Mods.Has(op.MARRIVE) {
				w.add(i, false, op.M(op.MARRIVE))
			}
			w.commit(i)
			w.add(i, true, op.M(op.MDEPBAR, op.MLE), ori.Special(op.SRGroup0), ori.Imm(0))
		}
	}
}

// add puts a WARPGROUP beside at.
func (w *warpGroups) add(at *ori.Instr, after bool, m op.Mods, srcs ...ori.Operand) {
	x := w.f.NewInstr(op.WARPGROUP, m, nil, srcs)
	x.Line, x.Loc = at.Line, at.Loc
	if after {
		at.Block().InsertAfter(x, at)
	} else {
		at.Block().InsertBefore(x, at)
	}
}

// arrive adds WARPGROUP.ARRIVE before operations whose registers were
// written since the last one, or whose results go where something was read
// since, or that have none before them in their block and behind its last
// wait; and waits before exits. With the arrival a warp hands over its
// registers: an operation may begin when the first of the four warps comes to
// it, and the others may be behind. A wait takes them back: on an H200 products
// behind one that nobody arrived for anew were wrong.
func (w *warpGroups) arrive() {
	written, read := make([]bool, generalRegisters), make([]bool, generalRegisters)
	for _, b := range w.f.Blocks {
		arrived := false
		for i := range b.Instrs {
			switch {
			case i.Op == op.WARPGROUP && i.Mods.Has(op.MARRIVE):
				arrived = true
				clear(written)
				clear(read)
			case i.Op == op.WARPGROUP && i.Mods.Has(op.MDEPBAR):
				arrived = false
			case i.IsGroupMMA() && i.Args[0].Kind == ori.KReg && !i.Mods.Has(op.MLOOSE):
				if !arrived || w.marked(i.Args, written) || w.marked(i.Dsts(), read) {
					w.add(i, false, op.M(op.MARRIVE))
					arrived = true
					clear(written)
					clear(read)
				}
			default:
				w.mark(i.Dsts(), written)
				w.mark(i.Srcs(), read)
			}
		}
	}
	for _, i := range w.exits {
		w.add(i, false, op.M(op.MDEPBAR, op.MLE), ori.Special(op.SRGroup0), ori.Imm(0))
	}
}

// marked reports whether one of some operands is in a set of registers.
func (w *warpGroups) marked(list []ori.Operand, set []bool) bool {
	for _, o := range list {
		if o.Kind == ori.KReg && o.Class == ori.R {
			first, n := w.cells(o)
			for c := first; c < first+n; c++ {
				if set[c] {
					return true
				}
			}
		}
	}
	return false
}

// mark adds the registers of operands, of addresses too, to a set.
func (w *warpGroups) mark(list []ori.Operand, set []bool) {
	for _, o := range list {
		if o.HasReg() && o.Class == ori.R {
			if o.Kind == ori.KConst {
				o.Sub, o.N = 0, 1
			}
			first, n := w.cells(o)
			for c := first; c < first+n; c++ {
				set[c] = true
			}
		}
	}
}
