package loop

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
)

// How often a loop runs is found by running what decides it: the
// instructions of a turn that its last branch depends on, on constants, turn
// by turn. So counters may be of one word or two, go up or down, be doubled,
// halved or start again at zero.

// control is what decides whether another turn follows.
type control struct {
	u     *unroller
	parts []*ori.Instr // in the order of a turn
	phis  []carriedWord
	value map[cell]uint32
	seen  map[cell]bool
}

// carriedWord is a word of a PHI of the header and what it is in the next turn.
type carriedWord struct {
	at   cell
	next ori.Operand
}

// maxParts bounds the instructions that decide about a loop.
const maxParts = 24

// turns counts how often the loop runs, 0 if that is not known.
func (u *unroller) turns() int {
	c := &control{u: u, value: map[cell]uint32{}, seen: map[cell]bool{}}
	e := &evaluator{look: func(r ori.Reg, sub uint8) (uint32, bool) {
		v, ok := c.value[cell{r, sub}]
		return v, ok
	}}
	guard := u.latch.Last().Guard
	guard.Flags = 0
	if !c.collect(guard) || len(c.parts) == 0 {
		return 0
	}
	for k := 0; k < len(c.phis); k++ { // what they are next comes behind what they make
		if !c.collect(c.phis[k].next) {
			return 0
		}
	}
	next := make([]uint32, len(c.phis))
	for n := 1; n <= maxTurns; n++ {
		for _, i := range c.parts {
			v, ok := e.run(i)
			if !ok {
				return 0
			}
			for k, d := range i.Dsts() {
				if d.Kind == ori.KReg {
					c.value[cellOf(d)] = v[k]
				}
			}
		}
		if (c.value[cellOf(guard)] != 0) != u.goOn {
			return n
		}
		for k, p := range c.phis {
			next[k] = c.value[cellOf(p.next)]
		}
		for k, p := range c.phis {
			c.value[p.at] = next[k]
		}
	}
	return 0
}

// collect finds what the words of a depend on, and what they are in the first
// turn. Parts come behind those they depend on.
func (c *control) collect(a ori.Operand) bool {
	if a.Kind != ori.KReg {
		return true
	}
	if a.Class != ori.R && a.Class != ori.P || a.N > 1 {
		return false
	}
	at := cellOf(a)
	if c.seen[at] {
		return true
	}
	c.seen[at] = true
	a.Flags = 0
	if phi := c.u.starts(a); phi != nil {
		return c.carry(phi, a)
	}
	part := c.u.inside(a)
	if part == nil {
		v, ok := c.u.setTo(a)
		c.value[at] = uint32(v)
		return ok
	}
	if part.Guard.Kind != ori.KNone || evaluationOf(part.Op) == nil {
		return false
	}
	for _, s := range part.Srcs() {
		if !c.collect(s) {
			return false
		}
	}
	if !slices.Contains(c.parts, part) {
		c.parts = append(c.parts, part)
	}
	return len(c.parts) <= maxParts && !slices.ContainsFunc(part.Dsts(), func(d ori.Operand) bool { return d.N > 1 })
}

// carry finds what a word of a PHI of the header is in the first turn and in the
// next.
func (c *control) carry(phi *ori.Instr, a ori.Operand) bool {
	first, ok := c.u.first(phi, a)
	if !ok {
		return false
	}
	v, ok := c.u.setTo(first)
	if !ok {
		return false
	}
	next, ok := c.u.next(phi, a)
	if !ok {
		return false
	}
	c.value[cellOf(a)] = uint32(v)
	c.phis = append(c.phis, carriedWord{cellOf(a), next})
	return true
}
