package machine

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Accumulators finds warp-group matrix operations that certainly count their
// accumulator, certainly do not, or whose accumulator is zero: none of these
// needs a predicate, and the last two no accumulator to start with.
func Accumulators(f *ori.Func) bool {
	var v *opt.Values
	changed := false
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if !i.IsGroupMMA() || i.Args[0].Kind != ori.KReg {
				continue
			}
			if v == nil {
				v = opt.ValuesOf(f)
			}
			a := &accumulation{f: f, v: v, i: i}
			changed = a.scale() || changed
			changed = a.zero() || changed
		}
	}
	if f.Touched(changed) {
		v.Keep()
	}
	return changed
}

type accumulation struct {
	f *ori.Func
	v *opt.Values
	i *ori.Instr
}

// predicate returns the place of the predicate among the operands, or -1.
func (a *accumulation) predicate() int {
	for k, s := range a.i.Args {
		if s.Class == ori.UP && (s.Kind == ori.KReg || s.Kind == ori.KZero) {
			return k
		}
	}
	return -1
}

// scale takes away a predicate that is known.
func (a *accumulation) scale() bool {
	k := a.predicate()
	if k < 0 || a.i.Args[k].Kind != ori.KReg {
		return false
	}
	q := a.i.Args[k]
	d := a.v.Once(q)
	if d == nil || d.Op != op.VOTEU || !d.Mods.Has(op.MANY) || d.Guard.Kind != ori.KNone || len(d.Args) != 2 {
		return false
	}
	holds, ok := a.truth(d.Args[1])
	if !ok {
		return false
	}
	if holds != (q.Flags&ori.Inv == 0) {
		a.overwrite(k)
		return true
	}
	srcs := append([]ori.Operand(nil), a.i.Srcs()...)
	at := k - int(a.i.NDst)
	a.change(append(srcs[:at:at], srcs[at+1:]...))
	return true
}

// truth returns what a predicate is, if it is known: the true one, or what
// was computed from such.
func (a *accumulation) truth(p ori.Operand) (holds, ok bool) {
	not := p.Flags&ori.Inv != 0
	if p.Kind == ori.KZero {
		return !not, true
	}
	d := a.v.Once(p)
	if d == nil || d.Op != op.PLOP3 || d.NDst != 1 || d.Guard.Kind != ori.KNone || len(d.Args) != 6 || d.Args[4].Kind != ori.KImm {
		return false, false
	}
	at := 0
	for _, s := range d.Args[1:4] {
		if s.Kind != ori.KZero {
			return false, false
		}
		at = 2*at + pick1(s.Flags&ori.Inv == 0)
	}
	return (d.Args[4].Imm>>at&1 != 0) != not, true
}

func pick1(b bool) int {
	if b {
		return 1
	}
	return 0
}

// overwrite makes the operation ignore its accumulator; k is the place of the
// predicate.
func (a *accumulation) overwrite(k int) {
	never := ori.Zero(ori.UP).Not()
	srcs := append([]ori.Operand(nil), a.i.Srcs()...)
	for n := range srcs {
		if srcs[n].Kind == ori.KReg && srcs[n].Reg == a.i.Args[0].Reg {
			srcs[n] = ori.Zero(ori.R)
			if k < 0 {
				srcs = append(srcs[:n+1], append([]ori.Operand{never}, srcs[n+1:]...)...)
			}
			break
		}
	}
	if k >= 0 {
		srcs[k-int(a.i.NDst)] = never
	}
	a.change(srcs)
}

// change gives the operation other sources.
func (a *accumulation) change(srcs []ori.Operand) {
	for k := range a.i.Srcs() {
		a.v.CountRead(&a.i.Srcs()[k], -1)
	}
	a.f.SetArgs(a.i, a.i.Dsts(), srcs)
	for k := range srcs {
		a.v.CountRead(&srcs[k], 1)
	}
}

// zero looks for writes of zero to all words of the accumulator just before
// the operation. They are dead when it does not read them.
func (a *accumulation) zero() bool {
	if !a.i.Accumulates() || a.predicate() >= 0 {
		return false
	}
	d := a.i.Args[0]
	found := make([]bool, d.N)
	var writes []*ori.Instr
	for j, left := a.i.Prev(), int(d.N); left > 0; j = j.Prev() {
		if j == nil || reads(j, d.Reg) {
			return false
		}
		for _, x := range j.Dsts() {
			if x.Kind != ori.KReg || x.Reg != d.Reg {
				continue
			}
			if j.Op != op.MOV && j.Op != op.COPY || j.Guard.Kind != ori.KNone || x.N != 1 || x.Sub < d.Sub || x.Sub >= d.Sub+d.N || found[x.Sub-d.Sub] || !a.nothing(j.Args[1]) {
				return false
			}
			found[x.Sub-d.Sub] = true
			writes = append(writes, j)
			left--
		}
	}
	a.overwrite(-1)
	for _, j := range writes {
		a.v.Remove(j)
	}
	return true
}

// nothing reports whether s is zero.
func (a *accumulation) nothing(s ori.Operand) bool {
	if opt.IsZero(s) || s.Is(0) {
		return true
	}
	if s.Kind != ori.KReg || s.Flags != 0 {
		return false
	}
	d := a.v.Once(s)
	return d != nil && (d.Op == op.MOV || d.Op == op.COPY) && d.Guard.Kind == ori.KNone && len(d.Args) == 2 && (opt.IsZero(d.Args[1]) || d.Args[1].Is(0))
}

// reads reports whether i reads a register.
func reads(i *ori.Instr, r ori.Reg) bool {
	for _, s := range i.Srcs() {
		if s.HasReg() && s.Reg == r {
			return true
		}
	}
	return false
}
