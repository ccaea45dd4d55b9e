package bits

// Sparse is a set of numbers below a bound with constant-time Add, Del, Has and
// Clear, after Briggs and Torczon: the members lie in one array in the order of
// adding, and another says where each one is. An entry of the second counts only
// if the first agrees, so clearing need not touch it. Worklists are Sparse.
type Sparse struct {
	dense []int32
	where []int32
}

// NewSparse returns an empty set for numbers below n.
func NewSparse(n int) *Sparse {
	return &Sparse{dense: make([]int32, 0, n), where: make([]int32, n)}
}

// Reset empties s and makes it fit for numbers below n.
func (s *Sparse) Reset(n int) {
	if n > len(s.where) {
		*s = *NewSparse(n)
		return
	}
	s.dense = s.dense[:0]
}

// Has reports whether i is in s.
func (s *Sparse) Has(i int) bool {
	w := int(s.where[i])
	return w < len(s.dense) && int(s.dense[w]) == i
}

// Add puts i into s and reports whether it was not there.
func (s *Sparse) Add(i int) bool {
	if s.Has(i) {
		return false
	}
	s.where[i] = int32(len(s.dense))
	s.dense = append(s.dense, int32(i))
	return true
}

// Del takes i out of s. The last number added takes its place.
func (s *Sparse) Del(i int) {
	if !s.Has(i) {
		return
	}
	last := s.dense[len(s.dense)-1]
	s.dense[s.where[i]] = last
	s.where[last] = s.where[i]
	s.dense = s.dense[:len(s.dense)-1]
}

// Pop takes out the number at the end of Members and returns it; s must not be
// empty.
func (s *Sparse) Pop() int {
	last := len(s.dense) - 1
	i := s.dense[last]
	s.dense = s.dense[:last]
	return int(i)
}

// Clear empties s.
func (s *Sparse) Clear() { s.dense = s.dense[:0] }

// Len returns how many numbers s holds.
func (s *Sparse) Len() int { return len(s.dense) }

// Members returns the numbers in s, in the order of adding as long as none was
// deleted. The slice is valid until s changes.
func (s *Sparse) Members() []int32 { return s.dense }
