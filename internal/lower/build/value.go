package build

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Put appends an instruction. It takes the current guard if it writes a
// PTX register or does something that must not happen otherwise.
func (l *Builder) Put(i *ori.Instr) *ori.Instr {
	l.wrote(i.Dsts())
	if l.In != nil {
		i.Line = int32(l.In.Pos)
	}
	i.Loc = l.Loc
	if l.Guard.Kind != ori.KNone && l.needsGuard(i) {
		i.Guard = l.Guard
	}
	return l.Cur.Append(i)
}

func (l *Builder) needsGuard(i *ori.Instr) bool {
	if i.Op.Has(op.Reads | op.Writes | op.Effect | op.Terminator | op.Convergent) {
		return i.Op != op.LDC && i.Op != op.ULDC
	}
	for _, d := range i.Dsts() {
		if d.Kind == ori.KReg && (d.Reg >= l.first && d.Reg < l.ptx || d.Reg == l.Carry) {
			return true
		}
	}
	return false
}

// Words is how many registers a value of type t takes.
func Words(t isa.Type) int { return max(1, (t.Bits()+31)/32) }

// UseMbarrier notes what the current instruction does with an mbarrier.
func (l *Builder) UseMbarrier(u ori.MbarrierUse) { l.F.UseMbarrier(int32(l.In.Pos), u) }

// CopyRun copies the words of a new run to where PTX names them, and
// remembers that they are the same.
func (l *Builder) CopyRun(dst, run Value) {
	l.Copy(dst, run)
	for n := range dst {
		l.Holds(dst[n], run[n])
	}
}

// SymbolPart returns an operand that stands for part of a symbol's address.
func (l *Builder) SymbolPart(name string, p ori.Part) ori.Operand {
	return ori.Operand{Kind: ori.KSymbol, Reg: l.F.Module.Symbol(name), Sub: uint8(p)}
}
