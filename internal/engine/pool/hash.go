package pool

import (
	"math/bits"
	"unsafe"
)

// The hash modes of the reference's maps: identity for integers, a shift-xor
// for pointers, MurmurHash3 for strings, FNV-1a for block numbers of a control
// flow graph. A custom function is any func(K) uint32.

// HashInt is the identity mode: dense numbers probe perfectly.
func HashInt[K ~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64](k K) uint32 {
	return uint32(uint64(k)) ^ uint32(uint64(k)>>32)
}

// HashPointer is the pointer mode. The low bits of a pointer are the same for
// all values of one size, so higher ones are folded in. The key itself stays a
// pointer in the map: only its number is looked at, and Go's heap does not move.
func HashPointer[T any](k *T) uint32 {
	a := uint64(uintptr(unsafe.Pointer(k)))
	return uint32(a>>11 ^ a>>8 ^ a>>5)
}

// Constants of MurmurHash3_x86_32.
const (
	murmurC1   = 0xcc9e2d51
	murmurC2   = 0x1b873593
	murmurN    = 0xe6546b64
	murmurMix1 = 0x85ebca6b
	murmurMix2 = 0xc2b2ae35
)

// HashString is MurmurHash3_x86_32 with seed 0, the mode of string keys.
func HashString(s string) uint32 {
	var h uint32
	n := len(s)
	for len(s) >= 4 {
		k := uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
		h ^= bits.RotateLeft32(k*murmurC1, 15) * murmurC2
		h = bits.RotateLeft32(h, 13)*5 + murmurN
		s = s[4:]
	}
	var k uint32
	for i := len(s) - 1; i >= 0; i-- {
		k = k<<8 | uint32(s[i])
	}
	if len(s) > 0 {
		h ^= bits.RotateLeft32(k*murmurC1, 15) * murmurC2
	}
	h ^= uint32(n)
	h = (h ^ h>>16) * murmurMix1
	h = (h ^ h>>13) * murmurMix2
	return h ^ h>>16
}

// HashFNV is FNV-1a over the four bytes of a block number.
func HashFNV[K ~int32 | ~uint32](k K) uint32 {
	h := uint32(0x811c9dc5)
	for i := range 4 {
		h = (h ^ uint32(k)>>(8*i)&0xff) * 16777619
	}
	return h
}
