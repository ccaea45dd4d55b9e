package gen

// Candidates returns the programs that one step of shrinking tries, for a
// test that runs elsewhere and on many programs at once: p with fewer
// threads, its beginnings and ends, and p without each statement or with a
// simpler one in its place.
func Candidates(p *Prog) []*Prog {
	s := &shrinker{best: p}
	var list []*Prog
	s.fails = func(q *Prog) bool {
		list = append(list, q)
		return false
	}
	s.grids()
	for n := range p.Body {
		a, b := p.Clone(), p.Clone()
		a.Body, b.Body = a.Body[:n], b.Body[n:]
		list = append(list, a, b)
	}
	for k := 1; k < len(s.lists(p)); k++ { // the stores stay
		for at := range *s.lists(p)[k] {
			q := p.Clone()
			l := s.lists(q)[k]
			*l = append(append([]Stmt(nil), (*l)[:at]...), (*l)[at+1:]...)
			list = append(list, q)
		}
	}
	s.replace()
	return list
}
