package sched

// up moves the last element of a heap to its place, down the one at i. They
// compare and exchange as the standard library's heap does; that one would
// make a value on Go's heap of every element.
func up[T any](h []T, less func(a, b *T) bool) {
	for j := len(h) - 1; j > 0; {
		i := (j - 1) / 2
		if !less(&h[j], &h[i]) {
			return
		}
		h[i], h[j] = h[j], h[i]
		j = i
	}
}

func down[T any](h []T, less func(a, b *T) bool) {
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

// pop takes the first element of a heap out of it.
func pop[T any](h *[]T, less func(a, b *T) bool) T {
	l := *h
	x := l[0]
	n := len(l) - 1
	l[0] = l[n]
	*h = l[:n]
	down(*h, less)
	return x
}
