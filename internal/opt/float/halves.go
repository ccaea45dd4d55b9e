package float

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// HalfConstants lets arithmetic on halves take constants as they are: the machine
// spells the two halves of a word, the high one first. fits tells whether an
// instruction has a form.
func HalfConstants(f *ori.Func, fits func(*ori.Instr) bool) bool {
	v := opt.ValuesOf(f)
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			for _, r := range &halfRows {
				if r.op == i.Op && i.NDst == 1 && halfConstant(v, i, r.first, r.swap, fits) {
					changed = true
				}
			}
		}
	}
	return f.Touched(changed)
}

// halfRows are the operations on halves that take a constant, the source it
// must be, and whether the first two change places for it.
var halfRows = [...]struct {
	op    op.Op
	first int
	swap  bool
}{
	{op.HMUL2, 1, true},
	{op.HADD2, 1, true},
	{op.HFMA2, 1, true},
	{op.HFMA2, 2, false},
	{op.HSETP2, 1, false},
}

// halfConstant puts the constant that source at of i holds, or the first one
// if they may change places, into the instruction.
func halfConstant(v *opt.Values, i *ori.Instr, at int, swap bool, fits func(*ori.Instr) bool) bool {
	was := i.Args
	if len(was) < at+2 {
		return false
	}
	srcs := append([]ori.Operand(nil), i.Srcs()...)
	for _, s := range srcs {
		if s.Kind == ori.KImm {
			return false // one constant fits
		}
	}
	bits, ok := halvesOf(v, srcs[at])
	if !ok && swap {
		srcs[0], srcs[1] = srcs[1], srcs[0]
		bits, ok = halvesOf(v, srcs[at])
	}
	if !ok {
		return false
	}
	list := append([]ori.Operand(nil), srcs[:at]...)
	list = append(list, ori.Imm(int64(bits>>16)), ori.Imm(int64(bits&0xffff)))
	list = append(list, srcs[at+1:]...)
	v.Count(i, -1)
	v.Func.SetArgs(i, append([]ori.Operand(nil), i.Dsts()...), list)
	if !fits(i) {
		i.Args = was
		v.Count(i, 1)
		return false
	}
	v.Count(i, 1)
	return true
}

// halvesOf returns the two halves that an operand reads, if they are known.
func halvesOf(v *opt.Values, a ori.Operand) (uint32, bool) {
	if a.Kind != ori.KReg || a.Class != ori.R || a.N != 1 {
		return 0, false
	}
	j := v.Once(a)
	if j == nil || j.Op != op.MOV && j.Op != op.COPY || j.NDst != 1 || len(j.Args) != 2 || j.Guard.Kind != ori.KNone || j.Args[0].N != 1 || j.Args[1].Kind != ori.KImm || j.Args[1].Flags != 0 {
		return 0, false
	}
	w := uint32(j.Args[1].Imm)
	switch {
	case a.Flags&ori.H0 != 0:
		w = w&0xffff | w<<16
	case a.Flags&ori.H1 != 0:
		w = w>>16 | w&0xffff0000
	}
	if a.Flags&ori.Abs != 0 {
		w &^= 0x80008000
	}
	if a.Flags&ori.Neg != 0 {
		w ^= 0x80008000
	}
	return w, a.Flags&ori.Inv == 0
}
