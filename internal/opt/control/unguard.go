package control

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Unguard takes the guard from computations whose register nobody reads where
// the guard does not hold:
//
//	@p FADD t = x, -m                FADD t = x, -m
//	FSETP.LT.AND q = t, c, p         FSETP.LT.AND q = t, c, p
//	@q FMUL t = t, 0.5               @q FMUL t = t, 0.5
//	@p MUFU.EX2 e = t                @p MUFU.EX2 e = t
//
// A guarded write leaves the register as it was for the other threads, so the
// register would be alive before it, and in a loop around the whole of it. What
// cannot be done without its guard, a load, is told that its register holds
// nothing.
func Unguard(f *ori.Func) bool {
	if f.Props.SSA {
		return false
	}
	u := &unguarder{f: f}
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			u.look(i)
		}
	}
	u.settle()
	for _, c := range u.list {
		if c.guard.Kind != ori.KNone {
			u.finish(c)
		}
	}
	return f.Touched(u.changed)
}

type unguarder struct {
	f       *ori.Func
	list    []*unguarded
	changed bool
}

// unguarded is a guarded write whose register its block reads under the same
// guard alone.
type unguarded struct {
	i     *ori.Instr
	guard ori.Operand // none if it must stay
	left  uint64      // words of the result that the block does not write again
}

// unguardFar is how far behind a guarded write its readers are looked for, and
// unguardRounds how often what lives behind blocks is looked at again.
const (
	unguardFar    = 512
	unguardRounds = 8
)

// look notes i if its block reads what it writes under its guard alone.
func (u *unguarder) look(i *ori.Instr) {
	if i.Guard.Kind != ori.KReg || i.Guard.Class != ori.P || i.NDst != 1 || i.Op.Has(op.Pseudo) && i.Op != op.COPY {
		return
	}
	d := i.Args[0]
	if d.Kind != ori.KReg || d.Class != ori.R || d.Sub+max(1, d.N) > 64 || u.f.Regs[d.Reg].Fixed || slices.ContainsFunc(i.Srcs(), func(s ori.Operand) bool { return s.HasReg() && s.Reg == d.Reg }) {
		return
	}
	if i.Op.Has(op.Effect | op.Writes | op.Terminator | op.Convergent) {
		return
	}
	w := &guardWalk{guard: i.Guard, holds: []ori.Operand{i.Guard}, reg: d.Reg, words: wordsOf(d)}
	n := 0
	for j := i.Next(); j != nil && w.words != 0; j = j.Next() {
		if n++; n > unguardFar || !w.step(j) {
			return
		}
	}
	u.list = append(u.list, &unguarded{i, i.Guard, w.words})
}

// wordsOf is the set of words that an operand names.
func wordsOf(o ori.Operand) uint64 { return (1<<max(1, o.N) - 1) << o.Sub }

// guardWalk goes from a guarded write to those that read it.
type guardWalk struct {
	guard ori.Operand   // none if its predicate has another value by now
	holds []ori.Operand // predicates that hold only where the guard did
	reg   ori.Reg
	words uint64 // not yet written again
}

// implied reports whether predicate p holds only where the guard did.
func (w *guardWalk) implied(p ori.Operand) bool {
	return p.Kind == ori.KReg && slices.ContainsFunc(w.holds, func(h ori.Operand) bool { return h.Reg == p.Reg && h.Flags == p.Flags })
}

// step goes over one instruction; it fails if that reads what the guarded
// write left alone.
func (w *guardWalk) step(j *ori.Instr) bool {
	blind := w.implied(j.Guard) || isAndTest(j) && w.implied(j.Srcs()[len(j.Srcs())-1])
	for _, s := range j.Srcs() {
		if s.HasReg() && s.Reg == w.reg && !blind && (s.Kind != ori.KReg || wordsOf(s)&w.words != 0) {
			return false
		}
	}
	// what is written for certain, or by the others, is nobody's old value
	whole := j.Guard.Kind == ori.KNone || w.guard.Kind == ori.KReg && j.Guard.Kind == ori.KReg && j.Guard.Reg == w.guard.Reg && j.Guard.Flags != w.guard.Flags
	for _, d := range j.Dsts() {
		if d.HasReg() && d.Reg == w.reg && whole {
			w.words &^= wordsOf(d)
		}
	}
	implies := isAndTest(j) && j.Guard.Kind == ori.KNone && w.implied(j.Srcs()[len(j.Srcs())-1])
	for _, d := range j.Dsts() {
		if d.HasReg() && d.Class == ori.P {
			w.holds = slices.DeleteFunc(w.holds, func(h ori.Operand) bool { return h.Reg == d.Reg })
			if d.Reg == w.guard.Reg {
				w.guard = ori.Operand{}
			}
		}
	}
	if implies {
		w.holds = append(w.holds, j.Args[0])
	}
	return true
}

// isAndTest reports whether j compares and has one result, which holds only if
// its last source does.
func isAndTest(j *ori.Instr) bool {
	switch j.Op {
	case op.ISETP, op.FSETP, op.DSETP:
		return j.NDst == 1 && j.Args[0].Kind == ori.KReg && j.Mods.Has(op.MAND) && !j.Mods.Has(op.MEX) && len(j.Srcs()) == 3
	}
	return false
}

// settle finds what of the results lives behind its block, assuming that all
// writes of the list are certain, and takes back those, until none is left. A
// value that is read behind another write of the list is that one's matter.
func (u *unguarder) settle() {
	for round := 0; ; round++ {
		chosen := make([]bool, len(u.f.Regs))
		for _, c := range u.list {
			if c.guard.Kind != ori.KNone {
				chosen[c.i.Args[0].Reg] = true
				c.i.Guard = ori.Operand{}
			}
		}
		live := flow.LiveAmong(u.f, func(r ori.Reg) bool { return chosen[r] })
		again := false
		for _, c := range u.list {
			if c.guard.Kind == ori.KNone {
				continue
			}
			c.i.Guard = c.guard
			if u.lives(live, c) || round == unguardRounds {
				c.guard = ori.Operand{}
				again = true
			}
		}
		if !again {
			return
		}
	}
}

// lives reports whether a word of c lives behind its block.
func (u *unguarder) lives(live *flow.Live, c *unguarded) bool {
	d := c.i.Args[0]
	end := live.End(c.i.Block())
	for n := range int(u.f.Regs[d.Reg].Width) {
		if c.left>>n&1 == 0 {
			continue
		}
		if k := live.Number(d.Reg, n); k >= 0 && end.Has(k) {
			return true
		}
	}
	return false
}

// finish takes the guard away, or says that the register holds nothing.
func (u *unguarder) finish(c *unguarded) {
	i := c.i
	if !u.f.Should("unguard", i) {
		return
	}
	u.changed = true
	i.Guard = ori.Operand{}
	if opt.IsPure(i) && !i.Op.LoadsConstant() {
		return
	}
	i.Guard = c.guard
	none := u.f.NewInstr(op.UNDEF, op.Mods{}, []ori.Operand{i.Args[0]}, nil)
	none.Line, none.Loc = i.Line, i.Loc
	i.Block().InsertBefore(none, i)
}
