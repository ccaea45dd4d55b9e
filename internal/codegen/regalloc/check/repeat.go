package check

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
)

// Instructions of the caller that are done again give what they gave before
// only if they read the same: each operand must hold the caller's word, and
// nothing may have written that word, or another result over theirs, since the
// caller's instruction ran. So the state notes of every instruction that is
// repeated whether on some path here it is out of date.
type repeats struct {
	of    map[int32]int32   // of each repeated instruction of the caller, its number here
	touch map[int32][]int32 // of each of the caller's words, the repeated ones that read or write it
	makes []int32           // of each repeated instruction, a word it writes
}

func newRepeats(c *replay) repeats {
	r := repeats{of: map[int32]int32{}, touch: map[int32][]int32{}}
	for n := range c.p.Insts {
		i := &c.p.Insts[n]
		if _, ok := r.of[i.Orig]; i.Kind != regalloc.Remat || ok {
			continue
		}
		at := int32(len(r.of))
		r.of[i.Orig] = at
		r.makes = append(r.makes, 0)
		for _, o := range c.orig.Operands(int(i.Orig)) {
			if o.Role == regalloc.Hold {
				continue
			}
			for k := range int32(o.N) {
				w := c.word[o.V] + int32(o.Sub) + k
				r.touch[w] = append(r.touch[w], at)
				if o.Role.Writes() {
					r.makes[at] = w
				}
			}
		}
	}
	return r
}

// wrote notes what one of the caller's instructions, with operands ops, makes
// of the repeated ones.
func (c *replay) wrote(s *state, orig int32, ops []regalloc.Operand) {
	r := &c.repeats
	if len(r.of) == 0 {
		return
	}
	for _, o := range ops {
		if !o.Role.Writes() {
			continue
		}
		for k := range int32(o.N) {
			for _, at := range r.touch[c.word[o.V]+int32(o.Sub)+k] {
				s.old[at] = s.written.has(r.makes[at]) // what was never made is not out of date
			}
		}
	}
	if at, ok := r.of[orig]; ok {
		s.old[at] = false
	}
}

// remat replays the repetition of one of the caller's instructions: its
// result is the same words again.
func (c *replay) remat(s *state, n int32, ops []regalloc.Operand, err *error) {
	i := &c.p.Insts[n]
	want := c.orig.Operands(int(i.Orig))
	k, made := 1, -1
	for m, o := range want {
		switch {
		case o.Role == regalloc.Hold:
		case o.Role.Writes():
			if made >= 0 || m > 0 {
				*orNew(err) = fmt.Errorf("instruction %d repeats %d, which has several results", n, i.Orig)
				return
			}
			made = m
		case k == len(ops):
			*orNew(err) = fmt.Errorf("instruction %d repeats %d without operand %d", n, i.Orig, m)
			return
		default:
			if err != nil {
				if *err = c.reads(s, n, k, ops[k], o); *err != nil {
					return
				}
			}
			k++
		}
	}
	if made < 0 || k != len(ops) || c.orig.VRegs[want[0].V].Remat != i.Orig && !c.orig.Insts[i.Orig].Constant {
		*orNew(err) = fmt.Errorf("instruction %d repeats %d, which it must not", n, i.Orig)
		return
	}
	if s.old[c.repeats.of[i.Orig]] {
		*orNew(err) = fmt.Errorf("instruction %d repeats %d, which would read something else now", n, i.Orig)
		return
	}
	for j := range int32(ops[0].N) {
		c.set(s, c.loc(ops[0], j), one(c.word[want[0].V]+int32(want[0].Sub)+j))
	}
}

// orNew returns err, or another place for what nobody judges yet.
func orNew(err *error) *error {
	if err == nil {
		return new(error)
	}
	return err
}
