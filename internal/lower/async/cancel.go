package async

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// clusterlaunchcontrol lowers asking for the work of a cluster that has not
// been launched yet, and reading the answer.
func clusterlaunchcontrol(l *build.Builder) {
	switch {
	case l.Has(isa.WTryCancel):
		tryCancel(l)
	case l.Has(isa.WQueryCancel):
		queryCancel(l)
	default:
		l.Unsupported()
	}
}

// tryCancel asks: the answer goes to shared memory, and the barrier beside
// its address is told.
func tryCancel(l *build.Builder) {
	for _, w := range [...]isa.Word{isa.WAsync, isa.WMbarrierCompleteTxBytes} {
		l.Knows(w)
	}
	m := op.M(op.MSELFCAST)
	if l.Has(isa.WMulticastClusterAll) {
		m = op.M(op.MBROADCAST)
	}
	l.Issue(&build.Order{Blocks: []build.Value{{sharedWord(l, &l.Args[0]), sharedWord(l, &l.Args[1])}}, Do: func(u []ori.Operand) *ori.Instr {
		at := ori.Addr(u[0], 0)
		at.Flags &^= ori.Wide
		return l.Emit(op.UGETNEXTWORKID, m, nil, at)
	}})
}

// The answer: bit 0 of word 2 says that there is work, the first block of it
// stands in words 0 and 1, whose halves are y and z.
const (
	answerWord = 2
	answerHalf = 0xffff
)

// queryCancel reads an answer.
func queryCancel(l *build.Builder) {
	last := len(l.Args) - 1
	v := l.Src(last, isa.B128)
	if l.Has(isa.WIsCanceled) {
		one := l.And2(v[answerWord], ori.Imm(1))
		l.Emit(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), build.Value{l.DstPred(0)}, one, expand.RZ(), expand.PT())
		return
	}
	l.Vectors()
	words := build.Value{v[0], l.And2(v[1], ori.Imm(answerHalf)), l.Shr1(l.Reg(v[1]), ori.Imm(16)), v[3]}
	for n, w := range [...]isa.Word{isa.WGetFirstCtaidX, isa.WGetFirstCtaidY, isa.WGetFirstCtaidZ} {
		if l.Has(w) {
			l.Copy(l.Dst(0)[:1], words[n:n+1])
			return
		}
	}
	if !l.Has(isa.WGetFirstCtaid) {
		l.Unsupported()
	}
	for n, e := range l.Elements(0) {
		if e.Kind == isa.KReg {
			l.Copy(l.Words(l.Regs[e.Ref])[:1], words[n:n+1])
		}
	}
}
