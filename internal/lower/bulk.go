package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// bulk lowers cp.async.bulk and cp.reduce.async.bulk: copies of many bytes
// that run beside the program.
func (l *lowerer) bulk() {
	l.knows(isa.WAsync)
	l.knows(isa.WBulk)
	reduce := l.has(isa.WReduce)
	switch {
	case !l.arch.Has(target.BulkCopies):
		l.unsupported()
	case l.has(isa.WCommitGroup):
		l.flushCopies()
	case l.has(isa.WWaitGroup):
		l.alone(func() {
			l.emit(op.DEPBAR, op.M(op.MLE), nil, ori.Special(op.SRScoreboard0), ori.Imm(min(int64(l.args[0].Value), maxBulkGroups)))
			if !l.has(isa.WRead) {
				l.emit(op.CCTL, op.M(op.MIVALL), nil)
			}
		})
	case l.has(isa.WTensor):
		l.bulkTensor(reduce)
	case l.has(isa.WPrefetch):
		l.knows(isa.WL2)
		x := l.bulkOrder()
		x.blocks = append(x.blocks, l.flat(&l.args[0]), value{l.units(1, -1)})
		x.same = true
		x.finish(l, op.UBLKPF, op.M(op.ML2), 1)
	case reduce:
		l.bulkReduce()
	default:
		l.bulkCopy()
	}
}

// maxBulkGroups is the largest number of groups that DEPBAR can leave.
const maxBulkGroups = 63

// flushCopies ends a group of bulk copies: of the warp, whichever threads ask.
func (l *lowerer) flushCopies() {
	if l.guard.Kind == ori.KNone {
		l.emit(op.UTMACMDFLUSH, op.Mods{}, nil)
		return
	}
	guard := l.guard
	l.guard = ori.Operand{}
	any := l.f.Words(l.f.NewReg(ori.UP, 1))
	l.emit(op.VOTEU, op.M(op.MANY), value{any}, guard)
	l.emit(op.UTMACMDFLUSH, op.Mods{}, nil).Guard = any
	l.guard = guard
}

// bulkOrder begins an order; a cache policy is its last block.
func (l *lowerer) bulkOrder() *bulkOp {
	x := &bulkOp{}
	if x.hint = l.has(isa.WL2CacheHint); x.hint && !l.has(isa.WCpMask) {
		x.policy = l.src(len(l.args)-1, isa.B64)
	}
	return x
}

// bulkOp is an order of the copy engines as it is put together.
type bulkOp struct {
	order
	hint   bool
	policy value
}

// finish issues the order: the first blocks are addresses, the rest words,
// the policy comes last.
func (x *bulkOp) finish(l *lowerer, o op.Op, m op.Mods, addresses int) {
	if x.hint {
		x.blocks = append(x.blocks, x.policy)
	}
	x.do = func(u []ori.Operand) *ori.Instr {
		srcs := make(value, len(u))
		for n, b := range u {
			switch {
			case n < addresses:
				b.Kind = ori.KAddr
			case x.hint && n == len(u)-1:
				b.Kind = ori.KDesc
			}
			srcs[n] = b
		}
		return l.emit(o, m, nil, srcs...)
	}
	l.issue(&x.order)
}

// sharedWord returns an address of shared memory as a word.
func (l *lowerer) sharedWord(a *sema.Operand) ori.Operand {
	x := l.address(a, isa.SpaceShared)[0]
	switch {
	case x.Reg == ori.NoReg:
		return word(uint32(x.Imm))
	case x.Imm == 0:
		return l.f.Word(x.Reg, int(x.Sub))
	}
	return l.iadd(l.f.Word(x.Reg, int(x.Sub)), ori.Imm(x.Imm))
}

// flat returns an address of global memory or a generic one as two words.
func (l *lowerer) flat(a *sema.Operand) value {
	switch a.Base {
	case isa.KReg:
		v := l.words(l.regs[a.Ref])
		if len(v) < 2 {
			l.fail("32-bit address in a 64-bit space")
		}
		if a.Value != 0 {
			v = l.add64(v, imm(a.Value, 2), false)
		}
		return v
	case isa.KSymbol:
		return l.symbol(a, 2)
	}
	l.unsupported()
	return nil
}

// units returns a number of bytes as the engines count them, in sixteens,
// and the mask of argument mask, if any, above them.
func (l *lowerer) units(n, mask int) ori.Operand {
	size := l.src1(n, isa.U32)
	if size.Kind == ori.KImm {
		size = word(uint32(size.Imm) >> 4)
	} else if size.Kind != ori.KZero {
		size = l.shr1(size, ori.Imm(4))
	}
	if mask < 0 {
		return size
	}
	return l.halves(size, l.src1(mask, isa.B16))
}

// halves joins the low halves of two words.
func (l *lowerer) halves(lo, hi ori.Operand) ori.Operand {
	if lo.Kind != ori.KReg && hi.Kind != ori.KReg {
		return word(uint32(lo.Imm)&0xffff | uint32(hi.Imm)<<16)
	}
	return l.one(op.PRMT, op.Mods{}, l.reg(lo), ori.Imm(0x5410), l.reg(hi))
}

// bulkCopy lowers the copies.
func (l *lowerer) bulkCopy() {
	l.knows(isa.WMbarrierCompleteTxBytes)
	l.knows(isa.WBulkGroup)
	x := l.bulkOrder()
	mask := -1
	m := op.Mods{}
	to, from := l.in.Spaces[0], l.in.Spaces[1]
	switch {
	case to == isa.SpaceGlobal:
		m = op.M(op.MG, op.MS)
		if l.has(isa.WCpMask) { // which bytes of each sixteen are written
			m, mask = m.With(op.MDST_G_BYTE_MASK), len(l.args)-1
			if x.hint {
				x.policy = l.src(mask-1, isa.B64)
			}
		}
		x.same = true
		x.blocks = []value{l.flat(&l.args[0]), {l.sharedWord(&l.args[1])}}
	case from == isa.SpaceGlobal:
		m = op.M(op.MS, op.MG)
		if l.has(isa.WMulticastCluster) {
			m, mask = m.With(op.MMULTICAST), 4
		}
		x.blocks = []value{{l.sharedWord(&l.args[0]), l.sharedWord(&l.args[3])}, l.flat(&l.args[1])}
	default:
		m = op.M(op.MS, op.MS)
		x.blocks = []value{{l.sharedWord(&l.args[0]), l.sharedWord(&l.args[3])}, {l.sharedWord(&l.args[1])}}
	}
	x.blocks = append(x.blocks, value{l.units(2, mask)})
	x.finish(l, op.UBLKCP, m, 2)
}

// stBulk lowers st.bulk: shared memory is cleared, in words of 64 bits.
func (l *lowerer) stBulk() {
	l.knows(isa.WWeak)
	n := l.src(1, isa.U64)
	size := n[0]
	if size.Kind == ori.KImm {
		size = word(uint32(size.Imm) >> 3)
	} else if size.Kind != ori.KZero {
		size = l.one(op.SHF, op.M(op.MR, op.MU64), n[0], ori.Imm(3), l.reg(n[1]))
	}
	l.issue(&order{same: true, blocks: []value{{l.sharedWord(&l.args[0])}, {size}}, do: func(u []ori.Operand) *ori.Instr {
		u[0].Kind = ori.KAddr
		return l.emit(op.UMEMSETS, op.M(op.M64), nil, u[0], ori.Zero(ori.UR), u[1])
	}})
}

// bulkFn returns the operation of a reduction.
func (l *lowerer) bulkFn() op.Mod {
	m := l.which(atomics)
	if m == op.NoMod {
		l.unsupported()
	}
	return m
}

// bulkReduce lowers the reductions. Bits have no sign, and a sum none that
// matters.
func (l *lowerer) bulkReduce() {
	l.knows(isa.WMbarrierCompleteTxBytes)
	l.knows(isa.WBulkGroup)
	l.knows(isa.WNoftz)
	fn := l.bulkFn()
	var kind op.Mods
	switch t := l.typ(0); {
	case t == isa.F16:
		kind = op.M(op.MF16, op.MRN)
	case t == isa.BF16:
		kind = op.M(op.MBF16, op.MRN)
	case t == isa.F32:
		kind = op.M(op.MF32, op.MRN)
	case t == isa.F64:
		kind = op.M(op.MF64, op.MRN)
	case t == isa.S32:
		kind = op.M(op.MS32)
	case t == isa.S64:
		kind = op.M(op.MS64)
	case t.Bits() == 64:
		kind = op.M(op.MU64)
	case t.Bits() != 32:
		l.unsupported()
	}
	x := l.bulkOrder()
	m := join(op.M(op.MG, op.MS, fn), kind)
	if l.in.Spaces[0] == isa.SpaceGlobal {
		x.blocks = []value{l.flat(&l.args[0]), {l.sharedWord(&l.args[1])}}
	} else {
		m[0] = op.MS
		x.blocks = []value{{l.sharedWord(&l.args[0]), l.sharedWord(&l.args[3])}, {l.sharedWord(&l.args[1])}}
	}
	x.blocks = append(x.blocks, value{l.units(2, -1)})
	x.finish(l, op.UBLKRED, m, 2)
}
