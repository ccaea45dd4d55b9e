package loop

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
)

// How often a loop runs is found by running what decides it: the
// instructions of a turn that its last branch depends on, on constants, turn
// by turn. So counters may be of one word or two, go up or down, be doubled,
// halved or start again at zero.

// cell is a word of a register.
type cell struct {
	reg ori.Reg
	sub uint8
}

// control is what decides whether another turn follows.
type control struct {
	u     *unroller
	parts []*ori.Instr // in the order of a turn
	value map[cell]uint32
	seen  map[cell]bool
}

// maxParts bounds the instructions that decide about a loop.
const maxParts = 24

// turns counts how often the loop runs, 0 if that is not known.
func (u *unroller) turns() int {
	u.index()
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
	slices.SortFunc(c.parts, func(i, j *ori.Instr) int {
		switch {
		case i == j:
			return 0
		case u.before(i, j):
			return -1
		}
		return 1
	})
	for n := 1; n <= maxTurns; n++ {
		for _, i := range c.parts {
			v, ok := e.run(i)
			if !ok {
				return 0
			}
			for k, d := range i.Dsts() {
				if d.Kind == ori.KReg {
					c.value[cell{d.Reg, d.Sub}] = v[k]
				}
			}
		}
		if (c.value[cell{guard.Reg, guard.Sub}] != 0) != u.goOn {
			return n
		}
	}
	return 0
}

// collect finds what the words of a depend on, and what they are before the
// first turn.
func (c *control) collect(a ori.Operand) bool {
	if a.Kind != ori.KReg {
		return true
	}
	if a.Class != ori.R && a.Class != ori.P || a.N > 1 {
		return false
	}
	at := cell{a.Reg, a.Sub}
	if c.seen[at] {
		return true
	}
	c.seen[at] = true
	var part, set *ori.Instr
	for _, w := range c.u.writers[a.Reg] {
		d, one := wordOf(w, at)
		switch {
		case !d:
			continue
		case !one:
			return false
		case c.u.has(w.Block()):
			if part != nil {
				return false
			}
			part = w
		default:
			if set != nil {
				return false
			}
			set = w
		}
	}
	if set != nil {
		v, ok := setOf(set)
		if ok && c.u.dom.Dominates(set.Block(), c.u.loop.Header) && c.u.afresh(set.Block()) {
			c.value[at] = uint32(v)
		} else if part == nil {
			return false
		}
	}
	if part == nil {
		return set != nil
	}
	if part.Guard.Kind != ori.KNone || evaluationOf(part.Op) == nil || !c.u.everyTurn(part) {
		return false
	}
	if !slices.Contains(c.parts, part) {
		c.parts = append(c.parts, part)
	}
	if len(c.parts) > maxParts {
		return false
	}
	for _, s := range part.Srcs() {
		if !c.collect(s) {
			return false
		}
	}
	return true
}

// wordOf reports whether i writes a word, and whether it does so by a result
// of one word.
func wordOf(i *ori.Instr, at cell) (does, one bool) {
	for _, d := range i.Dsts() {
		if d.HasReg() && d.Reg == at.reg && d.Sub <= at.sub && at.sub < d.Sub+max(1, d.N) {
			return true, d.N <= 1
		}
	}
	return false, false
}
