package arith

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/ptxvm/machine"
)

// comparisons are the words of set and setp: the relations that make them
// true; unsigned ones have words of their own.
var comparisons = [...]struct {
	w isa.Word
	c fp.Cmp
}{
	{isa.WEq, fp.EQ},
	{isa.WNe, fp.NE},
	{isa.WLt, fp.LT},
	{isa.WLe, fp.LE},
	{isa.WGt, fp.GT},
	{isa.WGe, fp.GE},
	{isa.WLo, fp.LT},
	{isa.WLs, fp.LE},
	{isa.WHi, fp.GT},
	{isa.WHs, fp.GE},
	{isa.WEqu, fp.EQU},
	{isa.WNeu, fp.NEU},
	{isa.WLtu, fp.LTU},
	{isa.WLeu, fp.LEU},
	{isa.WGtu, fp.GTU},
	{isa.WGeu, fp.GEU},
	{isa.WNum, fp.NUM},
	{isa.WNan, fp.NAN},
}

// comparison reads the comparison of an instruction on type t.
func comparison(d *machine.Decoder, t isa.Type) func(a, b uint64) bool {
	for _, x := range comparisons {
		if !d.Has(x.w) {
			continue
		}
		c := x.c
		if IsFloat(t) {
			f, _ := FormatOf(d, t)
			ftz := d.Has(isa.WFtz)
			return func(a, b uint64) bool { return c.Holds(f.Relate(a, b, ftz)) }
		}
		switch x.w {
		case isa.WLo, isa.WLs, isa.WHi, isa.WHs:
			if machine.Signed(t) {
				d.Unknown()
			}
		}
		return func(a, b uint64) bool {
			switch {
			case Less(a, b, t):
				return c.Holds(fp.Less)
			case Less(b, a, t):
				return c.Holds(fp.Greater)
			}
			return c.Holds(fp.Equal)
		}
	}
	d.Unknown()
	return nil
}

// combine reads the boolean operation that joins a comparison with a
// predicate.
func combine(d *machine.Decoder) func(a bool, c uint64) uint64 {
	switch {
	case d.Has(isa.WAnd):
		return func(a bool, c uint64) uint64 { return machine.Truth(a) & c }
	case d.Has(isa.WOr):
		return func(a bool, c uint64) uint64 { return machine.Truth(a) | c }
	case d.Has(isa.WXor):
		return func(a bool, c uint64) uint64 { return machine.Truth(a) ^ c }
	}
	return func(a bool, _ uint64) uint64 { return machine.Truth(a) }
}

// third is the predicate operand n, or a constant if there is none.
func third(d *machine.Decoder, n int) machine.Operand {
	if n < len(d.Args) {
		return d.Src(n, isa.Pred)
	}
	return machine.Constant(0)
}

// Setp compares; of packed types each half has its own predicate.
func Setp(d *machine.Decoder) {
	t := d.Type(0)
	cmp, join := comparison(d, t), combine(d)
	p, q := d.Dst(0), d.Pair(0)
	a, b, c := d.Src(1, t), d.Src(2, t), third(d, 3)
	packed := t == isa.F16x2 || t == isa.BF16x2
	d.Out.Run = func(w *machine.Warp) {
		x, y, z := w.Col(&a, 0), w.Col(&b, 1), w.Col(&c, 2)
		var r, s machine.Column
		for m := w.Mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if packed {
				r[l] = join(cmp(x[l]&0xffff, y[l]&0xffff), z[l])
				s[l] = join(cmp(x[l]>>16, y[l]>>16), z[l])
				continue
			}
			h := cmp(x[l], y[l])
			r[l], s[l] = join(h, z[l]), join(!h, z[l])
		}
		w.Store(p, &r)
		w.Store(q, &s)
	}
}

// Set compares and gives a number for truth.
func Set(d *machine.Decoder) {
	dt, t := d.Type(0), d.Type(1)
	cmp, join := comparison(d, t), combine(d)
	yes := machine.Low(dt.Bits())
	width := 0 // of one result of a packed comparison
	if t == isa.F16x2 || t == isa.BF16x2 {
		width, yes = 16, 0xffff
	}
	if IsFloat(dt) {
		f, _ := FormatOf(d, dt)
		yes = f.One()
	}
	pick := func(v uint64) uint64 {
		if v != 0 {
			return yes
		}
		return 0
	}
	d.Map3(d.Dst(0), d.Src(1, t), d.Src(2, t), third(d, 3), func(a, b, c uint64) uint64 {
		if width == 0 {
			return pick(join(cmp(a, b), c))
		}
		return pick(join(cmp(a&0xffff, b&0xffff), c)) | pick(join(cmp(a>>16, b>>16), c))<<16
	})
}

// Selp picks by a predicate.
func Selp(d *machine.Decoder) {
	t := d.Type(0)
	d.Map3(d.Dst(0), d.Src(1, t), d.Src(2, t), d.Src(3, isa.Pred), func(a, b, c uint64) uint64 {
		if c != 0 {
			return a
		}
		return b
	})
}

// Slct picks by the sign of the third operand; NaN counts as negative, -0 as
// not.
func Slct(d *machine.Decoder) {
	t, ct := d.Type(0), d.Type(1)
	ftz := d.Has(isa.WFtz)
	d.Map3(d.Dst(0), d.Src(1, t), d.Src(2, t), d.Src(3, ct), func(a, b, c uint64) uint64 {
		ok := int64(machine.Extend(c, ct)) >= 0
		if ct == isa.F32 {
			ok = fp.GE.Holds(fp.F32.Relate(c, 0, ftz))
		}
		if ok {
			return a
		}
		return b
	})
}
