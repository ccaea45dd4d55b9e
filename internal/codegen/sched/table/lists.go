// Package table holds lists of numbers that orders are found with.
package table

import "github.com/goptxas/goptxas/internal/engine/pool"

// Lists are short lists of numbers, one for each of a known count of keys.
type Lists struct {
	Items []int32
	spans []span
}

// span is where the list of a key stands among the items.
type span struct{ from, to int32 }

// Of returns the list of a key.
func (l *Lists) Of(k int32) []int32 {
	s := l.spans[k]
	return l.Items[s.from:s.to]
}

// Keys is how many lists there are.
func (l *Lists) Keys() int { return len(l.spans) }

// Reset makes all empty.
func (l *Lists) Reset() { l.spans, l.Items = l.spans[:0], l.Items[:0] }

// Grow makes room for so many keys and items.
func (l *Lists) Grow(mem *pool.Scratch, keys, items int) {
	l.spans, l.Items = pool.Room[span](mem, keys), pool.Room[int32](mem, items)
}

// Again returns n zeroes, in the memory of list if they fit.
func Again(mem *pool.Scratch, list []int32, n int) []int32 {
	if cap(list) < n {
		return pool.Make[int32](mem, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// Close ends the list of one key.
func (l *Lists) Close() {
	from := int32(0)
	if n := len(l.spans); n > 0 {
		from = l.spans[n-1].to
	}
	l.spans = append(l.spans, span{from, int32(len(l.Items))})
}

// Add adds an item to the list that began at from, unless it is there.
func (l *Lists) Add(from int, x int32) {
	if !Contains(l.Items[from:], x) {
		l.Items = append(l.Items, x)
	}
}

// Turn makes l the lists that lead back from the items of m to its keys.
// Items of one list follow the order of the keys, or the one given.
func (l *Lists) Turn(mem *pool.Scratch, m *Lists, keys int, order []int32) {
	if cap(l.spans) < keys {
		l.spans = pool.Make[span](mem, keys)
	} else {
		l.spans = l.spans[:keys]
		clear(l.spans)
	}
	for _, x := range m.Items {
		l.spans[x].to++
	}
	at := int32(0)
	for k := range l.spans {
		n := l.spans[k].to
		l.spans[k] = span{at, at}
		at += n
	}
	if cap(l.Items) < len(m.Items) {
		l.Items = pool.Make[int32](mem, len(m.Items))
	}
	l.Items = l.Items[:len(m.Items)]
	for n := range int32(len(m.spans)) {
		k := n
		if order != nil {
			k = order[n]
		}
		for _, x := range m.Of(k) {
			s := &l.spans[x]
			l.Items[s.to] = k
			s.to++
		}
	}
}

// Contains reports whether a list has a number.
func Contains(list []int32, x int32) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// Inverse returns the place of each number in an order.
func Inverse(mem *pool.Scratch, order []int32) []int32 {
	pos := pool.Make[int32](mem, len(order))
	for n, k := range order {
		pos[k] = int32(n)
	}
	return pos
}

// Identity returns the numbers in their order.
func Identity(mem *pool.Scratch, n int) []int32 {
	list := pool.Make[int32](mem, n)
	for k := range list {
		list[k] = int32(k)
	}
	return list
}
