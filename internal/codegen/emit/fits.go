package emit

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

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

// Fits reports whether the machine has a form for i of function f, whatever
// the numbers of its registers. Answers are remembered.
func (t *Forms) Fits(f *ori.Func, i *ori.Instr) bool {
	if i.Op == op.BRX { // has as many labels as its table
		return i.Srcs()[0].Class == ori.R
	}
	s := shape{op: i.Op, mods: i.Mods, ndst: i.NDst}
	if len(i.Args) > len(s.args) {
		return false
	}
	for n, o := range i.Args {
		s.args[n] = arg{o.Kind, o.Class, o.Flags &^ ori.Reuse, o.Kind == ori.KImm && (o.Imm > 0xff || o.Imm < 0)}
	}
	ok, known := t.fits[s]
	if !known {
		e := emitter{f: f, a: t.a, forms: t, loose: true, start: make([]int64, f.NumBlocks())}
		e.opts.Slot = func(string) (int64, bool) { return 0, true }
		_, err := e.parse(legacyForm(t.a, i))
		ok = err == nil
		t.fits[s] = ok
	}
	return ok
}
