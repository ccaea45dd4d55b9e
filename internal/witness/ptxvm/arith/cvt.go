package arith

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
)

// narrow maps the types of packed conversions to formats and counts.
var narrow = [isa.NumTypes]struct {
	f fp.Format
	n int
}{
	isa.E4M3x2: {fp.E4M3, 2}, isa.E5M2x2: {fp.E5M2, 2}, isa.E2M3x2: {fp.E2M3, 2}, isa.E3M2x2: {fp.E3M2, 2}, isa.E2M1x2: {fp.E2M1, 2},
	isa.UE8M0x2: {fp.UE8M0, 2}, isa.F16x2: {fp.F16, 2}, isa.BF16x2: {fp.BF16, 2},
}

// pitch is the distance of two values of a packed format.
func pitch(f fp.Format) int {
	switch f {
	case fp.E2M1:
		return 4
	case fp.E2M3, fp.E3M2:
		return 8
	}
	return f.Width()
}

func isInteger(t isa.Type) bool {
	c := t.Class()
	return c == isa.Signed || c == isa.Unsigned || c == isa.Bits
}

func intOf(t isa.Type) fp.Int { return fp.Int{Bits: uint8(t.Bits()), Signed: machine.Signed(t)} }

// Cvt converts.
func Cvt(d *machine.Decoder) {
	to, from := d.Type(0), d.Type(1)
	switch {
	case d.Has(isa.WPack):
		cvtPack(d)
	case d.Has(isa.WRs):
		cvtRandom(d, to)
	case narrow[to].n > 0:
		cvtNarrow(d, to, from)
	case isInteger(to) && isInteger(from):
		cvtInt(d, to, from)
	case isInteger(to):
		f, _ := FormatOf(d, from)
		r, ftz := integral(d), d.Has(isa.WFtz)
		d.Ignore(isa.WSat) // always so
		d.Map1(d.Dst(0), d.Src(1, from), func(a uint64) uint64 { return f.ToInt(a, intOf(to), r, ftz) })
	case isInteger(from):
		f, _ := FormatOf(d, to)
		m := mode(d)
		d.Map1(d.Dst(0), d.Src(1, from), func(a uint64) uint64 { return f.FromInt(a, intOf(from), m) })
	default:
		cvtFloat(d, to, from)
	}
}

// integral reads the rounding to integers, toward zero where none is given.
func integral(d *machine.Decoder) fp.Round {
	switch {
	case d.Has(isa.WRni):
		return fp.RN
	case d.Has(isa.WRmi):
		return fp.RM
	case d.Has(isa.WRpi):
		return fp.RP
	}
	d.Ignore(isa.WRzi)
	return fp.RZ
}

// hasIntegral reports whether a rounding to integers is given.
func hasIntegral(d *machine.Decoder) bool {
	return d.Has(isa.WRni) || d.Has(isa.WRzi) || d.Has(isa.WRmi) || d.Has(isa.WRpi)
}

func cvtFloat(d *machine.Decoder, to, from isa.Type) {
	ff, _ := FormatOf(d, from)
	tf, _ := FormatOf(d, to)
	whole := hasIntegral(d)
	r := integral(d)
	m := mode(d)
	if to == from && from.Bits() > 16 && !whole && m == (fp.Mode{}) { // a copy, of NaNs too
		d.Map1(d.Dst(0), d.Src(1, from), func(a uint64) uint64 { return a })
		return
	}
	if to == isa.F16 { // the machine flushes nothing on the way to f16
		m.Ftz = false
	}
	d.Map1(d.Dst(0), d.Src(1, from), func(a uint64) uint64 {
		if whole {
			x := m
			x.Round = r
			return ff.RoundToInt(a, x)
		}
		if from == isa.BF16 && m.Ftz && a&0x7fff > 0x7f80 { // flushing is arithmetic
			return uint64(fp.F32.Add(a<<16, 0, fp.Mode{}))
		}
		return fp.Convert(ff, tf, a, m)
	})
}

// cvtInt converts between integers.
func cvtInt(d *machine.Decoder, to, from isa.Type) {
	sat := d.Has(isa.WSat)
	d.Map1(d.Dst(0), d.Src(1, from), func(a uint64) uint64 {
		x := machine.Extend(a, from)
		if sat {
			x = clamp(x, from, to)
		}
		return machine.Extend(x, to)
	})
}

// clamp moves an extended integer of one type into the range of another.
func clamp(x uint64, from, to isa.Type) uint64 {
	n := to.Bits()
	neg := machine.Signed(from) && int64(x) < 0
	if machine.Signed(to) {
		top := machine.Low(n - 1)
		switch {
		case neg && int64(x) < -int64(top)-1:
			return -top - 1
		case !neg && x > top:
			return top
		}
		return x
	}
	switch {
	case neg:
		return 0
	case x > machine.Low(n):
		return machine.Low(n)
	}
	return x
}

// cvtPack packs two integers above the low bits of a third operand.
func cvtPack(d *machine.Decoder) {
	d.Ignore(isa.WSat)
	to, from := d.Type(0), d.Type(1)
	n := to.Bits()
	c := machine.Constant(0)
	if len(d.Args) > 3 {
		c = d.Src(3, isa.B32)
	}
	d.Map3(d.Dst(0), d.Src(1, from), d.Src(2, from), c, func(a, b, c uint64) uint64 {
		x, y := clamp(machine.Extend(a, from), from, to)&machine.Low(n), clamp(machine.Extend(b, from), from, to)&machine.Low(n)
		return c<<(2*n) | x<<n | y
	})
}

// cvtNarrow converts pairs of numbers; the first operand is the upper one.
func cvtNarrow(d *machine.Decoder, to, from isa.Type) {
	tn := narrow[to]
	m := mode(d)
	step := pitch(tn.f)
	p := d.Dst(0)
	if from == isa.F32 {
		if len(d.Args) != 3 {
			d.Unknown()
		}
		d.Map2(p, d.Src(1, from), d.Src(2, from), func(a, b uint64) uint64 {
			return fp.Convert(fp.F32, tn.f, a, m)<<step | fp.Convert(fp.F32, tn.f, b, m)
		})
		return
	}
	fn := narrow[from]
	if fn.n != 2 || len(d.Args) != 2 {
		d.Unknown()
	}
	in := pitch(fn.f)
	d.Map1(p, d.Src(1, regType(d, 1)), func(a uint64) uint64 {
		return fp.Convert(fn.f, tn.f, a>>in&machine.Low(in), m)<<step | fp.Convert(fn.f, tn.f, a&machine.Low(in), m)
	})
}

// regType is the type of the register that argument n is, or .b64.
func regType(d *machine.Decoder, n int) isa.Type {
	if a := &d.Args[n]; a.Kind == isa.KReg {
		return d.Body.Regs[a.Ref].Type
	}
	return isa.B64
}

// Mov copies, packs and unpacks.
func Mov(d *machine.Decoder) {
	t := d.Type(0)
	two, four := d.Has(isa.WV2), d.Has(isa.WV4)
	switch {
	case two || four:
		movVector(d, t)
	case d.Args[0].Kind == isa.KVector:
		unpack(d, t)
	case d.Args[1].Kind == isa.KVector:
		pack(d, t)
	case t == isa.B128:
		mov128(d)
	default:
		d.Same1(t, func(a uint64) uint64 { return a })
	}
}

// movVector moves elements, of which none is written before all are read.
func movVector(d *machine.Decoder, t isa.Type) {
	to, from := d.Body.Of(d.Args[0].Elems), d.Body.Of(d.Args[1].Elems)
	c := &d.Args[1]
	if len(to) == 0 || len(to) != len(from) && c.Kind != isa.KInt || t.Bits() > 64 {
		d.Unknown()
	}
	dst, src := make([]machine.Place, len(to)), make([]machine.Operand, len(to))
	for k := range to {
		dst[k] = d.Target(&to[k])
		switch {
		case c.Kind == isa.KInt: // each gets as many of its bits as the others
			width := t.Bits() / len(to)
			src[k] = machine.Constant(c.Value >> (width * k) & (1<<width - 1))
		case from[k].Kind == isa.KSink:
			src[k] = machine.Constant(0)
		default:
			src[k] = d.Read(&from[k], t)
		}
	}
	d.Out.Run = func(w *machine.Warp) {
		read := make([]machine.Column, len(src))
		for k := range src {
			read[k] = *w.Col(&src[k], 0)
		}
		for k := range dst {
			w.Store(dst[k], &read[k])
		}
	}
}

func mov128(d *machine.Decoder) {
	p, a := d.Dst(0), d.Src(1, isa.B128)
	lo, hi := d.Wide(a)
	toLo, toHi := p.Wide()
	d.Out.Run = func(w *machine.Warp) {
		w.Store(toLo, w.Col(&lo, 0))
		w.Store(toHi, w.Col(&hi, 0))
	}
}

// unpack is mov of a scalar to several registers.
func unpack(d *machine.Decoder, t isa.Type) {
	elems := d.Body.Of(d.Args[0].Elems)
	n := t.Bits() / len(elems)
	a := d.Src(1, t)
	var upper machine.Operand
	if t.Bits() == 128 {
		a, upper = d.Wide(a)
	}
	dst := make([]machine.Place, len(elems))
	for k := range elems {
		dst[k] = d.Target(&elems[k])
	}
	d.Out.Run = func(w *machine.Warp) {
		x := *w.Col(&a, 0)
		var high machine.Column
		if t.Bits() == 128 {
			high = *w.Col(&upper, 1)
		}
		var r machine.Column
		for k := range dst {
			for m := w.Mask; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				if at := k * n; at < 64 {
					r[l] = x[l] >> at & machine.Low(n)
				} else {
					r[l] = high[l] >> (at - 64) & machine.Low(n)
				}
			}
			w.Store(dst[k], &r)
		}
	}
}

// pack is mov of several registers to a scalar.
func pack(d *machine.Decoder, t isa.Type) {
	elems := d.Body.Of(d.Args[1].Elems)
	n := t.Bits() / len(elems)
	srcs := make([]machine.Operand, len(elems))
	for k := range elems {
		srcs[k] = d.Read(&elems[k], bitsType(n))
	}
	p := d.Dst(0)
	var upper machine.Place
	if t.Bits() == 128 {
		p, upper = p.Wide()
	}
	d.Out.Run = func(w *machine.Warp) {
		var r [2]machine.Column
		for k := range srcs {
			x := w.Col(&srcs[k], 0)
			for m := w.Mask; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				r[k*n/64][l] |= x[l] & machine.Low(n) << (k * n % 64)
			}
		}
		w.Store(p, &r[0])
		if t.Bits() == 128 {
			w.Store(upper, &r[1])
		}
	}
}

// bitsType is the plain type of a width.
func bitsType(n int) isa.Type {
	switch n {
	case 8:
		return isa.B8
	case 16:
		return isa.B16
	case 32:
		return isa.B32
	}
	return isa.B64
}
