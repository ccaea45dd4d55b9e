package ptxvm

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
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

func intOf(t isa.Type) fp.Int { return fp.Int{Bits: uint8(t.Bits()), Signed: signed(t)} }

// cvt converts.
func (d *decoder) cvt() {
	to, from := d.typ(0), d.typ(1)
	switch {
	case d.has(isa.WPack):
		d.cvtPack()
	case narrow[to].n > 0:
		d.cvtNarrow(to, from)
	case isInteger(to) && isInteger(from):
		d.cvtInt(to, from)
	case isInteger(to):
		f, _ := d.formatOf(from)
		r, ftz := d.integral(), d.has(isa.WFtz)
		d.ignore(isa.WSat) // always so
		d.map1(d.dst(0), d.src(1, from), func(a uint64) uint64 { return f.ToInt(a, intOf(to), r, ftz) })
	case isInteger(from):
		f, _ := d.formatOf(to)
		m := d.mode()
		d.map1(d.dst(0), d.src(1, from), func(a uint64) uint64 { return f.FromInt(a, intOf(from), m) })
	default:
		d.cvtFloat(to, from)
	}
}

// integral reads the rounding to integers, toward zero where none is given.
func (d *decoder) integral() fp.Round {
	switch {
	case d.has(isa.WRni):
		return fp.RN
	case d.has(isa.WRmi):
		return fp.RM
	case d.has(isa.WRpi):
		return fp.RP
	}
	d.ignore(isa.WRzi)
	return fp.RZ
}

// hasIntegral reports whether a rounding to integers is given.
func (d *decoder) hasIntegral() bool {
	return d.has(isa.WRni) || d.has(isa.WRzi) || d.has(isa.WRmi) || d.has(isa.WRpi)
}

func (d *decoder) cvtFloat(to, from isa.Type) {
	ff, _ := d.formatOf(from)
	tf, _ := d.formatOf(to)
	whole := d.hasIntegral()
	r := d.integral()
	m := d.mode()
	if to == from && from.Bits() > 16 && !whole && m == (fp.Mode{}) { // a copy, of NaNs too
		d.map1(d.dst(0), d.src(1, from), func(a uint64) uint64 { return a })
		return
	}
	if to == isa.F16 { // the machine flushes nothing on the way to f16
		m.Ftz = false
	}
	d.map1(d.dst(0), d.src(1, from), func(a uint64) uint64 {
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
func (d *decoder) cvtInt(to, from isa.Type) {
	sat := d.has(isa.WSat)
	d.map1(d.dst(0), d.src(1, from), func(a uint64) uint64 {
		x := extend(a, from)
		if sat {
			x = clamp(x, from, to)
		}
		return extend(x, to)
	})
}

// clamp moves an extended integer of one type into the range of another.
func clamp(x uint64, from, to isa.Type) uint64 {
	n := to.Bits()
	neg := signed(from) && int64(x) < 0
	if signed(to) {
		top := low(n - 1)
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
	case x > low(n):
		return low(n)
	}
	return x
}

// cvtPack packs two integers above the low bits of a third operand.
func (d *decoder) cvtPack() {
	d.ignore(isa.WSat)
	to, from := d.typ(0), d.typ(1)
	n := to.Bits()
	c := constant(0)
	if len(d.args) > 3 {
		c = d.src(3, isa.B32)
	}
	d.map3(d.dst(0), d.src(1, from), d.src(2, from), c, func(a, b, c uint64) uint64 {
		x, y := clamp(extend(a, from), from, to)&low(n), clamp(extend(b, from), from, to)&low(n)
		return c<<(2*n) | x<<n | y
	})
}

// cvtNarrow converts pairs of numbers; the first operand is the upper one.
func (d *decoder) cvtNarrow(to, from isa.Type) {
	tn := narrow[to]
	m := d.mode()
	step := pitch(tn.f)
	p := d.dst(0)
	if from == isa.F32 {
		if len(d.args) != 3 {
			d.unknown()
		}
		d.map2(p, d.src(1, from), d.src(2, from), func(a, b uint64) uint64 {
			return fp.Convert(fp.F32, tn.f, a, m)<<step | fp.Convert(fp.F32, tn.f, b, m)
		})
		return
	}
	fn := narrow[from]
	if fn.n != 2 || len(d.args) != 2 {
		d.unknown()
	}
	in := pitch(fn.f)
	d.map1(p, d.src(1, d.regType(1)), func(a uint64) uint64 {
		return fp.Convert(fn.f, tn.f, a>>in&low(in), m)<<step | fp.Convert(fn.f, tn.f, a&low(in), m)
	})
}

// regType is the type of the register that argument n is, or .b64.
func (d *decoder) regType(n int) isa.Type {
	if a := &d.args[n]; a.Kind == isa.KReg {
		return d.body.Regs[a.Ref].Type
	}
	return isa.B64
}

// mov copies, packs and unpacks.
func (d *decoder) mov() {
	t := d.typ(0)
	two, four := d.has(isa.WV2), d.has(isa.WV4)
	switch {
	case two || four:
		d.movVector(t)
	case d.args[0].Kind == isa.KVector:
		d.unpack(t)
	case d.args[1].Kind == isa.KVector:
		d.pack(t)
	case t == isa.B128:
		d.mov128()
	default:
		d.same1(t, func(a uint64) uint64 { return a })
	}
}

// movVector moves elements, of which none is written before all are read.
func (d *decoder) movVector(t isa.Type) {
	to, from := d.body.Of(d.args[0].Elems), d.body.Of(d.args[1].Elems)
	c := &d.args[1]
	if len(to) == 0 || len(to) != len(from) && c.Kind != isa.KInt || t.Bits() > 64 {
		d.unknown()
	}
	dst, src := make([]place, len(to)), make([]operand, len(to))
	for k := range to {
		dst[k] = d.target(&to[k])
		switch {
		case c.Kind == isa.KInt: // each gets as many of its bits as the others
			width := t.Bits() / len(to)
			src[k] = constant(c.Value >> (width * k) & (1<<width - 1))
		case from[k].Kind == isa.KSink:
			src[k] = constant(0)
		default:
			src[k] = d.read(&from[k], t)
		}
	}
	d.out.run = func(w *warp) {
		read := make([]column, len(src))
		for k := range src {
			read[k] = *w.col(&src[k], 0)
		}
		for k := range dst {
			w.store(dst[k], &read[k])
		}
	}
}

func (d *decoder) mov128() {
	p, a := d.dst(0), d.src(1, isa.B128)
	if a.kind != opReg {
		d.unknown()
	}
	d.out.run = func(w *warp) {
		for k := range int32(2) {
			x := operand{kind: opReg, slot: a.slot + k, mask: ^uint64(0)}
			w.store(place{p.slot + k, ^uint64(0)}, w.col(&x, 0))
		}
	}
}

// unpack is mov of a scalar to several registers.
func (d *decoder) unpack(t isa.Type) {
	elems := d.body.Of(d.args[0].Elems)
	n := t.Bits() / len(elems)
	a := d.src(1, t)
	dst := make([]place, len(elems))
	for k := range elems {
		dst[k] = d.target(&elems[k])
	}
	d.out.run = func(w *warp) {
		x := *w.col(&a, 0)
		var high column
		if t.Bits() == 128 {
			b := operand{kind: opReg, slot: a.slot + 1, mask: ^uint64(0)}
			high = *w.col(&b, 1)
		}
		var r column
		for k := range dst {
			for m := w.mask; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				if at := k * n; at < 64 {
					r[l] = x[l] >> at & low(n)
				} else {
					r[l] = high[l] >> (at - 64) & low(n)
				}
			}
			w.store(dst[k], &r)
		}
	}
}

// pack is mov of several registers to a scalar.
func (d *decoder) pack(t isa.Type) {
	elems := d.body.Of(d.args[1].Elems)
	n := t.Bits() / len(elems)
	srcs := make([]operand, len(elems))
	for k := range elems {
		srcs[k] = d.read(&elems[k], bitsType(n))
	}
	p := d.dst(0)
	if t.Bits() == 128 {
		p.mask = ^uint64(0)
	}
	d.out.run = func(w *warp) {
		var r [2]column
		for k := range srcs {
			x := w.col(&srcs[k], 0)
			for m := w.mask; m != 0; m &= m - 1 {
				l := bits.TrailingZeros32(m)
				r[k*n/64][l] |= x[l] & low(n) << (k * n % 64)
			}
		}
		w.store(p, &r[0])
		if t.Bits() == 128 {
			w.store(place{p.slot + 1, ^uint64(0)}, &r[1])
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
