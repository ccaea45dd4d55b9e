package ptxvm

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// part is the piece of a register that a selector names.
type part struct{ at, n int }

// selectors are the words for parts; no word is the whole register.
var selectors = [...]struct {
	w isa.Word
	p part
}{
	{isa.WB0, part{0, 8}},
	{isa.WB1, part{8, 8}},
	{isa.WB2, part{16, 8}},
	{isa.WB3, part{24, 8}},
	{isa.WH0, part{0, 16}},
	{isa.WH1, part{16, 16}},
}

// part returns what the selector of argument n names.
func (d *decoder) part(n int) part {
	a := &d.args[n]
	if a.Flags&sema.Selected == 0 {
		return part{0, 32}
	}
	for _, s := range selectors {
		if s.w == a.Sel {
			return s.p
		}
	}
	d.unknown()
	return part{}
}

// take extracts a part of v and extends it by the type's sign.
func (p part) take(v uint64, t isa.Type) int64 {
	v = v >> p.at & low(p.n)
	if signed(t) {
		return sx(v, p.n)
	}
	return int64(v)
}

// videoTypes are the types of a video instruction: vset has none of its
// result.
func (d *decoder) videoTypes() (dt, at, bt isa.Type) {
	if d.in.NTypes == 2 {
		return isa.U32, d.typ(0), d.typ(1)
	}
	return d.typ(0), d.typ(1), d.typ(2)
}

// videoOp reads the first operation.
func (d *decoder) videoOp(dt isa.Type) func(a, b int64) int64 {
	switch d.in.Op {
	case isa.WVadd, isa.WVadd2, isa.WVadd4:
		return func(a, b int64) int64 { return a + b }
	case isa.WVsub, isa.WVsub2, isa.WVsub4:
		return func(a, b int64) int64 { return a - b }
	case isa.WVabsdiff, isa.WVabsdiff2, isa.WVabsdiff4:
		return func(a, b int64) int64 { return max(a-b, b-a) }
	case isa.WVmin, isa.WVmin2, isa.WVmin4:
		return func(a, b int64) int64 { return min(a, b) }
	case isa.WVmax, isa.WVmax2, isa.WVmax4:
		return func(a, b int64) int64 { return max(a, b) }
	case isa.WVavrg2, isa.WVavrg4:
		return func(a, b int64) int64 {
			s := a + b
			if s >= 0 {
				s++
			}
			return s >> 1
		}
	case isa.WVset, isa.WVset2, isa.WVset4:
		cmp := d.comparison(isa.S64)
		return func(a, b int64) int64 { return int64(truth(cmp(uint64(a), uint64(b)))) }
	case isa.WVshl, isa.WVshr:
		wrap, left := d.has(isa.WWrap), d.in.Op == isa.WVshl
		d.ignore(isa.WClamp)
		return func(a, b int64) int64 {
			n := min(uint64(b)&low(32), 32)
			if wrap {
				n = uint64(b) & 31
			}
			if left { // in 34 bits
				return sx(uint64(a)<<n&low(34), 34)
			}
			return a >> n
		}
	}
	d.unknown()
	return nil
}

// clampTo moves a number into the range of n bits.
func clampTo(v int64, n int, sign bool) int64 {
	if sign {
		return min(max(v, -1<<(n-1)), 1<<(n-1)-1)
	}
	return min(max(v, 0), 1<<n-1)
}

// video is the scalar video instructions.
func (d *decoder) video() {
	dt, at, bt := d.videoTypes()
	pa, pb, pd := d.part(1), d.part(2), d.part(0)
	op, sat := d.videoOp(dt), d.has(isa.WSat)
	second := d.second(dt)
	c := constant(0)
	if len(d.args) > 3 {
		c = d.src(3, isa.B32)
	}
	d.map3(d.dst(0), d.src(1, isa.B32), d.src(2, isa.B32), c, func(a, b, c uint64) uint64 {
		v := op(pa.take(a, at), pb.take(b, bt))
		if sat {
			v = clampTo(v, pd.n, signed(dt))
		}
		if pd.n < 32 {
			field := low(pd.n) << pd.at
			return c&^field | uint64(v)<<pd.at&field
		}
		return second(v, c)
	})
}

// second reads the secondary operation, which sees all bits of the first
// one's result.
func (d *decoder) second(dt isa.Type) func(v int64, c uint64) uint64 {
	wide := func(c uint64) int64 {
		if signed(dt) {
			return sx(c, 32)
		}
		return int64(c)
	}
	switch {
	case d.has(isa.WAdd):
		return func(v int64, c uint64) uint64 { return uint64(v) + c }
	case d.has(isa.WMin):
		return func(v int64, c uint64) uint64 { return uint64(min(v, wide(c))) & low(32) }
	case d.has(isa.WMax):
		return func(v int64, c uint64) uint64 { return uint64(max(v, wide(c))) & low(32) }
	}
	return func(v int64, _ uint64) uint64 { return uint64(v) & low(32) }
}

// vmad multiplies parts, adds and scales.
func (d *decoder) vmad() {
	_, at, bt := d.videoTypes()
	pa, pb := d.part(1), d.part(2)
	shift := 0
	if d.has(isa.WShr7) {
		shift = 7
	} else if d.has(isa.WShr15) {
		shift = 15
	}
	po, sat := d.has(isa.WPo), d.has(isa.WSat)
	negAB := (d.args[1].Flags&sema.Neg != 0) != (d.args[2].Flags&sema.Neg != 0)
	negC := d.args[3].Flags&sema.Neg != 0
	args := append([]sema.Operand(nil), d.args...)
	for k := range args {
		args[k].Flags &^= sema.Neg
	}
	sign := signed(at) || signed(bt) || negAB || negC
	extended := signed(at) || signed(bt) || negAB // the addend of (u32 * u32) - u32 is a u32
	d.map3(d.dst(0), d.read(&args[1], isa.B32), d.read(&args[2], isa.B32), d.read(&args[3], isa.B32), func(a, b, c uint64) uint64 {
		x, y, z := pa.take(a, at), pb.take(b, bt), int64(c)
		if extended {
			z = sx(c, 32)
		}
		hi, lo := wideProduct(x, y)
		switch {
		case negAB:
			hi, lo = minus(hi, lo)
		case negC:
			z = -z
		}
		lo, carry := bits.Add64(lo, uint64(z), 0)
		hi += uint64(z>>63) + carry
		if po {
			lo, carry = bits.Add64(lo, 1, 0)
			hi += carry
		}
		lo, hi = lo>>shift|hi<<(64-shift), uint64(int64(hi)>>shift)
		if !sat {
			return lo
		}
		return saturated(hi, lo, sign)
	})
}

// wideProduct multiplies two words of up to 33 bits to 128 bits.
func wideProduct(x, y int64) (hi, lo uint64) {
	hi, lo = bits.Mul64(uint64(x), uint64(y))
	if x < 0 {
		hi -= uint64(y)
	}
	if y < 0 {
		hi -= uint64(x)
	}
	return hi, lo
}

func minus(hi, lo uint64) (uint64, uint64) {
	lo, borrow := bits.Sub64(0, lo, 0)
	return -hi - borrow, lo
}

// saturated moves a number of 128 bits into the range of a word with the
// sign that the final result of vmad has.
func saturated(hi, lo uint64, sign bool) uint64 {
	fits := int64(hi) == int64(lo)>>63
	switch {
	case !sign && hi == 0:
		return min(lo, low(32))
	case !sign:
		return low(32)
	case fits:
		return uint64(clampTo(int64(lo), 32, true))
	case int64(hi) < 0:
		return 1 << 31
	}
	return 1<<31 - 1
}

// simdLanes is how many values a packed video instruction works on.
func simdLanes(w isa.Word) int {
	switch w {
	case isa.WVadd2, isa.WVsub2, isa.WVavrg2, isa.WVabsdiff2, isa.WVmin2, isa.WVmax2, isa.WVset2:
		return 2
	}
	return 4
}

// picked reads the numbers of a selector of packed values, the lowest first,
// or none.
func (d *decoder) picked(arg int) []int {
	a := &d.args[arg]
	if a.Flags&sema.Selected == 0 {
		return nil
	}
	out := make([]int, a.Value>>16)
	for k := range out {
		out[k] = int(a.Value >> (4 * k) & 15)
	}
	return out
}

// simdMask reads which values of the result are written: bytes or halves.
func (d *decoder) simdMask() (mask uint) {
	for _, k := range d.picked(0) {
		mask |= 1 << k
	}
	if mask == 0 {
		return 15
	}
	return mask
}

// simdPick reads where the values of a source come from: the first source's
// pieces are numbered before the second's.
func (d *decoder) simdPick(arg, n int) (from [4]int) {
	for k := range n {
		from[k] = (arg-1)*n + k
	}
	copy(from[:n], d.picked(arg))
	return from
}

// simd is the packed video instructions.
func (d *decoder) simd() {
	dt, at, bt := d.videoTypes()
	n := simdLanes(d.in.Op)
	w := 32 / n
	mask, fromA, fromB := d.simdMask(), d.simdPick(1, n), d.simdPick(2, n)
	op, sat, add := d.videoOp(dt), d.has(isa.WSat), d.has(isa.WAdd)
	c := constant(0)
	if len(d.args) > 3 {
		c = d.src(3, isa.B32)
	}
	d.map3(d.dst(0), d.src(1, isa.B32), d.src(2, isa.B32), c, func(a, b, c uint64) uint64 {
		r, sum := c, c
		for k := range n {
			if mask>>k&1 == 0 {
				continue
			}
			p, ab := part{k * w, w}, a&low(32)|b<<32
			v := op(part{fromA[k] * w, w}.take(ab, at), part{fromB[k] * w, w}.take(ab, bt))
			if sat {
				v = clampTo(v, w, signed(dt))
			}
			sum += uint64(v)
			r = r&^(low(w)<<p.at) | uint64(v)&low(w)<<p.at
		}
		if add {
			return sum
		}
		return r
	})
}
