package division

import (
	"slices"

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
	follow(l, join)
	end.AddEdge(join)
	l.Guard = was
}

// follow goes on in a block that stands behind the current one.
func follow(l *build.Builder, next *ori.Block) {
	from := l.Cur
	from.AddEdge(next)
	if int(from.ID) < len(l.Placed) && l.Placed[from.ID] {
		l.Enter(next)
		return
	}
	l.Cur = next // both stand behind all that are placed
	if last := l.F.Blocks; last[len(last)-2] != from {
		at := slices.Index(last, from)
		l.F.Blocks = slices.Insert(last[:len(last)-1], at+1, next)
	}
}
