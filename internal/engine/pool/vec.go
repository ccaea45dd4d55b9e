package pool

import "iter"

// Vec is a growable vector with its storage in typed pages. It grows by the
// policy max(old + old/2 + 1, wanted), in place when it is the last thing its
// pages handed out, and recycles the room it leaves. A Vec dies with its pages.
type Vec[T any] struct {
	s []T
	o *Of[T]
}

// NewVec returns an empty vector with storage in o and room for n values.
func NewVec[T any](o *Of[T], n int) Vec[T] {
	return Vec[T]{s: o.Slice(n)[:0], o: o}
}

// Len returns the number of values.
func (v *Vec[T]) Len() int { return len(v.s) }

// At returns value i.
func (v *Vec[T]) At(i int) T { return v.s[i] }

// Ptr returns the place of value i; it is valid until the vector grows.
func (v *Vec[T]) Ptr(i int) *T { return &v.s[i] }

// Slice returns the values; the slice is valid until the vector grows.
func (v *Vec[T]) Slice() []T { return v.s }

// Push appends x.
func (v *Vec[T]) Push(x T) {
	n := len(v.s)
	if n == cap(v.s) {
		v.grow(n + 1)
	}
	v.s = v.s[:n+1]
	v.s[n] = x
}

// Append appends all of xs.
func (v *Vec[T]) Append(xs ...T) {
	if n := len(v.s) + len(xs); n > cap(v.s) {
		v.grow(n)
	}
	v.s = append(v.s, xs...)
}

// Pop removes the last value and returns it.
func (v *Vec[T]) Pop() T {
	var zero T
	last := len(v.s) - 1
	x := v.s[last]
	v.s[last] = zero
	v.s = v.s[:last]
	return x
}

// Truncate keeps the first n values.
func (v *Vec[T]) Truncate(n int) {
	clear(v.s[n:])
	v.s = v.s[:n]
}

// Free empties the vector and recycles its room.
func (v *Vec[T]) Free() {
	v.o.Recycle(v.s)
	v.s = nil
}

// All yields the values with their indices.
func (v *Vec[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i, x := range v.s {
			if !yield(i, x) {
				return
			}
		}
	}
}

func (v *Vec[T]) grow(want int) {
	n := len(v.s)
	v.s = v.o.Grow(v.s, max(n+n/2+1, want, 4))[:n]
}
