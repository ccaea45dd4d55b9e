// Package check proves that an allocation of registers does what the program
// before it did. It shares no code with the allocator, only the description
// of the problem and the answer.
package check

import (
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
)

// Check replays an allocated function symbolically against the caller's
// problem and reports the first place where a register does not hold the
// word the caller's instruction expects. It shares nothing with the
// allocator: no liveness, no ranges. For every location (physical register
// or memory word) it tracks the set of the caller's words the location
// certainly holds; at joins only what holds on all incoming edges remains,
// except that an edge on which a word was never written promises anything.
func Check(orig *regalloc.Problem, s *regalloc.Solution) error {
	if err := checkPlaces(s); err != nil {
		return err
	}
	c := &replay{orig: orig, sol: s, p: s.Problem}
	c.number()
	if len(c.p.Blocks) != len(orig.Blocks) {
		return fmt.Errorf("%d blocks, the problem has %d", len(c.p.Blocks), len(orig.Blocks))
	}
	for b := range orig.Blocks {
		if !slices.Equal(orig.Blocks[b].Succs, c.p.Blocks[b].Succs) {
			return fmt.Errorf("block %d: edges differ", b)
		}
	}
	if err := c.sequence(); err != nil {
		return err
	}
	return c.run()
}

// checkPlaces checks each assignment by itself: file, alignment, bounds.
func checkPlaces(s *regalloc.Solution) error {
	p := s.Problem
	for n := range p.VRegs {
		v, at := &p.VRegs[n], int(s.Phys[n])
		if at < 0 {
			continue
		}
		f := &p.Files[v.Class]
		end := at + int(v.Width)
		switch {
		case v.Fixed >= 0 && at != int(v.Fixed):
			return fmt.Errorf("v%d is in %d, fixed to %d", n, at, v.Fixed)
		case v.Fixed < 0 && end > f.Budget:
			return fmt.Errorf("v%d ends at %d of file %s, budget %d", n, end, f.Name, f.Budget)
		case end > f.Size:
			return fmt.Errorf("v%d ends at %d of file %s, size %d", n, end, f.Name, f.Size)
		case v.Align > 1 && at%int(v.Align) != 0:
			return fmt.Errorf("v%d is in %d, alignment %d", n, at, v.Align)
		case at < int(v.Lo) || v.Hi > 0 && end > int(v.Hi):
			return fmt.Errorf("v%d is in %d, outside [%d,%d)", n, at, v.Lo, v.Hi)
		}
		if end > s.Used[v.Class] {
			return fmt.Errorf("v%d ends at %d, %d registers reported", n, end, s.Used[v.Class])
		}
		taken := f.Taken
		if s.Slots > 0 {
			taken = slices.Concat(taken, f.Spare)
		}
		for _, t := range taken {
			if v.Fixed < 0 && at <= t && t < end {
				return fmt.Errorf("v%d is in register %d of file %s, which is taken", n, t, f.Name)
			}
		}
	}
	for _, x := range p.Excludes {
		if at := s.Phys[x.V]; at >= 0 && at < x.Hi && x.Lo < at+int16(p.VRegs[x.V].Width) {
			return fmt.Errorf("v%d is in %d, excluded [%d,%d)", x.V, at, x.Lo, x.Hi)
		}
	}
	return nil
}

// replay is the state of one Check.
type replay struct {
	orig *regalloc.Problem
	sol  *regalloc.Solution
	p    *regalloc.Problem
	word []int32 // first word number of each of the caller's virtual registers
	file []int32 // first location of each file, and the first of memory: as many as the answer says are used
	at   []int32 // location of the first word of each virtual register of the answer, negative where it has none
	mem  int32   // first location of memory
	locs int32

	repeats repeats

	sets  sets
	where [][]int32 // see note
	visit []int32   // when where was made
	now   int32     // the current visit of a block
}

func (c *replay) number() {
	c.word = make([]int32, len(c.orig.VRegs)+1)
	for n := range c.orig.VRegs {
		c.word[n+1] = c.word[n] + int32(c.orig.VRegs[n].Width)
	}
	for n := range c.p.Files {
		c.file = append(c.file, c.locs)
		c.locs += int32(c.sol.Used[n])
	}
	c.mem = c.locs
	c.file = append(c.file, c.mem)
	c.at = make([]int32, len(c.p.VRegs))
	for n := range c.at {
		if c.at[n] = int32(c.sol.Phys[n]); c.at[n] >= 0 {
			c.at[n] += c.file[c.p.VRegs[n].Class]
		}
	}
	c.locs += int32(c.sol.Slots)
	words := c.word[len(c.orig.VRegs)]
	c.where, c.visit = make([][]int32, words), make([]int32, words)
	room := make([]int32, 2*words) // few words are in more than two places
	for w := range c.where {
		c.where[w] = room[2*w : 2*w : 2*w+2]
	}
	c.sets = newSets(words)
	c.repeats = newRepeats(c)
}

// sequence checks that the caller's instructions are all there, in order.
func (c *replay) sequence() error {
	for b := range c.p.Blocks {
		blk, want := &c.p.Blocks[b], &c.orig.Blocks[b]
		next := want.First
		for n := blk.First; n < blk.First+blk.N; n++ {
			i := &c.p.Insts[n]
			if i.Kind > regalloc.Move {
				continue
			}
			if i.Orig != next {
				return fmt.Errorf("block %d: instruction %d stands for %d, want %d", b, n, i.Orig, next)
			}
			if i.N != c.orig.Insts[next].N {
				return fmt.Errorf("instruction %d has %d operands, want %d", n, i.N, c.orig.Insts[next].N)
			}
			next++
		}
		if n := blk.First + blk.N - 1; want.Closed && want.N > 0 && c.p.Insts[n].Kind > regalloc.Move {
			return fmt.Errorf("block %d: instruction %d stands behind its end", b, n)
		}
		if next != want.First+want.N {
			return fmt.Errorf("block %d ends at instruction %d, want %d", b, next, want.First+want.N)
		}
	}
	return nil
}

// loc returns the location of word k of an operand.
func (c *replay) loc(o regalloc.Operand, k int32) int32 {
	return c.at[o.V] + int32(o.Sub) + k
}

// register returns the location of a register, or that behind the last of its
// file which is used.
func (c *replay) register(class uint8, r int) int32 {
	return c.file[class] + int32(min(r, c.sol.Used[class]))
}

// step replays instruction n. With err it also judges the reads.
func (c *replay) step(s *state, n int32, err *error) {
	i := &c.p.Insts[n]
	ops := c.p.Operands(int(n))
	for k := range ops {
		if o := &ops[k]; c.at[o.V] < 0 && o.N > 0 {
			if err != nil {
				*err = fmt.Errorf("instruction %d operand %d: v%d has no register", n, k, o.V)
			}
			return
		}
	}
	switch i.Kind {
	case regalloc.Spill, regalloc.Reload:
		c.transfer(s, i, ops)
	case regalloc.Remat:
		c.remat(s, n, ops, err)
	default:
		c.original(s, n, ops, err)
	}
}

// transfer replays a Spill or Reload: a copy of locations.
func (c *replay) transfer(s *state, i *regalloc.Inst, ops []regalloc.Operand) {
	n := int32(ops[0].N)
	held := make([]set, n)
	for k := range n {
		switch {
		case i.Slot < 0:
			held[k] = s.holds[c.loc(ops[1], k)]
		case i.Kind == regalloc.Reload:
			held[k] = s.holds[c.mem+i.Slot+k]
		default:
			held[k] = s.holds[c.loc(ops[0], k)]
		}
	}
	for k := range n {
		if i.Slot >= 0 && i.Kind == regalloc.Spill {
			c.set(s, c.mem+i.Slot+k, held[k])
		} else {
			c.set(s, c.loc(ops[0], k), held[k])
		}
	}
}

// original replays one of the caller's instructions.
func (c *replay) original(s *state, n int32, ops []regalloc.Operand, err *error) {
	i := &c.p.Insts[n]
	want := c.orig.Operands(int(i.Orig))
	for k := range ops {
		if err != nil && *err == nil && want[k].Role.Reads() {
			*err = c.reads(s, n, k, ops[k], want[k])
		}
	}
	var copied []set
	if i.Kind == regalloc.Move && want[0].Role == regalloc.Def {
		for j := range int32(ops[1].N) {
			copied = append(copied, s.holds[c.loc(ops[1], j)])
		}
	}
	for _, x := range c.orig.Insts[i.Orig].Clobbers {
		clear(s.holds[c.register(x.Class, int(x.Lo)):c.register(x.Class, int(x.Hi))])
	}
	c.defs(s, ops, want, copied)
	c.wrote(s, i.Orig, want)
}

// reads judges operand k of instruction n: it must hold the words of the
// caller's operand.
func (c *replay) reads(s *state, n int32, k int, o, want regalloc.Operand) error {
	for j := range int32(o.N) {
		w := c.word[want.V] + int32(want.Sub) + j
		if s.written.has(w) && !c.sets.has(s.holds[c.loc(o, j)], w) {
			return fmt.Errorf("instruction %d (%d) operand %d: register %d of %s does not hold word %d of v%d",
				n, c.p.Insts[n].Orig, k, c.loc(o, j)-c.file[c.p.VRegs[o.V].Class], c.p.Files[c.p.VRegs[o.V].Class].Name, want.Sub+uint8(j), want.V)
		}
	}
	return nil
}

// defs replays the writes of one of the caller's instructions.
func (c *replay) defs(s *state, ops, want []regalloc.Operand, copied []set) {
	for k := range ops {
		if !want[k].Role.Writes() {
			continue
		}
		o := ops[k]
		for j := range int32(o.N) {
			w := c.word[want[k].V] + int32(want[k].Sub) + j
			l := c.loc(o, j)
			kept := c.sets.has(s.holds[l], w) || !s.written.has(w)
			c.stale(s, w)
			s.written.add(w)
			switch {
			case want[k].Role == regalloc.DefMay && !kept:
				s.holds[l] = empty
			case copied != nil:
				c.set(s, l, c.sets.with(c.sets.without(copied[j], w), w))
			default:
				c.set(s, l, one(w))
			}
		}
	}
}

// sharing checks the rules about operands of one instruction that must not
// share registers: two results, and reads that outlast an early write; and
// about those that must, where words are written in place.
func (c *replay) sharing(n int32, ops, want []regalloc.Operand) error {
	for a := range ops {
		if !want[a].Role.Writes() {
			continue
		}
		x := ops[a]
		for b, y := range ops {
			if a == b || y.N == 0 || c.p.VRegs[x.V].Class != c.p.VRegs[y.V].Class {
				continue
			}
			lx, ly := c.loc(x, 0), c.loc(y, 0)
			if w, r := want[a], want[b]; w.Role == regalloc.UseDef && r.Role == regalloc.Use && w.V == r.V && w.Sub == r.Sub && w.N == r.N && lx != ly {
				return fmt.Errorf("instruction %d: result %d is not written where operand %d is", n, a, b)
			}
			if lx >= ly+int32(y.N) || ly >= lx+int32(x.N) {
				continue
			}
			same := want[a].V == want[b].V
			switch {
			case want[b].Role.Writes() && a < b && !same:
				return fmt.Errorf("instruction %d: results %d and %d share a register", n, a, b)
			case (want[b].Role == regalloc.UseLate || want[b].Role == regalloc.Hold) && !same, want[b].Role == regalloc.Use && want[a].Role == regalloc.DefEarly && !same:
				return fmt.Errorf("instruction %d: result %d and operand %d share a register", n, a, b)
			}
		}
	}
	return nil
}
