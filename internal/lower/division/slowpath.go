package division

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// unlikely runs slow where p holds, out of the way of the other threads.
func unlikely(l *build.Builder, p ori.Operand, slow func()) {
	was := l.Guard
	l.Guard = ori.Operand{}
	from, aside := l.Cur, l.F.NewBlock()
	l.Emit(op.BRA, op.Mods{}, nil, ori.Label(aside)).Guard = p
	from.AddEdge(aside)
	l.Cur = aside
	slow()
	end, join := l.Cur, l.F.NewBlock()
	l.Cur = from
	l.Follow(join)
	end.AddEdge(join)
	l.Guard = was
}
