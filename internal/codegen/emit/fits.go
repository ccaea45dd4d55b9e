package emit

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Fitter answers whether an architecture has a form for an instruction,
// whatever its register numbers. It remembers its answers.
type Fitter struct {
	a    *target.Arch
	e    emitter
	seen map[shape]bool
}

// shape is what the form of an instruction depends on, but for the size of
// immediates.
type shape struct {
	op   op.Op
	mods op.Mods
	ndst uint8
	args [12]arg
}

// arg is one operand's part of a shape.
type arg struct {
	kind  ori.Kind
	class ori.Class
	flags ori.Flags
	free  bool // immediate that only a full word can hold
}

// NewFitter returns a Fitter for a.
func NewFitter(a *target.Arch) *Fitter {
	return &Fitter{a: a, seen: map[shape]bool{}}
}

// Fits reports whether the machine has a form for i of function f.
func (t *Fitter) Fits(f *ori.Func, i *ori.Instr) bool {
	if i.Op == op.BRX || i.Op == op.UGETNEXTWORKID { // has as many labels as its table; names neighbours
		return true
	}
	s := shape{op: i.Op, mods: i.Mods, ndst: i.NDst}
	if len(i.Args) > len(s.args) {
		return false
	}
	for n, o := range i.Args {
		s.args[n] = arg{o.Kind, o.Class, o.Flags &^ ori.Reuse, o.Kind == ori.KImm && (o.Imm > 0xff || o.Imm < 0)}
	}
	ok, known := t.seen[s]
	if !known {
		t.e.f, t.e.a = f, t.a
		t.e.opts.Slot = func(string) (int64, bool) { return 0, true }
		if len(t.e.start) < f.NumBlocks() {
			t.e.start = make([]int64, f.NumBlocks())
		}
		t.e.loose = true
		_, err := t.e.parse(i)
		ok = err == nil
		t.seen[s] = ok
	}
	return ok
}
