package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// A tensor map is 128 bytes. Its fields as the reference replaces them:
// where each lies, how far to the left and how many bits.

// mapField is a field of a tensor map, or the first of a row of them.
type mapField struct {
	word  isa.Word
	at    int64 // of its word
	shift int64
	bits  int64 // 32: the whole word
	less  bool  // one less is kept
	step  int64 // bytes to the next of the row
	next  int64 // bits to the next of the row
}

var mapFields = [...]mapField{
	{word: isa.WRank, at: 0x08, shift: 4, bits: 3},
	{word: isa.WElemtype, at: 0x08, shift: 7, bits: 4},
	{word: isa.WInterleaveLayout, at: 0x08, shift: 11, bits: 2},
	{word: isa.WSwizzleMode, at: 0x08, shift: 13, bits: 2},
	{word: isa.WFillMode, at: 0x08, shift: 15, bits: 1},
	{word: isa.WSwizzleAtomicity, at: 0x08, shift: 19, bits: 3},
	{word: isa.WGlobalDim, at: 0x20, bits: 32, less: true, step: 4},
	{word: isa.WElementStride, at: 0x34, bits: 3, less: true, next: 3},
	{word: isa.WBoxDim, at: 0x34, shift: 24, bits: 8, less: true},
}

// Places that the table does not say.
const (
	mapStride   = 0x0c // strides in sixteens of bytes, a word each
	mapHigh     = 0x1c // four more bits of each
	mapBoxes    = 0x38 // sizes of the box but the first, a byte each
	mapFlush    = 16   // bit of the word of types: subnormals are zero
	mapSwizzle  = 22   // bit of the word of types that a swizzle mode clears
	flushType   = 11   // .f32.ftz, kept as .f32 with the bit
	flushTF32   = 12
	keptF32     = 7
	keptTF32    = 8
	newestTypes = 13
)

// tensormap lowers tensormap.replace and tensormap.cp_fenceproxy.
func (l *lowerer) tensormap() {
	switch {
	case l.has(isa.WReplace):
		l.knows(isa.WTile)
		l.mapReplace()
	case l.has(isa.WCpFenceproxy):
		for _, w := range l.body.ModsOf(l.in) {
			l.knows(w)
		}
		l.mapCopy()
	default:
		l.unsupported()
	}
}

// mapReplace writes one field of a tensor map.
func (l *lowerer) mapReplace() {
	last := len(l.args) - 1
	n := int64(0)
	if last == 2 {
		n = int64(l.args[1].Value)
	}
	switch {
	case l.has(isa.WGlobalAddress):
		v := l.src(last, isa.B64)
		l.mapStore(0, v[0])
		l.mapStore(4, v[1])
		return
	case l.has(isa.WGlobalStride):
		v := l.src(last, isa.B64)
		l.mapStore(mapStride+4*n, l.one(op.SHF, op.M(op.MR, op.MU64), l.reg(v[0]), ori.Imm(4), l.reg(v[1])))
		l.mapBits(mapHigh, 4*n, 4, l.shr1(l.reg(v[1]), ori.Imm(4)))
		return
	}
	for k := range mapFields {
		f := mapFields[k]
		if !l.has(f.word) {
			continue
		}
		if f.word == isa.WBoxDim && n > 0 {
			f.at, f.shift = mapBoxes, 8*(n-1)
		}
		f.at += f.step * n
		f.shift += f.next * n
		l.mapField(&f, last)
		return
	}
	l.unsupported()
}

// mapField writes the value of argument n to a field.
func (l *lowerer) mapField(f *mapField, n int) {
	v := l.src1(n, isa.B32)
	if f.word == isa.WElemtype {
		v = l.mapType(v)
	}
	if f.less {
		if v.Kind == ori.KReg {
			v = l.iadd(v, ori.Imm(-1))
		} else {
			v = word(uint32(v.Imm) - 1)
		}
	}
	if f.bits == 32 {
		l.mapStore(f.at, v)
		return
	}
	l.mapBits(f.at, f.shift, f.bits, v)
	if f.word == isa.WSwizzleMode {
		l.mapBits(f.at, mapSwizzle, 1, rz())
	}
}

// mapType returns the value of a type: those that flush subnormals have a
// bit of their own.
func (l *lowerer) mapType(v ori.Operand) ori.Operand {
	if v.Kind == ori.KReg {
		l.unsupported()
	}
	switch {
	case v.Imm == flushType:
		l.mapBits(0x08, mapFlush, 1, ori.Imm(1))
		return ori.Imm(keptF32)
	case v.Imm == flushTF32:
		l.mapBits(0x08, mapFlush, 1, ori.Imm(1))
		return ori.Imm(keptTF32)
	case v.Imm >= newestTypes:
		l.unsupported()
	}
	return v
}

// mapBits replaces bits of a word of a tensor map.
func (l *lowerer) mapBits(at, shift, bits int64, v ori.Operand) {
	mask := uint32(1<<bits-1) << shift
	if v.Kind == ori.KReg {
		if shift > 0 {
			v = l.shl1(v, ori.Imm(shift))
		}
	} else {
		v = word(uint32(v.Imm) << shift & mask)
	}
	old := l.mapLoad(at)
	l.mapStore(at, l.lop(0xb8, old, word(mask), l.reg(v))) // v where the mask is set, old elsewhere
}

// mapAt returns the operands of an access to a word of the tensor map.
func (l *lowerer) mapAt(at int64) (access, value) {
	a := l.args[0]
	a.Value += uint64(at)
	s := l.space(&a)
	x := accessOf(s)
	return x, l.target(&a, s, &ordering{})
}

func (l *lowerer) mapLoad(at int64) ori.Operand {
	x, to := l.mapAt(at)
	r := l.tmp(1)
	l.emit(x.load, modsOf(x, &ordering{}, op.Mods{}), r, to...)
	return r[0]
}

func (l *lowerer) mapStore(at int64, v ori.Operand) {
	x, to := l.mapAt(at)
	l.emit(x.store, modsOf(x, &ordering{}, op.Mods{}), nil, append(to, l.reg(v))...)
}

// mapCopy copies a tensor map from shared to global memory, a word by each
// thread of the warp.
func (l *lowerer) mapCopy() {
	scope := op.MGPU
	if l.has(isa.WSys) {
		scope = op.MSYS
	}
	// what one thread waited for, as copies that still read the old map, is
	// over for all; behind another copy the threads are together
	if last := l.cur.Last(); last == nil || !last.CopiesMap() {
		l.emit(op.WARPSYNC, op.M(op.MALL), nil)
	}
	off := l.shl1(l.one(op.S2R, op.Mods{}, ori.Special(op.SRLaneID)), ori.Imm(2))
	from := l.iadd(off, l.sharedWord(&l.args[1]))
	r := l.tmp(1)
	l.emit(op.LDS, op.Mods{}, r, ori.Addr(from, 0))
	to := l.add64(l.flat(&l.args[0]), value{off, rz()}, false)
	at := ori.Addr(whole(l.group(to)), 0)
	at.Flags &^= ori.Wide
	l.emit(op.ATOMG, op.M(op.ME, op.MEXCH, op.MSTRONG, scope), value{pt(), rz()}, at, r[0])
}
