package syntax

import (
	"encoding/binary"
	"math/bits"

	"github.com/goptxas/goptxas/internal/engine/src"
)

// Names interns identifiers of one text into dense ids. The spelling of a
// name is the place of its first occurrence, so nothing is copied. It has
// one owner; reading is safe for concurrent use once it is filled.
type Names struct {
	text  []byte
	spans []span   // by id; spans[0] is unused
	table []uint32 // open addressing: ids, 0 when free
	shift uint8    // 64 - log2(len(table))
	store []uint32 // what table is cut from
}

// span keeps the first eight bytes of a name beside its place: they tell
// nearly all names apart without a look at the text.
type span struct {
	key  uint64
	pos  src.Pos
	size uint32
}

const minTable = 64

// reset forgets all names and makes room for about the number that size
// bytes of text hold.
func (n *Names) reset(text []byte, size int) {
	n.text = text
	// Real bodies have a name every 57 bytes.
	n.spans = append(room(n.spans[:0], size/57), span{})
	n.resize(max(minTable, 1<<bits.Len(uint(size/32))))
}

func (n *Names) resize(size int) {
	if cap(n.store) < size {
		n.store = make([]uint32, size)
	}
	n.table = n.store[:size]
	clear(n.table)
	n.shift = uint8(64 - bits.Len(uint(size)-1))
}

// hashShort mixes the zero padded bytes of a name of up to eight; the high
// bits are the good ones.
func hashShort(k uint64, n int) uint64 { return (k ^ uint64(n)) * 0x9E3779B97F4A7C15 }

// key returns the first eight bytes of text[pos:end], zero padded, and a
// hash of the whole.
func key(text []byte, pos, end int) (k, hash uint64) {
	n := end - pos
	if pos+8 <= len(text) {
		k = binary.LittleEndian.Uint64(text[pos:])
		if n < 8 {
			k &= 1<<(8*uint(n)) - 1
		}
	} else {
		for i := min(end, pos+8) - 1; i >= pos; i-- {
			k = k<<8 | uint64(text[i])
		}
	}
	if n <= 8 {
		return k, hashShort(k, n)
	}
	// Long names are generated: they differ near their ends or in the
	// middle, and a collision only costs a comparison.
	hash = k ^ binary.LittleEndian.Uint64(text[end-8:])*0xD6E8FEB86659FD93
	if n > 16 {
		hash = hash*0xD6E8FEB86659FD93 ^ binary.LittleEndian.Uint64(text[pos+n/2-4:])
	}
	for i := 24; i < n-16 && i < 256; i += 16 {
		hash = hash*0xD6E8FEB86659FD93 ^ binary.LittleEndian.Uint64(text[pos+i:])
	}
	hash ^= hash >> 29
	return k, hashShort(hash, n)
}

// intern returns the id of the name text[pos:end].
func (n *Names) intern(pos, end int) Name {
	var k, h uint64
	size := end - pos
	if size < 8 && pos+8 <= len(n.text) {
		k = binary.LittleEndian.Uint64(n.text[pos:]) & (1<<(8*uint(size)) - 1)
		h = hashShort(k, size)
	} else {
		k, h = key(n.text, pos, end)
	}
	table := n.table
	i := h >> n.shift
	for i < uint64(len(table)) {
		id := table[i]
		if id == 0 {
			return n.add(i, k, pos, size)
		}
		s := &n.spans[id]
		if s.key == k && s.size == uint32(size) && (size <= 8 || n.same(s, pos, end)) {
			return Name(id)
		}
		if i++; i == uint64(len(table)) {
			i = 0
		}
	}
	return 0
}

// add puts a new name at slot i.
func (n *Names) add(i, k uint64, pos, size int) Name {
	id := uint32(len(n.spans))
	n.spans = append(n.spans, span{k, src.Pos(pos), uint32(size)})
	n.table[i] = id
	if len(n.spans)*2 > len(n.table) {
		n.grow()
	}
	return Name(id)
}

func (n *Names) same(s *span, pos, end int) bool {
	return string(n.text[s.pos:int(s.pos)+int(s.size)]) == string(n.text[pos:end])
}

func (n *Names) grow() {
	n.resize(2 * len(n.table))
	mask := uint64(len(n.table) - 1)
	for id := 1; id < len(n.spans); id++ {
		s := &n.spans[id]
		_, h := key(n.text, int(s.pos), int(s.pos)+int(s.size))
		i := h >> n.shift
		for n.table[i] != 0 {
			i = (i + 1) & mask
		}
		n.table[i] = uint32(id)
	}
}

// Len returns the number of ids in use: valid ids are 1 to Len()-1.
func (n *Names) Len() int { return len(n.spans) }

// Bytes returns the spelling of a name, a part of the text. The spelling
// of no name is empty.
func (n *Names) Bytes(id Name) []byte {
	if id == 0 {
		return nil
	}
	s := &n.spans[id]
	return n.text[s.pos : s.pos+src.Pos(s.size)]
}

// String returns the spelling of a name as a string of its own.
func (n *Names) String(id Name) string { return string(n.Bytes(id)) }

// Find returns the id of a spelling, or 0 when the text does not use it.
func (n *Names) Find(b []byte) Name {
	if len(b) == 0 || len(n.table) == 0 {
		return 0
	}
	k, h := key(b, 0, len(b))
	mask := uint64(len(n.table) - 1)
	for i := h >> n.shift; n.table[i] != 0; i = (i + 1) & mask {
		s := &n.spans[n.table[i]]
		if s.key == k && int(s.size) == len(b) && string(n.text[s.pos:s.pos+src.Pos(s.size)]) == string(b) {
			return Name(n.table[i])
		}
	}
	return 0
}
