package build

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Which threads reach an instruction: a branch that only the elected thread follows,
// or that all others do (an exit too), leaves one thread of a warp on one of its ways. Where
// all ways to an instruction begin there, that thread comes alone, through
// whatever branches and loops lie between.

// named is the one thread for which predicate r holds, or fails.
func named(r int32) threads { return elected + 1 + threads(r) }

// meet is who comes to a place from two sides.
func meet(a, b threads) threads {
	switch {
	case a == nobody || a == b:
		return b
	case b == nobody:
		return a
	}
	return anybody
}

// findReaching finds out which threads reach each instruction.
func (l *Builder) findReaching() {
	body := l.Body
	l.reaching = make([]threads, len(body.Instrs)+1)
	work := []int{0}
	come := func(n int, c threads) {
		if m := meet(l.reaching[n], c); m != l.reaching[n] {
			l.reaching[n] = m
			work = append(work, n)
		}
	}
	l.reaching[0] = anybody
	l.leadTo(0) // finds out about tables
	if l.tables {
		for n := range body.Labels {
			come(int(body.Labels[n].At), anybody)
		}
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if n == len(body.Instrs) {
			continue
		}
		in, c := &body.Instrs[n], l.reaching[n]
		if in.Op == isa.WBra {
			come(int(body.Labels[body.Of(in.Args)[0].Ref].At), l.follow(in, c, false))
		}
		if !leaves(in) {
			come(n+1, l.follow(in, c, true))
		}
	}
}

// follow is who of those that come to an instruction goes on behind it, or
// takes a branch.
func (l *Builder) follow(in *sema.Inst, c threads, past bool) threads {
	if in.Guard < 0 || c != anybody || in.Op != isa.WBra && in.Op != isa.WExit && in.Op != isa.WRet {
		return c
	}
	e, not := l.elected[in.Guard], in.GuardNot != past
	switch {
	case !not && e&leader != 0 || not && e&others != 0:
		return elected
	case !not && e&single != 0 || not && e&rest != 0:
		return named(in.Guard)
	}
	return anybody
}

// leadTo lists the branches to a label before instruction n; not known is who
// leads there if branches find their labels in a table.
func (l *Builder) leadTo(n int) (list []int, known bool) {
	if l.ways == nil {
		l.ways = map[int][]int{}
		for k := range l.Body.Labels {
			l.ways[int(l.Body.Labels[k].At)] = []int{}
		}
		for k := range l.Body.Instrs {
			switch in := &l.Body.Instrs[k]; in.Op {
			case isa.WBra:
				to := int(l.Body.Labels[l.Body.Of(in.Args)[0].Ref].At)
				l.ways[to] = append(l.ways[to], k)
			case isa.WBrx:
				l.tables = true
			}
		}
	}
	list, labelled := l.ways[n]
	return list, !labelled || !l.tables
}

// leaves reports whether nobody comes to what stands behind in from there.
func leaves(in *sema.Inst) bool {
	switch in.Op {
	case isa.WBra, isa.WExit, isa.WRet, isa.WTrap:
		return in.Guard < 0
	}
	return false
}
