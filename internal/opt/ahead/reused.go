package ahead

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// ReusedLoads keeps what a loop loads from global memory and would load again
// in its next turn, as stencils do; what it loads in every turn from one place is
// loaded before it.
//
//	b1: …                             b1: LDG v0 = [a0]
//	b2: a = PHI a0, a1                b2: a = PHI a0, a1; v = PHI v0, w
//	    LDG v = [a]
//	    LDG w = [a+0x4]                   LDG w = [a+0x4]
//	    IADD3 a1 = a, 0x4, rz             IADD3 a1 = a, 0x4, rz
//	    @p BRA b2                         @p BRA b2
//
// The next turn's v is read as early as this one's w: where that may be order.go
// says. It works on SSA form. most is how many words of a loop live on for it.
func ReusedLoads(f *ori.Func, body, most int) bool {
	if !f.Props.SSA || body <= 0 || most <= 0 {
		return false
	}
	p := &pipeliner{f: f, a: Bounds{Body: body, Words: most}, tried: map[*ori.Block]bool{}}
	return p.each(func() bool {
		list := p.reuses()
		if len(list) > 0 {
			p.keep(list)
		}
		return len(list) > 0
	})
}

// reuse is a load, and the one of the turn before that brings the same: itself
// where its place does not change.
type reuse struct{ load, same *ori.Instr }

// reuses lists the loads of the loop that another of the turn before did.
func (p *pipeliner) reuses() (list []reuse) {
	p.phis()
	var loads []*ori.Instr
	for _, b := range p.loop.Blocks {
		if p.loops.Of(b) != p.loop || !p.dom.Dominates(b, p.latch) {
			continue
		}
		for i := range b.Instrs {
			if i.Op == op.LDG && len(loads) < mostLoads && i.Guard.Kind == ori.KNone && i.NDst == 1 && i.Args[0].Kind == ori.KReg && i.Args[0] == p.f.Words(i.Args[0].Reg) && p.v.Stable(i.Args[0]) && p.early(i) {
				loads = append(loads, i)
			}
		}
	}
	words := 0
	for _, i := range loads {
		n := slices.IndexFunc(loads, func(j *ori.Instr) bool { return p.brings(i, j) })
		if n < 0 || words+int(i.Args[0].N) > p.a.Words || !p.f.Should("reuse", i) {
			continue
		}
		words += int(i.Args[0].N)
		list = append(list, reuse{i, loads[n]})
	}
	return list
}

// brings reports whether j loads in each turn what i does in the next.
func (p *pipeliner) brings(i, j *ori.Instr) bool {
	if i.Mods != j.Mods || i.Args[0].N != j.Args[0].N || len(i.Args) != len(j.Args) {
		return false
	}
	p.steps = maxSteps
	for k := 1; k < len(i.Args); k++ {
		a, b := i.Args[k], j.Args[k]
		by := int64(0)
		if a.Kind == ori.KAddr && b.Kind == ori.KAddr {
			by = b.Imm - a.Imm
			a.Imm, b.Imm = 0, 0
		}
		if by != 0 && a == b && p.grows(a, by) {
			continue
		}
		if by != 0 || !p.becomes(a, b) {
			return false
		}
	}
	return true
}

// grows reports whether a pointer is so many bytes more in the next turn.
func (p *pipeliner) grows(a ori.Operand, by int64) bool {
	if !a.HasReg() || a.Class != ori.R || a.N != 2 {
		return false
	}
	var b [2]word
	for k := range b {
		d, s := p.from(wordOf(a, k))
		if s != turning {
			return false
		}
		var ok bool
		if b[k], ok = p.turned(d, wordOf(a, k), p.back); !ok {
			return false
		}
	}
	lo, s := p.from(b[0])
	hi, t := p.from(b[1])
	if s != computed || t != computed || lo.Op != op.IADD3 || lo.Mods != (op.Mods{}) || len(lo.Args) != 5 || lo.NDst != 2 || lo.Guard.Kind != ori.KNone ||
		hi.Op != op.IADD3 || hi.Mods != op.M(op.MX) || len(hi.Args) != 6 || hi.NDst != 1 || hi.Guard.Kind != ori.KNone {
		return false
	}
	c, ok := opt.ConstantOf(lo.Args[3])
	h, known := opt.ConstantOf(hi.Args[2])
	is := func(o ori.Operand, w word) bool { return o.Kind == ori.KReg && o.Flags == 0 && wordOf(o, 0) == w }
	return ok && known && int64(uint64(h)<<32|uint64(c)) == by && lo.Args[4].Kind == ori.KZero && hi.Args[3].Kind == ori.KZero && hi.Args[4] == lo.Args[1] && hi.Args[5].Kind == ori.KZero &&
		is(lo.Args[2], wordOf(a, 0)) && is(hi.Args[1], wordOf(a, 1)) && wordOf(lo.Args[0], 0) == b[0] && wordOf(hi.Args[0], 0) == b[1]
}

// becomes reports whether b of this turn is what a will be in the next.
func (p *pipeliner) becomes(a, b ori.Operand) bool {
	return p.alike(a, b, func(x, y word) bool {
		d, s := p.from(x)
		switch s {
		case outside:
			return x == y
		case turning:
			next, ok := p.turned(d, x, p.back)
			return ok && p.equal(next, y)
		case constant:
			return x == y || p.same(d, x, y, p.becomes)
		case computed:
			return p.same(d, x, y, p.becomes)
		}
		return false
	})
}

// equal reports whether two words are the same, or computed from the same.
func (p *pipeliner) equal(x, y word) bool {
	if x == y {
		return true
	}
	d, s := p.from(x)
	return (s == computed || s == constant) && p.same(d, x, y, func(a, b ori.Operand) bool { return p.alike(a, b, p.equal) })
}

// alike compares two operands word by word.
func (p *pipeliner) alike(a, b ori.Operand, words func(x, y word) bool) bool {
	if !a.HasReg() || !b.HasReg() {
		return a == b
	}
	for k := range wordsIn(&a) {
		if !words(wordOf(a, k), wordOf(b, k)) {
			return false
		}
	}
	a.Reg, a.Sub = b.Reg, b.Sub
	return a == b
}

// same reports whether y is computed as d computes x, of sources that compare so.
func (p *pipeliner) same(d *ori.Instr, x, y word, sources func(a, b ori.Operand) bool) bool {
	e, s := p.from(y)
	if p.steps--; p.steps <= 0 || s == unknown || s == other || s == turning || e.Op != d.Op || e.Mods != d.Mods || e.NDst != d.NDst || len(e.Args) != len(d.Args) ||
		d.Guard.Kind != ori.KNone || e.Guard.Kind != ori.KNone {
		return false
	}
	for k := range d.Dsts() {
		a, b := d.Args[k], e.Args[k]
		if a.Kind != b.Kind || a.Class != b.Class || a.N != b.N {
			return false
		}
		if a.Kind == ori.KReg && a.Reg == x.reg && a.Class == x.class && (b.Reg != y.reg || int(x.sub)-int(a.Sub) != int(y.sub)-int(b.Sub)) {
			return false
		}
	}
	for k := int(d.NDst); k < len(d.Args); k++ {
		if !sources(d.Args[k], e.Args[k]) {
			return false
		}
	}
	return true
}

// keep lets the loop keep what it loaded.
func (p *pipeliner) keep(list []reuse) {
	f, h := p.f, p.loop.Header
	pre := p.before()
	begin := p.begin(pre)
	for _, r := range list {
		i := r.load
		first := p.sent(i, begin)
		if r.same == i {
			first.Args[0] = i.Args[0]
			i.Remove()
			atSources(pre, first)
			continue
		}
		atSources(pre, first)
		for k := range int(i.Args[0].N) {
			phi := h.Prepend(f.NewPhi(f.Word(i.Args[0].Reg, k)))
			phi.Line, phi.Loc = i.Line, i.Loc
			branch.AtEnd(pre, f.NewInstr(op.PHISRC, op.Mods{}, nil, []ori.Operand{ori.Label(h), phi.Args[1], f.Word(first.Args[0].Reg, k)}))
			branch.AtEnd(p.latch, f.NewInstr(op.PHISRC, op.Mods{}, nil, []ori.Operand{ori.Label(h), phi.Args[1], f.Word(r.same.Args[0].Reg, k)}))
		}
		i.Remove()
	}
}
