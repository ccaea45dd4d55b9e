// Package promises tells which values can be made again wherever they are read, and which no longer.
//
// Some values are cheaper to make again than to keep in memory: constants
// anywhere, and what one instruction makes of other registers wherever these
// still hold what it read. They do if they live there and were not written
// while the value lived. Registers of the same file live on for this in the
// value's place, where there are registers for all, or where they live nearly
// as long or on for many such values; one of a file that is still to be allocated
// does, if it is the only one: the value itself would go there.
package promises

import (
	"math"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/keyed"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/problem"
)

type (
	lists   = keyed.Lists
	Problem = problem.Problem
	Operand = problem.Operand
)

// Lives tells where words live, by points of time.
type Lives interface {
	Read(o Operand, n int32) uint8                             // how many words of o live where instruction n reads
	Across(o Operand, n int32) uint8                           // and through it
	During(o Operand, from, to int32, do func(from, to int32)) // runs of points of [from, to) at which all of them do
}

// Facts say what of its own file lives on for a value that is made again.
type Facts struct {
	Longer  map[int32][]Operand
	Instead map[int32][]Operand // those of them that take its place: nothing is gained there
}

// Reads reports whether instruction n of p reads a register.
func Reads(p *Problem, n int32) bool {
	return slices.ContainsFunc(p.Operands(int(n)), IsSource)
}

// IsSource reports whether an instruction is repeated with operand o.
func IsSource(o Operand) bool { return o.Role == problem.Use || o.Role == problem.UseLate }

// losing is a problem without some promises: saved solutions know it as it was.
type losing struct{ was, now *Problem }

func (l *losing) lose(v int32) {
	if l.now == l.was {
		c := *l.was
		c.VRegs = slices.Clone(l.was.VRegs)
		l.now = &c
	}
	l.now.VRegs[v].Remat, l.now.VRegs[v].Derived = -1, false
}

// Settle returns p without the promise that a value of a file can
// be made again from others where that is no longer so. orig is the caller's problem. Words may
// live on in place of those that are made from them where longer says so, or if all fit anyway: round after
// round of the first might not end.
func Settle(orig, p *Problem, class uint8, live Lives, longer, fits bool) (*Problem, Facts) {
	var list []int32
	follow := make([]bool, len(p.VRegs)) // those and what they are made from
	for v := range p.VRegs {
		if x := &p.VRegs[v]; x.Derived && x.Class == class {
			list = append(list, int32(v))
			follow[v] = true
			for _, o := range orig.Operands(int(x.Remat)) {
				follow[o.V] = true
			}
		}
	}
	if len(list) == 0 {
		return p, Facts{}
	}
	s := &settler{orig: orig, p: p, live: live, longer: longer || fits}
	s.read, s.wrote = accesses(p, follow)
	f, q := Facts{Longer: map[int32][]Operand{}}, losing{p, p}
	shared := map[Operand]int{}
	for _, v := range list {
		from, ok := s.holds(v)
		if !ok {
			q.lose(v)
			continue
		}
		for _, o := range from {
			shared[o]++
			f.Longer[v] = from
		}
	}
	if fits || len(f.Longer) == 0 {
		return q.now, f
	}
	f.Instead = map[int32][]Operand{}
	for _, v := range list {
		from := slices.DeleteFunc(slices.Clone(f.Longer[v]), func(o Operand) bool { return shared[o] >= mostShare })
		switch {
		case len(from) == 0: // what one word more costs does not count beside so many less
		case s.mostly(v, from):
			f.Instead[v] = from
		default:
			q.lose(v)
		}
	}
	return q.now, f
}

// accesses lists who reads and writes the registers that are followed.
func accesses(p *Problem, follow []bool) (readers, writers lists) {
	var read, wrote []keyed.Pair
	for n := range p.Insts {
		for _, o := range p.Operands(n) {
			if o.Role == problem.Hold || !follow[o.V] {
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
	return keyed.Collect(read, len(p.VRegs)), keyed.Collect(wrote, len(p.VRegs))
}

// settler knows who reads and writes what.
type settler struct {
	orig, p     *Problem
	live        Lives
	longer      bool // words may live on in place of others
	read, wrote lists
}

// holds reports whether v can be made again wherever it is read, and what of its file
// lives there in its place then, where it does not anyway.
func (s *settler) holds(v int32) (from []Operand, ok bool) {
	longer, instead := 0, 0
	for _, o := range s.orig.Operands(int(s.p.VRegs[v].Remat)) {
		if !IsSource(o) {
			continue
		}
		if o.V == v {
			return nil, false
		}
		for _, n := range s.wrote.Of(int(o.V)) {
			if s.live.Across(Operand{V: v, N: s.p.VRegs[v].Width}, n) != 0 {
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
		do = func(from, to int32) { s.live.During(o, from, to, more) }
	}
	s.live.During(Operand{V: v, N: 1}, 0, math.MaxInt32, func(from, to int32) {
		all += to - from
		do(from, to)
	})
	return left*mostShare >= all*(mostShare-1)
}

// mostShare is of how many parts of its life a value may lack one of those it is made again from, and how many
// values for which a word lives on are worth that.
const mostShare = 4

// replaces reports whether the words of o can live where v does: nothing is
// gained there, but nothing is lost anywhere.
func (s *settler) replaces(o Operand) bool {
	return s.longer && len(s.wrote.Of(int(o.V))) > 0
}

// everywhere reports whether the words of o live wherever v is read.
func (s *settler) everywhere(v int32, o Operand) bool {
	for _, n := range s.read.Of(int(v)) {
		if s.live.Read(o, n) != o.N {
			return false
		}
	}
	return true
}

// mostMade is how many values may have to be made again for one.
const mostMade = 3

// Chained takes from p the promise that the last of many values can be made
// again, each from the one before, that are spilled together: it has a home. So
// has one that is made from what longer says would live on for it, and is spilled, too:
// that has a home where it lives now.
func Chained(p, orig *Problem, spill []int32, longer map[int32][]Operand) *Problem {
	const open = -1 // it is being counted
	deep := map[int32]int{}
	q := losing{p, p}
	spilled := func(o Operand) bool { return slices.Contains(spill, o.V) }
	for _, v := range spill {
		switch {
		case !p.VRegs[v].Derived:
		case slices.ContainsFunc(longer[v], spilled):
			q.lose(v)
		default:
			deep[v] = 0
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
			if IsSource(o) {
				n += count(o.V)
			}
		}
		if n > mostMade {
			q.lose(v)
			delete(deep, v)
			return 0
		}
		deep[v] = n
		return n
	}
	for _, v := range spill {
		count(v)
	}
	return q.now
}
