package arith

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
)

// randomBits says which bits of the last operand of cvt.rs round each number,
// the one that is written highest first (PTX ISA, cvt).
var randomBits = [isa.NumTypes]struct {
	f  fp.Format
	n  int   // how many
	at []int // where they begin
}{
	isa.F16x2:  {fp.F16, 13, []int{16, 0}},
	isa.BF16x2: {fp.BF16, 16, []int{16, 0}},
	isa.E4M3x4: {fp.E4M3, 16, []int{16, 16, 0, 0}},
	isa.E5M2x4: {fp.E5M2, 16, []int{16, 16, 0, 0}},
	isa.E2M3x4: {fp.E2M3, 16, []int{16, 16, 0, 0}},
	isa.E3M2x4: {fp.E3M2, 16, []int{16, 16, 0, 0}},
	isa.E2M1x4: {fp.E2M1, 8, []int{24, 8, 16, 0}},
}

// cvtRandom is cvt.rs: conversions with stochastic rounding.
func cvtRandom(d *machine.Decoder, to isa.Type) {
	how := &randomBits[to]
	if how.n == 0 || d.Type(1) != isa.F32 {
		d.Unknown()
	}
	m := fp.Mode{SatFinite: d.Has(isa.WSatfinite), Relu: d.Has(isa.WRelu)}
	var from []machine.Operand
	if es := d.Elements(1); d.Args[1].Kind == isa.KVector {
		for k := range es {
			from = append(from, d.Read(&es[k], isa.F32))
		}
	} else {
		from = []machine.Operand{d.Src(1, isa.F32), d.Src(2, isa.F32)}
	}
	p, r, step := d.Dst(0), d.Src(len(d.Args)-1, isa.B32), pitch(how.f)
	d.Out.Run = func(w *machine.Warp) {
		random := *w.Col(&r, 0)
		var out machine.Column
		for k := range from {
			x := w.Col(&from[k], 1)
			for run := w.Mask; run != 0; run &= run - 1 {
				l := bits.TrailingZeros32(run)
				v := fp.Stochastic(how.f, x[l], m, random[l]>>how.at[k]&machine.Low(how.n), how.n)
				out[l] = out[l]<<step | v&machine.Low(step)
			}
		}
		w.Store(p, &out)
	}
}
