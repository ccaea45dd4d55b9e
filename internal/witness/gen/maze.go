package gen

import (
	"fmt"
	"slices"
)

// Maze is blocks that branch to each other at random, backwards, forwards
// and into the middle of what would be loops, until the fuel of a thread is
// used up. Threads begin at different blocks.
type Maze struct {
	Fuel  string // its low bits say how many blocks a thread visits
	Enter []turn // in this order; who takes none begins at the first block
	Rooms []room
}

// room is one block of a maze and the way out of it.
type room struct {
	Body []Stmt
	turn
	Else int // where the others go
}

// turn is a conditional branch to a block; the one behind the last ends the
// maze. A predicate decides, or a bit of a register that the fuel changes.
type turn struct {
	Pred string
	Reg  string
	Bit  int
	To   int
}

func (s *Maze) print(p *printer) {
	n := p.label()
	c, t := fmt.Sprintf("%%c%d", n), fmt.Sprintf("%%c%dt", n)
	p.counters = append(p.counters, c, t)
	place := func(k int) string {
		if k >= len(s.Rooms) {
			return fmt.Sprintf("X%d", n)
		}
		return fmt.Sprintf("B%d_%d", n, k)
	}
	turnTo := func(w *turn) {
		guard := w.Pred
		if w.Reg != "" {
			p.line(fmt.Sprintf("add.u32 %s, %s, %s;", t, w.Reg, c))
			p.line(fmt.Sprintf("and.b32 %s, %s, %d;", t, t, 1<<w.Bit))
			p.line(fmt.Sprintf("setp.ne.u32 %%loop, %s, 0;", t))
			guard = "%loop"
		}
		p.line(fmt.Sprintf("@%s bra %s;", guard, place(w.To)))
	}
	p.line(fmt.Sprintf("and.b32 %s, %s, 15;", c, s.Fuel))
	p.line(fmt.Sprintf("add.u32 %s, %s, 1;", c, c))
	for k := range s.Enter {
		turnTo(&s.Enter[k])
	}
	for k := range s.Rooms {
		r := &s.Rooms[k]
		p.line(place(k) + ":")
		p.list(r.Body)
		p.line(fmt.Sprintf("sub.u32 %s, %s, 1;", c, c))
		p.line(fmt.Sprintf("setp.eq.u32 %%loop, %s, 0;", c))
		p.line(fmt.Sprintf("@%%loop bra %s;", place(len(s.Rooms))))
		turnTo(&r.turn)
		if r.Else != k+1 {
			p.line(fmt.Sprintf("bra %s;", place(r.Else)))
		}
	}
	p.line(place(len(s.Rooms)) + ":")
}

func (s *Maze) kids() []*[]Stmt {
	var list []*[]Stmt
	for k := range s.Rooms {
		list = append(list, &s.Rooms[k].Body)
	}
	return list
}

func (s *Maze) clone() Stmt {
	c := *s
	c.Enter, c.Rooms = slices.Clone(s.Enter), slices.Clone(s.Rooms)
	for k := range c.Rooms {
		c.Rooms[k].Body = cloneAll(s.Rooms[k].Body)
	}
	return &c
}

// simpler has the bodies alone, and the maze with one room or one way in
// less: who would go to that room goes to the next.
func (s *Maze) simpler() [][]Stmt {
	var out [][]Stmt
	for k := range s.Rooms {
		out = append(out, s.Rooms[k].Body)
	}
	for gone := range s.Rooms {
		if len(s.Rooms) == 1 {
			break
		}
		c := s.clone().(*Maze)
		c.Rooms = slices.Delete(c.Rooms, gone, gone+1)
		less := func(to *int) {
			if *to > gone {
				*to--
			}
		}
		for k := range c.Rooms {
			less(&c.Rooms[k].To)
			less(&c.Rooms[k].Else)
		}
		for k := range c.Enter {
			less(&c.Enter[k].To)
		}
		out = append(out, []Stmt{c})
	}
	for gone := range s.Enter {
		c := s.clone().(*Maze)
		c.Enter = slices.Delete(c.Enter, gone, gone+1)
		out = append(out, []Stmt{c})
	}
	return out
}

// rename rewrites the predicates of the branches.
func (s *Maze) rename(replace func(string) string) {
	for k := range s.Enter {
		s.Enter[k].Pred = replace(s.Enter[k].Pred)
	}
	for k := range s.Rooms {
		s.Rooms[k].Pred = replace(s.Rooms[k].Pred)
	}
}

// maze makes one; at times all threads of the block go the same way through
// it, and may meet inside.
func (m *maker) maze(w where) Stmt {
	in := w
	in.depth += 2
	in.loop = true
	pred, reg := byte('p'), byte('r')
	if w.block && !slices.Contains(w.known, "%q0") && !slices.Contains(w.known, "%q1") && m.chance(30) {
		pred, reg = 'q', 'u'
	} else {
		in.block, in.warp, in.whole = false, false, false
	}
	s := &Maze{Fuel: m.reg(reg)}
	rooms := 2 + m.r.IntN(4)
	turns := func() turn {
		t := turn{To: m.r.IntN(rooms + 1)}
		if m.chance(40) {
			t.Pred = m.unknown(w, pred)
		} else {
			t.Reg, t.Bit = m.reg(reg), m.r.IntN(4)
		}
		return t
	}
	for range 1 + m.r.IntN(2) {
		s.Enter = append(s.Enter, turns())
	}
	for k := range rooms {
		r := room{Body: m.block(in), turn: turns(), Else: k + 1}
		if m.chance(50) {
			r.Else = m.r.IntN(rooms + 1)
		}
		s.Rooms = append(s.Rooms, r)
	}
	m.avoid(w, s)
	return s
}
