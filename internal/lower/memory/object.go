package memory

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// ReturnAbs sets the return address: an absolute one, relocated.
func ReturnAbs(l *build.Builder, back build.Value, next *ori.Block) {
	for n, p := range [...]ori.Part{ori.PartLo, ori.PartHi} {
		at := ori.Label(next)
		at.Sub = 1 + uint8(p)
		l.Emit(op.MOV, op.Mods{}, back[n:n+1], at)
	}
}

// ldConstNamed reads a constant by name.
func ldConstNamed(l *build.Builder, t isa.Type, src ori.Operand, off int64) {
	for k, e := range l.Elements(0) {
		if e.Kind == isa.KSink {
			continue
		}
		src.Imm = off + int64(k*t.Bits()/8)
		l.Spread(l.Words(l.Regs[e.Ref]), bank(l, src, t.Bits(), t.Class() == isa.Signed), t)
	}
}

// JumpTree lowers brx.idx without a table, which would be one more thing to
// link: comparisons halve the labels that begin with number first.
func JumpTree(l *build.Builder, index ori.Operand, labels []int32, first int) {
	to := l.At[l.Body.Labels[labels[0]].At]
	same := true
	for _, n := range labels {
		same = same && l.At[l.Body.Labels[n].At] == to
	}
	if same {
		l.Emit(op.BRA, op.Mods{}, nil, ori.Label(to))
		l.Cur.AddEdge(to)
		return
	}
	mid := len(labels) / 2
	upper := l.F.NewBlock()
	l.Branch(l.Cmp1(op.MGE, false, index, ori.Imm(int64(first+mid))), upper)
	JumpTree(l, index, labels[:mid], first)
	l.Enter(upper)
	JumpTree(l, index, labels[mid:], first+mid)
}
