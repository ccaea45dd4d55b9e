package regalloc

import (
	"cmp"
	"slices"
)

// Groups that need registers evict cheaper ones. Those may find
// another place, or one that still cheaper ones have, and so may those that
// found none before others were thrown out.

const (
	secondChances = 8  // so often what was evicted tries again
	briefly       = 24 // so many instructions they stay from one access to the next: some place is free for a short time
)

// secondChance lets all that found no place, or lost it, look for another, costly
// ones first, and reports whether what is lost now costs less.
func (t *trial) secondChance() bool {
	list, before := t.spill, t.lostCost()
	t.spill = nil
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(t.worth(b), t.worth(a)) })
	for _, v := range list {
		if !t.place(v) {
			t.spill = append(t.spill, v)
		}
	}
	return t.lostCost() < before
}

// lostCost is what it costs that groups found no place.
func (t *trial) lostCost() (sum float64) {
	for _, v := range t.spill {
		sum += t.worth(v)
	}
	return sum
}

// worth is what it costs that a group finds no place.
func (t *trial) worth(v int32) float64 {
	if t.g.info[v].keep {
		return 1e6 // it cannot be spilled
	}
	return t.g.info[v].cost
}

// spillEvicted spills what evictions leave without a place. It stays in
// registers from one access to the next if that is near; a piece that lost goes
// for good.
func (s *solver) spillEvicted(list []int32) (spill []*split) {
	p := s.sol.Problem
	of, last := make([]*split, len(p.VRegs)), make([]int32, len(p.VRegs))
	list = slices.DeleteFunc(slices.Clone(list), func(v int32) bool { return p.VRegs[v].Keep })
	slices.Sort(list)
	for _, v := range slices.Compact(list) {
		x := &split{v: v}
		spill = append(spill, x)
		if _, again := s.kin[v]; !again && !p.VRegs[v].Derived {
			of[v], last[v] = x, -1
		}
	}
	for _, blk := range p.Blocks {
		for n := blk.First; n < blk.First+blk.N; n++ {
			for k, o := range p.Operands(int(n)) {
				x := of[o.V]
				if x == nil {
					continue
				}
				if o.Role == Hold { // its home is what is held
					of[o.V], x.keep = nil, nil
					continue
				}
				if at := last[o.V]; o.Role.Reads() && at >= blk.First && at < n && n-at <= briefly {
					x.keep = append(x.keep, p.Insts[n].First+int32(k))
				}
				last[o.V] = n
			}
		}
	}
	return spill
}
