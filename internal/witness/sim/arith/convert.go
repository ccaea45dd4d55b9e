package arith

import (
	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// Conversions.

// value reads a float source of a format: a pair for f64, the low or the
// high half of a register for the 16-bit formats.
func value(w *machine.Warp, i *machine.Inst, s *code.Operand, f fp.Format, l int) uint64 {
	if f == fp.F64 {
		return dsrc(w, s, l)
	}
	v := w.Row(s.Row)[l]
	if f.Width() == 16 {
		if s.Half == code.HalfHigh {
			v >>= 16
		}
		v &= 0xffff
	}
	return uint64(mark(w, s, f, v))
}

// F2F: from one float format to another.
func F2f(w *machine.Warp, i *machine.Inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		x := value(w, i, &i.S[0], i.Src, l)
		v := fp.Convert(i.Src, i.Dst, x, i.Mode)
		if i.Src == fp.BF16 && i.Dst == fp.F32 && i.Src.IsNaN(x) {
			v = 0x7fffffff // measured; widening by a shift keeps the payload
		}
		putWords(w, i, l, v, i.Dst == fp.F64)
	}
}

// putWords writes a value of one word or two.
func putWords(w *machine.Warp, i *machine.Inst, l int, v uint64, wide bool) {
	if wide {
		w.Dput(i, l, v)
	} else {
		w.R[i.D[0]][l] = uint32(v)
	}
}

// FRND: to an integral value of the same format.
func Frnd(w *machine.Warp, i *machine.Inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		v := i.Src.RoundToInt(value(w, i, &i.S[0], i.Src, l), i.Mode)
		putWords(w, i, l, v, i.Src == fp.F64)
	}
}

// F2I: to an integer, clamped. NaN becomes zero with .NTZ, else the most
// negative integer of the width.
func F2i(w *machine.Warp, i *machine.Inst, m uint32) {
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		x := value(w, i, &i.S[0], i.Src, l)
		var v uint64
		switch {
		case !i.Src.IsNaN(x):
			v = i.Src.ToInt(x, i.It, i.Mode.Round, i.Mode.Ftz)
		case i.Has(code.FlagNTZ):
		default:
			v = 1 << (i.It.Bits - 1)
		}
		putWords(w, i, l, v, i.It.Bits == 64)
	}
}

// I2F and I2FP: from an integer.
func I2f(w *machine.Warp, i *machine.Inst, m uint32) {
	s := &i.S[0]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		v := uint64(w.Row(s.Row)[l])
		switch s.Half {
		case code.HalfHigh:
			v >>= 16
		case code.HalfB1, code.HalfB2, code.HalfB3:
			v >>= 8 * byteOf(s)
		}
		if i.It.Bits == 64 {
			v |= uint64(w.Row(s.Hi)[l]) << 32
		}
		r := i.Dst.FromInt(i.It.Extend(v), i.It, i.Mode)
		if i.Dst == fp.F64 {
			w.Dput(i, l, r)
		} else {
			w.R[i.D[0]][l] = uint32(r)
		}
	}
}

// Ways of F2FP.
const (
	f2fpPackAB = iota // {a, b}
	f2fpMergeC        // {half of c, b}
	f2fpPackABMergeC
	f2fpPackB
	f2fpUnpackB
	f2fpUnpackBMergeC
)

// room is how many bits a float has in a packed word: those of six bits stand in bytes.
func room(f fp.Format) int {
	if n := f.Width(); n != 6 {
		return n
	}
	return 8
}

// byteOf is the byte of a source that its selector names.
func byteOf(s *code.Operand) uint8 {
	if s.Half < code.HalfB1 {
		return 0
	}
	return s.Half - code.HalfB1 + 1
}

// F2FP: packed conversions.
func F2fp(w *machine.Warp, i *machine.Inst, m uint32) {
	d := &w.R[i.D[0]]
	width := room(i.Dst)
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		var v uint64
		cvt := func(x uint64) uint64 { return fp.Convert(i.Src, i.Dst, x, i.Mode) & (1<<width - 1) }
		half := func(s *code.Operand) uint64 {
			c := uint64(w.Row(s.Row)[l])
			if i.Has(code.FlagH1) {
				c >>= 16
			}
			return c & 0xffff
		}
		switch s := i.S[:]; i.Sub {
		case f2fpPackAB:
			v = cvt(uint64(w.Row(s[0].Row)[l]))<<width | cvt(uint64(w.Row(s[1].Row)[l]))
		case f2fpMergeC:
			v = cvt(uint64(w.Row(s[0].Row)[l])) | half(&s[1])<<16
		case f2fpPackABMergeC:
			v = cvt(uint64(w.Row(s[0].Row)[l]))<<width | cvt(uint64(w.Row(s[1].Row)[l]))
			if width == 4 { // a byte, above which three more have room
				v |= uint64(w.Row(s[2].Row)[l]) << 8
			} else {
				v |= half(&s[2]) << 16
			}
		case f2fpPackB:
			v = fp.Convert(i.Src, i.Dst, uint64(w.Row(s[0].Row)[l]), i.Mode)
		case f2fpUnpackB:
			x := uint64(w.Row(s[0].Row)[l]) >> (8 * byteOf(&s[0]))
			if i.Has(code.FlagH1) {
				x >>= 16
			}
			n := room(i.Src)
			v = cvt(x&(1<<n-1)) | cvt(x>>n&(1<<n-1))<<width
		case f2fpUnpackBMergeC:
			x := uint64(w.Row(s[0].Row)[l])
			n := i.Src.Width()
			v = cvt(x&(1<<n-1)) | cvt(x>>n&(1<<n-1))<<width
			if width == 4 {
				v |= uint64(w.Row(s[1].Row)[l]) << 8
			} else {
				v |= half(&s[1]) << 16
			}
		}
		d[l] = uint32(v)
	}
}

// F2IP: two floats to bytes, packed below c.
func F2ip(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, c, d := w.Row(i.S[0].Row), w.Row(i.S[1].Row), w.Row(i.S[2].Row), &w.R[i.D[0]]
	cvt := func(x uint32) uint32 {
		if fp.F32.IsNaN(uint64(x)) {
			return 0
		}
		v := fp.F32.ToInt(uint64(x), i.It, i.Mode.Round, i.Mode.Ftz)
		if i.Has(code.FlagRELU) && int64(v) < 0 {
			v = 0
		}
		return uint32(v) & 0xff
	}
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		z := c[l]
		if i.Has(code.FlagH1) {
			z >>= 16
		}
		d[l] = cvt(b[l]) | cvt(a[l])<<8 | z<<16
	}
}

// f2fpRandom is F2FP.RS, which rounds by random bits in the last source.
// Halves have theirs each. Of bytes both have the upper half; the lower half
// moves up to make room for the result, and is there for the next pair.
// Of 4 bits each has the upper byte of a half.
func f2fpRandom(w *machine.Warp, i *machine.Inst, m uint32) {
	d, s := &w.R[i.D[0]], i.S[:]
	width := room(i.Dst)
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		a, b, c := uint64(w.Row(s[0].Row)[l]), uint64(w.Row(s[1].Row)[l]), uint64(w.Row(s[2].Row)[l])
		ra, rb, n := c>>16, c&0xffff, 16
		switch {
		case i.Dst == fp.F16:
			ra, rb, n = ra&0x1fff, rb&0x1fff, 13
		case width == 8:
			rb = ra
		case width == 4:
			ra, rb, n = c>>24, c>>8&0xff, 8
		}
		low := uint64(1)<<width - 1
		v := fp.Stochastic(i.Dst, a, i.Mode, ra, n)&low<<width | fp.Stochastic(i.Dst, b, i.Mode, rb, n)&low
		if i.Sub == f2fpPackABMergeC {
			v |= c << (2 * width)
		}
		d[l] = uint32(v)
	}
}
