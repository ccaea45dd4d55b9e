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

// Copies to several blocks of a cluster are routines of the driver where the
// machine copies to the block itself alone. They take where in shared memory,
// what is copied, and the barrier in two words each. Of bytes, the number and
// the mask follow what is copied and the policy is last; of tensors, five
// words of coordinates and the mask do, and the policy is on the stack, behind
// the offsets of im2col.
const (
	RoutineStack = 16 // bytes of stack the arguments take at most
	mostCoords   = 5
)

// tensorDims are the modifiers for the number of dimensions.
var tensorDims = [...]struct {
	word isa.Word
	mod  op.Mod
}{{isa.W1d, op.M1D}, {isa.W2d, op.M2D}, {isa.W3d, op.M3D}, {isa.W4d, op.M4D}, {isa.W5d, op.M5D}}

// CopyRoutine returns the name of the routine that a copy calls, or "" if the
// machine does it.
func CopyRoutine(arch *target.Arch, b *sema.Body, in *sema.Inst) string {
	if in.Op != isa.WCp || arch.Has(target.Multicast) {
		return ""
	}
	dims, cast, mode := 0, false, "tile"
	for _, w := range b.ModsOf(in) {
		for n, d := range tensorDims {
			if d.word == w {
				dims = n + 1
			}
		}
		switch w {
		case isa.WMulticastCluster:
			cast = true
		case isa.WIm2col:
			mode = "im2col"
		}
	}
	switch {
	case !cast:
		return ""
	case dims == 0:
		return "__cuda_syscall_cp_async_bulk_multicast"
	}
	return "__cuda_syscall_cp_async_bulk_tensor_" + strconv.Itoa(dims) + "d_" + mode + "_multicast"
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
	args := append(flat(l, &l.Args[1]), l.Src1(2, isa.U32), half(l, l.Src1(4, isa.B16)), sharedWord(l, &l.Args[3]), expand.RZ())
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
	args = append(args, half(l, l.Src1(mask, isa.B16)), sharedWord(l, &l.Args[2]), expand.RZ())
	x.callCopy(l, name, args, stack)
}

// half is a half of a word without what is above it.
func half(l *build.Builder, v ori.Operand) ori.Operand {
	if v.Kind != ori.KReg {
		return expand.Word(uint32(v.Imm) & 0xffff)
	}
	return l.And2(v, ori.Imm(0xffff))
}
