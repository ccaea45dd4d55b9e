package gen

import "fmt"

// Parted is a branch whose two ways end with the same instruction of a warp:
// threads gather for it from both.
type Parted struct {
	Pred       string
	Then, Else []Stmt
	Ops        [2]string
}

func (s *Parted) print(p *printer) {
	n := p.label()
	p.line(fmt.Sprintf("@!%s bra E%d;", s.Pred, n))
	p.list(s.Then)
	(&Seq{[]string{s.Ops[0]}}).print(p)
	p.line(fmt.Sprintf("bra J%d;", n))
	p.line(fmt.Sprintf("E%d:", n))
	p.list(s.Else)
	(&Seq{[]string{s.Ops[1]}}).print(p)
	p.line(fmt.Sprintf("J%d:", n))
}

func (s *Parted) kids() []*[]Stmt { return []*[]Stmt{&s.Then, &s.Else} }

func (s *Parted) clone() Stmt {
	c := *s
	c.Then, c.Else = cloneAll(s.Then), cloneAll(s.Else)
	return &c
}

func (s *Parted) simpler() [][]Stmt { return [][]Stmt{s.Then, s.Else} }

// parted makes instructions of a warp at different places: in both arms of a
// branch, or in one arm and behind it.
func (m *maker) parted(w where) Stmt {
	op := m.together(w)
	if m.chance(35) { // threads for which it holds come to the second place first, and to the third
		return &Seq{[]string{
			"{", ".reg .pred %z;", fmt.Sprintf("and.pred %%z, %s, %s;", m.reg('p'), m.reg('p')), "@%z bra A$L;", op(), "A$L:", op(), "@!%z bra B$L;", op(), "B$L:", "}",
		}}
	}
	in := w
	in.depth++
	in.block, in.warp, in.whole = false, false, false
	s := &Parted{Pred: m.condition(&in, w, 'p')}
	s.Then, s.Else = m.block(in), m.block(in)
	s.Ops = [2]string{op(), op()}
	return s
}

// together makes instructions of one kind for which threads gather.
func (m *maker) together(w where) func() string {
	line := func(format string, args ...func() string) func() string {
		return func() string {
			v := make([]any, len(args))
			for n, a := range args {
				v[n] = a()
			}
			return fmt.Sprintf(format, v...)
		}
	}
	r, p := m.bits32, func() string { return m.reg('p') }
	switch k := m.r.IntN(9); {
	case k < 3 && w.whole:
		lane := func() string { return fmt.Sprint(m.r.IntN(32)) }
		return line("shfl.sync."+m.pick("up", "down", "bfly", "idx")+".b32 %s|%s, %s, %s, 0x1f, $M;", r, p, r, lane)
	case k == 3:
		return line("vote.sync.ballot.b32 %s, %s, $M;", r, p)
	case k == 4:
		return line("vote.sync."+m.pick("all", "any", "uni")+".pred %s, %s, $M;", p, p)
	case k == 5:
		return line("match.any.sync.b32 %s, %s, $M;", r, r)
	case k == 6:
		return line("redux.sync."+m.pick("add.u32", "min.s32", "max.u32", "and.b32", "xor.b32")+" %s, %s, $M;", r, r)
	case k == 7:
		return line("elect.sync %s|%s, $M;", r, p)
	case k == 8 && w.block:
		return line(fmt.Sprintf("barrier.sync %d;", 1+m.r.IntN(15)))
	}
	return line("match.all.sync.b32 %s|%s, %s, $M;", r, p, r)
}
