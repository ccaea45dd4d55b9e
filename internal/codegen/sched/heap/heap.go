// Package heap keeps the least element of a slice first. It compares and exchanges
// as the standard library's does; that one would make a value on Go's heap of
// every element.
package heap

// Up moves the last element to its place.
func Up[T any](h []T, less func(a, b *T) bool) {
	for j := len(h) - 1; j > 0; {
		i := (j - 1) / 2
		if !less(&h[j], &h[i]) {
			return
		}
		h[i], h[j] = h[j], h[i]
		j = i
	}
}

// Down moves the first element to its place.
func Down[T any](h []T, less func(a, b *T) bool) {
	for i := 0; ; {
		j := 2*i + 1
		if j >= len(h) {
			return
		}
		if r := j + 1; r < len(h) && less(&h[r], &h[j]) {
			j = r
		}
		if !less(&h[j], &h[i]) {
			return
		}
		h[i], h[j] = h[j], h[i]
		i = j
	}
}

// Pop takes the first element of a heap out of it.
func Pop[T any](h *[]T, less func(a, b *T) bool) T {
	l := *h
	x := l[0]
	n := len(l) - 1
	l[0] = l[n]
	*h = l[:n]
	Down(*h, less)
	return x
}
