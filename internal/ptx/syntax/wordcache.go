package syntax

import (
	"encoding/binary"

	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// wordCache remembers the static words seen lately by their first eight
// bytes: nearly every opcode and modifier is found without hashing twice.
type wordCache [256]struct {
	key  uint64
	size uint8
	word Word
}

// lookup returns the static word text[pos:end], or isa.WNone.
func (c *wordCache) lookup(text []byte, pos, end int) Word {
	n := end - pos
	if n > 8 || pos+8 > len(text) {
		return isa.Lookup(text[pos:end])
	}
	k := binary.LittleEndian.Uint64(text[pos:]) & (^uint64(0) >> (64 - 8*uint(n)))
	e := &c[(k*0x9E3779B97F4A7C15)>>56]
	if e.key == k && e.size == uint8(n) {
		return e.word
	}
	e.key, e.size, e.word = k, uint8(n), isa.Lookup(text[pos:end])
	return e.word
}
