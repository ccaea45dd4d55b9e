// Package wordhash is the hash behind isa.Lookup, shared with the program
// that builds its tables.
package wordhash

import "encoding/binary"

// Sizes of the two tables: a displacement for each bucket of words, and a
// slot for each word.
const (
	Buckets = 256
	Slots   = 2048
)

// Hash mixes at most 24 bytes of b: its first, middle and last eight. That
// tells all words of PTX apart, and costs the same for any length.
func Hash(b []byte) uint64 {
	n := len(b)
	var h uint64
	switch {
	case n >= 8:
		h = binary.LittleEndian.Uint64(b)
		h = h*0x9E3779B97F4A7C15 ^ binary.LittleEndian.Uint64(b[n/2-4:])
		h = h*0x9E3779B97F4A7C15 ^ binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		h = uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<32
	case n > 0:
		h = uint64(b[0]) | uint64(b[n/2])<<8 | uint64(b[n-1])<<16
	}
	h = (h ^ uint64(n)<<57) * 0xD6E8FEB86659FD93
	h ^= h >> 29
	return h * 0x9E3779B97F4A7C15
}

// Slot returns the slot of a word with hash h in a bucket displaced by d.
func Slot(h uint64, d uint16) uint64 { return (h>>20 + uint64(d)*(h>>40|1)) % Slots }
