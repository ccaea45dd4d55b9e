package memory

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
)

// Multimem is access to memory of which each of several GPUs has one (PTX ISA,
// multimem). A launch here describes one GPU, so there is one of each: what
// is combined from all of them is what it holds.
func Multimem(d *machine.Decoder) {
	switch {
	case d.Has(isa.WLdReduce):
		d.Ignore(isa.WAdd, isa.WMin, isa.WMax, isa.WAnd, isa.WOr, isa.WXor, isa.WAccF32, isa.WAccF16)
		Ld(d)
	case d.Has(isa.WSt):
		St(d)
	case d.Has(isa.WRed):
		Atom(d)
	default:
		d.Unknown()
	}
}
