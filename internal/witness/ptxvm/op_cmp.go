package ptxvm

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/ptx/isa"
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
func (d *decoder) comparison(t isa.Type) func(a, b uint64) bool {
	for _, x := range comparisons {
		if !d.has(x.w) {
			continue
		}
		c := x.c
		if isFloat(t) {
			f, _ := d.formatOf(t)
			ftz := d.has(isa.WFtz)
			return func(a, b uint64) bool { return c.Holds(f.Relate(a, b, ftz)) }
		}
		switch x.w {
		case isa.WLo, isa.WLs, isa.WHi, isa.WHs:
			if signed(t) {
				d.unknown()
			}
		}
		return func(a, b uint64) bool {
			switch {
			case less(a, b, t):
				return c.Holds(fp.Less)
			case less(b, a, t):
				return c.Holds(fp.Greater)
			}
			return c.Holds(fp.Equal)
		}
	}
	d.unknown()
	return nil
}

// combine reads the boolean operation that joins a comparison with a
// predicate.
func (d *decoder) combine() func(a bool, c uint64) uint64 {
	switch {
	case d.has(isa.WAnd):
		return func(a bool, c uint64) uint64 { return truth(a) & c }
	case d.has(isa.WOr):
		return func(a bool, c uint64) uint64 { return truth(a) | c }
	case d.has(isa.WXor):
		return func(a bool, c uint64) uint64 { return truth(a) ^ c }
	}
	return func(a bool, _ uint64) uint64 { return truth(a) }
}

// third is the predicate operand n, or a constant if there is none.
func (d *decoder) third(n int) operand {
	if n < len(d.args) {
		return d.src(n, isa.Pred)
	}
	return constant(0)
}

// setp compares; of packed types each half has its own predicate.
func (d *decoder) setp() {
	t := d.typ(0)
	cmp, join := d.comparison(t), d.combine()
	p, q := d.dst(0), d.pair(0)
	a, b, c := d.src(1, t), d.src(2, t), d.third(3)
	packed := t == isa.F16x2 || t == isa.BF16x2
	d.out.run = func(w *warp) {
		x, y, z := w.col(&a, 0), w.col(&b, 1), w.col(&c, 2)
		var r, s column
		for m := w.mask; m != 0; m &= m - 1 {
			l := bits.TrailingZeros32(m)
			if packed {
				r[l] = join(cmp(x[l]&0xffff, y[l]&0xffff), z[l])
				s[l] = join(cmp(x[l]>>16, y[l]>>16), z[l])
				continue
			}
			h := cmp(x[l], y[l])
			r[l], s[l] = join(h, z[l]), join(!h, z[l])
		}
		w.store(p, &r)
		w.store(q, &s)
	}
}

// set compares and gives a number for truth.
func (d *decoder) set() {
	dt, t := d.typ(0), d.typ(1)
	cmp, join := d.comparison(t), d.combine()
	yes := low(dt.Bits())
	width := 0 // of one result of a packed comparison
	if t == isa.F16x2 || t == isa.BF16x2 {
		width, yes = 16, 0xffff
	}
	if isFloat(dt) {
		f, _ := d.formatOf(dt)
		yes = f.One()
	}
	pick := func(v uint64) uint64 {
		if v != 0 {
			return yes
		}
		return 0
	}
	d.map3(d.dst(0), d.src(1, t), d.src(2, t), d.third(3), func(a, b, c uint64) uint64 {
		if width == 0 {
			return pick(join(cmp(a, b), c))
		}
		return pick(join(cmp(a&0xffff, b&0xffff), c)) | pick(join(cmp(a>>16, b>>16), c))<<16
	})
}

func (d *decoder) selp() {
	t := d.typ(0)
	d.map3(d.dst(0), d.src(1, t), d.src(2, t), d.src(3, isa.Pred), func(a, b, c uint64) uint64 {
		if c != 0 {
			return a
		}
		return b
	})
}

// slct picks by the sign of the third operand; NaN counts as negative, -0 as
// not.
func (d *decoder) slct() {
	t, ct := d.typ(0), d.typ(1)
	ftz := d.has(isa.WFtz)
	d.map3(d.dst(0), d.src(1, t), d.src(2, t), d.src(3, ct), func(a, b, c uint64) uint64 {
		ok := int64(extend(c, ct)) >= 0
		if ct == isa.F32 {
			ok = fp.GE.Holds(fp.F32.Relate(c, 0, ftz))
		}
		if ok {
			return a
		}
		return b
	})
}
