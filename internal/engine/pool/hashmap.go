package pool

import "iter"

// Map is a hash map with its storage in a pool. Entries lie in one array in
// the order of insertion, which is also the order of All: output made from a
// Map is the same in every run. A table of entry numbers with linear probing
// finds them. There is no deletion: the compiler's maps only grow and die.
//
// A Map belongs to one goroutine at a time.
type Map[K comparable, V any] struct {
	hash    func(K) uint32
	entries Vec[entry[K, V]]
	index   []uint32 // entry number + 1, or 0; length is a power of two
	words   *Of[uint32]
}

type entry[K comparable, V any] struct {
	key  K
	val  V
	hash uint32
}

// MapPages is the storage of maps of one type.
type MapPages[K comparable, V any] struct {
	entries *Of[entry[K, V]]
	words   *Of[uint32]
}

// ForMap returns storage in p for maps from K to V.
func ForMap[K comparable, V any](p *Pool) MapPages[K, V] {
	return MapPages[K, V]{For[entry[K, V]](p), For[uint32](p)}
}

// NewMap returns an empty map in storage m with room for n entries; hash is
// one of the modes of this package or the caller's own.
func NewMap[K comparable, V any](m MapPages[K, V], hash func(K) uint32, n int) Map[K, V] {
	size := 8
	for size < 2*n {
		size *= 2
	}
	return Map[K, V]{
		hash:    hash,
		entries: NewVec(m.entries, n),
		index:   m.words.Slice(size),
		words:   m.words,
	}
}

// Len returns the number of entries.
func (m *Map[K, V]) Len() int { return m.entries.Len() }

// Get returns the value of k and whether there is one.
func (m *Map[K, V]) Get(k K) (V, bool) {
	if i := m.find(k, m.hash(k)); i >= 0 {
		return m.entries.s[i].val, true
	}
	var zero V
	return zero, false
}

// Put sets the value of k.
func (m *Map[K, V]) Put(k K, v V) { *m.At(k) = v }

// At returns the place of the value of k, made and zeroed if new; it is valid
// until the next new key.
func (m *Map[K, V]) At(k K) *V {
	h := m.hash(k)
	if i := m.find(k, h); i >= 0 {
		return &m.entries.s[i].val
	}
	if 2*(m.entries.Len()+1) > len(m.index) {
		m.rehash(2 * len(m.index))
	}
	m.entries.Push(entry[K, V]{key: k, hash: h})
	m.place(h, uint32(m.entries.Len()))
	return &m.entries.s[m.entries.Len()-1].val
}

// All yields the entries in the order of insertion.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for i := range m.entries.s {
			e := &m.entries.s[i]
			if !yield(e.key, e.val) {
				return
			}
		}
	}
}

func (m *Map[K, V]) find(k K, h uint32) int {
	mask := uint32(len(m.index) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		n := m.index[i]
		if n == 0 {
			return -1
		}
		if e := &m.entries.s[n-1]; e.hash == h && e.key == k {
			return int(n - 1)
		}
	}
}

func (m *Map[K, V]) place(h, n uint32) {
	mask := uint32(len(m.index) - 1)
	i := h & mask
	for m.index[i] != 0 {
		i = (i + 1) & mask
	}
	m.index[i] = n
}

func (m *Map[K, V]) rehash(size int) {
	old := m.index
	m.index = m.words.Slice(size)
	for i := range m.entries.s {
		m.place(m.entries.s[i].hash, uint32(i+1))
	}
	m.words.Recycle(old)
}
