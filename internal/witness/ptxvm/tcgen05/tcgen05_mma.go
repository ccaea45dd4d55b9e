package tcgen05

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/mma"
	"github.com/goptxas/goptxas/internal/witness/tmem"
)

// tensorKinds are the kinds of products.
var tensorKinds = [...]struct {
	word isa.Word
	kind tmem.Kind
}{
	{isa.WKindF16, tmem.F16},
	{isa.WKindTf32, tmem.TF32},
	{isa.WKindF8f6f4, tmem.F8F6F4},
	{isa.WKindI8, tmem.I8},
	{isa.WKindMxf8f6f4, tmem.MXF8F6F4},
	{isa.WKindMxf4, tmem.MXF4},
	{isa.WKindMxf4nvf4, tmem.MXF4},
}

// collectors say what may be kept and change no result.
var collectors = []isa.Word{
	isa.WCollectorADiscard, isa.WCollectorAFill, isa.WCollectorALastuse, isa.WCollectorAUse,
	isa.WCollectorB0Discard, isa.WCollectorB0Fill, isa.WCollectorB0Lastuse, isa.WCollectorB0Use,
	isa.WCollectorB1Discard, isa.WCollectorB1Fill, isa.WCollectorB1Lastuse, isa.WCollectorB1Use,
	isa.WCollectorB2Discard, isa.WCollectorB2Fill, isa.WCollectorB2Lastuse, isa.WCollectorB2Use,
	isa.WCollectorB3Discard, isa.WCollectorB3Fill, isa.WCollectorB3Lastuse, isa.WCollectorB3Use,
}

// scaleBlock is how many elements a scale counts for.
func scaleBlock(d *machine.Decoder, k tmem.Kind) int {
	d.Ignore(isa.WBlockScale, isa.WScaleVec1X, isa.WScaleVec2X, isa.WBlock32)
	if d.Has(isa.WScaleVec4X) || d.Has(isa.WBlock16) {
		if k != tmem.MXF4 {
			d.Unknown()
		}
		return 16
	}
	return 32
}

// productArgs are the operands of a product, read in their order.
type productArgs struct {
	d, a, b, meta, idesc, scaleA, scaleB, keep, zero func(w *machine.Warp, l int) uint64
	off                                              []machine.Operand
}

// tensorProduct is tcgen05.mma with all its forms.
func tensorProduct(d *machine.Decoder, pair bool) {
	d.Ignore(collectors...)
	base := tmem.Order{Pair: pair, WS: d.Has(isa.WWs), ShiftRows: d.Has(isa.WAshift)}
	for _, k := range tensorKinds {
		if d.Has(k.word) {
			base.Kind = k.kind
		}
	}
	base.Block = scaleBlock(d, base.Kind)
	base.Inside = d.Args[1].Kind == isa.KAddr
	x := productArgsOf(d, &base, d.Has(isa.WSp))
	sparse := uint32(0)
	if x.meta != nil {
		sparse = 1
	}
	eachOrder(d, func(w *machine.Warp, l int) func() {
		o := base
		o.D, o.B, o.I = tmem.Address(x.d(w, l)), tmem.Descriptor(x.b(w, l)), uint32(x.idesc(w, l))
		if a := x.a(w, l); o.Inside {
			o.APlace = tmem.Address(a)
		} else {
			o.A = tmem.Descriptor(a)
		}
		if o.I>>2&1 != sparse {
			w.Fail(l, "the instruction descriptor %#x says of a sparse matrix something else than the instruction", o.I)
		}
		if x.meta != nil {
			o.Meta = tmem.Address(x.meta(w, l))
		}
		if x.scaleA != nil {
			o.ScaleA, o.ScaleB = tmem.Address(x.scaleA(w, l)), tmem.Address(x.scaleB(w, l))
		}
		if x.zero != nil {
			o.Zero = x.zero(w, l)
		}
		for k := range x.off {
			o.Off[k] = uint32(w.Col(&x.off[k], 1)[l])
		}
		o.Keep = x.keep(w, l) != 0
		return func() { tensorError(w, l, o.Run(w.TensorBlocks(pair, l))) }
	})
}

// productArgsOf reads the operands: D, A, B, metadata if sparse, the
// descriptor, places of scales or lanes to leave alone, whether D counts, and
// by how much it is divided or which columns are zero.
func productArgsOf(d *machine.Decoder, o *tmem.Order, sparse bool) *productArgs {
	n := 0
	place := func() func(*machine.Warp, int) uint64 {
		f := d.Addr(n)
		n++
		return func(w *machine.Warp, l int) uint64 { return f(w, 8)[l] }
	}
	value := func(t isa.Type) func(*machine.Warp, int) uint64 {
		f := d.Src(n, t)
		n++
		return func(w *machine.Warp, l int) uint64 { return w.Col(&f, 1)[l] }
	}
	x := &productArgs{d: place()}
	if o.Inside {
		x.a = place()
	} else {
		x.a = value(isa.B64)
	}
	x.b = value(isa.B64)
	if sparse {
		x.meta = place()
	}
	x.idesc = value(isa.B32)
	if o.Kind >= tmem.MXF8F6F4 {
		x.scaleA, x.scaleB = place(), place()
	} else if d.Args[n].Kind == isa.KVector {
		x.off = mma.InputsOf(d, n, isa.B32).Ops
		n++
	}
	x.keep = value(isa.Pred)
	switch {
	case n >= len(d.Args):
	case o.WS:
		x.zero = value(isa.B64)
	default:
		o.Minus = int(d.Args[n].Value)
	}
	return x
}
