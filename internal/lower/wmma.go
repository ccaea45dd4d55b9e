package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// wmma names no places of elements, so the fragments are those of mma: the
// product then needs no exchange between threads. Thread l holds elements of
// line l/4 of the outer dimension (rows of A and C, columns of B), and along
// the inner one those from place l%4 on. With eight rows the product is made
// transposed, and the dimensions of C change places.

// corner is where a register's first element lies, from the thread's own
// place: so much further along the outer and the inner dimension.
type corner struct{ outer, inner int64 }

// Fragments: sixteen lines of sixteen elements of 16 bits in A's order and
// in B's, the same twice over, accumulators, and the small ones.
var (
	spotsA16  = [...]corner{{0, 0}, {8, 0}, {0, 8}, {8, 8}, {16, 0}, {24, 0}, {16, 8}, {24, 8}}
	spotsB16  = [...]corner{{0, 0}, {0, 8}, {8, 0}, {8, 8}}
	spotsC32  = [...]corner{{0, 0}, {0, 1}, {8, 0}, {8, 1}, {0, 8}, {0, 9}, {8, 8}, {8, 9}}
	spotsLong = [...]corner{{0, 0}, {0, 1}, {8, 0}, {8, 1}, {16, 0}, {16, 1}, {24, 0}, {24, 1}}
	spotsRow  = [...]corner{{0, 0}, {8, 0}, {16, 0}, {24, 0}}
	spotsTA   = [...]corner{{0, 0}, {8, 0}, {0, 4}, {8, 4}}
	spotsTB   = [...]corner{{0, 0}, {0, 4}, {8, 0}, {8, 4}}
)

// fragmentMap says where the elements of a fragment lie in memory.
type fragmentMap struct {
	spots   []corner
	natural bool  // the elements of a register are neighbours in memory
	bits    int   // of an element
	per     int64 // elements of one register
	step    int64 // elements between neighbouring threads
	width   int   // words of a register
	lead    int64 // elements between lines where no operand says
}

// fragmentMap describes fragment which ('a', 'b' or 'c') of the current
// load or store, whose matrix lies by columns or rows.
func (l *lowerer) fragmentMap(which byte, shape isa.Word, t isa.Type, byColumn bool) *fragmentMap {
	m, n, k := isa.ShapeMNK(shape)
	lead := n
	f := &fragmentMap{bits: elementBits(t), width: 1}
	f.per = max(1, int64(32/f.bits))
	f.step = f.per
	if f.bits == 64 {
		f.width = 2
	}
	switch which {
	case 'a':
		f.spots, f.natural, lead = factorSpots('a', shape, f.bits), !byColumn, k
		if byColumn {
			lead = m
		}
	case 'b':
		f.spots, f.natural = factorSpots('b', shape, f.bits), byColumn
		if byColumn {
			lead = k
		}
	default:
		f.step = 2
		f.spots, f.natural = sumSpots(shape, f.bits), byColumn == (shape == isa.WM8n32k16)
		if byColumn {
			lead = m
		}
	}
	f.lead = int64(lead)
	return f
}

func elementBits(t isa.Type) int {
	if t == isa.TF32 {
		return 32
	}
	return t.Bits()
}

// factorSpots returns the registers of a factor, each once.
func factorSpots(which byte, shape isa.Word, bits int) []corner {
	long := which == 'a' && shape == isa.WM32n8k16 || which == 'b' && shape == isa.WM8n32k16
	short := which == 'b' && shape == isa.WM32n8k16 || which == 'a' && shape == isa.WM8n32k16
	switch {
	case bits == 16 && long:
		return spotsA16[:]
	case bits == 16 && short:
		return spotsB16[:2]
	case bits == 16 && which == 'a':
		return spotsA16[:4]
	case bits == 16:
		return spotsB16[:]
	case bits == 32 && which == 'a':
		return spotsTA[:]
	case bits == 32:
		return spotsTB[:]
	case bits == 8 && long:
		return spotsRow[:]
	case bits == 8 && !short:
		return spotsRow[:2]
	}
	return spotsRow[:1]
}

// sumSpots returns the registers of an accumulator.
func sumSpots(shape isa.Word, bits int) []corner {
	square := shape == isa.WM16n16k16 || shape == isa.WM16n16k8
	switch {
	case bits == 16 && square:
		return spotsA16[:4]
	case bits == 16:
		return spotsRow[:]
	case square:
		return spotsC32[:]
	case shape == isa.WM32n8k16 || shape == isa.WM8n32k16:
		return spotsLong[:]
	}
	return spotsC32[:2]
}

// wmma lowers the loads, stores and products of wmma.
func (l *lowerer) wmma() {
	l.knows(isa.WSync)
	l.knows(isa.WAligned)
	l.knows(isa.WRow)
	l.knows(isa.WCol)
	shape := l.shape()
	byColumn, _ := l.layouts()
	switch {
	case l.has(isa.WMma):
		l.wmmaMma(shape)
	case l.has(isa.WStore):
		l.knows(isa.WD)
		l.wmmaStore(l.fragmentMap('c', shape, l.typ(0), byColumn))
	case l.has(isa.WLoad):
		which := byte('c')
		switch {
		case l.has(isa.WA):
			which = 'a'
		case l.has(isa.WB):
			which = 'b'
		default:
			l.knows(isa.WC)
		}
		l.wmmaLoad(l.fragmentMap(which, shape, l.typ(0), byColumn))
	default:
		l.unsupported()
	}
}

// wmmaLoad loads a fragment. PTX has eight registers for every factor of
// f16: shorter fragments repeat.
func (l *lowerer) wmmaLoad(f *fragmentMap) {
	var v value
	if l.space(&l.args[1]) == isa.SpaceShared && f.bits == 16 && f.step == 2 && f.per == 2 {
		v = l.loadMatrices(f)
	} else {
		v = l.loadWords(f)
	}
	for k, e := range l.elements(0) {
		if e.Kind == isa.KReg {
			at := k % len(f.spots) * f.width
			l.copyRun(l.words(l.regs[e.Ref])[:f.width], v[at:at+f.width])
		}
	}
}

// loadWords loads the registers of a fragment one by one. Elements of 16
// bits that are no neighbours are loaded as if the matrix were transposed
// and then transposed between threads; bytes are loaded one by one.
func (l *lowerer) loadWords(f *fragmentMap) value {
	if !f.natural && f.bits == 8 {
		return l.loadBytes(f)
	}
	g := l.grid(f, 1)
	v := make(value, 0, len(f.spots)*f.width)
	for n := 0; n < len(f.spots); n++ {
		if f.paired(n) {
			r := l.tmp(2 * f.width)
			g.load(r, f.spots[n], 64*f.width)
			v = append(v, r...)
			n++
			continue
		}
		r := l.tmp(f.width)
		g.load(r, f.spots[n], 32*f.width)
		if !f.natural && f.bits == 16 {
			r = value{l.one(op.MOVM, op.M(op.M16, op.MMT88), r[0])}
		}
		v = append(v, r...)
	}
	return v
}

// paired reports whether registers n and n+1 are neighbours in memory.
func (f *fragmentMap) paired(n int) bool {
	return f.natural && n+1 < len(f.spots) && f.spots[n+1] == corner{f.spots[n].outer, f.spots[n].inner + 1}
}

// loadBytes loads bytes that are no neighbours and joins them.
func (l *lowerer) loadBytes(f *fragmentMap) value {
	g := l.grid(f, 1)
	v := make(value, len(f.spots))
	for n, s := range f.spots {
		var b [4]ori.Operand
		for e := range b {
			r := l.tmp(1)
			g.load(r, corner{s.outer, s.inner + int64(e)}, 8)
			b[e] = r[0]
		}
		lo := l.one(op.PRMT, op.Mods{}, b[0], ori.Imm32(0x5140), b[1])
		hi := l.one(op.PRMT, op.Mods{}, b[2], ori.Imm32(0x5140), b[3])
		v[n] = l.one(op.PRMT, op.Mods{}, lo, ori.Imm32(0x5410), hi)
	}
	return v
}

// wmmaStore stores an accumulator.
func (l *lowerer) wmmaStore(f *fragmentMap) {
	v := l.readFragment(1, l.typ(0))
	g := l.grid(f, 0)
	for n := 0; n < len(f.spots); n++ {
		w := v[n*f.width : n*f.width+f.width]
		if f.paired(n) {
			g.store(v[n*f.width:(n+2)*f.width], f.spots[n], 64*f.width)
			n++
			continue
		}
		if !f.natural && f.bits == 16 {
			w = value{l.one(op.MOVM, op.M(op.M16, op.MMT88), l.reg(w[0]))}
		}
		g.store(w, f.spots[n], 32*f.width)
	}
}

// wmmaMma lowers the product.
func (l *lowerer) wmmaMma(shape isa.Word) {
	l.knows(isa.WPopc)
	l.knows(isa.WXor)
	m := &multiply{d: l.typ(0), a: l.typ(1), b: l.typ(2), c: l.typ(3), and: l.has(isa.WAnd), round: l.rounding(), sat: l.has(isa.WSatfinite)}
	if l.in.NTypes == 2 { // halves go without saying
		m.a, m.b, m.c = isa.F16, isa.F16, l.typ(1)
		if m.sat {
			l.unsupported()
		}
	}
	m.fa, m.fb, m.fc = l.readFragment(1, m.a), l.readFragment(2, m.b), l.readFragment(3, m.c)
	to := m.d
	switch { // both accumulators are of one type
	case m.d == isa.F16 && m.c == isa.F32:
		m.d = isa.F32
	case m.d == isa.F32 && m.c == isa.F16:
		m.fc, m.c = l.singles(m.fc), isa.F32
	}
	d := l.wmmaParts(m, shape)
	if to != m.d {
		half := make(value, len(d)/2)
		for n := range half {
			t := l.tmp(1)
			l.packHalves(t, d[2*n+1], d[2*n])
			half[n] = t[0]
		}
		d = half
	}
	l.writeFragment(0, d, to)
}

// wmmaParts makes the product of the products of sixteen rows and eight
// columns.
func (l *lowerer) wmmaParts(m *multiply, shape isa.Word) value {
	a, b := m.fa, m.fb
	swap := shape == isa.WM8n32k16
	if swap {
		a, b, m.a, m.b = m.fb, m.fa, m.b, m.a
	}
	half := len(m.fc) / 2
	c := [2]value{m.fc[:half], m.fc[half:]}
	long := shape != isa.WM16n16k16 // the second half has other rows, else other columns
	switch kindOf(m.a) {
	case kindHalf, kindBrain:
		m.shape = isa.WM16n8k16
		for n := range c {
			m.fc = c[n]
			if long {
				m.fa, m.fb = a[4*n:4*n+4], b[:2]
			} else {
				m.fa, m.fb = a[:4], b[2*n:2*n+2]
			}
			c[n] = l.multiply(m)
		}
	case kindByte:
		m.shape = isa.WM16n8k16
		for n := range c {
			m.fc = c[n]
			if long {
				m.fa, m.fb = a[2*n:2*n+2], b[:1]
			} else {
				m.fa, m.fb = a[:2], b[n:n+1]
			}
			c[n] = l.multiply(m)
		}
	case kindTensor: // half the depth at a time
		m.shape = isa.WM16n8k4
		for k := range 2 {
			for n := range c {
				m.fa, m.fb, m.fc = a[2*k:2*k+2], b[2*n+k:2*n+k+1], c[n]
				c[n] = l.multiply(m)
			}
		}
	default:
		m.shape, m.fa, m.fb = shape, a, b
		return l.multiply(m)
	}
	return append(append(value{}, c[0]...), c[1]...)
}
