package opt

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// SharedLogic lets all readers of a logic operation do it themselves, where each
// then still looks at three values:
//
//	LOP3 t = a, b, rz, 0xc0 (a & b)      LOP3 x = a, b, c, 0x80 (a & b & c)
//	LOP3 x = t, c, rz, 0xc0 (t & c)      LOP3 y = a, b, c, 0x40 (a & b & ~c)
//	LOP3 y = t, c, rz, 0x30 (t & ~c)
//
// Combine does so where there is one reader. Readers stand in the block of the
// operation: elsewhere its sources would have to live on. Operations on two uniform
// values stay: what reads them in general registers takes one uniform source.
// It wants values.
func SharedLogic(f *ori.Func) bool {
	if !f.Props.SSA {
		return false
	}
	s := sharedLogic{v: ValuesOf(f), readers: map[int32][]*ori.Instr{}}
	changed := false
	for _, b := range f.Blocks {
		clear(s.readers)
		s.made = s.made[:0]
		for i := range b.Instrs {
			s.look(i)
		}
		for _, j := range slices.Backward(s.made) { // trees have most operations at their leaves
			if s.absorbed(j) && f.Should("shared logic", j) {
				s.absorb(j)
				changed = true
			}
		}
	}
	return f.Touched(changed)
}

type sharedLogic struct {
	v       *Values
	uniform *flow.Uniformity       // nil until asked for
	made    []*ori.Instr           // the logic operations of a block
	readers map[int32][]*ori.Instr // of their words, those that are such operations too
}

// look remembers a logic operation and what it reads of others.
func (s *sharedLogic) look(i *ori.Instr) {
	if !IsLogic(i) {
		return
	}
	for n := 1; n <= 3; n++ {
		if a := i.Args[n]; Plain(a) {
			if w := s.v.WordOf(a); s.readers[w] != nil {
				s.readers[w] = append(s.readers[w], i)
			}
		}
	}
	if i.Guard.Kind == ori.KNone && Plain(i.Args[0]) {
		s.made = append(s.made, i)
		s.readers[s.v.WordOf(i.Args[0])] = []*ori.Instr{i} // the first is who makes it
	}
}

// absorbed reports whether j has two readers or more and all of them can do it
// themselves.
func (s *sharedLogic) absorbed(j *ori.Instr) bool {
	d := j.Args[0]
	list := s.readers[s.v.WordOf(d)][1:]
	if len(list) < 2 || int(s.v.ReadsOf(d)) != len(list) || s.v.Once(d) != j {
		return false
	}
	regs := 0
	for _, a := range j.Args[1:4] {
		if !s.v.Stable(a) {
			return false
		}
		if a.HasReg() {
			regs++
		}
	}
	for _, i := range list {
		if _, ok := s.join(i, j); !ok {
			return false
		}
	}
	if regs == 1 {
		return true
	}
	if s.uniform == nil {
		s.uniform = flow.UniformityOf(s.v.Func)
	}
	return s.uniform.Differs(d.Reg)
}

// join returns the sources of reader i when it does j itself.
func (s *sharedLogic) join(i, j *ori.Instr) ([]ori.Operand, bool) {
	n := slices.IndexFunc(i.Args[1:4], func(a ori.Operand) bool { return a == j.Args[0] })
	if n < 0 {
		return nil, false
	}
	srcs, ok := joined(i, j, n+1)
	return srcs, ok && !slices.Contains(srcs, j.Args[0]) // it reads j twice
}

// absorb has the readers of j do it.
func (s *sharedLogic) absorb(j *ori.Instr) {
	for _, i := range s.readers[s.v.WordOf(j.Args[0])][1:] {
		srcs, _ := s.join(i, j)
		s.v.Change(i, op.LOP3, i.Mods, srcs...)
		for _, a := range srcs[:3] {
			if Plain(a) {
				if w := s.v.WordOf(a); s.readers[w] != nil && !slices.Contains(s.readers[w], i) {
					s.readers[w] = append(s.readers[w], i)
				}
			}
		}
	}
	for _, a := range j.Args[1:4] {
		if Plain(a) {
			if list := s.readers[s.v.WordOf(a)]; list != nil {
				s.readers[s.v.WordOf(a)] = append(list[:1], slices.DeleteFunc(list[1:], func(i *ori.Instr) bool { return i == j })...)
			}
		}
	}
	s.v.Remove(j)
}
