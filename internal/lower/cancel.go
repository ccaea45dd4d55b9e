package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// clusterlaunchcontrol lowers asking for the work of a cluster that has not
// been launched yet, and reading the answer.
func (l *lowerer) clusterlaunchcontrol() {
	switch {
	case l.has(isa.WTryCancel):
		l.tryCancel()
	case l.has(isa.WQueryCancel):
		l.queryCancel()
	default:
		l.unsupported()
	}
}

// tryCancel asks: the answer goes to shared memory, and the barrier beside
// its address is told.
func (l *lowerer) tryCancel() {
	for _, w := range [...]isa.Word{isa.WAsync, isa.WMbarrierCompleteTxBytes} {
		l.knows(w)
	}
	m := op.M(op.MSELFCAST)
	if l.has(isa.WMulticastClusterAll) {
		m = op.M(op.MBROADCAST)
	}
	l.issue(&order{blocks: []value{{l.sharedWord(&l.args[0]), l.sharedWord(&l.args[1])}}, do: func(u []ori.Operand) *ori.Instr {
		at := ori.Addr(u[0], 0)
		at.Flags &^= ori.Wide
		return l.emit(op.UGETNEXTWORKID, m, nil, at)
	}})
}

// The answer: bit 0 of word 2 says that there is work, the first block of it
// stands in words 0 and 1, whose halves are y and z.
const (
	answerWord = 2
	answerHalf = 0xffff
)

// queryCancel reads an answer.
func (l *lowerer) queryCancel() {
	last := len(l.args) - 1
	v := l.src(last, isa.B128)
	if l.has(isa.WIsCanceled) {
		one := l.and2(v[answerWord], ori.Imm(1))
		l.emit(op.ISETP, op.M(op.MNE, op.MU32, op.MAND), value{l.dstPred(0)}, one, rz(), pt())
		return
	}
	l.vectors()
	words := value{v[0], l.and2(v[1], ori.Imm(answerHalf)), l.shr1(l.reg(v[1]), ori.Imm(16)), v[3]}
	for n, w := range [...]isa.Word{isa.WGetFirstCtaidX, isa.WGetFirstCtaidY, isa.WGetFirstCtaidZ} {
		if l.has(w) {
			l.copy(l.dst(0)[:1], words[n:n+1])
			return
		}
	}
	if !l.has(isa.WGetFirstCtaid) {
		l.unsupported()
	}
	for n, e := range l.elements(0) {
		if e.Kind == isa.KReg {
			l.copy(l.words(l.regs[e.Ref])[:1], words[n:n+1])
		}
	}
}
