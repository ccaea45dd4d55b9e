package ra

import (
	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// remats marks registers whose only write is an instruction that can be
// repeated: anywhere, or where what it reads is still there.
func (b *builder) remats() {
	writes := make([]int32, len(b.p.VRegs))
	from := make([]int32, len(b.p.VRegs))
	for n := range b.p.Insts {
		for _, o := range b.p.Operands(n) {
			if o.Role.Writes() {
				writes[o.V]++
				from[o.V] = int32(n)
			}
		}
	}
	for v := range b.p.VRegs {
		if writes[v] != 1 || b.p.VRegs[v].Fixed >= 0 {
			continue
		}
		n := from[v]
		ops := b.p.Operands(int(n))
		if ops[0].V != int32(v) || ops[0].N != b.p.VRegs[v].Width {
			continue
		}
		if (len(ops) == 1 || ops[1].Role == regalloc.Hold) && repeatable(b.instrs[n]) || b.derived(ops) && derives(b.instrs[n]) {
			b.p.VRegs[v].Remat = n
		}
	}
}

// derived reports whether operands are those of something that other
// registers make and only these.
func (b *builder) derived(ops []regalloc.Operand) bool {
	if len(ops) < 2 || ops[0].Role != regalloc.Def {
		return false
	}
	for _, o := range ops[1:] {
		v := &b.p.VRegs[o.V]
		if o.Role != regalloc.Use && o.Role != regalloc.UseLate || v.Fixed >= 0 || v.Class != fileR && v.Class != fileUR {
			return false
		}
	}
	return true
}

// repeatable reports whether i gives the same result wherever it stands.
func repeatable(i *ori.Instr) bool {
	if !i.Op.Has(op.Remat) && i.Op != op.COPY {
		return false
	}
	for _, a := range i.Srcs() {
		switch a.Kind {
		case ori.KImm, ori.KConst, ori.KZero, ori.KSymbol:
		case ori.KSpecial:
			if a.Imm != int64(op.SRZero) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// derives reports whether i makes one result of its operands, at once and
// whenever it is asked.
func derives(i *ori.Instr) bool {
	if i.Op.Has(op.Turns) { // a comparison
		return i.Op.Has(op.Derives) && isMade(i, ori.P)
	}
	return i.Op.Has(op.Derives) && (isMade(i, ori.R) || isMade(i, ori.UR))
}

// isMade reports whether i always writes one register, of a class.
func isMade(i *ori.Instr, c ori.Class) bool {
	return i.NDst == 1 && i.Guard.Kind == ori.KNone && i.Args[0].Kind == ori.KReg && i.Args[0].Class == c
}
