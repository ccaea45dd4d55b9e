package gen

import (
	"fmt"
	"slices"
	"strings"
)

// Leave is a loop that threads leave from its middle, by ends of the program
// or of the function that only some of them take: predicates that earlier
// turns wrote say who. It may have no other end. A kernel ends with it, so
// that nobody waits for those who are gone.
type Leave struct {
	Turns  int    // after so many turns every predicate says to leave
	Source string // what turns look at comes from here
	Ends   bool   // the loop has an end of its own as well
	InFunc bool
	Test   bool // threads come in where the loop ends, just behind the last exit if they are the last
	Late   bool // the exits are the last of a turn: only jumps follow
	Exits  []exit
	First  []Stmt // in every turn
	Then   []Stmt // in every turn, behind the exits unless they are the last
}

// exit is one way out of a turn.
type exit struct {
	Way    string // "exit", "ret", "out" (a jump to a place that ends the program) or "past" (a jump behind the loop)
	Not    bool   // those leave for whom the predicate is false
	Stages int    // turns between writing the predicate and leaving by it
	Mask   int    // it says to leave where these bits of what turns look at are Bits
	Bits   int
	Before bool // the next predicate is made before the exit
	Moved  bool // and takes its place there: the exit looks at a copy of the old one
	Arm    bool // some turns go past it and leave its predicates as they are
	Also   bool // the predicate guards something else too
}

// ending is where the words of a kernel's last loop stand in the result.
const ending = 256

func (s *Leave) print(p *printer) {
	n := p.label()
	line := func(format string, args ...any) {
		p.line(strings.ReplaceAll(fmt.Sprintf(format, args...), "$L", fmt.Sprint(n)))
	}
	line("{")
	line(".reg .b32 %%turn, %%look, %%was, %%sum, %%some;")
	line(".reg .pred %%way;")
	line("mov.u32 %%turn, 0;")
	line("mov.u32 %%was, 7;")
	line("mov.u32 %%sum, %s;", s.Source)
	for k := range s.Exits {
		s.Exits[k].begin(line, k)
	}
	if s.Test {
		line("bra T$L;")
	}
	line("L$L:")
	p.list(s.First)
	line("mad.lo.u32 %%look, %%turn, 0x9e3779b1, %s;", s.Source)
	line("shr.u32 %%look, %%look, 3;")
	line("xor.b32 %%sum, %%sum, %%look;")
	s.result(line)
	if s.Late {
		s.rest(p, line)
	}
	for k := range s.Exits {
		s.Exits[k].print(line, k, s)
	}
	if !s.Late {
		s.rest(p, line)
	}
	line("T$L:")
	line("add.u32 %%sum, %%sum, 3;")
	if s.Ends {
		line("setp.lt.u32 %%way, %%turn, %d;", s.Turns/2+1)
		line("@%%way bra L$L;")
	} else {
		line("bra L$L;")
	}
	line("P$L:")
	if !s.InFunc {
		line("st.global.u32 [%%out+%d], %%sum;", ending+12)
		line("O$L:")
		line("ret;")
	}
	line("}")
}

// rest prints what turns do besides.
func (s *Leave) rest(p *printer, line func(string, ...any)) {
	p.list(s.Then)
	line("add.u32 %%sum, %%sum, %%was;")
	line("mov.u32 %%was, %%look;")
	line("add.u32 %%turn, %%turn, 1;")
}

// result leaves behind what a turn has seen.
func (s *Leave) result(line func(string, ...any)) {
	if s.InFunc {
		line("add.u32 %%some, %%sum, %%turn;")
		line("st.param.b32 [rv], %%some;")
		return
	}
	line("st.global.u32 [%%out+%d], %%turn;", ending)
	line("st.global.u32 [%%out+%d], %%sum;", ending+4)
	line("st.global.u32 [%%out+%d], %%was;", ending+8)
}

// begin writes the predicates of exit k before the loop.
func (e *exit) begin(line func(string, ...any), k int) {
	for n := range e.Stages + 1 {
		line(".reg .pred %%go%d_%d;", k, n)
		line("setp.%s.u32 %%go%d_%d, %%turn, 0;", e.pick("eq", "ne"), k, n) // stay
	}
	line(".reg .pred %%next%d, %%old%d;", k, k)
}

// pick returns the first word where those leave for whom the predicate is
// false.
func (e *exit) pick(not, is string) string {
	if e.Not {
		return not
	}
	return is
}

// print prints exit k and what makes its next predicate.
func (e *exit) print(line func(string, ...any), k int, s *Leave) {
	if e.Arm {
		line("and.b32 %%some, %%look, 32;")
		line("setp.lt.u32 %%way, %%turn, %d;", s.Turns+2)
		line("setp.ne.and.u32 %%way, %%some, 0, %%way;")
		line("@%%way bra N$L_%d;", k)
	}
	if e.Before {
		e.next(line, k, s)
	}
	guard := fmt.Sprintf("@%s%%go%d_0 ", e.pick("!", ""), k)
	if e.Before && e.Moved {
		guard = fmt.Sprintf("@%s%%old%d ", e.pick("!", ""), k)
		line("mov.pred %%old%d, %%go%d_0;", k, k)
		e.move(line, k)
	}
	if e.Also {
		line("%sxor.b32 %%was, %%was, %d;", guard, 33+k)
	}
	switch {
	case e.Way == "past":
		line("%sbra P$L;", guard)
	case s.InFunc:
		line("%sret;", guard)
	case e.Way == "out":
		line("%sbra O$L;", guard)
	default:
		line("%s%s;", guard, e.Way)
	}
	if !e.Before {
		e.next(line, k, s)
	}
	if !e.Before || !e.Moved {
		e.move(line, k)
	}
	if e.Arm {
		line("N$L_%d:", k)
	}
}

// move passes the predicates of exit k on to the next turn.
func (e *exit) move(line func(string, ...any), k int) {
	for n := range e.Stages {
		line("mov.pred %%go%d_%d, %%go%d_%d;", k, n, k, n+1)
	}
	line("mov.pred %%go%d_%d, %%next%d;", k, e.Stages, k)
}

// next makes the next predicate of exit k.
func (e *exit) next(line func(string, ...any), k int, s *Leave) {
	line("and.b32 %%some, %%look, %d;", e.Mask)
	line("setp.%s.u32 %%way, %%turn, %d;", e.pick("lt", "ge"), s.Turns)
	line("setp.%s.u32 %%next%d, %%some, %d, %%way;", e.pick("ne.and", "eq.or"), k, e.Bits)
}

func (s *Leave) kids() []*[]Stmt { return []*[]Stmt{&s.First, &s.Then} }

func (s *Leave) clone() Stmt {
	c := *s
	c.Exits, c.First, c.Then = slices.Clone(s.Exits), cloneAll(s.First), cloneAll(s.Then)
	return &c
}

func (s *Leave) simpler() [][]Stmt {
	out := [][]Stmt{s.First, s.Then}
	with := func(f func(c *Leave)) {
		c := s.clone().(*Leave)
		f(c)
		out = append(out, []Stmt{c})
	}
	for n, e := range s.Exits {
		if len(s.Exits) > 1 {
			with(func(c *Leave) { c.Exits = slices.Delete(c.Exits, n, n+1) })
		}
		if e.Stages > 0 {
			with(func(c *Leave) { c.Exits[n].Stages = 0 })
		}
		if e.Arm {
			with(func(c *Leave) { c.Exits[n].Arm = false })
		}
		if e.Also {
			with(func(c *Leave) { c.Exits[n].Also = false })
		}
	}
	if s.Ends {
		with(func(c *Leave) { c.Ends = false })
	}
	return out
}

// leave makes such a loop; at the end of a kernel at times of what all threads
// of the block share alone.
func (m *maker) leave(w where) Stmt {
	in := w
	in.depth += 2
	in.loop, in.block, in.warp, in.whole = true, false, false, false
	s := &Leave{Turns: m.r.IntN(9), Source: m.reg('r'), Ends: m.chance(25), InFunc: w.inFunc, Test: m.chance(50), Late: m.chance(50)}
	for range 1 + m.r.IntN(3) {
		mask := 1 | m.r.IntN(16)
		s.Exits = append(s.Exits, exit{
			Way: m.pick("exit", "exit", "ret", "out", "past"), Not: m.chance(50), Stages: m.r.IntN(3),
			Mask: mask, Bits: mask & m.r.IntN(16), Before: m.chance(70), Moved: m.chance(50), Arm: m.chance(50), Also: m.chance(25),
		})
	}
	if !w.inFunc && m.chance(25) {
		s.Source = m.reg('u')
	} else {
		if m.chance(40) {
			s.First = m.block(in)
		}
		if m.chance(40) {
			s.Then = m.block(in)
		}
	}
	m.avoid(w, s)
	return s
}

// ends makes what some kernels end with.
func (m *maker) ends() {
	if m.chance(15) {
		m.spend = 1 + m.r.IntN(6)
		m.p.Tail = []Stmt{m.leave(where{depth: 1})}
	}
}
