package remat

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Predicates that live through a loop are missing in it: where each of its loads
// has a mask, as many loads can be in flight as there are predicates left. What
// a test compares mostly lives on anyway, so the test is made again behind the
// loop:
//
//	ISETP p = x, n                    ISETP p = x, n
//	@p STS …                          @p STS …
//	loop: … @m LDG …                  loop: … @m LDG …
//	                                  ISETP q = x, n
//	@p STS …                          @q STS …

const (
	maskedLoads = 2 // so many a loop has at least that could do with more predicates
	crossing    = 3 // so many predicates come into it at least
)

// Behind makes tests again behind loops with masked loads that their results
// only live through, and reports whether there were any.
func Behind(f *ori.Func) bool {
	changed := false
	var t *tests
	for _, l := range flow.LoopsOf(f, flow.DomOf(f)).All {
		if masked(l) < maskedLoads {
			continue
		}
		if t == nil {
			t = newTests(f)
		}
		if in := t.entering(l); len(in) >= crossing {
			for _, p := range in {
				changed = t.again(p, l) || changed
			}
		}
	}
	return changed
}

// masked counts the loads of a loop that predicates guard.
func masked(l *flow.Loop) (n int) {
	for _, b := range l.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if i.Op == op.LDG && i.Guard.Kind == ori.KReg {
				n++
			}
		}
	}
	return n
}

// tests knows who writes and reads what.
type tests struct {
	f      *ori.Func
	live   *flow.Live
	loops  *flow.Loops
	writes [][]*ori.Instr // by register
	reads  [][]*ori.Instr // of predicates
	reach  map[*ori.Block]map[*ori.Block]bool
}

func newTests(f *ori.Func) *tests {
	t := &tests{
		f: f, live: flow.LiveOf(f), loops: flow.LoopsOf(f, flow.DomOf(f)), reach: map[*ori.Block]map[*ori.Block]bool{},
		writes: make([][]*ori.Instr, len(f.Regs)), reads: make([][]*ori.Instr, len(f.Regs)),
	}
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			for _, d := range i.Dsts() {
				if d.HasReg() {
					t.writes[d.Reg] = append(t.writes[d.Reg], i)
				}
			}
			Reads(i, func(o *ori.Operand) {
				if l := t.reads[o.Reg]; f.Regs[o.Reg].Class == ori.P && (len(l) == 0 || l[len(l)-1] != i) {
					t.reads[o.Reg] = append(l, i)
				}
			})
		}
	}
	return t
}

// entering lists the predicates that are alive where a loop begins.
func (t *tests) entering(l *flow.Loop) (list []ori.Reg) {
	start := t.live.Start(l.Header)
	for n := range start.All() {
		if r := t.live.Reg(n); t.f.Regs[r].Class == ori.P {
			list = append(list, r)
		}
	}
	return list
}

// again makes the test of a predicate again in each block that reads it behind
// the loop, if that can be done in all of them.
func (t *tests) again(p ori.Reg, l *flow.Loop) bool {
	if len(t.writes[p]) != 1 || t.f.Regs[p].Fixed || t.f.Regs[p].Width != 1 {
		return false
	}
	def := t.writes[p][0]
	if !comparison(def) || t.reached(def.Block())[def.Block()] || !t.f.Should("test behind", def) {
		return false
	}
	places := map[*ori.Block]*ori.Instr{}
	var order []*ori.Block
	for _, i := range t.reads[p] {
		b := i.Block()
		if b == def.Block() || places[b] != nil {
			continue
		}
		at := t.place(def, b, i)
		if at == nil || slices.Contains(l.Blocks, b) || t.loops.Depth(b) > t.loops.Depth(def.Block()) {
			return false
		}
		places[b] = at
		order = append(order, b)
	}
	for _, b := range order {
		t.clone(def, p, b, places[b])
	}
	return len(order) > 0
}

// comparison reports whether i makes a predicate of words alone.
func comparison(i *ori.Instr) bool {
	if i.Op != op.ISETP && i.Op != op.FSETP && i.Op != op.LOP3 || i.Guard.Kind != ori.KNone || len(i.Old) > 0 {
		return false
	}
	n := 0
	for _, d := range i.Dsts() {
		if d.HasReg() {
			n++
		}
	}
	for _, a := range i.Srcs() {
		if a.HasReg() && a.Class != ori.R && a.Class != ori.UR {
			return false
		}
	}
	return n == 1
}

// place is where block b, whose first reader of the predicate is given, can make
// the test again, nil if it cannot: before that reader, and before
// something else is written into what is compared. That lives where the block begins,
// and nothing on the way there writes it.
func (t *tests) place(def *ori.Instr, b *ori.Block, first *ori.Instr) *ori.Instr {
	at := first
	for _, a := range def.Srcs() {
		if !a.HasReg() {
			continue
		}
		part, words := a.Part()
		for w := range int(words) {
			if n := t.live.Number(a.Reg, int(part)+w); n < 0 || !t.live.Start(b).Has(n) {
				return nil
			}
		}
		for _, w := range t.writes[a.Reg] {
			switch x := w.Block(); {
			case x == b:
				if t.reached(b)[b] {
					return nil
				}
				if before(w, at) {
					at = w
				}
			case x == def.Block():
				if !before(w, def) {
					return nil
				}
			case t.reached(def.Block())[x] && t.reached(x)[b]:
				return nil
			}
		}
	}
	return at
}

// before reports whether x stands before y, in the same block.
func before(x, y *ori.Instr) bool {
	for i := x.Next(); i != nil; i = i.Next() {
		if i == y {
			return true
		}
	}
	return false
}

// reached are the blocks that paths from the end of b lead to.
func (t *tests) reached(b *ori.Block) map[*ori.Block]bool {
	set := t.reach[b]
	if set != nil {
		return set
	}
	set = map[*ori.Block]bool{}
	for work := slices.Clone(b.Succs); len(work) > 0; {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if !set[x] {
			set[x] = true
			work = append(work, x.Succs...)
		}
	}
	t.reach[b] = set
	return set
}

// clone makes the test again before an instruction, for all of its block that
// read the predicate.
func (t *tests) clone(def *ori.Instr, p ori.Reg, b *ori.Block, at *ori.Instr) {
	f := t.f
	q := f.NewReg(ori.P, 1)
	f.Regs[q] = f.Regs[p]
	dsts := slices.Clone(def.Dsts())
	for k := range dsts {
		if dsts[k].HasReg() {
			dsts[k].Reg = q
		}
	}
	m := f.NewInstr(def.Op, def.Mods, dsts, def.Srcs())
	m.Line, m.Loc = def.Line, def.Loc
	b.InsertBefore(m, at)
	for _, i := range t.reads[p] {
		if i.Block() == b {
			Reads(i, func(o *ori.Operand) {
				if o.Reg == p {
					o.Reg = q
				}
			})
		}
	}
}
