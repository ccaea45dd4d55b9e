package matrix

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// grid is a matrix in memory as a thread sees it from its own element: lines
// so many bytes apart, elements side by side in them.
type grid struct {
	l      *build.Builder
	f      *fragmentMap
	access memory.Access
	wide   bool
	base   build.Value // address of the thread's element
	imm    int64       // what the instruction adds
	stride ori.Operand // units between lines
	unit   int64       // bytes of a unit of stride
	lines  []gridLine
}

// gridLine is the address of a line so many further.
type gridLine struct {
	n    int64
	base build.Value
}

// gridOf finds the thread's element of the matrix whose address is argument n.
func gridOf(l *build.Builder, f *fragmentMap, n int) *grid {
	lane := laneID(l)
	g := gridBase(l, f, n)
	outer := l.Shr1(lane, ori.Imm(2))
	inner := l.And2(lane, ori.Imm(3))
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
func gridBase(l *build.Builder, f *fragmentMap, n int) *grid {
	s := memory.Space(l, &l.Args[n])
	x := memory.AccessOf(s)
	if s != isa.SpaceGlobal && s != isa.SpaceShared && s != isa.Generic {
		l.Unsupported()
	}
	a := memory.Address(l, &l.Args[n], s)[0]
	g := &grid{l: l, f: f, access: x, wide: x.Global, imm: a.Imm, unit: max(1, int64(f.bits)/8), stride: ori.Imm(f.lead)}
	switch {
	case a.Reg == ori.NoReg && g.wide:
		g.base = build.Value{expand.RZ(), expand.RZ()}
	case a.Reg == ori.NoReg:
		g.base = build.Value{expand.RZ()}
	case g.wide:
		g.base = build.Value{l.F.Word(a.Reg, int(a.Sub)), l.F.Word(a.Reg, int(a.Sub)+1)}
	default:
		g.base = build.Value{l.F.Word(a.Reg, int(a.Sub))}
	}
	if len(l.Args) > 2 {
		g.stride = l.Src1(2, isa.U32)
		if g.stride.Kind == ori.KZero {
			g.stride = ori.Imm(0)
		}
	}
	if f.bits < 8 { // strides are whole bytes
		per := int64(8 / f.bits)
		if g.stride.Kind == ori.KImm {
			g.stride = ori.Imm(int64(uint32(g.stride.Imm)) / per)
		} else {
			g.stride = l.Shr1(g.stride, ori.Imm(log2(per)))
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
	at := l.Imad(place, ori.Imm(bytes), expand.RZ())
	rows := l.Imad(line, ori.Imm(lines*g.unit), expand.RZ())
	if !g.wide {
		base := l.Iadd(g.base[0], at)
		g.base = build.Value{l.Imad(rows, g.stride, base)}
		return
	}
	g.base = l.Wide(rows, g.stride, l.Add64(g.base, build.Value{at, expand.RZ()}, false), false)
}

// at returns the operands that address the element s further.
func (g *grid) at(s corner) build.Value {
	l := g.l
	lines, places := s.outer, s.inner
	if !g.f.natural {
		lines, places = s.inner, s.outer
	}
	off := g.imm + places*int64(g.f.bits)/8
	base := g.base
	if lines > 0 {
		if g.stride.Kind == ori.KImm {
			if more := lines * g.unit * int64(uint32(g.stride.Imm)); more+off <= memory.MaxOffset {
				off += more
				lines = 0
			}
		}
		base = g.line(lines)
	}
	if g.wide {
		return build.Value{memory.Descriptor(l), ori.Addr(expand.Whole(l.Pair(base)), off)}
	}
	return build.Value{ori.Addr(l.Reg(base[0]), off)}
}

// line returns the address of the thread's element n lines further.
func (g *grid) line(n int64) build.Value {
	if n == 0 {
		return g.base
	}
	for _, x := range g.lines {
		if x.n == n {
			return x.base
		}
	}
	l, by := g.l, ori.Imm(n*g.unit)
	var base build.Value
	if g.wide {
		base = l.Wide(g.stride, by, g.base, false)
	} else {
		base = build.Value{l.Imad(l.Reg(g.stride), by, g.base[0])}
	}
	g.lines = append(g.lines, gridLine{n, base})
	return base
}

// mods returns the modifiers of an access of so many bits.
func (g *grid) mods(bits int) op.Mods {
	m := build.Width(bits, false)
	if g.access.Global {
		return build.Join(op.M(op.ME), m)
	}
	return m
}

// load loads so many bits at s into r.
func (g *grid) load(r build.Value, s corner, bits int) {
	g.l.Emit(g.access.Load, g.mods(bits), build.Value{expand.Whole(r)}, g.at(s)...)
}

// store stores v at s.
func (g *grid) store(v build.Value, s corner, bits int) {
	g.l.Emit(g.access.Store, g.mods(bits), nil, append(g.at(s), expand.Whole(g.l.Group(v)))...)
}

// loadMatrices loads a fragment of 16-bit elements from shared memory, up to
// four blocks of eight lines of sixteen bytes at a time: lane l names line
// l%8 of block l/8. Blocks follow the registers.
func loadMatrices(l *build.Builder, f *fragmentMap) build.Value {
	v := make(build.Value, 0, len(f.spots))
	for at := 0; at < len(f.spots); at += 4 {
		n := min(4, len(f.spots)-at)
		g := gridBase(l, f, 1)
		lane := laneID(l)
		line, place := l.And2(lane, ori.Imm(7)), expand.RZ()
		for k := 1; k < n; k *= 2 { // bits three and four of the lane choose the block
			s := f.spots[at+k]
			lines, places := s.outer-f.spots[at].outer, s.inner-f.spots[at].inner
			if !f.natural {
				lines, places = places, lines
			}
			line = orBit(l, line, lane, int64(8*k), lines)
			place = orBit(l, place, lane, int64(8*k), places)
		}
		g.start(line, 1, place, int64(f.bits)/8)
		m := op.M(op.M16, op.MM88)
		if !f.natural {
			m = op.M(op.M16, op.MMT88)
		}
		if n > 1 {
			m = m.With([...]op.Mod{2: op.M2, 4: op.M4}[n])
		}
		r := l.Tmp(n)
		l.Emit(op.LDSM, m, build.Value{expand.Whole(r)}, g.at(f.spots[at])...)
		v = append(v, r...)
	}
	return v
}

// orBit adds by to x where bit of lane is set; by is no more than bit.
func orBit(l *build.Builder, x, lane ori.Operand, bit, by int64) ori.Operand {
	if by == 0 {
		return x
	}
	y := l.And2(lane, ori.Imm(bit))
	if by < bit {
		y = l.Shr1(y, ori.Imm(log2(bit/by)))
	}
	return l.Or2(x, y)
}
