package async

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// bulk lowers cp.async.bulk and cp.reduce.async.bulk: copies of many bytes
// that run beside the program.
func bulk(l *build.Builder) {
	l.Knows(isa.WAsync)
	l.Knows(isa.WBulk)
	reduce := l.Has(isa.WReduce)
	switch {
	case !l.Arch.Has(target.BulkCopies):
		l.Unsupported()
	case l.Has(isa.WCommitGroup):
		flushCopies(l)
	case l.Has(isa.WWaitGroup):
		l.Alone(func() {
			l.Emit(op.DEPBAR, op.M(op.MLE), nil, ori.Special(op.SRScoreboard0), ori.Imm(groupsLeft(l)))
			if !l.Has(isa.WRead) {
				l.Emit(op.CCTL, op.M(op.MIVALL), nil)
			}
		})
	case l.Has(isa.WTensor):
		bulkTensor(l, reduce)
	case l.Has(isa.WPrefetch):
		l.Knows(isa.WL2)
		x := bulkOrder(l)
		x.Blocks = append(x.Blocks, flat(l, &l.Args[0]), build.Value{units(l, 1, -1)})
		x.Same = true
		x.finish(l, op.UBLKPF, op.M(op.ML2), 1)
	case reduce:
		bulkReduce(l)
	default:
		bulkCopy(l)
	}
}

// maxCopyGroups is the largest number of groups that DEPBAR can leave.
const maxCopyGroups = 63

// groupsLeft is how many groups a wait may leave under way: what it names, an
// unsigned number, as far as the instruction counts. More are never under way.
func groupsLeft(l *build.Builder) int64 {
	return min(int64(uint32(l.Args[0].Value)), maxCopyGroups)
}

// flushCopies ends a group of bulk copies: of the warp, whichever threads ask.
func flushCopies(l *build.Builder) {
	if l.Guard.Kind == ori.KNone {
		l.Emit(op.UTMACMDFLUSH, op.Mods{}, nil)
		return
	}
	guard := l.Guard
	l.Guard = ori.Operand{}
	any := l.F.Words(l.F.NewReg(ori.UP, 1))
	l.Emit(op.VOTEU, op.M(op.MANY), build.Value{any}, guard)
	l.Emit(op.UTMACMDFLUSH, op.Mods{}, nil).Guard = any
	l.Guard = guard
}

// bulkCopy lowers the copies.
func bulkCopy(l *build.Builder) {
	l.Knows(isa.WMbarrierCompleteTxBytes)
	l.Knows(isa.WBulkGroup)
	x := bulkOrder(l)
	if name := CopyRoutine(l.Arch, l.Body, l.In); name != "" {
		byRoutine(l, func() { x.callBytes(l, name) }, func() { x.copyBytes(l) })
		return
	}
	x.copyBytes(l)
}

// copyBytes lets the machine copy bytes.
func (x *bulkOp) copyBytes(l *build.Builder) {
	mask := -1
	m := op.Mods{}
	to, from := l.In.Spaces[0], l.In.Spaces[1]
	switch {
	case to == isa.SpaceGlobal:
		m = op.M(op.MG, op.MS)
		if l.Has(isa.WCpMask) { // which bytes of each sixteen are written
			m, mask = m.With(op.MDST_G_BYTE_MASK), len(l.Args)-1
			if x.hint {
				x.policy = l.Src(mask-1, isa.B64)
			}
		}
		x.Same = true
		x.Blocks = []build.Value{flat(l, &l.Args[0]), {sharedWord(l, &l.Args[1])}}
	case from == isa.SpaceGlobal:
		m = op.M(op.MS, op.MG)
		if l.Has(isa.WMulticastCluster) {
			m, mask = m.With(op.MMULTICAST), 4
		}
		x.Blocks = []build.Value{{sharedWord(l, &l.Args[0]), sharedWord(l, &l.Args[3])}, flat(l, &l.Args[1])}
	default:
		m = op.M(op.MS, op.MS)
		x.Blocks = []build.Value{{sharedWord(l, &l.Args[0]), sharedWord(l, &l.Args[3])}, {sharedWord(l, &l.Args[1])}}
	}
	x.Blocks = append(x.Blocks, build.Value{units(l, 2, mask)})
	x.finish(l, op.UBLKCP, m, 2)
}

// stBulk lowers st.bulk: shared memory is cleared, in words of 64 bits.
func stBulk(l *build.Builder) {
	l.Knows(isa.WWeak)
	n := l.Src(1, isa.U64)
	size := n[0]
	if size.Kind == ori.KImm {
		size = expand.Word(uint32(size.Imm) >> 3)
	} else if size.Kind != ori.KZero {
		size = l.One(op.SHF, op.M(op.MR, op.MU64), n[0], ori.Imm(3), l.Reg(n[1]))
	}
	l.Issue(&build.Order{Same: true, Blocks: []build.Value{{sharedWord(l, &l.Args[0])}, {size}}, Do: func(u []ori.Operand) *ori.Instr {
		u[0].Kind = ori.KAddr
		return l.Emit(op.UMEMSETS, op.M(op.M64), nil, u[0], ori.Zero(ori.UR), u[1])
	}})
}

// bulkReduce lowers the reductions. Bits have no sign, and a sum none that
// matters.
func bulkReduce(l *build.Builder) {
	l.Knows(isa.WMbarrierCompleteTxBytes)
	l.Knows(isa.WBulkGroup)
	l.Knows(isa.WNoftz)
	fn := bulkFn(l)
	var kind op.Mods
	switch t := l.Typ(0); {
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
		l.Unsupported()
	}
	x := bulkOrder(l)
	m := build.Join(op.M(op.MG, op.MS, fn), kind)
	if l.In.Spaces[0] == isa.SpaceGlobal {
		x.Blocks = []build.Value{flat(l, &l.Args[0]), {sharedWord(l, &l.Args[1])}}
	} else {
		m[0] = op.MS
		x.Blocks = []build.Value{{sharedWord(l, &l.Args[0]), sharedWord(l, &l.Args[3])}, {sharedWord(l, &l.Args[1])}}
	}
	x.Blocks = append(x.Blocks, build.Value{units(l, 2, -1)})
	x.finish(l, op.UBLKRED, m, 2)
}
