package regalloc

import "slices"

// ClashOf is clash for tests that stand outside, where the checker is.
func ClashOf(s *Solution) func(v int32) int32 {
	live := liveRanges(s.Problem, &flowRoom{})
	return func(v int32) int32 { return clash(s, live, v) }
}

// Quick returns options with the quick choice of slots, or without.
func Quick(slots bool) Options { return Options{quickSlots: slots} }

// clash finds a register whose value lives across a write of v's: sharing
// with it must destroy one of the two.
func clash(s *Solution, live *ranges, v int32) int32 {
	p := s.Problem
	if p.VRegs[v].Width != 1 || s.Phys[v] < 0 {
		return -1
	}
	for n := range p.Insts {
		for _, o := range p.Operands(n) {
			if o.V != v || o.Role != Def || p.Insts[n].Kind == Move {
				continue
			}
			for u := range p.VRegs {
				if int32(u) == v || p.VRegs[u].Class != p.VRegs[v].Class || p.VRegs[u].Width != 1 || s.Phys[u] < 0 || s.Phys[u] == s.Phys[v] || RootOf(p, int32(u)) == RootOf(p, v) {
					continue
				}
				for _, sp := range live.of(int32(u), 0) {
					// written before and read later in a straight line
					if sp.from < int32(perInst*n) && sp.to > int32(perInst*n+perInst) && readIn(p, int32(u), n, sp) {
						return int32(u)
					}
				}
			}
		}
	}
	return -1
}

// RootOf returns the caller's virtual register that v stands for.
func RootOf(p *Problem, v int32) int32 {
	for p.VRegs[v].Of >= 0 {
		v = p.VRegs[v].Of
	}
	return v
}

// readIn reports whether u is surely written before instruction n of its
// block and read after it, with no other instruction of interest between.
func readIn(p *Problem, u int32, n int, sp span) bool {
	for b := range p.Blocks {
		blk := &p.Blocks[b]
		if int32(n) < blk.First || int32(n) >= blk.First+blk.N {
			continue
		}
		before, after := false, false
		for k := blk.First; k < blk.First+blk.N; k++ {
			for _, o := range p.Operands(int(k)) {
				if o.V != u {
					continue
				}
				if k < int32(n) && o.Role == Def && p.Insts[k].Kind <= Move {
					before = true
				}
				if k > int32(n) && !after {
					if !o.Role.Reads() || p.Insts[k].Kind == Spill {
						return false // what is stored may never be loaded
					}
					after = true
				}
			}
		}
		return before && after && sp.from >= perInst*blk.First && p.Insts[blk.First].Kind <= Reload
	}
	return false
}

// Evict lets the groups of a file evict each other, once and again, and
// returns what is lost then and then, and whether some group has a register
// that something else has at the same time.
func Evict(p *Problem, class uint8) (once, again float64, shared bool) {
	q := start(p)
	t := newTrial(q, newGroups(q, liveRanges(q, &flowRoom{})), class, &Scratch{})
	t.evicting()
	for _, v := range t.roots(byStart) {
		if !t.place(v) {
			t.spill = append(t.spill, v)
		}
	}
	for once = t.lostCost(); len(t.spill) > 0 && t.secondChance(); {
	}
	return once, t.lostCost(), t.shared()
}

// shared places all groups of a trial that have a register once more, one after
// the other, and reports whether one finds its register taken.
func (t *trial) shared() bool {
	u := newTrial(t.p, t.g, t.class, &Scratch{})
	for v, at := range t.phys {
		if at < 0 {
			continue
		}
		if !u.free(&t.g.info[v], at) {
			return true
		}
		u.assign(int32(v), at)
	}
	return false
}

// Moved is what an access costs to what is spilled.
func Moved(p *Problem, o Operand) float64 { return moved(p, o) }

// Remembers reports whether what lives between the blocks of p is known.
func Remembers(p *Problem, m *Scratch) bool {
	known := m.flow.known
	live := liveRanges(start(p), &m.flow)
	for _, x := range known {
		if x != nil && x == live.between {
			return true
		}
	}
	return false
}

// SameAlone reports whether registers of the file live at the same points where
// others are left out.
func SameAlone(p *Problem, class uint8) bool {
	s := &solver{orig: p, sol: &Solution{Problem: start(p)}}
	q := s.sol.Problem
	all, own := liveRanges(q, &flowRoom{}), liveAmong(q, s.matters(class), &flowRoom{})
	for v := range q.VRegs {
		x := &q.VRegs[v]
		for w := range x.Width {
			if x.Class == class && !slices.Equal(all.of(int32(v), w), own.of(int32(v), w)) {
				return false
			}
		}
	}
	return true
}
