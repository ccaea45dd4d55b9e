package matrix

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// wmma names no places of elements, so the fragments are those of mma: the
// product then needs no exchange between threads. Thread l holds elements of
// line l/4 of the outer dimension (rows of A and C, columns of B), and along
// the inner one those from place l%4 on. With eight rows the product is made
// transposed, and the dimensions of C change places.

// wmma lowers the loads, stores and products of wmma.
func wmma(l *build.Builder) {
	l.Knows(isa.WSync)
	l.Knows(isa.WAligned)
	l.Knows(isa.WRow)
	l.Knows(isa.WCol)
	shape := shape(l)
	byColumn, _ := layouts(l)
	switch {
	case l.Has(isa.WMma):
		wmmaMma(l, shape)
	case l.Has(isa.WStore):
		l.Knows(isa.WD)
		wmmaStore(l, mapOf(l, 'c', shape, l.Typ(0), byColumn))
	case l.Has(isa.WLoad):
		which := byte('c')
		switch {
		case l.Has(isa.WA):
			which = 'a'
		case l.Has(isa.WB):
			which = 'b'
		default:
			l.Knows(isa.WC)
		}
		wmmaLoad(l, mapOf(l, which, shape, l.Typ(0), byColumn))
	default:
		l.Unsupported()
	}
}

// wmmaLoad loads a fragment. PTX has eight registers for every factor of
// f16: shorter fragments repeat.
func wmmaLoad(l *build.Builder, f *fragmentMap) {
	var v build.Value
	if memory.Space(l, &l.Args[1]) == isa.SpaceShared && f.bits == 16 && f.step == 2 && f.per == 2 {
		v = loadMatrices(l, f)
	} else {
		v = loadWords(l, f)
	}
	for k, e := range l.Elements(0) {
		if e.Kind == isa.KReg {
			at := k % len(f.spots) * f.width
			l.CopyRun(l.Words(l.Regs[e.Ref])[:f.width], v[at:at+f.width])
		}
	}
}

// loadWords loads the registers of a fragment one by one. Elements of 16
// bits that are no neighbours are loaded as if the matrix were transposed
// and then transposed between threads; bytes are loaded one by one.
func loadWords(l *build.Builder, f *fragmentMap) build.Value {
	if !f.natural && f.bits == 8 {
		return loadBytes(l, f)
	}
	g := gridOf(l, f, 1)
	v := make(build.Value, 0, len(f.spots)*f.width)
	for n := 0; n < len(f.spots); n++ {
		if f.paired(n) {
			r := l.Tmp(2 * f.width)
			g.load(r, f.spots[n], 64*f.width)
			v = append(v, r...)
			n++
			continue
		}
		r := l.Tmp(f.width)
		g.load(r, f.spots[n], 32*f.width)
		if !f.natural && f.bits == 16 {
			r = build.Value{l.One(op.MOVM, op.M(op.M16, op.MMT88), r[0])}
		}
		v = append(v, r...)
	}
	return v
}

// loadBytes loads bytes that are no neighbours and joins them.
func loadBytes(l *build.Builder, f *fragmentMap) build.Value {
	g := gridOf(l, f, 1)
	v := make(build.Value, len(f.spots))
	for n, s := range f.spots {
		var b [4]ori.Operand
		for e := range b {
			r := l.Tmp(1)
			g.load(r, corner{s.outer, s.inner + int64(e)}, 8)
			b[e] = r[0]
		}
		lo := l.One(op.PRMT, op.Mods{}, b[0], ori.Imm32(0x5140), b[1])
		hi := l.One(op.PRMT, op.Mods{}, b[2], ori.Imm32(0x5140), b[3])
		v[n] = l.One(op.PRMT, op.Mods{}, lo, ori.Imm32(0x5410), hi)
	}
	return v
}

// wmmaStore stores an accumulator.
func wmmaStore(l *build.Builder, f *fragmentMap) {
	v := readFragment(l, 1, l.Typ(0))
	g := gridOf(l, f, 0)
	for n := 0; n < len(f.spots); n++ {
		w := v[n*f.width : n*f.width+f.width]
		if f.paired(n) {
			g.store(v[n*f.width:(n+2)*f.width], f.spots[n], 64*f.width)
			n++
			continue
		}
		if !f.natural && f.bits == 16 {
			w = build.Value{l.One(op.MOVM, op.M(op.M16, op.MMT88), l.Reg(w[0]))}
		}
		g.store(w, f.spots[n], 32*f.width)
	}
}

// wmmaMma lowers the product.
func wmmaMma(l *build.Builder, shape isa.Word) {
	l.Knows(isa.WPopc)
	l.Knows(isa.WXor)
	m := &multiply{d: l.Typ(0), a: l.Typ(1), b: l.Typ(2), c: l.Typ(3), and: l.Has(isa.WAnd), round: l.Rounding(), sat: l.Has(isa.WSatfinite)}
	if l.In.NTypes == 2 { // halves go without saying
		m.a, m.b, m.c = isa.F16, isa.F16, l.Typ(1)
		if m.sat {
			l.Unsupported()
		}
	}
	m.fa, m.fb, m.fc = readFragment(l, 1, m.a), readFragment(l, 2, m.b), readFragment(l, 3, m.c)
	to := m.d
	switch { // both accumulators are of one type
	case m.d == isa.F16 && m.c == isa.F32:
		m.d = isa.F32
	case m.d == isa.F32 && m.c == isa.F16:
		m.fc, m.c = singles(l, m.fc), isa.F32
	}
	d := wmmaParts(l, m, shape)
	if to != m.d {
		half := make(build.Value, len(d)/2)
		for n := range half {
			t := l.Tmp(1)
			packHalves(l, t, d[2*n+1], d[2*n])
			half[n] = t[0]
		}
		d = half
	}
	writeFragment(l, 0, d, to)
}

// wmmaParts makes the product of the products of sixteen rows and eight
// columns.
func wmmaParts(l *build.Builder, m *multiply, shape isa.Word) build.Value {
	a, b := m.fa, m.fb
	swap := shape == isa.WM8n32k16
	if swap {
		a, b, m.a, m.b = m.fb, m.fa, m.b, m.a
	}
	half := len(m.fc) / 2
	c := [2]build.Value{m.fc[:half], m.fc[half:]}
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
			c[n] = multiplyOut(l, m)
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
			c[n] = multiplyOut(l, m)
		}
	case kindTensor: // half the depth at a time
		m.shape = isa.WM16n8k4
		for k := range 2 {
			for n := range c {
				m.fa, m.fb, m.fc = a[2*k:2*k+2], b[2*n+k:2*n+k+1], c[n]
				c[n] = multiplyOut(l, m)
			}
		}
	default:
		m.shape, m.fa, m.fb = shape, a, b
		return multiplyOut(l, m)
	}
	return append(append(build.Value{}, c[0]...), c[1]...)
}
