package gen

// Shrink takes a program for which fails holds apart and returns the smallest
// one it found for which fails still holds. It tries, again and again:
// leaving out runs of statements, halves first; putting the inside of a
// branch or loop in its place; leaving out guards; smaller grids.
func Shrink(p *Prog, fails func(*Prog) bool) *Prog {
	s := &shrinker{best: p.Clone(), fails: fails}
	for changed := true; changed; {
		changed = s.grids()
		for k := range s.lists(s.best) {
			changed = s.remove(k) || changed
		}
		changed = s.replace() || changed
	}
	return s.best
}

type shrinker struct {
	best  *Prog
	fails func(*Prog) bool
}

// try keeps a candidate if it still fails.
func (s *shrinker) try(p *Prog) bool {
	if !s.fails(p) {
		return false
	}
	s.best = p
	return true
}

// lists returns every list of statements of a program, always in the same
// order.
func (s *shrinker) lists(p *Prog) []*[]Stmt {
	var out []*[]Stmt
	var walk func(l *[]Stmt)
	walk = func(l *[]Stmt) {
		out = append(out, l)
		for _, x := range *l {
			for _, k := range x.kids() {
				walk(k)
			}
		}
	}
	walk(&p.Stores)
	walk(&p.Body)
	walk(&p.Tail)
	for n := range p.Funcs {
		walk(&p.Funcs[n].Body)
	}
	return out
}

// grids tries fewer threads.
func (s *shrinker) grids() bool {
	changed := false
	if s.best.Grid > 1 {
		q := s.best.Clone()
		q.Grid = 1
		changed = s.try(q)
	}
	if s.best.Block > 32 {
		q := s.best.Clone()
		q.Block = 32
		changed = s.try(q) || changed
	}
	return changed
}

// remove leaves out runs of statements of the k-th list.
func (s *shrinker) remove(k int) bool {
	changed := false
	lists := s.lists(s.best)
	if k >= len(lists) {
		return false
	}
	for size := len(*lists[k]); size > 0; size /= 2 {
		for at := 0; ; {
			q := s.best.Clone()
			lists = s.lists(q)
			if k >= len(lists) || at >= len(*lists[k]) {
				break
			}
			l := lists[k]
			end := min(at+size, len(*l))
			*l = append(append([]Stmt(nil), (*l)[:at]...), (*l)[end:]...)
			if s.try(q) {
				changed = true
			} else {
				at += size
			}
		}
	}
	return changed
}

// replace tries simpler statements everywhere.
func (s *shrinker) replace() bool {
	changed := false
	for k := 0; k < len(s.lists(s.best)); k++ {
		for at := 0; at < len(*s.lists(s.best)[k]); at++ {
			changed = s.replaceAt(k, at) || changed
			if k >= len(s.lists(s.best)) {
				return changed
			}
		}
	}
	return changed
}

// replaceAt tries simpler statements at one place.
func (s *shrinker) replaceAt(k, at int) bool {
	n := len((*s.lists(s.best)[k])[at].simpler())
	for c := range n {
		q := s.best.Clone()
		l := s.lists(q)[k]
		with := (*l)[at].simpler()[c]
		tail := append([]Stmt(nil), (*l)[at+1:]...)
		*l = append(append(append([]Stmt(nil), (*l)[:at]...), with...), tail...)
		if s.try(q) {
			return true
		}
	}
	return false
}
