package async

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
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
	mapSwizzle  = 22   // bit of the word of types: a swizzle of 96 bytes, without a mode
	swizzle96   = 4
	flushType   = 11 // .f32.ftz, kept as .f32 with the bit
	flushTF32   = 12
	keptF32     = 7
	keptTF32    = 8
	newestTypes = 13 // of 4 and 6 bits
	keptNewest  = 11
)

// tensormap lowers tensormap.replace and tensormap.cp_fenceproxy.
func tensormap(l *build.Builder) {
	switch {
	case l.Has(isa.WReplace):
		l.Knows(isa.WTile)
		mapReplace(l)
	case l.Has(isa.WCpFenceproxy):
		for _, w := range l.Body.ModsOf(l.In) {
			l.Knows(w)
		}
		mapCopy(l)
	default:
		l.Unsupported()
	}
}

// mapReplace writes one field of a tensor map.
func mapReplace(l *build.Builder) {
	last := len(l.Args) - 1
	n := int64(0)
	if last == 2 {
		n = int64(l.Args[1].Value)
	}
	switch {
	case l.Has(isa.WGlobalAddress):
		v := l.Src(last, isa.B64)
		mapStore(l, 0, v[0])
		mapStore(l, 4, v[1])
		return
	case l.Has(isa.WGlobalStride):
		v := l.Src(last, isa.B64)
		mapStore(l, mapStride+4*n, l.One(op.SHF, op.M(op.MR, op.MU64), l.Reg(v[0]), ori.Imm(4), l.Reg(v[1])))
		mapBits(l, mapHigh, 4*n, 4, l.Shr1(l.Reg(v[1]), ori.Imm(4)))
		return
	}
	for k := range mapFields {
		f := mapFields[k]
		if !l.Has(f.word) {
			continue
		}
		if f.word == isa.WBoxDim && n > 0 {
			f.at, f.shift = mapBoxes, 8*(n-1)
		}
		f.at += f.step * n
		f.shift += f.next * n
		fieldOf(l, &f, last)
		return
	}
	l.Unsupported()
}

// fieldOf writes the value of argument n to a field.
func fieldOf(l *build.Builder, f *mapField, n int) {
	v := l.Src1(n, isa.B32)
	if f.word == isa.WElemtype {
		v = mapType(l, v)
	}
	if f.less {
		if v.Kind == ori.KReg {
			v = l.Iadd(v, ori.Imm(-1))
		} else {
			v = expand.Word(uint32(v.Imm) - 1)
		}
	}
	if f.bits == 32 {
		mapStore(l, f.at, v)
		return
	}
	mapBits(l, f.at, f.shift, f.bits, v)
	if f.word == isa.WSwizzleMode {
		odd := int64(0)
		if v.Kind != ori.KReg && v.Imm == swizzle96 {
			odd = 1
		}
		mapBits(l, f.at, mapSwizzle, 1, expand.Word(uint32(odd)))
	}
}

// mapType returns the value of a type: those that flush subnormals have a
// bit of their own, and the newest take the numbers that this leaves.
func mapType(l *build.Builder, v ori.Operand) ori.Operand {
	if v.Kind == ori.KReg {
		l.Unsupported()
	}
	switch {
	case v.Imm == flushType:
		mapBits(l, 0x08, mapFlush, 1, ori.Imm(1))
		return ori.Imm(keptF32)
	case v.Imm == flushTF32:
		mapBits(l, 0x08, mapFlush, 1, ori.Imm(1))
		return ori.Imm(keptTF32)
	case v.Imm >= newestTypes:
		return ori.Imm(v.Imm - newestTypes + keptNewest)
	}
	return v
}

// mapBits replaces bits of a word of a tensor map.
func mapBits(l *build.Builder, at, shift, bits int64, v ori.Operand) {
	mask := uint32(1<<bits-1) << shift
	if v.Kind == ori.KReg {
		if shift > 0 {
			v = l.Shl1(v, ori.Imm(shift))
		}
	} else {
		v = expand.Word(uint32(v.Imm) << shift & mask)
	}
	old := mapLoad(l, at)
	mapStore(l, at, l.Lop(0xb8, old, expand.Word(mask), l.Reg(v))) // v where the mask is set, old elsewhere
}

// mapAt returns the operands of an access to a word of the tensor map.
func mapAt(l *build.Builder, at int64) (memory.Access, build.Value) {
	a := l.Args[0]
	a.Value += uint64(at)
	s := memory.Space(l, &a)
	x := memory.AccessOf(s)
	return x, memory.Target(l, &a, s, &memory.Ordering{})
}

func mapLoad(l *build.Builder, at int64) ori.Operand {
	x, to := mapAt(l, at)
	r := l.Tmp(1)
	l.Emit(x.Load, memory.ModsOf(x, &memory.Ordering{}, op.Mods{}), r, to...)
	return r[0]
}

func mapStore(l *build.Builder, at int64, v ori.Operand) {
	x, to := mapAt(l, at)
	l.Emit(x.Store, memory.ModsOf(x, &memory.Ordering{}, op.Mods{}), nil, append(to, l.Reg(v))...)
}

// behindCopy reports whether the last thing that is done at the end of b, arithmetic
// apart, is to copy a tensor map: the threads are together.
func behindCopy(b *ori.Block) bool {
	for i := b.Last(); i != nil; i = i.Prev() {
		if i.CopiesMap() {
			return true
		}
		if i.Op.Has(op.Reads|op.Writes|op.Effect|op.Terminator|op.Convergent) && !i.Op.LoadsConstant() {
			return false
		}
	}
	return false
}

// mapCopy copies a tensor map from shared to global memory, a word by each
// thread of the warp.
func mapCopy(l *build.Builder) {
	scope := op.MGPU
	if l.Has(isa.WSys) {
		scope = op.MSYS
	}
	// what one thread waited for, as copies that still read the old map, is
	// over for all
	if !behindCopy(l.Cur) {
		l.Emit(op.WARPSYNC, op.M(op.MALL), nil)
	}
	off := l.Shl1(l.One(op.S2R, op.Mods{}, ori.Special(op.SRLaneID)), ori.Imm(2))
	from := l.Iadd(off, sharedWord(l, &l.Args[1]))
	r := l.Tmp(1)
	l.Emit(op.LDS, op.Mods{}, r, ori.Addr(from, 0))
	to := l.Add64(flat(l, &l.Args[0]), build.Value{off, expand.RZ()}, false)
	at := ori.Addr(expand.Whole(l.Group(to)), 0)
	at.Flags &^= ori.Wide
	l.Emit(op.ATOMG, op.M(op.ME, op.MEXCH, op.MSTRONG, scope), build.Value{expand.PT(), expand.RZ()}, at, r[0])
}
