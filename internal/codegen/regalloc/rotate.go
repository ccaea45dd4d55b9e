package regalloc

import "slices"

// Where words go through memory, a load of one takes as long as tens of
// instructions, and the order after allocation can only begin it earlier if
// its register is free earlier. So the temporaries of spill code, which the
// walks have packed into as few registers as possible, are given those that
// have been free for the longest time.

// rotateBack is how many instructions before its start a register of a
// temporary is looked at: what was free for so long is as good as any.
const rotateBack = 512

// rotated returns the trial with registers of the temporaries of spill code
// given out in turn.
func (t *trial) rotated() *trial {
	members := make([]int32, len(t.p.VRegs))
	for v := range t.p.VRegs {
		root, _ := t.g.find(int32(v))
		members[root]++
	}
	r := newTrial(t.p, t.g, t.class, t.m) // others have used its memory since
	var list []int32
	for v, at := range t.phys {
		if at < 0 {
			continue
		}
		r.assign(int32(v), at)
		if x := &t.p.VRegs[v]; x.Of >= 0 && x.Fixed < 0 && members[v] == 1 && t.g.info[v].brief() {
			list = append(list, int32(v))
		}
	}
	slices.SortFunc(list, func(a, b int32) int {
		if d := t.g.info[a].from - t.g.info[b].from; d != 0 {
			return int(d)
		}
		return int(a - b)
	})
	for _, v := range list {
		r.turn(v)
	}
	return r
}

// brief reports whether each word of a group lives once, and not for long.
func (x *group) brief() bool {
	for _, s := range x.spans {
		if len(s) != 1 || s[0].to-s[0].from > perInst*rotateBack {
			return false
		}
	}
	return x.width <= mostWords
}

// turn moves one temporary to the registers that have been free the longest.
func (t *trial) turn(v int32) {
	x := &t.g.info[v]
	limit, old := t.limit(x), t.phys[v]
	for w, spans := range x.spans {
		t.taken[int(old)+w].DelRange(spans[0].from, spans[0].to)
	}
	best, longest := old, t.rest(x, old)
	for r := t.lowest(x); int(r+x.width) <= limit && longest < perInst*rotateBack; r += x.align {
		if !t.free(x, r) || !t.allowed(v, r) {
			continue
		}
		if n := t.rest(x, r); n > longest {
			best, longest = r, n
		}
	}
	t.phys[v] = best
	for w, spans := range x.spans {
		t.taken[int(best)+w].AddRange(spans[0].from, spans[0].to)
	}
	t.used = max(t.used, int(best+x.width))
}

// rest is for how many points before the group's start the registers from r
// on have all been free.
func (t *trial) rest(x *group, r int16) int32 {
	n := int32(perInst * rotateBack)
	for w := range x.width {
		from := max(0, x.from-n)
		if last := t.taken[r+w].LastIn(from, x.from); last >= 0 {
			n = x.from - 1 - last
		}
	}
	return n
}
