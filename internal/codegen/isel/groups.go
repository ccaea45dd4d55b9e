package isel

import (
	"goptxas/internal/ori"
	"goptxas/internal/ori/flow"
	"goptxas/internal/ori/op"
)

// WarpGroups makes sure that nothing touches the registers of warp-group
// matrix operations while they run, and that all of them start after a
// WARPGROUP.ARRIVE that sees their registers as they are. It runs when
// registers are assigned. Where something does touch them (a copy that could
// not be avoided, spill code, a result used too early) every operation is
// waited for at once; the result says whether that was so.
func WarpGroups(f *ori.Func) (serial bool) {
	if !flow.HasGroups(f) {
		return false
	}
	w := &warpGroups{f: f, state: make([]flow.GroupCell, generalRegisters)}
	w.groups = flow.GroupsOf(f, generalRegisters, false, w.cells)
	if !w.undisturbed() {
		w.serialize()
		return true
	}
	w.arrive()
	return false
}

// generalRegisters is how many registers file R has, RZ among them.
const generalRegisters = 256

type warpGroups struct {
	f      *ori.Func
	groups *flow.Groups
	state  []flow.GroupCell
	exits  []*ori.Instr // that groups are pending at
}

// cells returns the physical registers of an operand.
func (w *warpGroups) cells(o ori.Operand) (first, n int) {
	return int(w.f.Regs[o.Reg].Phys) + int(o.Sub), max(1, int(o.N))
}

// undisturbed reports whether all registers of pending operations are left
// alone.
func (w *warpGroups) undisturbed() bool {
	for _, b := range w.f.Blocks {
		w.groups.Start(w.state, b)
		for i := b.First(); i != nil; i = i.Next() {
			if !w.allows(i) {
				return false
			}
			w.groups.Step(w.state, i)
		}
	}
	return true
}

// allows reports whether i may run now.
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
	mma := i.IsGroupMMA()
	for k, o := range i.Args {
		if !o.HasReg() || o.Class != ori.R || o.Kind == ori.KConst && o.Reg == ori.NoReg {
			continue
		}
		if o.Kind == ori.KConst {
			o.Sub, o.N = 0, 1
		}
		first, n := w.cells(o)
		acc := mma && i.Args[0].Kind == ori.KReg && o.Reg == i.Args[0].Reg
		for c := first; c < first+n; c++ {
			x := w.state[c]
			switch {
			case x.Age == 0:
			case acc: // one after the other, in the same place
				if !x.Acc || int(x.Base) != first || int(x.Width) != n {
					return false
				}
			case k < int(i.NDst) || x.Acc:
				return false
			}
		}
	}
	return true
}

// pending reports whether any operation is pending: of an open group, if
// open is 1.
func (w *warpGroups) pending(open uint8) bool {
	for _, x := range w.state {
		if x.Age > 0 && (open == 0 || x.Age == open) {
			return true
		}
	}
	return false
}

// serialize waits for every operation right behind it.
func (w *warpGroups) serialize() {
	for _, b := range w.f.Blocks {
		for i := range b.Instrs {
			if !i.IsGroupMMA() || i.Args[0].Kind != ori.KReg {
				continue
			}
			if p := i.Prev(); p == nil || p.Op != op.WARPGROUP || !p.Mods.Has(op.MARRIVE) {
				w.add(i, false, op.M(op.MARRIVE))
			}
			if !i.Commits() {
				w.f.SetArgs(i, i.Dsts(), append(append([]ori.Operand(nil), i.Srcs()...), ori.Special(op.SRGroup0)))
			}
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
// written since the last one, or that have none before them in their block,
// and waits before exits.
func (w *warpGroups) arrive() {
	written := make([]bool, generalRegisters)
	for _, b := range w.f.Blocks {
		arrived := false
		for i := range b.Instrs {
			switch {
			case i.Op == op.WARPGROUP && i.Mods.Has(op.MARRIVE):
				arrived = true
				clear(written)
			case i.IsGroupMMA() && i.Args[0].Kind == ori.KReg:
				if !arrived || w.reads(i, written) {
					w.add(i, false, op.M(op.MARRIVE))
					arrived = true
					clear(written)
				}
			default:
				w.note(i, written)
			}
		}
	}
	for _, i := range w.exits {
		w.add(i, false, op.M(op.MDEPBAR, op.MLE), ori.Special(op.SRGroup0), ori.Imm(0))
	}
}

// reads reports whether i reads a register that is marked.
func (w *warpGroups) reads(i *ori.Instr, marked []bool) bool {
	for _, o := range i.Args {
		if o.Kind == ori.KReg && o.Class == ori.R {
			first, n := w.cells(o)
			for c := first; c < first+n; c++ {
				if marked[c] {
					return true
				}
			}
		}
	}
	return false
}

// note marks the registers that i writes.
func (w *warpGroups) note(i *ori.Instr, marked []bool) {
	for _, o := range i.Dsts() {
		if o.Kind == ori.KReg && o.Class == ori.R {
			first, n := w.cells(o)
			for c := first; c < first+n; c++ {
				marked[c] = true
			}
		}
	}
}
