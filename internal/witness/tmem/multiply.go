package tmem

import (
	"encoding/binary"
	"math"

	"github.com/goptxas/goptxas/internal/engine/fp"
)

// sumBits is what sums of products keep after the point of the greatest
// exponent, and how many products are added at once is the depth. The PTX ISA
// does not say either; they are what Hopper's unit of f16 was measured to do.
const sumBits = 25

// line is a row of A or a column of B.
type line struct {
	terms []fp.Term
	whole []int64
}

// Run does a product for the blocks that take part: one, or the even and the
// odd one of a pair. It does nothing where shared memory is missing.
func (o *Order) Run(blocks []*Block) error {
	p, err := o.read()
	if err != nil {
		return err
	}
	if !o.Inside {
		err = o.A.check(p.acrossA)
	}
	if err == nil {
		err = o.B.check(p.acrossB)
	}
	if err != nil {
		return err
	}
	columns, ok := p.columns(blocks)
	if !ok {
		return nil
	}
	for r, b := range blocks {
		if err := b.Mem.span(o.D, p.width()); err != nil {
			return err
		}
		rows, ok, err := p.factor(b)
		if err != nil || !ok {
			return err
		}
		if o.Kind >= MXF8F6F4 {
			if err := p.scaleLines(b.Mem, rows, columns, r); err != nil {
				return err
			}
		}
		if err := p.multiply(b.Mem, r, rows, columns); err != nil {
			return err
		}
	}
	return nil
}

// line reads the elements of a line of a matrix in shared memory.
func (p *plan) line(mem Shared, d Descriptor, e element, n, count int, across bool) ([]uint64, bool) {
	out := make([]uint64, count)
	size := uint32(e.slot / 8)
	var b []byte
	last := ^uint32(0)
	for k := range count {
		var at uint32
		bit := 0
		switch {
		case across:
			at = d.at(uint32(n)*size, uint32(k), true)
		case e.slot == 4:
			at, bit = d.at(uint32(n), uint32(k/2), false), k%2*4
		case e.bits < e.slot: // sixteen of them come first in sixteen bytes
			at, bit = d.at(uint32(n), uint32(k&^15), false), k%16*e.bits
		default:
			at = d.at(uint32(n), uint32(k)*size, false)
		}
		if at&^15 != last {
			last = at &^ 15
			if b = mem(last); b == nil {
				return nil, false
			}
		}
		at &= 15
		switch e.bits {
		case 32:
			out[k] = uint64(binary.LittleEndian.Uint32(b[at:]))
		case 16:
			out[k] = uint64(binary.LittleEndian.Uint16(b[at:]))
		default:
			out[k] = bitsAt(b, int(at)*8+bit, e.bits)
		}
	}
	return out, true
}

// inside reads the elements of a row of A in tensor memory, where floats of 4
// bits are in the middle of a byte and those of 6 bits at its lower end.
func (p *plan) inside(m *Memory, row, count int) []uint64 {
	if p.ShiftRows && row+1 < p.rows() {
		row++
	}
	lane, e := p.APlace.Lane()+p.lane(row), p.a
	out := make([]uint64, count)
	for k := range out {
		bit := k * e.slot
		w := m.words[p.APlace.Column()+bit/32][lane%Lanes] >> (bit % 32)
		if e.bits == 4 && e.slot == 8 {
			w >>= 2
		}
		out[k] = uint64(w) & (1<<e.bits - 1)
	}
	return out
}

// read makes numbers of elements.
func (p *plan) numbers(xs []uint64, e element, neg bool) line {
	if p.integer {
		l := line{whole: make([]int64, len(xs))}
		for k, x := range xs {
			l.whole[k] = int64(x)
			if e.signed {
				l.whole[k] = int64(int8(x))
			}
		}
		return l
	}
	if neg {
		for k := range xs {
			xs[k] ^= 1 << (e.bits - 1)
		}
	}
	return line{terms: e.format.Terms(nil, xs)}
}

// columns reads B: of a pair each block has a half.
func (p *plan) columns(blocks []*Block) ([]line, bool) {
	out := make([]line, p.n)
	for n := range out {
		b, at := blocks[0], n+p.shiftB
		if half := p.n / 2; p.Pair && n >= half {
			b, at = blocks[1], n-half
		}
		xs, ok := p.line(b.Shared, p.B, p.b, at, p.k, p.acrossB)
		if !ok {
			return nil, false
		}
		if p.zero != nil && p.zero[n] {
			clear(xs)
		}
		out[n] = p.numbers(xs, p.b, p.negB)
	}
	return out, true
}

// factor reads the rows of A of a block, each as long as B is deep: elements
// that are left out are zero.
func (p *plan) factor(b *Block) ([]line, bool, error) {
	given := p.k
	if p.sparse {
		given /= 2
	}
	if p.Inside {
		columns := given * p.a.slot / 32
		if err := b.Mem.span(p.APlace, columns); err != nil {
			return nil, false, err
		}
		b.Mem.touch(p.APlace.Lane(), Lanes-p.APlace.Lane(), p.APlace.Column(), columns, false)
	}
	out := make([]line, p.rows())
	for r := range out {
		var xs []uint64
		ok := true
		if p.Inside {
			xs = p.inside(b.Mem, r, given)
		} else if xs, ok = p.line(b.Shared, p.A, p.a, r, given, p.acrossA); !ok {
			return nil, false, nil
		}
		if p.sparse {
			var err error
			if xs, err = p.spread(b.Mem, r, xs); err != nil {
				return nil, false, err
			}
		}
		out[r] = p.numbers(xs, p.a, p.negA)
	}
	return out, true, nil
}

// multiply writes D of a block.
func (p *plan) multiply(m *Memory, rank int, rows, columns []line) error {
	m.touch(p.D.Lane(), Lanes-p.D.Lane(), p.D.Column(), p.width(), true)
	dot := fp.Dot{Group: p.k, Bits: sumBits, Round: fp.RZ}
	if p.sum == fp.F16 {
		dot.Round = fp.RN
	}
	for r := range rows {
		for n := range columns {
			lane, col := p.place(r, n)
			lane += p.D.Lane()
			if lane >= Lanes || p.Off[4*rank+lane/32]>>(lane%32)&1 != 0 {
				continue
			}
			w := &m.words[p.D.Column()+col][lane]
			if p.integer {
				*w = p.sumWhole(&rows[r], &columns[n], *w)
				continue
			}
			c := uint64(0)
			if p.Keep {
				c = p.old(*w)
			}
			*w = uint32(dot.AddTerms(p.sum, rows[r].terms, columns[n].terms, c))
		}
	}
	return nil
}

// old is D as it counts.
func (p *plan) old(w uint32) uint64 {
	if p.sum == fp.F16 {
		w &= 0xffff
	}
	if p.Minus == 0 {
		return uint64(w)
	}
	v := math.Float64frombits(fp.Convert(p.sum, fp.F64, uint64(w), fp.Mode{}))
	return fp.Convert(fp.F64, p.sum, math.Float64bits(math.Ldexp(v, -p.Minus)), fp.Mode{})
}

// sumWhole adds products of integers.
func (p *plan) sumWhole(a, b *line, old uint32) uint32 {
	sum := int64(0)
	if p.Keep {
		sum = int64(int32(old))
	}
	for k := range a.whole {
		sum += a.whole[k] * b.whole[k]
	}
	if p.clamp {
		sum = min(max(sum, math.MinInt32), math.MaxInt32)
	}
	return uint32(sum)
}
