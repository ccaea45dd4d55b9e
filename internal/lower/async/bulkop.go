package async

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// bulkOrder begins an order; a cache policy is its last block.
func bulkOrder(l *build.Builder) *bulkOp {
	x := &bulkOp{}
	if x.hint = l.Has(isa.WL2CacheHint); x.hint && !l.Has(isa.WCpMask) {
		x.policy = l.Src(len(l.Args)-1, isa.B64)
	}
	return x
}

// bulkOp is an order of the copy engines as it is put together.
type bulkOp struct {
	build.Order
	hint   bool
	policy build.Value
}

// finish issues the order: the first blocks are addresses, the rest words,
// the policy comes last.
func (x *bulkOp) finish(l *build.Builder, o op.Op, m op.Mods, addresses int) {
	if x.hint {
		x.Blocks = append(x.Blocks, x.policy)
	}
	x.Do = func(u []ori.Operand) *ori.Instr {
		srcs := make(build.Value, len(u))
		for n, b := range u {
			switch {
			case n < addresses:
				b.Kind = ori.KAddr
			case x.hint && n == len(u)-1:
				b.Kind = ori.KDesc
			}
			srcs[n] = b
		}
		return l.Emit(o, m, nil, srcs...)
	}
	l.Issue(&x.Order)
}

// sharedWord returns an address of shared memory as a word. An integer
// register or a variable without brackets is one too.
func sharedWord(l *build.Builder, a *sema.Operand) ori.Operand {
	plain := *a
	if a.Flags == 0 && (a.Kind == isa.KSymbol || a.Kind == isa.KReg && a.Index < 0 && (a.Type.IsInt() || a.Type.Class() == isa.Bits) && (a.Type.Bits() == 32 || a.Type.Bits() == 64)) {
		plain.Kind, plain.Base = isa.KAddr, a.Kind
	}
	x := memory.Address(l, &plain, isa.SpaceShared)[0]
	switch {
	case x.Reg == ori.NoReg:
		return expand.Word(uint32(x.Imm))
	case x.Imm == 0:
		return l.F.Word(x.Reg, int(x.Sub))
	}
	return l.Iadd(l.F.Word(x.Reg, int(x.Sub)), ori.Imm(x.Imm))
}

// flat returns an address of global memory or a generic one as two words.
func flat(l *build.Builder, a *sema.Operand) build.Value {
	switch a.Base {
	case isa.KReg:
		v := memory.AddressWords(l, a)
		if a.Value != 0 {
			v = l.Add64(v, expand.Imm(a.Value, 2), false)
		}
		return v
	case isa.KSymbol:
		return l.Symbol(a, 2)
	}
	l.Unsupported()
	return nil
}

// units returns a number of bytes as the engines count them, in sixteens,
// and the mask of argument mask, if any, above them.
func units(l *build.Builder, n, mask int) ori.Operand {
	size := l.Src1(n, isa.U32)
	if size.Kind == ori.KImm {
		size = expand.Word(uint32(size.Imm) >> 4)
	} else if size.Kind != ori.KZero {
		size = l.Shr1(size, ori.Imm(4))
	}
	if mask < 0 {
		return size
	}
	return halves(l, size, l.Src1(mask, isa.B16))
}

// halves joins the low halves of two words.
func halves(l *build.Builder, lo, hi ori.Operand) ori.Operand {
	if lo.Kind != ori.KReg && hi.Kind != ori.KReg {
		return expand.Word(uint32(lo.Imm)&0xffff | uint32(hi.Imm)<<16)
	}
	return l.One(op.PRMT, op.Mods{}, l.Reg(lo), ori.Imm(0x5410), l.Reg(hi))
}

// bulkFn returns the operation of a reduction.
func bulkFn(l *build.Builder) op.Mod {
	m := l.Which(memory.Atomics)
	if m == op.NoMod {
		l.Unsupported()
	}
	return m
}

// group2 tells operations of a pair of blocks.
func group2(l *build.Builder, m op.Mods) op.Mods {
	if l.Has(isa.WCtaGroup2) {
		return m.With(op.M2CTA)
	}
	return m
}

// tensorWord returns an address of tensor memory as a word and an offset.
func tensorWord(l *build.Builder, a *sema.Operand) (ori.Operand, int64) {
	x := memory.Address(l, a, isa.SpaceShared)[0]
	if x.Reg == ori.NoReg {
		return expand.Word(uint32(x.Imm)), 0
	}
	return l.F.Word(x.Reg, int(x.Sub)), x.Imm
}
