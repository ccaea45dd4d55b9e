package arith

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
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

// partOf returns what the selector of argument n names.
func partOf(d *machine.Decoder, n int) part {
	a := &d.Args[n]
	if a.Flags&sema.Selected == 0 {
		return part{0, 32}
	}
	for _, s := range selectors {
		if s.w == a.Sel {
			return s.p
		}
	}
	d.Unknown()
	return part{}
}

// take extracts a part of v and extends it by the type's sign.
func (p part) take(v uint64, t isa.Type) int64 {
	v = v >> p.at & machine.Low(p.n)
	if machine.Signed(t) {
		return machine.Sx(v, p.n)
	}
	return int64(v)
}

// videoTypes are the types of a video instruction: vset has none of its
// result.
func videoTypes(d *machine.Decoder) (dt, at, bt isa.Type) {
	if d.In.NTypes == 2 {
		return isa.U32, d.Type(0), d.Type(1)
	}
	return d.Type(0), d.Type(1), d.Type(2)
}

// videoOp reads the first operation.
func videoOp(d *machine.Decoder, dt isa.Type) func(a, b int64) int64 {
	switch d.In.Op {
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
		cmp := comparison(d, isa.S64)
		return func(a, b int64) int64 { return int64(machine.Truth(cmp(uint64(a), uint64(b)))) }
	case isa.WVshl, isa.WVshr:
		wrap, left := d.Has(isa.WWrap), d.In.Op == isa.WVshl
		d.Ignore(isa.WClamp)
		return func(a, b int64) int64 {
			n := min(uint64(b)&machine.Low(32), 32)
			if wrap {
				n = uint64(b) & 31
			}
			if left { // in 34 bits
				return machine.Sx(uint64(a)<<n&machine.Low(34), 34)
			}
			return a >> n
		}
	}
	d.Unknown()
	return nil
}

// clampTo moves a number into the range of n bits.
func clampTo(v int64, n int, sign bool) int64 {
	if sign {
		return min(max(v, -1<<(n-1)), 1<<(n-1)-1)
	}
	return min(max(v, 0), 1<<n-1)
}

// Video is the scalar video instructions.
func Video(d *machine.Decoder) {
	dt, at, bt := videoTypes(d)
	pa, pb, pd := partOf(d, 1), partOf(d, 2), partOf(d, 0)
	op, sat := videoOp(d, dt), d.Has(isa.WSat)
	second := second(d, dt)
	c := machine.Constant(0)
	if len(d.Args) > 3 {
		c = d.Src(3, isa.B32)
	}
	d.Map3(d.Dst(0), d.Src(1, isa.B32), d.Src(2, isa.B32), c, func(a, b, c uint64) uint64 {
		v := op(pa.take(a, at), pb.take(b, bt))
		if sat {
			v = clampTo(v, pd.n, machine.Signed(dt))
		}
		if pd.n < 32 {
			field := machine.Low(pd.n) << pd.at
			return c&^field | uint64(v)<<pd.at&field
		}
		return second(v, c)
	})
}

// second reads the secondary operation, which sees all bits of the first
// one's result.
func second(d *machine.Decoder, dt isa.Type) func(v int64, c uint64) uint64 {
	wide := func(c uint64) int64 {
		if machine.Signed(dt) {
			return machine.Sx(c, 32)
		}
		return int64(c)
	}
	switch {
	case d.Has(isa.WAdd):
		return func(v int64, c uint64) uint64 { return uint64(v) + c }
	case d.Has(isa.WMin):
		return func(v int64, c uint64) uint64 { return uint64(min(v, wide(c))) & machine.Low(32) }
	case d.Has(isa.WMax):
		return func(v int64, c uint64) uint64 { return uint64(max(v, wide(c))) & machine.Low(32) }
	}
	return func(v int64, _ uint64) uint64 { return uint64(v) & machine.Low(32) }
}

// Vmad multiplies parts, adds and scales.
func Vmad(d *machine.Decoder) {
	_, at, bt := videoTypes(d)
	pa, pb := partOf(d, 1), partOf(d, 2)
	shift := 0
	if d.Has(isa.WShr7) {
		shift = 7
	} else if d.Has(isa.WShr15) {
		shift = 15
	}
	po, sat := d.Has(isa.WPo), d.Has(isa.WSat)
	negAB := (d.Args[1].Flags&sema.Neg != 0) != (d.Args[2].Flags&sema.Neg != 0)
	negC := d.Args[3].Flags&sema.Neg != 0
	args := append([]sema.Operand(nil), d.Args...)
	for k := range args {
		args[k].Flags &^= sema.Neg
	}
	sign := machine.Signed(at) || machine.Signed(bt) || negAB || negC
	extended := machine.Signed(at) || machine.Signed(bt) || negAB // the addend of (u32 * u32) - u32 is a u32
	d.Map3(d.Dst(0), d.Read(&args[1], isa.B32), d.Read(&args[2], isa.B32), d.Read(&args[3], isa.B32), func(a, b, c uint64) uint64 {
		x, y, z := pa.take(a, at), pb.take(b, bt), int64(c)
		if extended {
			z = machine.Sx(c, 32)
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
		return min(lo, machine.Low(32))
	case !sign:
		return machine.Low(32)
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
func picked(d *machine.Decoder, arg int) []int {
	a := &d.Args[arg]
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
func simdMask(d *machine.Decoder) (mask uint) {
	for _, k := range picked(d, 0) {
		mask |= 1 << k
	}
	if mask == 0 {
		return 15
	}
	return mask
}

// simdPick reads where the values of a source come from: the first source's
// pieces are numbered before the second's.
func simdPick(d *machine.Decoder, arg, n int) (from [4]int) {
	for k := range n {
		from[k] = (arg-1)*n + k
	}
	copy(from[:n], picked(d, arg))
	return from
}

// Simd is the packed video instructions.
func Simd(d *machine.Decoder) {
	dt, at, bt := videoTypes(d)
	n := simdLanes(d.In.Op)
	w := 32 / n
	mask, fromA, fromB := simdMask(d), simdPick(d, 1, n), simdPick(d, 2, n)
	op, sat, add := videoOp(d, dt), d.Has(isa.WSat), d.Has(isa.WAdd)
	c := machine.Constant(0)
	if len(d.Args) > 3 {
		c = d.Src(3, isa.B32)
	}
	d.Map3(d.Dst(0), d.Src(1, isa.B32), d.Src(2, isa.B32), c, func(a, b, c uint64) uint64 {
		r, sum := c, c
		for k := range n {
			if mask>>k&1 == 0 {
				continue
			}
			p, ab := part{k * w, w}, a&machine.Low(32)|b<<32
			v := op(part{fromA[k] * w, w}.take(ab, at), part{fromB[k] * w, w}.take(ab, bt))
			if sat {
				v = clampTo(v, w, machine.Signed(dt))
			}
			sum += uint64(v)
			r = r&^(machine.Low(w)<<p.at) | uint64(v)&machine.Low(w)<<p.at
		}
		if add {
			return sum
		}
		return r
	})
}
