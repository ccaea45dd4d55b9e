package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// alone runs do without a guard: a guarded instruction that takes several
// blocks, or whose parts must not run otherwise, is branched around.
func (l *lowerer) alone(do func()) {
	if l.guard.Kind == ori.KNone {
		do()
		return
	}
	guard := l.guard
	after := l.f.NewBlock()
	l.skip(after)
	do()
	l.fall(after)
	l.guard = guard
}

// skip branches to a block if the current guard does not hold and goes on
// in a new block without a guard.
func (l *lowerer) skip(after *ori.Block) {
	p := l.guard.Not()
	l.guard = ori.Operand{}
	l.branch(p, after)
}

// branch goes to a block if p holds and goes on in a new one otherwise.
func (l *lowerer) branch(p ori.Operand, to *ori.Block) {
	i := l.emit(op.BRA, op.Mods{}, nil, ori.Label(to))
	i.Guard = p
	l.cur.AddEdge(to)
	l.fall(l.f.NewBlock())
}

// jump goes to a block.
func (l *lowerer) jump(to *ori.Block) {
	l.emit(op.BRA, op.Mods{}, nil, ori.Label(to))
	l.cur.AddEdge(to)
}

// either runs yes where p holds and no elsewhere; no may be nil.
func (l *lowerer) either(p ori.Operand, yes, no func()) {
	end := l.f.NewBlock()
	if no == nil {
		l.branch(p.Not(), end)
		yes()
		l.fall(end)
		return
	}
	other := l.f.NewBlock()
	l.branch(p.Not(), other)
	yes()
	l.jump(end)
	l.enter(other)
	no()
	l.fall(end)
}

// repeat runs do until the predicate it returns holds.
func (l *lowerer) repeat(do func() ori.Operand) {
	top := l.f.NewBlock()
	l.fall(top)
	l.branch(do().Not(), top)
}
