package memory

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// cacheNames maps the operators to what they become: an order of the access
// or a place in the cache.
var cacheNames = [...]struct {
	name        string
	strong, put op.Mod
}{
	{name: "ca", strong: op.MSM},
	{name: "wb", strong: op.MSM},
	{name: "cg", strong: op.MGPU},
	{name: "cv", strong: op.MSYS},
	{name: "wt", strong: op.MSYS},
	{name: "cs", put: op.MEF},
	{name: "lu", put: op.MLU},
}

// withDefault gives a global access the operator of the command line. Those
// with an order of their own keep it, and so do loads of read-only data, but
// for their place in the cache.
func withDefault(l *build.Builder, o *Ordering, s isa.Space, name string, force bool) {
	if name == "" || !AccessOf(s).Global || Remote(l) || o.mmio || o.hint {
		return
	}
	for _, w := range l.Body.ModsOf(l.In) {
		switch w {
		case isa.WVolatile, isa.WRelaxed, isa.WAcquire, isa.WRelease:
			return
		case isa.WCa, isa.WCg, isa.WCs, isa.WCv, isa.WLu, isa.WWb, isa.WWt:
			if !force {
				return
			}
		}
	}
	fixed := o.after.Has(op.MCONSTANT)
	for _, c := range cacheNames {
		switch {
		case c.name != name:
		case c.put == op.MEF || c.put == op.MLU && !fixed:
			o.before = op.M(c.put)
			if !fixed {
				o.after = op.Mods{}
			}
		case c.strong != op.NoMod && !fixed:
			o.before, o.after = op.Mods{}, op.M(op.MSTRONG, c.strong)
		}
	}
}
