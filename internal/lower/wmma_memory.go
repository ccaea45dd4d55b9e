package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// grid is a matrix in memory as a thread sees it from its own element: lines
// so many bytes apart, elements side by side in them.
type grid struct {
	l      *lowerer
	f      *fragmentMap
	access access
	wide   bool
	base   value       // address of the thread's element
	imm    int64       // what the instruction adds
	stride ori.Operand // units between lines
	unit   int64       // bytes of a unit of stride
	lines  []gridLine
}

// gridLine is the address of a line so many further.
type gridLine struct {
	n    int64
	base value
}

// grid finds the thread's element of the matrix whose address is argument n.
func (l *lowerer) grid(f *fragmentMap, n int) *grid {
	lane := l.laneID()
	g := l.gridBase(f, n)
	outer := l.shr1(lane, ori.Imm(2))
	inner := l.and2(lane, ori.Imm(3))
	line, place := outer, inner
	places := f.step * int64(f.bits) / 8 // bytes between threads of a line
	lines := int64(1)
	if g.turned() {
		line, place = inner, outer
		lines, places = f.step, int64(f.bits)/8
	}
	g.start(line, lines, place, places)
	return g
}

// turned reports whether a thread's elements lie on different lines. Those
// of 16 bits are transposed after loading instead.
func (g *grid) turned() bool { return !g.f.natural && g.f.bits != 16 }

// gridBase reads address and stride of the current instruction.
func (l *lowerer) gridBase(f *fragmentMap, n int) *grid {
	s := l.space(&l.args[n])
	x := accessOf(s)
	if s != isa.SpaceGlobal && s != isa.SpaceShared && s != isa.Generic {
		l.unsupported()
	}
	a := l.address(&l.args[n], s)[0]
	g := &grid{l: l, f: f, access: x, wide: x.global, imm: a.Imm, unit: max(1, int64(f.bits)/8), stride: ori.Imm(f.lead)}
	switch {
	case a.Reg == ori.NoReg && g.wide:
		g.base = value{rz(), rz()}
	case a.Reg == ori.NoReg:
		g.base = value{rz()}
	case g.wide:
		g.base = value{l.f.Word(a.Reg, int(a.Sub)), l.f.Word(a.Reg, int(a.Sub)+1)}
	default:
		g.base = value{l.f.Word(a.Reg, int(a.Sub))}
	}
	if len(l.args) > 2 {
		g.stride = l.src1(2, isa.U32)
		if g.stride.Kind == ori.KZero {
			g.stride = ori.Imm(0)
		}
	}
	if f.bits < 8 { // strides are whole bytes
		per := int64(8 / f.bits)
		if g.stride.Kind == ori.KImm {
			g.stride = ori.Imm(int64(uint32(g.stride.Imm)) / per)
		} else {
			g.stride = l.shr1(g.stride, ori.Imm(log2(per)))
		}
	}
	return g
}

func log2(n int64) int64 {
	k := int64(0)
	for ; n > 1; n /= 2 {
		k++
	}
	return k
}

// start moves to the thread's element: so many lines for each of line, and
// bytes for each of place.
func (g *grid) start(line ori.Operand, lines int64, place ori.Operand, bytes int64) {
	l := g.l
	at := l.imad(place, ori.Imm(bytes), rz())
	rows := l.imad(line, ori.Imm(lines*g.unit), rz())
	if !g.wide {
		base := l.iadd(g.base[0], at)
		g.base = value{l.imad(rows, g.stride, base)}
		return
	}
	g.base = l.wide(rows, g.stride, l.add64(g.base, value{at, rz()}, false), false)
}

// at returns the operands that address the element s further.
func (g *grid) at(s corner) value {
	l := g.l
	lines, places := s.outer, s.inner
	if !g.f.natural {
		lines, places = s.inner, s.outer
	}
	off := g.imm + places*int64(g.f.bits)/8
	base := g.base
	if lines > 0 {
		if g.stride.Kind == ori.KImm {
			if more := lines * g.unit * int64(uint32(g.stride.Imm)); more+off <= maxOffset {
				off += more
				lines = 0
			}
		}
		base = g.line(lines)
	}
	if g.wide {
		return value{l.descriptor(), ori.Addr(whole(l.pair(base)), off)}
	}
	return value{ori.Addr(l.reg(base[0]), off)}
}

// line returns the address of the thread's element n lines further.
func (g *grid) line(n int64) value {
	if n == 0 {
		return g.base
	}
	for _, x := range g.lines {
		if x.n == n {
			return x.base
		}
	}
	l, by := g.l, ori.Imm(n*g.unit)
	var base value
	if g.wide {
		base = l.wide(g.stride, by, g.base, false)
	} else {
		base = value{l.imad(l.reg(g.stride), by, g.base[0])}
	}
	g.lines = append(g.lines, gridLine{n, base})
	return base
}

// mods returns the modifiers of an access of so many bits.
func (g *grid) mods(bits int) op.Mods {
	m := width(bits, false)
	if g.access.global {
		return join(op.M(op.ME), m)
	}
	return m
}

// load loads so many bits at s into r.
func (g *grid) load(r value, s corner, bits int) {
	g.l.emit(g.access.load, g.mods(bits), value{whole(r)}, g.at(s)...)
}

// store stores v at s.
func (g *grid) store(v value, s corner, bits int) {
	g.l.emit(g.access.store, g.mods(bits), nil, append(g.at(s), whole(g.l.group(v)))...)
}

// loadMatrices loads a fragment of 16-bit elements from shared memory, up to
// four blocks of eight lines of sixteen bytes at a time: lane l names line
// l%8 of block l/8. Blocks follow the registers.
func (l *lowerer) loadMatrices(f *fragmentMap) value {
	v := make(value, 0, len(f.spots))
	for at := 0; at < len(f.spots); at += 4 {
		n := min(4, len(f.spots)-at)
		g := l.gridBase(f, 1)
		lane := l.laneID()
		line, place := l.and2(lane, ori.Imm(7)), rz()
		for k := 1; k < n; k *= 2 { // bits three and four of the lane choose the block
			s := f.spots[at+k]
			lines, places := s.outer-f.spots[at].outer, s.inner-f.spots[at].inner
			if !f.natural {
				lines, places = places, lines
			}
			line = l.orBit(line, lane, int64(8*k), lines)
			place = l.orBit(place, lane, int64(8*k), places)
		}
		g.start(line, 1, place, int64(f.bits)/8)
		m := op.M(op.M16, op.MM88)
		if !f.natural {
			m = op.M(op.M16, op.MMT88)
		}
		if n > 1 {
			m = m.With([...]op.Mod{2: op.M2, 4: op.M4}[n])
		}
		r := l.tmp(n)
		l.emit(op.LDSM, m, value{whole(r)}, g.at(f.spots[at])...)
		v = append(v, r...)
	}
	return v
}

// orBit adds by to x where bit of lane is set; by is no more than bit.
func (l *lowerer) orBit(x, lane ori.Operand, bit, by int64) ori.Operand {
	if by == 0 {
		return x
	}
	y := l.and2(lane, ori.Imm(bit))
	if by < bit {
		y = l.shr1(y, ori.Imm(log2(bit/by)))
	}
	return l.or2(x, y)
}
