package ori

import "slices"

// Together reports whether no place of Cuts lies between two positions in
// the text, in this order. A function without Cuts has none.
func (f *Func) Together(from, to int32) bool {
	if from > to {
		return len(f.Cuts) == 0
	}
	a, _ := slices.BinarySearch(f.Cuts, from+1)
	b, _ := slices.BinarySearch(f.Cuts, to+1)
	return a == b
}
