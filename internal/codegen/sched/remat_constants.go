package sched

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/remat"
	"github.com/goptxas/goptxas/internal/ori"
)

// rematConstants makes constants again near their uses where too much lives. It
// reports whether anything changed.
func rematConstants(f *ori.Func, p *preScheduler) bool {
	hot := remat.Hot{General: make([]bool, f.NumBlocks()), Uniform: make([]bool, f.NumBlocks()), Out: p.outOf}
	any := false
	for _, b := range f.Blocks {
		x := &p.byBlock[b.ID]
		hot.General[b.ID], hot.Uniform[b.ID] = x[general] > p.cliffs.First()-reserve, x[uniforms] > int32(p.tune.Constants)
		any = any || hot.General[b.ID] || hot.Uniform[b.ID]
	}
	return any && remat.Near(f, hot)
}

// outOf reports whether a register lives at the end of a block.
func (p *preScheduler) outOf(r ori.Reg, b *ori.Block) bool {
	l := p.t.lives
	x := l.Dense[p.b.Names.Base[r]]
	if x < 0 && p.f.Regs[r].Width > 1 {
		x = l.Dense[p.b.Names.Base[r]+1]
	}
	return x >= 0 && l.Out[b.ID].Has(x)
}
