package overfull

// Candidate is a virtual register that could be spilled.
type Candidate struct {
	V    int32
	Cost float64 // of the best split
	Gain float64 // overfull points it covers, weighted by words
	rate float64 // gain for cost
}

// Queue hands out candidates by gain for cost, best first; equal ones by
// number, so that the choice never depends on the heap's history.
type Queue []Candidate

// before reports whether candidate a is better than b.
func (q Queue) before(a, b int) bool {
	if x, y := q[a].rate, q[b].rate; x != y {
		return x > y
	}
	return q[a].V < q[b].V
}

// Order makes a heap of the candidates.
func (q Queue) Order() {
	for n := range q {
		q[n].rate = q[n].Gain / q[n].Cost
	}
	for n := len(q)/2 - 1; n >= 0; n-- {
		q.down(n)
	}
}

// down moves a candidate behind those that are better.
func (q Queue) down(at int) {
	for {
		k := 2*at + 1
		if k >= len(q) {
			return
		}
		if k+1 < len(q) && q.before(k+1, k) {
			k++
		}
		if !q.before(k, at) {
			return
		}
		q[at], q[k] = q[k], q[at]
		at = k
	}
}

// Worse moves the first candidate to its place after its gain or cost changed.
func (q Queue) Worse() {
	q[0].rate = q[0].Gain / q[0].Cost
	q.down(0)
}

// Drop takes the first candidate away.
func (q *Queue) Drop() {
	list := *q
	last := len(list) - 1
	list[0] = list[last]
	*q = list[:last]
	q.down(0)
}
