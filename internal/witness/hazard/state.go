package hazard

import "slices"

// pending says what kind of thing a fact is about.
type pending uint8

const (
	timedWrite  pending = iota // a result that arrives after fixed time
	openWrite                  // a result that a barrier announces
	timedRead                  // a register read at issue
	openRead                   // a register that is read later, until a barrier tells
	matrixWrite                // an accumulator of a warpgroup's product
	matrixRead                 // a source of one
)

// fact is something an instruction left behind in a register.
type fact struct {
	cell   uint16
	what   pending
	bars   uint8 // any of these barriers tells that it is over
	lent   uint8 // and any of these, of a later instruction of the same queue
	leans  uint8 // lent barriers that were waited for
	groups uint8 // groups of matrix products closed since
	guard  int16 // as in inst, while the predicate holds the same value
	inst   int32
	at     int32 // issue time
	slot   slot
}

func (f *fact) key() uint64 { return uint64(f.inst)<<24 | uint64(f.cell)<<8 | uint64(f.what) }

// mark names an instruction that later ones must keep away from.
type mark uint8

const (
	markBar mark = iota
	markBssy
	markArrive
	markMatrix
	markGroupWait
	markInit
	markFence
	markWide
	numMarks
)

const (
	longAgo = -1 << 20
	keepW   = 48 // cycles after which a fixed latency is over
	keepR   = 9
)

// state is what is pending at one place.
type state struct {
	facts []fact
	set   [6]int32        // when each barrier was last set
	marks [numMarks]int32 // when each mark was last passed
	dirty regs            // general registers written since the warpgroup arrived
	seen  regs            // the same of those read
	fence uint8           // barriers of fences that nobody waited for
	init  uint8           // the same of mbarriers being set up
	bare  bool            // no warp group has arrived since the entry or the last wait for products
}

func newState() *state {
	s := &state{bare: true}
	for n := range s.set {
		s.set[n] = longAgo
	}
	for n := range s.marks {
		s.marks[n] = longAgo
	}
	return s
}

// shift moves the clock so that now becomes zero, drops what is over and
// sorts.
func (s *state) shift(now int32) {
	s.facts = slices.DeleteFunc(s.facts, func(f fact) bool {
		age := now - f.at
		return f.what == timedWrite && age >= keepW || f.what == timedRead && age >= keepR
	})
	for n := range s.facts {
		s.facts[n].at = max(s.facts[n].at-now, -keepW)
	}
	for n := range s.set {
		s.set[n] = max(s.set[n]-now, -keepW)
	}
	for n := range s.marks {
		s.marks[n] = max(s.marks[n]-now, -keepW)
	}
	slices.SortFunc(s.facts, func(a, b fact) int {
		switch x, y := a.key(), b.key(); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
}

func (s *state) clone() *state {
	n := *s
	n.facts = slices.Clone(s.facts)
	return &n
}

// join adds what o leaves behind; both are shifted. It reports whether s
// changed.
func (s *state) join(o *state) bool {
	changed := false
	var out []fact
	i, j := 0, 0
	for i < len(s.facts) || j < len(o.facts) {
		switch {
		case j == len(o.facts) || i < len(s.facts) && s.facts[i].key() < o.facts[j].key():
			out = append(out, s.facts[i])
			i++
		case i == len(s.facts) || o.facts[j].key() < s.facts[i].key():
			out = append(out, o.facts[j])
			j++
			changed = true
		default:
			f := s.facts[i].join(&o.facts[j])
			changed = changed || f != s.facts[i]
			out = append(out, f)
			i, j = i+1, j+1
		}
	}
	s.facts = out
	for n := range s.set {
		if o.set[n] > s.set[n] {
			s.set[n], changed = o.set[n], true
		}
	}
	for n := range s.marks {
		if o.marks[n] > s.marks[n] {
			s.marks[n], changed = o.marks[n], true
		}
	}
	changed = s.dirty.join(&o.dirty) || changed
	changed = s.seen.join(&o.seen) || changed
	if (o.fence&^s.fence)|(o.init&^s.init) != 0 {
		s.fence, s.init, changed = s.fence|o.fence, s.init|o.init, true
	}
	if o.bare && !s.bare {
		s.bare, changed = true, true
	}
	return changed
}

// join returns the weaker of two facts about the same thing.
func (f fact) join(o *fact) fact {
	f.at = max(f.at, o.at)
	f.bars &= o.bars
	f.lent &= o.lent
	f.leans &= o.leans
	f.groups = min(f.groups, o.groups)
	if f.guard != o.guard {
		f.guard = 0
	}
	return f
}

// regs is a set of general registers.
type regs [4]uint64

func (r *regs) add(cell uint16)      { r[cell>>6] |= 1 << (cell & 63) }
func (r *regs) has(cell uint16) bool { return r[cell>>6]>>(cell&63)&1 != 0 }

// join adds those of o, and reports whether there are more.
func (r *regs) join(o *regs) (changed bool) {
	for n := range r {
		changed = changed || o[n]&^r[n] != 0
		r[n] |= o[n]
	}
	return changed
}
