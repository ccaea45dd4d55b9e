package build

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// uniformOps compute the same from the same.
var uniformOps = [...]isa.Word{
	isa.WMov, isa.WAdd, isa.WSub, isa.WMul, isa.WMad, isa.WShl, isa.WShr, isa.WAnd, isa.WOr, isa.WXor, isa.WNot, isa.WNeg,
	isa.WCvt, isa.WCvta, isa.WMin, isa.WMax, isa.WBfe, isa.WBfi, isa.WPrmt, isa.WMapa,
}

// Agreed reports whether all threads certainly have the same words: each is a
// constant or stands in a PTX register that is uniform.
func (l *Builder) Agreed(blocks []Value) bool {
	if l.uniform == nil {
		l.findUniform()
	}
	for _, b := range blocks {
		for _, w := range b {
			switch {
			case w.Kind == ori.KImm || w.Kind == ori.KZero:
			case w.Kind == ori.KReg && l.sameReg(w.Reg, shallow):
			default:
				return false
			}
		}
	}
	return true
}

// shallow bounds how far back the writers of a temporary are looked at.
const shallow = 6

// sameReg reports whether a register holds the same in all threads: it
// stands for a PTX register that does, or is computed in this block from
// such, and from nothing else.
func (l *Builder) sameReg(r ori.Reg, depth int) bool {
	if r >= l.first && r < l.ptx {
		for n, x := range l.Regs {
			if x == r {
				return l.uniform[n]
			}
		}
		return false
	}
	if r == l.rank || depth == 0 {
		return r == l.rank
	}
	found := false
	for i := l.Cur.Last(); i != nil; i = i.Prev() {
		for _, d := range i.Dsts() {
			if d.Kind != ori.KReg || d.Reg != r {
				continue
			}
			found = true
			if i.Guard.Kind != ori.KNone || i.Op.Has(op.Reads|op.Convergent) && i.Op != op.LDC || i.Op == op.S2R {
				return false
			}
			for _, s := range i.Srcs() {
				switch {
				case s.Kind == ori.KImm || s.Kind == ori.KZero || s.Kind == ori.KConst && s.Reg == ori.NoReg:
				case s.Kind == ori.KReg && s.Class == ori.R && s.Reg != r && l.sameReg(s.Reg, depth-1):
				default:
					return false
				}
			}
		}
	}
	return found
}

// findUniform finds the PTX registers that hold the same in all threads of a
// block: those with one write, which computes from constants, parameters,
// block numbers and other such registers. Where it stands does not matter:
// every thread that comes there computes the same.
func (l *Builder) findUniform() {
	body := l.Body
	l.uniform = make([]bool, len(body.Regs))
	writes := l.CountWrites()
	for changed := true; changed; {
		changed = false
		for n := range body.Instrs {
			in := &body.Instrs[n]
			args := body.Of(in.Args)
			if in.Guard >= 0 || len(args) < 2 || args[0].Kind != isa.KReg || args[0].Pair >= 0 || l.uniform[args[0].Ref] || writes[args[0].Ref] != 1 {
				continue
			}
			if l.computesUniform(in, args[1:]) {
				l.uniform[args[0].Ref] = true
				changed = true
			}
		}
	}
}

// CountWrites counts the writes of every PTX register.
func (l *Builder) CountWrites() []int {
	writes := make([]int, len(l.Body.Regs))
	note := func(a *sema.Operand) {
		if a.Kind == isa.KReg {
			writes[a.Ref]++
		}
		if a.Pair >= 0 {
			writes[a.Pair]++
		}
	}
	for n := range l.Body.Instrs {
		in := &l.Body.Instrs[n]
		args := l.Body.Of(in.Args)
		if in.Call >= 0 {
			rets := l.Body.Of(l.Body.Calls[in.Call].Rets)
			for k := range rets {
				note(&rets[k])
			}
		}
		if len(args) == 0 {
			continue
		}
		note(&args[0])
		es := l.Body.Of(args[0].Elems)
		for k := range es {
			note(&es[k])
		}
	}
	return writes
}

// computesUniform reports whether an instruction computes the same in all
// threads.
func (l *Builder) computesUniform(in *sema.Inst, srcs []sema.Operand) bool {
	if in.Op == isa.WLd {
		return l.Fn.Entry && in.NSpaces > 0 && in.Spaces[0].Base() == isa.SpaceParam && srcs[0].Base == isa.KSymbol && srcs[0].Index < 0
	}
	known := false
	for _, w := range uniformOps {
		known = known || w == in.Op
	}
	if !known {
		return false
	}
	for k := range srcs {
		a := &srcs[k]
		switch a.Kind {
		case isa.KInt, isa.KSymbol:
		case isa.KReg:
			if !l.uniform[a.Ref] {
				return false
			}
		case isa.KSpecial:
			switch isa.SpecialReg(a.Ref).Word() {
			case isa.WSrCtaid, isa.WSrNctaid, isa.WSrNtid, isa.WSrClusterCtarank:
			default:
				return false
			}
		default:
			return false
		}
	}
	return true
}
