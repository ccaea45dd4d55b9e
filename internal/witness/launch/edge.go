package launch

import (
	"encoding/binary"
	"math/bits"
)

// edges are the words at which the arithmetic of each width changes its
// ways: zeros, smallest and largest numbers, infinities, NaNs, powers of two
// and their neighbours.
var (
	edges16 = [...]uint16{
		0, 0x8000, 1, 0x8001, 0x03ff, 0x0400, 0x0401, 0x3bff, 0x3c00, 0xbc00, 0x4000, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe00,
		0x7fff, 0xffff, 0x0080, 0x007f, 0x3f80, 0xbf80, 0x7f7f, 0x7f80, 0xff80, 0x7f81, 0x7fc0, 0x4248, 0x7ff0, 0x00ff, 0x0100,
	}
	edges32 = [...]uint32{
		0, 1 << 31, 1, 1<<31 + 1, 0x007fffff, 0x00800000, 0x00800001, 0x3f7fffff, 0x3f800000, 0xbf800000, 0x3f800001, 0x40000000, 0x7f7fffff,
		0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0xffc00000, 0x7fffffff, 0xffffffff, 2, 3, 7, 31, 32, 33, 63, 64, 65, 127, 128,
		255, 256, 0xffff, 0x10000, 0xffffff80, 0xffff8000, 0x7ffffffe, 0x4b000000, 0x4b7fffff, 0x4f000000, 0x4effffff, 0x4f800000, 0xcf000000,
		0x5f000000, 0x477fe000, 0x477ff000, 0x33000000, 0x33800000, 0x38800000, 0x3f000000, 0xbf000000, 0x3fc00000, 0x7e800000, 0x00400000,
	}
	edges64 = [...]uint64{
		0, 1 << 63, 1, 1<<63 + 1, 0x000fffffffffffff, 0x0010000000000000, 0x0010000000000001, 0x3fefffffffffffff, 0x3ff0000000000000,
		0xbff0000000000000, 0x3ff0000000000001, 0x4000000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
		0xfff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000, 0xfff8000000000000, 0x7fffffffffffffff, 0xffffffffffffffff, 2, 3, 10, 63, 64,
		0xffffffff, 0x100000000, 0x47efffffe0000000, 0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000, 0x3690000000000001,
		0x380fffffc0000000, 0x380fffffe0000000, 0x380ffffff0000000, 0x3810000000000000, 0x41e0000000000000, 0x41dfffffffc00000,
		0x43e0000000000000, 0x43f0000000000000, 0x40effc0000000000, 0x3e60000000000000, 0x3fe0000000000000, 0x3ff8000000000000, 0x7fd0000000000000,
	}
)

// edge makes eight bytes that are, by turns, random, an edge of one of the
// widths, or a small number or power of two.
func edge(b []byte, _ int, r *random) {
	x := r.next()
	var v uint64
	switch x % 8 {
	case 0:
		v = r.next()
	case 1:
		v = near64(r)
	case 2, 3:
		v = uint64(near32(r)) | uint64(near32(r))<<32
	case 4, 5:
		for k := range 4 {
			v |= uint64(near16(r)) << (16 * k)
		}
	case 6:
		v = uint64(small(r, 32)) | small(r, 32)<<32
	default:
		v = small(r, 64)
	}
	binary.LittleEndian.PutUint64(b, v)
}

// step moves an edge by a few units in the last place, half of the time.
func step(r *random) uint64 {
	return [...]uint64{0, 0, 0, 0, 1, 2, ^uint64(0), ^uint64(1)}[r.next()>>20%8]
}

func near64(r *random) uint64 {
	x := r.next()
	if x&1 != 0 {
		return r.next()
	}
	return edges64[x>>8%uint64(len(edges64))] + step(r)
}

func near32(r *random) uint32 {
	x := r.next()
	if x&1 != 0 {
		return uint32(r.next() >> 16)
	}
	return edges32[x>>8%uint64(len(edges32))] + uint32(step(r))
}

func near16(r *random) uint16 {
	x := r.next()
	if x&3 != 0 {
		return uint16(r.next() >> 16)
	}
	return edges16[x>>8%uint64(len(edges16))] + uint16(step(r))
}

// small makes a number of random length and sign.
func small(r *random, width int) uint64 {
	x := r.next()
	v := r.next() >> (x >> 8 % 64)
	if x&1 != 0 {
		v = 1 << (bits.Len64(v) & 63)
	}
	if x&2 != 0 {
		v = -v
	}
	if width < 64 {
		v &= 1<<width - 1
	}
	return v
}
