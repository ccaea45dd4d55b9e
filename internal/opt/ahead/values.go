package ahead

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// What values of a loop are in its next turn, told while this one runs, and in
// its first, told before it. A value of the header's PHIs is what the latch
// brings to it; what is computed from such is computed again from what they
// will be. What that needs of this turn moves up to where it is asked for, if it
// only computes.

// word is one word of a register.
type word struct {
	class ori.Class
	reg   ori.Reg
	sub   uint8
}

func wordOf(o ori.Operand, k int) word { return word{o.Class, o.Reg, o.Sub + uint8(k)} }

func (w word) operand() ori.Operand {
	return ori.Operand{Kind: ori.KReg, Class: w.class, Reg: w.reg, Sub: w.sub, N: 1}
}

// wordsIn is how many words of a register an operand names.
func wordsIn(o *ori.Operand) int {
	if o.Kind == ori.KConst {
		return 1
	}
	return int(max(1, o.N))
}

// source is where a value of the loop comes from.
type source uint8

const (
	unknown  source = iota
	outside         // defined before the loop
	turning         // a PHI of its header
	computed        // of other values, with no effect
	constant        // made of nothing, for the uniform datapath
	other           // something else in the loop
)

// from returns the definition of w, and what it is.
func (p *pipeliner) from(w word) (*ori.Instr, source) {
	if w.class != ori.R && w.class != ori.P {
		d := p.v.Once(w.operand())
		switch {
		case d == nil:
			return nil, unknown
		case !p.in[d.Block()]:
			return d, outside
		case opt.IsPure(d) && w.class == ori.UR && !slices.ContainsFunc(d.Srcs(), func(s ori.Operand) bool { return s.HasReg() }):
			return d, constant
		}
		return d, other
	}
	d := p.v.Writer(w.operand())
	switch {
	case d == nil:
		return nil, unknown
	case !p.in[d.Block()]:
		return d, outside
	case d.Op == op.PHI && d.Block() == p.loop.Header:
		return d, turning
	case (opt.IsPure(d) || opt.IsUpdate(d)) && general(d):
		return d, computed
	}
	return d, other
}

// general reports whether all results of i are values of the general datapath.
func general(i *ori.Instr) bool {
	for _, d := range i.Dsts() {
		if d.Kind == ori.KReg && d.Class != ori.R && d.Class != ori.P {
			return false
		}
	}
	return true
}

// allSources reports whether all words that i reads are such.
func (p *pipeliner) allSources(i *ori.Instr, are func(word) bool) bool {
	one := func(o *ori.Operand) bool {
		if !o.HasReg() {
			return true
		}
		for k := range wordsIn(o) {
			if !are(wordOf(*o, k)) {
				return false
			}
		}
		return true
	}
	for k := range i.Srcs() {
		if !one(&i.Srcs()[k]) {
			return false
		}
	}
	for k := range i.Old {
		if !one(&i.Old[k]) {
			return false
		}
	}
	return one(&i.Guard)
}

// turned returns what w, of a PHI d of the header, is in another turn.
func (p *pipeliner) turned(d *ori.Instr, w word, by map[int64]ori.Operand) (word, bool) {
	s, ok := by[d.Args[1].Imm]
	if !ok || s.Kind != ori.KReg {
		return word{}, false
	}
	return wordOf(s, int(w.sub-d.Args[0].Sub)), true
}

// nextable reports whether what w will be in the next turn can be told behind
// an instruction.
func (p *pipeliner) nextable(w word, at *ori.Instr) bool {
	d, s := p.from(w)
	switch s {
	case outside:
		return true
	case constant:
		return p.behind(d, at)
	case turning:
		x, ok := p.turned(d, w, p.back)
		return ok && p.ready(x, at)
	case computed:
		p.steps--
		return p.steps > 0 && p.allSources(d, func(w word) bool { return p.nextable(w, at) })
	}
	return false
}

// ready reports whether w of this turn is there behind an instruction, or can be
// if what computes it moves. Nothing waits for memory for that.
func (p *pipeliner) ready(w word, at *ori.Instr) bool {
	d, s := p.from(w)
	if s == unknown || s == outside || s == turning {
		return s != unknown
	}
	if p.behind(d, at) {
		return !d.Op.Has(op.Reads) || d.Op.LoadsConstant()
	}
	if p.steps--; p.steps <= 0 || s != computed || !p.dom.Dominates(at.Block(), d.Block()) {
		return false
	}
	return p.allSources(d, func(w word) bool { return p.ready(w, at) })
}

// behind reports whether at stands behind d on every way, or is d.
func (p *pipeliner) behind(d, at *ori.Instr) bool {
	if p.moved[d] {
		return true
	}
	if d.Block() == at.Block() {
		return p.pos[d] <= p.pos[at]
	}
	return p.dom.Dominates(d.Block(), at.Block())
}

// make lets w of this turn be there behind an instruction.
func (p *pipeliner) make(w word, at *ori.Instr) {
	d, s := p.from(w)
	if s != computed || p.behind(d, at) {
		return
	}
	p.allSources(d, func(w word) bool { p.make(w, at); return true })
	d.Remove()
	p.add(d)
	p.moved[d] = true
}

// moment is the turn behind this one, or the first.
type moment struct {
	phis  map[int64]ori.Operand // what PHIs of the header are in it
	known map[word]ori.Operand  // words of this turn: what they are in it
	need  func(word)            // lets a word of this turn be there where it is asked for; nil: all are
	add   func(*ori.Instr)      // puts an instruction there
}

// begin is the first turn, told at the end of the block before the loop.
func (p *pipeliner) begin(pre *ori.Block) *moment {
	return &moment{phis: p.enter, known: map[word]ori.Operand{}, add: func(i *ori.Instr) { atSources(pre, i) }}
}

// then returns what an operand is in another turn.
func (p *pipeliner) then(o ori.Operand, t *moment) ori.Operand {
	return p.put(o, func(w word) ori.Operand { return p.wordThen(w, t) }, t.add)
}

func (p *pipeliner) wordThen(w word, t *moment) ori.Operand {
	if o, ok := t.known[w]; ok {
		return o
	}
	switch d, s := p.from(w); {
	case s == turning:
		x, _ := p.turned(d, w, t.phis)
		if t.need != nil {
			t.need(x)
		}
		t.known[w] = x.operand()
	case s == computed, s == constant && t.need == nil: // in the loop it is there already
		p.again(d, t)
	default:
		return w.operand()
	}
	return t.known[w]
}

// again computes what d does in another turn, and notes its results.
func (p *pipeliner) again(d *ori.Instr, t *moment) {
	dsts, srcs := append([]ori.Operand(nil), d.Dsts()...), append([]ori.Operand(nil), d.Srcs()...)
	for k := range srcs {
		srcs[k] = p.then(srcs[k], t)
	}
	guard, old := p.then(d.Guard, t), append([]ori.Operand(nil), d.Old...)
	for k := range old {
		old[k] = p.then(old[k], t)
	}
	for k := range dsts {
		o := &dsts[k]
		if o.Kind != ori.KReg {
			continue
		}
		r := p.f.NewReg(o.Class, wordsIn(o))
		p.f.Regs[r].Align = uint8(min(int(p.f.Regs[o.Reg].Align), wordsIn(o)))
		for n := range wordsIn(o) {
			t.known[wordOf(*o, n)] = p.f.Word(r, n)
		}
		o.Reg, o.Sub = r, 0
	}
	c := p.f.NewInstr(d.Op, d.Mods, dsts, srcs)
	c.Guard, c.Old, c.Line, c.Loc = guard, old, d.Line, d.Loc
	if len(old) == 0 {
		c.Old = nil
	}
	t.add(c)
}

// put replaces the words that an operand names. Those that do not stand side by
// side are brought together.
func (p *pipeliner) put(o ori.Operand, of func(word) ori.Operand, add func(*ori.Instr)) ori.Operand {
	if !o.HasReg() {
		return o
	}
	n := wordsIn(&o)
	list := make([]ori.Operand, n)
	together := true
	for k := range n {
		list[k] = of(wordOf(o, k))
		together = together && list[k].Reg == list[0].Reg && int(list[k].Sub) == int(list[0].Sub)+k
	}
	if together && int(list[0].Sub)%n == 0 && (n == 1 || int(p.f.Regs[list[0].Reg].Align) >= int(p.f.Regs[o.Reg].Align)) {
		o.Reg, o.Sub = list[0].Reg, list[0].Sub
		return o
	}
	r := p.f.NewReg(o.Class, n)
	p.f.Regs[r].Align = uint8(min(n, int(p.f.Regs[o.Reg].Align)))
	for k := range n {
		add(p.f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{p.f.Word(r, k)}, []ori.Operand{list[k]}))
	}
	o.Reg, o.Sub = r, 0
	return o
}
