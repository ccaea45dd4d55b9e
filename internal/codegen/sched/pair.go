package sched

// A sum of two words makes a carry, and reads it with its second half. Where
// predicates are short, a carry has no room among those that wait for their
// readers, but it needs none if it is read at once: such instructions leave
// their places together, or addresses could not be made ahead of the order with
// few registers, and every load would wait for the one before it.

// soonRead is the longest time from a carry to the instruction that adds it. A
// guard waits twice as long for its test: one such pair behind the other in
// one predicate takes longer than all else.
const soonRead = 7

// follower is the one reader of a predicate that k makes, if it waits for
// nothing else, or -1, and the cycles between them.
func (m *lister) follower(k int32) (next, wait int32) {
	for _, x := range m.v.writes.Of(k) {
		y := &m.v.list[x]
		if y.file != predicates || y.out || y.left != 1 {
			continue
		}
		next, edges, wait := m.v.readers.Of(x)[0], int32(0), int32(0)
		for _, e := range m.G.Succs[k] {
			if e.To == next {
				edges, wait = edges+1, max(wait, e.Latency)
			}
		}
		if m.Left[next] == edges {
			return next, wait
		}
	}
	return -1, 0
}

// fitBoth is what fits says of k and its follower, if they issue one soon behind the
// other. What is in no hurry keeps its place, and unless it leads to loads from
// memory so does what holds the last predicate for long, or stands beside
// products that take most of the time: those would wait for what the pairs hold.
func (m *lister) fitBoth(k, next, wait int32) obstacle {
	if m.tests > predicateRoom || !m.eager[k] && (m.crowded || m.due(k) > m.Now || wait > soonRead) {
		return full
	}
	at := max(m.pos[k], m.pos[next])
	var grow counts
	for _, j := range [...]int32{k, next} {
		for _, x := range m.v.writes.Of(j) {
			if y := &m.v.list[x]; y.file != predicates || j == next {
				grow[y.file] += int32(y.n)
			}
		}
		for _, x := range m.v.reads.Of(j) {
			if y := &m.v.list[x]; y.left == 1 && !y.out && y.def != k {
				grow[y.file] -= int32(y.n)
			}
		}
	}
	for f, g := range grow {
		if g > 0 && m.lacks(f, g, k, at) {
			return full
		}
	}
	return none
}

// lacks reports whether there are no registers of a file for so many words more
// up to a place, if k issues now.
func (m *lister) lacks(f int, words, k, at int32) bool {
	if !m.scant[f] {
		return false
	}
	limit := m.limit[f]
	if f == general && m.eager[k] {
		limit -= m.spare
	}
	return f == general && m.words+words > m.most || m.alive[f].Most()+words > limit && m.alive[f].Max(at)+words > limit
}

// count adds what is alive of a value, or takes it off.
func (m *lister) count(y *value, n int32) {
	switch y.file {
	case general:
		m.words += n * int32(y.n)
	case predicates:
		m.tests += n * int32(y.n)
	}
}
