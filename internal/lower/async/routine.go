package async

import (
	"strconv"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// Copies to several blocks of a cluster, and to another one, are routines of
// the driver where the machine copies to the block itself alone. They take where in shared memory,
// what is copied, and the barrier in two words each. Of bytes, the number and
// the mask follow what is copied and the policy is last; of tensors, five
// words of coordinates and the mask do, and the policy is on the stack, behind
// the offsets of im2col. For one block nothing is where the mask would be.
const (
	RoutineStack = 16 // bytes of stack the arguments take at most
	mostCoords   = 5
)

// tensorDims are the modifiers for the number of dimensions.
var tensorDims = [...]struct {
	word isa.Word
	mod  op.Mod
}{{isa.W1d, op.M1D}, {isa.W2d, op.M2D}, {isa.W3d, op.M3D}, {isa.W4d, op.M4D}, {isa.W5d, op.M5D}}

// CopyRoutine returns the name of the routine that a copy calls, always if it
// is for several blocks, or where it goes to another one; "" if the machine
// does it everywhere.
func CopyRoutine(arch *target.Arch, b *sema.Body, in *sema.Inst) string {
	if in.Op != isa.WCp || arch.Has(target.Multicast) || in.NSpaces != 2 || in.Spaces[0] != isa.SpaceSharedCluster || in.Spaces[1] != isa.SpaceGlobal {
		return ""
	}
	dims, cast, mode := 0, "unicast", "tile"
	for _, w := range b.ModsOf(in) {
		for n, d := range tensorDims {
			if d.word == w {
				dims = n + 1
			}
		}
		switch w {
		case isa.WMulticastCluster:
			cast = "multicast"
		case isa.WIm2col:
			mode = "im2col"
		}
	}
	if dims == 0 {
		return "__cuda_syscall_cp_async_bulk_" + cast
	}
	return "__cuda_syscall_cp_async_bulk_tensor_" + strconv.Itoa(dims) + "d_" + mode + "_" + cast
}

// rankBits is where the number of a block stands in an address of its
// cluster's shared memory.
const rankBits = 24

// byRoutine calls a routine for a copy to several blocks or to another one, and
// lets the machine copy to the block itself.
func byRoutine(l *build.Builder, call, copy func()) {
	if l.Has(isa.WMulticastCluster) {
		call()
		return
	}
	l.Alone(func() {
		block := l.Shr1(l.Reg(sharedWord(l, &l.Args[0])), ori.Imm(rankBits))
		own := l.One(op.S2R, op.Mods{}, ori.Special(op.SRClusterCtaID))
		l.Either(l.Test(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), block, own, expand.PT()), call, copy)
	})
}

// callCopy lowers a copy to several blocks by calling its routine. args are
// the words that it takes, from the third on; stack is what lies on the stack.
func (x *bulkOp) callCopy(l *build.Builder, name string, args, stack build.Value) {
	if l.Layout.Object {
		l.Unsupported()
	}
	policy := build.Value{expand.RZ(), expand.RZ()}
	if x.hint {
		policy = x.policy
	}
	if stack == nil {
		args = append(args, policy...)
	} else {
		stack = append(stack, policy...)
	}
	to := sharedWord(l, &l.Args[0])
	l.Alone(func() {
		l.F.Props.HasCalls = true
		if stack != nil {
			size := int64(4 * len(stack))
			memory.Assign(l, &build.Variable{Size: size, Out: true}, &build.Variable{Size: size, Words: stack})
		}
		r := l.Fixed(abi.FirstArgReg, 2+len(args))
		l.Copy(l.Words(r), append(build.Value{to, expand.RZ()}, args...))
		back := l.Words(l.Fixed(abi.ReturnReg, 2))
		next := l.F.NewBlock()
		next.Kept = true
		t := l.Tmp(2)
		l.Emit(op.LDC, op.M(op.M64), build.Value{expand.Whole(t)}, ori.Operand{Kind: ori.KSymbol, Reg: l.F.Module.Symbol(name)})
		l.Emit(op.LEPC, op.Mods{}, build.Value{expand.Whole(back)}, ori.Label(next))
		l.Emit(op.CALL, op.M(op.MABS, op.MNOINC), nil, expand.Whole(t), expand.Whole(back), l.F.Words(r))
		l.Fall(next)
	})
}

// callBytes is callCopy for bytes.
func (x *bulkOp) callBytes(l *build.Builder, name string) {
	args := append(flat(l, &l.Args[1]), l.Src1(2, isa.U32), blocks(l, 4), sharedWord(l, &l.Args[3]), expand.RZ())
	x.callCopy(l, name, args, nil)
}

// callTensor is callCopy for tensors.
func (x *bulkOp) callTensor(l *build.Builder, name string, coords build.Value, offsets bool) {
	mask, stack := 3, build.Value{}
	if offsets {
		es := l.Elements(3)
		v := build.Value{expand.RZ(), expand.RZ(), expand.RZ()}
		for k := range es {
			v[k] = l.Read(&es[k], isa.U16)[0]
		}
		stack = build.Value{halves(l, v[0], v[1]), half(l, v[2])}
		mask = 4
	}
	args := flat(l, &l.Args[1])
	for k := range mostCoords {
		if k < len(coords) {
			args = append(args, coords[k])
		} else {
			args = append(args, expand.RZ())
		}
	}
	args = append(args, blocks(l, mask), sharedWord(l, &l.Args[2]), expand.RZ())
	x.callCopy(l, name, args, stack)
}

// blocks is the mask of the blocks that get a copy, if it is for several.
func blocks(l *build.Builder, n int) ori.Operand {
	if !l.Has(isa.WMulticastCluster) {
		return expand.RZ()
	}
	return half(l, l.Src1(n, isa.B16))
}

// half is a half of a word without what is above it.
func half(l *build.Builder, v ori.Operand) ori.Operand {
	if v.Kind != ori.KReg {
		return expand.Word(uint32(v.Imm) & 0xffff)
	}
	return l.And2(v, ori.Imm(0xffff))
}
