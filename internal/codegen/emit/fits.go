package emit

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Fits returns the question whether architecture a has a form for an
// instruction of function f, whatever the numbers of its registers. One
// goroutine may ask.
func Fits(a *target.Arch, f *ori.Func) func(i *ori.Instr) bool {
	e := &emitter{f: f, a: a, loose: true}
	m := &answers{}
	return func(i *ori.Instr) bool {
		if i.Op == op.BRX { // has as many labels as its table
			return i.Srcs()[0].Class == ori.R
		}
		x, known := m.find(i)
		if known {
			return x.fits
		}
		_, err := e.assemble(i)
		if x != nil {
			m.keep(x, i, err == nil)
		}
		return err == nil
	}
}

// answers are what was found out about instructions lately: most of a
// function differ from others in the numbers of their registers only.
type answers struct {
	list [1 << answerBits]answer
	room []ori.Operand // of the answers that are kept
}

const answerBits = 7

// answer is whether instructions that look like one have a form.
type answer struct {
	args  []ori.Operand // without the numbers of registers
	guard ori.Operand
	mods  op.Mods
	op    op.Op
	ndst  uint8
	known bool
	fits  bool
}

// bare is an operand without the number of its register.
func bare(o *ori.Operand) ori.Operand {
	x := *o
	if x.Reg != ori.NoReg {
		x.Reg = 0
	}
	return x
}

// find returns the place of the answer for i, and whether it is there. Where
// more counts than what an answer says there is no place.
func (m *answers) find(i *ori.Instr) (x *answer, known bool) {
	h := uint64(i.Op)<<8 | uint64(i.NDst)
	for _, w := range i.Mods {
		h = h*31 + uint64(w)
	}
	for k := range i.Args {
		o := &i.Args[k]
		switch o.Kind {
		case ori.KReg, ori.KZero, ori.KImm, ori.KConst, ori.KLiteral, ori.KAddr, ori.KUAddr, ori.KDesc, ori.KSpecial:
		default:
			return nil, false
		}
		h = (h ^ uint64(o.Kind) ^ uint64(o.Class)<<8 ^ uint64(o.Flags)<<16 ^ uint64(o.Sub)<<48 ^ uint64(o.Imm)) * 0x9E3779B97F4A7C15
	}
	h *= 0x9E3779B97F4A7C15
	x = &m.list[h>>(64-answerBits)]
	return x, x.known && x.of(i)
}

// of reports whether x is the answer for i.
func (x *answer) of(i *ori.Instr) bool {
	if x.op != i.Op || x.ndst != i.NDst || len(x.args) != len(i.Args) || x.mods != i.Mods || !isBare(&x.guard, &i.Guard) {
		return false
	}
	for k := range x.args {
		if !isBare(&x.args[k], &i.Args[k]) {
			return false
		}
	}
	return true
}

// isBare reports whether x is o without the number of its register.
func isBare(x, o *ori.Operand) bool {
	return x.Kind == o.Kind && x.Flags == o.Flags && x.Class == o.Class && x.Sub == o.Sub && x.N == o.N && x.Imm == o.Imm &&
		(x.Reg == ori.NoReg) == (o.Reg == ori.NoReg)
}

// keep notes the answer for i in x.
func (m *answers) keep(x *answer, i *ori.Instr, fits bool) {
	if cap(x.args) < len(i.Args) {
		if cap(m.room)-len(m.room) < len(i.Args) {
			m.room = make([]ori.Operand, 0, 64+len(i.Args))
		}
		n := len(m.room)
		m.room = m.room[:n+len(i.Args)]
		x.args = m.room[n:len(m.room):len(m.room)]
	}
	x.args = x.args[:len(i.Args)]
	for k := range i.Args {
		x.args[k] = bare(&i.Args[k])
	}
	x.op, x.ndst, x.mods, x.guard, x.known, x.fits = i.Op, i.NDst, i.Mods, bare(&i.Guard), true, fits
}
