package uniform

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// A comparison whose result is read by what may move and by what stays would
// keep all of it in the general file: predicates of the uniform datapath are
// read there alone. Each reader that may move is given a comparison of its own,
// and when it is known which of them do, those share one on the uniform
// datapath and the others read the first again.

// split is a comparison and the copies of it that were made.
type split struct {
	test    *ori.Instr
	copies  []*ori.Instr
	readers []*ori.Instr // of each of the copies
}

// mostCopies bounds the copies of a comparison.
const mostCopies = 8

// splitTests makes the copies, and returns the index of the function as it is then.
func (u *uniformer) splitTests() flow.Index {
	x := flow.IndexOf(u.f)
	for _, b := range u.f.Blocks {
		if u.apart.Is(b) {
			continue
		}
		for i := b.First(); i != nil; i = i.Next() {
			if i.Op != op.ISETP || i.Guard.Kind != ori.KNone || i.NDst != 1 || !i.Args[0].HasReg() || int(i.Args[0].Reg) >= len(x.Uses) {
				continue
			}
			if p := i.Args[0].Reg; len(x.Defs[p]) == 1 && len(x.Uses[p]) > 1 && u.possible(i) {
				u.split(i, x.Uses[p])
			}
		}
	}
	if len(u.splits) > 0 {
		x = flow.IndexOf(u.f)
	}
	return x
}

// split gives those who read a comparison and may move one of their own.
func (u *uniformer) split(test *ori.Instr, readers []*ori.Instr) {
	f, p := u.f, test.Args[0].Reg
	s := split{test: test}
	for _, i := range readers {
		if len(s.copies) == mostCopies || slices.Contains(s.readers, i) || u.apart.Is(i.Block()) || !u.possible(i) {
			continue
		}
		q := f.NewReg(ori.P, 1)
		c := f.NewInstr(test.Op, test.Mods, []ori.Operand{f.Words(q)}, append([]ori.Operand(nil), test.Srcs()...))
		c.Line, c.Loc = test.Line, test.Loc
		test.Block().InsertAfter(c, test)
		reads(i, p, q)
		s.copies, s.readers = append(s.copies, c), append(s.readers, i)
	}
	if len(s.copies) > 0 {
		u.splits = append(u.splits, s)
	}
}

// reads makes i read register q instead of p.
func reads(i *ori.Instr, p, q ori.Reg) {
	for k := range i.Srcs() {
		if s := &i.Srcs()[k]; s.HasReg() && s.Reg == p {
			s.Reg = q
		}
	}
	if i.Guard.HasReg() && i.Guard.Reg == p {
		i.Guard.Reg = q
	}
}

// joinTests leaves one comparison for what stays and, if it is known which do,
// one for what moves.
func (u *uniformer) joinTests(known bool) {
	for n := range u.splits {
		s := &u.splits[n]
		var kept [2]ori.Reg // of what stays, of what moves
		kept[0], kept[1] = ori.NoReg, ori.NoReg
		if p := s.test.Args[0].Reg; len(u.uses[p]) > 0 {
			kept[side(u.moves[p])] = p
		}
		copies, readers := s.copies, s.readers
		s.copies, s.readers = nil, nil
		for n, c := range copies {
			q := c.Args[0].Reg
			to := &kept[side(u.moves[q])]
			if *to == ori.NoReg {
				*to = q
			}
			if *to == q || u.moves[q] && !known {
				s.copies, s.readers = append(s.copies, c), append(s.readers, readers[n])
				continue
			}
			for _, i := range u.uses[q] { // copies of a comparison that reads it among them
				reads(i, q, *to)
			}
			u.uses[*to] = append(u.uses[*to], u.uses[q]...)
			u.forget(c)
		}
		if known && len(u.uses[s.test.Args[0].Reg]) == 0 {
			u.forget(s.test)
		}
	}
}

func side(moves bool) int {
	if moves {
		return 1
	}
	return 0
}

// forget takes a comparison out of the function.
func (u *uniformer) forget(i *ori.Instr) {
	for _, a := range i.Srcs() {
		if a.HasReg() {
			u.uses[a.Reg] = slices.DeleteFunc(u.uses[a.Reg], func(j *ori.Instr) bool { return j == i })
		}
	}
	u.moves[i.Args[0].Reg] = false
	i.Remove()
}
