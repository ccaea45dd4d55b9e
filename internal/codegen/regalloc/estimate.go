package regalloc

// Estimate tells about what the spill code of a problem would cost, without
// assigning registers: that of what is cheapest to spill until nowhere more
// words live than there are registers. Where registers lack only in the right
// places, or something cannot be spilled, it is too low. Part of it is the cost
// of what goes to memory: other files spill to registers.
func Estimate(p *Problem, m *Scratch) (cost, memory float64) {
	q := start(p)
	live := liveness(q, &m.flow)
	q = settle(p, q, live)
	for class := range q.Files {
		for _, x := range pressure(q, live, uint8(class)).choose(strategies[0], nil) {
			cost += x.cost
			if q.Files[class].SpillTo == Memory {
				memory += x.cost
			}
		}
	}
	return cost, memory
}
