package call

import (
	"slices"

	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Long finds the functions that stand by themselves because their copies would
// be too much code: more than so many instructions besides one. The reduction of
// large angles, which sines and cosines of doubles call where they rarely come,
// has 70, and kernels name it at up to thirty places. Where threads wait for
// others in a function it is copied: a call would keep them apart.
func Long(p *build.Plan, copies int) {
	for fn, sites := range p.Sites {
		if sites < 2 || !p.Module.Funcs[fn].HasBody {
			continue
		}
		b := p.Body(fn)
		p.Outlined[fn] = (sites-1)*len(b.Instrs) > copies && !gathers(b)
	}
}

// gathers reports whether some instruction of a body asks which threads are
// together.
func gathers(b *sema.Body) bool {
	for n := range b.Instrs {
		in := &b.Instrs[n]
		mods := b.ModsOf(in)
		switch {
		case in.Op == isa.WBar, in.Op == isa.WBarrier, in.Op == isa.WActivemask, in.Op == isa.WCall,
			slices.Contains(mods, isa.WSync), slices.Contains(mods, isa.WAligned):
			return true
		}
	}
	return false
}
