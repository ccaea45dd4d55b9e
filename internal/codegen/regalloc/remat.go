package regalloc

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/keyed"
)

// Some values are cheaper to make again than to keep in memory: constants
// anywhere, and what one instruction makes of other registers wherever these
// still hold what it read. They do if they live there and were not written
// while the value lived. One register of the same file is kept alive for this,
// in the value's place, where there are registers for all; one of a file that
// is still to be allocated is, if it is the only one: the value itself would
// go there.

// reads reports whether instruction n of p reads a register.
func reads(p *Problem, n int32) bool {
	return slices.ContainsFunc(p.Operands(int(n)), isSource)
}

// isSource reports whether an instruction is repeated with operand o.
func isSource(o Operand) bool { return o.Role == Use || o.Role == UseLate }

// settle returns p without the promise that a value of the file that press is about can
// be made again from others where that is no longer so. orig is the caller's problem. Words may
// live on in place of those that are made from them where longer says so: round after round of
// that might not end.
func settle(orig, p *Problem, press *fat, longer bool) *Problem {
	live := press.live
	var list []int32
	follow := make([]bool, len(p.VRegs)) // those and what they are made from
	for v := range p.VRegs {
		if x := &p.VRegs[v]; x.Derived && x.Class == press.class {
			list = append(list, int32(v))
			follow[v] = true
			for _, o := range orig.Operands(int(x.Remat)) {
				follow[o.V] = true
			}
		}
	}
	if len(list) == 0 {
		return p
	}
	var read, wrote []keyed.Pair
	for n := range p.Insts {
		for _, o := range p.Operands(n) {
			if o.Role == Hold || !follow[o.V] {
				continue
			}
			if o.Role.Reads() {
				read = append(read, keyed.Pair{Key: o.V, Item: int32(n)})
			}
			if o.Role.Writes() {
				wrote = append(wrote, keyed.Pair{Key: o.V, Item: int32(n)})
			}
		}
	}
	s := &settler{orig: orig, p: p, live: live, longer: longer, fits: press.excess() == 0, read: keyed.Collect(read, len(p.VRegs)), wrote: keyed.Collect(wrote, len(p.VRegs))}
	longerLives := map[int32][]Operand{} // of what is made again, what would live on for that
	q := p
	lose := func(v int32) {
		if q == p { // saved solutions know p as it is
			c := *p
			c.VRegs = slices.Clone(p.VRegs)
			q = &c
		}
		q.VRegs[v].Remat, q.VRegs[v].Derived = -1, false
	}
	for _, v := range list {
		if from, ok := s.holds(v); !ok {
			lose(v)
		} else if len(from) > 0 {
			longerLives[v] = from
		}
	}
	press.longer = longerLives
	if s.fits || len(longerLives) == 0 {
		return q
	}
	shared := map[Operand]int{}
	for _, from := range longerLives {
		for _, o := range from {
			shared[o]++
		}
	}
	for _, v := range list {
		from := slices.DeleteFunc(slices.Clone(longerLives[v]), func(o Operand) bool { return shared[o] >= mostShare })
		switch {
		case len(from) == 0: // what one word more costs does not count beside so many less
		case s.mostly(v, from):
			if press.instead == nil {
				press.instead = map[int32][]Operand{}
			}
			press.instead[v] = from
		default:
			lose(v)
		}
	}
	return q
}

// settler knows who reads and writes what.
type settler struct {
	orig, p     *Problem
	live        *ranges
	longer      bool // words may live on in place of others
	fits        bool // nowhere live more words than there are registers
	read, wrote keyed.Lists
}

// holds reports whether v can be made again wherever it is read, and what of its file
// lives there in its place then, where it does not anyway.
func (s *settler) holds(v int32) (from []Operand, ok bool) {
	longer, instead := 0, 0
	for _, o := range s.orig.Operands(int(s.p.VRegs[v].Remat)) {
		if !isSource(o) {
			continue
		}
		if o.V == v {
			return nil, false
		}
		for _, n := range s.wrote.Of(int(o.V)) {
			if s.live.at(Operand{V: v, Sub: 0, N: s.p.VRegs[v].Width, Role: Use}, perInst*n+atClobber) != 0 {
				return nil, false
			}
		}
		x, class := &s.p.VRegs[o.V], s.p.VRegs[v].Class
		if s.everywhere(v, o) || x.Class == class && x.Remat >= 0 && !x.Derived {
			continue
		}
		if x.Class == class && s.replaces(o) {
			instead += int(o.N)
			from = append(from, o)
			continue
		}
		if x.Class <= class || s.p.Files[x.Class].Held || len(s.wrote.Of(int(o.V))) == 0 {
			return nil, false
		}
		if int(x.Class) == s.p.Files[class].SpillTo {
			longer += int(o.N)
		}
	}
	return from, longer <= 1 && instead <= int(s.p.VRegs[v].Width)
}

// mostly reports whether what v is made again from lives in nearly all of the places where v does.
func (s *settler) mostly(v int32, from []Operand) bool {
	all, left := int32(0), int32(0)
	do := func(from, to int32) { left += to - from }
	for _, o := range from {
		more := do
		do = func(from, to int32) { s.live.during(o, from, to, more) }
	}
	for _, x := range s.live.of(v, 0) {
		all += x.to - x.from
		do(x.from, x.to)
	}
	return left*mostShare >= all*(mostShare-1)
}

// mostShare is of how many parts of its life a value may lack one of those it is made again from, and how many
// values for which a word lives on are worth that.
const mostShare = 4

// replaces reports whether the words of o can live where v does: nothing is
// gained there, but nothing is lost anywhere.
func (s *settler) replaces(o Operand) bool {
	return (s.longer || s.fits) && len(s.wrote.Of(int(o.V))) > 0
}

// everywhere reports whether the words of o live wherever v is read.
func (s *settler) everywhere(v int32, o Operand) bool {
	for _, n := range s.read.Of(int(v)) {
		if s.live.at(o, perInst*n+atUse) != o.N {
			return false
		}
	}
	return true
}

// at counts the words of o that live at a point.
func (r *ranges) at(o Operand, point int32) (n uint8) {
	for w := o.Sub; w < o.Sub+o.N; w++ {
		spans := r.of(o.V, w)
		k, _ := slices.BinarySearchFunc(spans, point, func(s span, at int32) int { return int(s.to - 1 - at) })
		if k < len(spans) && spans[k].from <= point {
			n++
		}
	}
	return n
}

// during calls do with every run of points of [from, to) at which all words of o live.
func (r *ranges) during(o Operand, from, to int32, do func(from, to int32)) {
	for w := o.Sub + 1; w < o.Sub+o.N; w++ {
		all := do
		do = func(from, to int32) { r.during(Operand{V: o.V, Sub: w, N: 1}, from, to, all) }
	}
	for _, s := range r.of(o.V, o.Sub) {
		if lo, hi := max(s.from, from), min(s.to, to); lo < hi {
			do(lo, hi)
		}
	}
}

// mostMade is how many values may have to be made again for one.
const mostMade = 3

// chained takes from p the promise that the last of many values can be made
// again, each from the one before, that are spilled together: it has a home. So
// has one that is made from what longer says would live on for it, and is spilled, too:
// that has a home where it lives now.
func chained(p, orig *Problem, spill []*split, longer map[int32][]Operand) *Problem {
	const open = -1 // it is being counted
	deep := map[int32]int{}
	q := p
	lose := func(v int32) {
		if q == p { // saved solutions know p as it is
			c := *p
			c.VRegs = slices.Clone(p.VRegs)
			q = &c
		}
		q.VRegs[v].Remat, q.VRegs[v].Derived = -1, false
	}
	spilled := func(o Operand) bool {
		return slices.ContainsFunc(spill, func(x *split) bool { return x.v == o.V })
	}
	for _, x := range spill {
		switch {
		case !p.VRegs[x.v].Derived:
		case slices.ContainsFunc(longer[x.v], spilled):
			lose(x.v)
		default:
			deep[x.v] = 0
		}
	}
	var count func(v int32) int
	count = func(v int32) int {
		if n, ok := deep[v]; !ok || n != 0 {
			return max(0, n)
		}
		deep[v] = open
		n := 1
		for _, o := range orig.Operands(int(p.VRegs[v].Remat)) {
			if isSource(o) {
				n += count(o.V)
			}
		}
		if n > mostMade {
			lose(v)
			delete(deep, v)
			return 0
		}
		deep[v] = n
		return n
	}
	for _, x := range spill {
		count(x.v)
	}
	return q
}

// sources lists the operands with which instruction remat is repeated into d
// before instruction n.
func (w *rewriter) sources(remat int32, d Operand, n int32) []Operand {
	ops := []Operand{d}
	for _, o := range w.s.orig.Operands(int(remat)) {
		if !isSource(o) {
			continue
		}
		switch h := &w.homes[o.V]; {
		case h.spilled && h.piece >= 0:
			o.V = h.piece
		case h.spilled:
			w.read(&o, n, -1)
		case w.constant(o.V) && w.old.VRegs[o.V].Class == w.vregs[d.V].Class && w.s.live.at(o, perInst*n+atUse) != o.N:
			x := &w.old.VRegs[o.V]
			t := w.temp(o.V, 0, x.Width)
			w.s.sol.Reloads++
			w.emit(Inst{Kind: Remat, Orig: x.Remat, Slot: -1}, Operand{V: t, Sub: 0, N: x.Width, Role: Def})
			o.V = t
		}
		ops = append(ops, o)
	}
	return ops
}

// constant reports whether v is made again from nothing.
func (w *rewriter) constant(v int32) bool {
	return w.old.VRegs[v].Remat >= 0 && !w.old.VRegs[v].Derived
}
