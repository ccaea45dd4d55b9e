package regalloc

import "math"

// Estimate tells about what the spill code of a problem would cost, without
// assigning registers: that of what is cheapest to spill until nowhere more
// words live than there are registers. Where registers lack only in the right
// places, or something cannot be spilled, it is too low. Part of it is the cost
// of what goes to memory: other files spill to registers. Both are infinite as
// soon as that is more than most.
func Estimate(p *Problem, m *Scratch, most float64) (cost, memory float64) {
	q := start(p)
	live := liveness(q, &m.flow)
	q = settle(p, q, live)
	for class := range q.Files {
		f := pressure(q, live, uint8(class))
		if f.most = math.Inf(1); q.Files[class].SpillTo == Memory {
			f.most = most - memory
		}
		for _, x := range f.choose(strategies[0], nil) {
			cost += x.cost
			if q.Files[class].SpillTo == Memory {
				memory += x.cost
			}
		}
		if memory > most {
			return math.Inf(1), math.Inf(1)
		}
	}
	return cost, memory
}
