package build

import (
	"slices"

	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Whether threads gather for a .sync instruction from several places is known
// once all of the function stands, and of its kernel. So the instruction is
// lowered to what it is by itself, between two marks, and what stands there
// is replaced by a call where that is needed.

const (
	inPlace    = -1 // it is no call
	linkedCall = -2 // it calls the function that all objects share
)

// Sync lowers the current instruction, one of a kind for which threads
// gather. do lowers it to what it is by itself, call to a call of a routine;
// of the function of all objects if the number is negative.
func (l *Builder) Sync(kind int, full bool, do func(), call func(routine int)) {
	l.F.Syncs = append(l.F.Syncs, ori.Sync{Pos: int32(l.In.Pos), Kind: uint8(kind), Full: full})
	if l.Opts.Linked {
		call(linkedCall)
		return
	}
	s := syncSite{scope: l.Scope, loc: l.Loc, pos: int32(l.In.Pos), kind: kind, call: call, now: inPlace}
	s.begin = l.mark()
	do()
	s.end = l.mark()
	l.syncs = append(l.syncs, s)
}

// mark puts a mark at the end of the current block.
func (l *Builder) mark() *ori.Instr {
	return l.Cur.Append(l.F.NewInstr(op.UNDEF, op.Mods{}, nil, nil))
}

// Unmark takes the marks away: from now on nothing becomes a call.
func (l *Builder) Unmark() {
	for n := range l.syncs {
		l.syncs[n].begin.Remove()
		l.syncs[n].end.Remove()
	}
	l.syncs = nil
}

// Gather makes calls of the .sync instructions for which threads gather from
// several places.
func (l *Builder) Gather(g *routine.Gathers) {
	l.order = slices.Clone(l.order) // l.F.Blocks grows by itself
	for n := len(l.syncs) - 1; n >= 0; n-- {
		s := &l.syncs[n]
		want := inPlace
		switch {
		case g.Linked:
			want = linkedCall
		case g.Has(s.pos, s.kind):
			want = g.RoutineOf(s.kind)
		}
		if want != s.now {
			s.now = want
			l.replace(s)
		}
	}
	l.F.SetBlocks(slices.Clone(l.order))
}

// replace puts the call that an instruction is to be between its marks.
func (l *Builder) replace(s *syncSite) {
	b := s.begin.Block()
	tail, succs, behind := l.cut(s)
	l.Scope, l.Loc, l.Cur = s.scope, s.loc, b
	s.call(s.now)
	for _, i := range tail {
		l.Cur.Append(i)
	}
	for _, t := range succs {
		l.Cur.AddEdge(t)
	}
	l.order = append(l.order, behind...)
}

// cut takes out what stands between the marks of s. It returns what follows:
// the instructions of the block, from the second mark on, where they lead, and the blocks
// that come later in the text.
func (l *Builder) cut(s *syncSite) (tail []*ori.Instr, succs, behind []*ori.Block) {
	b, e := s.begin.Block(), s.end.Block()
	for i := s.end; i != nil; {
		next := i.Next()
		i.Remove()
		tail = append(tail, i)
		i = next
	}
	for s.begin.Next() != nil {
		s.begin.Next().Remove()
	}
	succs = slices.Clone(e.Succs)
	first, last := slices.Index(l.order, b), slices.Index(l.order, e)
	for _, x := range l.order[first : last+1] {
		for len(x.Succs) > 0 {
			x.RemoveEdge(x.Succs[0])
		}
	}
	behind = slices.Clone(l.order[last+1:])
	l.order = l.order[:first+1]
	return tail, succs, behind
}
