package heap

// Sorted holds instructions for those who look at several of the best before
// they take one: what was looked at stays where it is.
type Sorted struct {
	Near []Node // the best, in order, the best of all at the end
	Far  Ranked // all others
}

// mostNear is how many are in order at most.
const mostNear = 64

// Reset makes it empty.
func (s *Sorted) Reset() { s.Near, s.Far.Nodes = s.Near[:0], s.Far.Nodes[:0] }

// Empty reports whether there are none.
func (s *Sorted) Empty() bool { return len(s.Near)+len(s.Far.Nodes) == 0 }

// Push adds an instruction.
func (s *Sorted) Push(key, node int32) {
	x, l := NodeOf(key, node), s.Near
	if len(s.Far.Nodes) > 0 && (len(l) == 0 || x > l[0]) {
		s.Far.Put(x)
		return
	}
	if len(l) == mostNear {
		l = s.divide()
		if x > l[0] {
			s.Far.Put(x)
			return
		}
	}
	l = append(l, x)
	j := len(l) - 1
	for ; j > 0 && l[j-1] < x; j-- {
		l[j] = l[j-1]
	}
	l[j] = x
	s.Near = l
}

// divide moves half of those that are in order to the others.
func (s *Sorted) divide() []Node {
	for _, x := range s.Near[:mostNear/2] {
		s.Far.Put(x)
	}
	s.Near = append(s.Near[:0], s.Near[mostNear/2:]...)
	return s.Near
}

// Look returns the best but n, unless there are no more; n is less than mostNear
// and not more than what was looked at.
func (s *Sorted) Look(n int) (x Node, ok bool) {
	if n < len(s.Near) {
		return s.Near[len(s.Near)-1-n], true
	}
	if len(s.Far.Nodes) == 0 {
		return 0, false
	}
	s.Near = append(s.Near, 0)
	copy(s.Near[1:], s.Near)
	s.Near[0] = s.Far.Take()
	return s.Near[0], true
}

// Remove takes the best but n away, which was looked at.
func (s *Sorted) Remove(n int) {
	last := len(s.Near) - 1
	for at := last - n; at < last; at++ { // few, mostly none
		s.Near[at] = s.Near[at+1]
	}
	s.Near = s.Near[:last]
}

// First returns the best.
func (s *Sorted) First() Node {
	x, _ := s.Look(0)
	return x
}
