package regalloc

import (
	"math"
	"slices"
)

// Where no walk finds a place for everything below a step, groups that stand
// in the way of one without a place are moved elsewhere, and those in the way
// of these. Whoever had to go often weighs more in the next choice, so no two
// groups chase each other for long.

// recolourer is a walk that moves groups.
type recolourer struct {
	*trial
	held      [][]holding // of each register, sorted
	moved     []int32     // how often each group was
	destroyed []destroyed
}

// holding says that a group has a register from one point to another.
type holding struct {
	from, to, who int32
	weight        int32 // see weight; MaxInt32 if it cannot be moved
}

// recolour gives every group a register below the budget, in the order of a walk,
// and reports whether all found one; see Effort for the moves.
func (t *trial) recolour(o order, moves int) bool {
	p := &recolourer{trial: t, held: make([][]holding, t.budget), moved: make([]int32, len(t.p.VRegs)), destroyed: t.destroyed()}
	list := t.roots(o)
	queue := slices.Clone(list)
	slices.Reverse(queue) // the next one last
	least, left := len(queue), moves
	for len(queue) > 0 {
		if len(queue) < least {
			least, left = len(queue), moves
		}
		v := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if t.place(v) {
			p.hold(v)
			continue
		}
		r := p.lightest(v)
		if r < 0 || left < 0 {
			return false
		}
		for _, q := range p.holders(v, r) {
			p.release(q)
			queue = append(queue, q)
			left--
		}
		t.assign(v, r)
		p.hold(v)
	}
	return true
}

// hold notes the registers that a group was given.
func (p *recolourer) hold(v int32) {
	x, r := &p.g.info[v], p.phys[v]
	weight := int32(math.MaxInt32)
	if x.fixed < 0 {
		weight = int32(x.width) * (1 + p.moved[v])
	}
	for w, spans := range x.spans {
		row := &p.held[int(r)+w]
		for _, s := range spans {
			*row = slices.Insert(*row, behind(*row, s.from), holding{s.from, s.to, v, weight})
		}
	}
}

// behind is the number of holdings of a register that end at a point or before.
func behind(row []holding, at int32) int {
	lo, hi := 0, len(row)
	for lo < hi {
		if m := (lo + hi) / 2; row[m].to <= at {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// release takes a group's registers away.
func (p *recolourer) release(v int32) {
	r := p.phys[v]
	for w, spans := range p.g.info[v].spans {
		row := &p.held[int(r)+w]
		for _, s := range spans {
			p.taken[int(r)+w].DelRange(s.from, s.to)
			k := behind(*row, s.from)
			*row = slices.Delete(*row, k, k+1)
		}
	}
	p.phys[v] = -1
	p.moved[v]++
}

// lightest is the slot whose holders are moved most easily, -1 if there is none.
func (p *recolourer) lightest(v int32) (best int16) {
	x, least := &p.g.info[v], math.MaxInt
	best = -1
	if x.fixed >= 0 {
		return -1
	}
	for r := p.lowest(x); int(r+x.width) <= p.limit(x); r += x.align {
		if w := p.weight(v, r, least); w < least && p.allowed(v, r) && !x.isDestroyed(r, p.destroyed) { // most weigh too much
			best, least = r, w
		}
		if least == 1 { // something stands everywhere, or v would have been placed
			break
		}
	}
	return best
}

// weight sums up what stands in the way of v at r: each group counts its words,
// times how often it was moved. It is as much as most if it is more, or if
// something cannot be moved.
func (p *recolourer) weight(v int32, r int16, most int) (sum int) {
	p.m.looks++
	met, look := p.m.met, p.m.looks
	for w, spans := range p.g.info[v].spans {
		row := p.held[int(r)+w]
		for _, s := range spans {
			for k := behind(row, s.from); k < len(row) && row[k].from < s.to; k++ {
				h := &row[k]
				if met[h.who] == look {
					continue
				}
				met[h.who] = look
				if sum += int(h.weight); h.weight == math.MaxInt32 || sum >= most {
					return most
				}
			}
		}
	}
	return sum
}

// holders lists the groups in the way of v at r.
func (p *recolourer) holders(v int32, r int16) (list []int32) {
	p.m.looks++
	for w, spans := range p.g.info[v].spans {
		row := p.held[int(r)+w]
		for _, s := range spans {
			for k := behind(row, s.from); k < len(row) && row[k].from < s.to; k++ {
				if q := row[k].who; p.m.met[q] != p.m.looks {
					p.m.met[q] = p.m.looks
					list = append(list, q)
				}
			}
		}
	}
	return list
}

// destroyed are registers of which an instruction leaves nothing.
type destroyed struct {
	at     int32
	lo, hi int16
}

// destroyed lists those of the file.
func (t *trial) destroyed() (list []destroyed) {
	for n := range t.p.Insts {
		for _, c := range t.p.Insts[n].Clobbers {
			if c.Class == t.class {
				list = append(list, destroyed{int32(perInst*n + atClobber), c.Lo, c.Hi})
			}
		}
	}
	return list
}

// isDestroyed reports whether an instruction would destroy the group at r.
func (x *group) isDestroyed(r int16, list []destroyed) bool {
	for _, d := range list {
		for k := max(r, d.lo); k < min(r+x.width, d.hi); k++ {
			if overlap(x.spans[k-r], []span{{d.at, d.at + 1}}) {
				return true
			}
		}
	}
	return false
}
