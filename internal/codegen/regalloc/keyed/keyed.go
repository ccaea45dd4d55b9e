// Package keyed holds short lists of numbers, one for each key.
package keyed

import "slices"

// Lists are short lists of numbers, one for each of a known count of keys,
// made from pairs.
type Lists struct {
	start []int32
	items []int32
}

// Pair is a number of the list of a key.
type Pair struct{ Key, Item int32 }

// Collect sorts pairs by key; pairs of one key stay in order.
func Collect(pairs []Pair, keys int) (l Lists) {
	l.Collect(pairs, keys)
	return l
}

// Collect does so in the memory of former lists.
func (l *Lists) Collect(pairs []Pair, keys int) {
	l.start = Zeros(l.start, keys+2)
	l.items = slices.Grow(l.items[:0], len(pairs))[:len(pairs)]
	for _, p := range pairs {
		l.start[p.Key+2]++
	}
	for k := range keys {
		l.start[k+2] += l.start[k+1]
	}
	for _, p := range pairs { // where a list starts moves to its end, which is where the next starts
		at := &l.start[p.Key+1]
		l.items[*at] = p.Item
		*at++
	}
	l.start = l.start[:keys+1]
}

// Zeros returns n zeros, in the memory of a former slice.
func Zeros[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// Of returns the numbers of a key.
func (l *Lists) Of(key int) []int32 { return l.items[l.start[key]:l.start[key+1]] }

// All returns the numbers of all keys, one key behind the other.
func (l *Lists) All() []int32 { return l.items }

// Keys returns how many keys there are.
func (l *Lists) Keys() int { return len(l.start) - 1 }
