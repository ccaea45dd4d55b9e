package ahead

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Why a load may be done a turn earlier than the source does it.
//
// A load of global memory that is neither volatile nor strong (PTX ISA, memory
// consistency model) reads what the last write before it in causality order
// wrote, if no write races with it. Between the place where it is done now and
// the place where it was, its own thread passes the rest of one turn and the
// start of the next. It would read something else only if a write came before
// the old place and not before the new one.
//
//   - A write of its own thread would have to stand in the loop. So the loop
//     holds none that may touch global memory (look).
//   - A write of another thread comes before the old place through something
//     by which that thread told this one of it, and this one took note between
//     the places. Fences, atomics, strong and volatile accesses, mbarriers,
//     barriers of clusters and calls are such, so loops with any of them are
//     left alone (look); barriers of the block and of the warp are others,
//     and loops of tiles are full of those.
//   - What a barrier of the block or of the warp tells are writes that other
//     threads of the block did before they came to theirs, be it in this loop
//     or elsewhere, and writes that these had been told of. If no way leads from a
//     write of global memory to a barrier anywhere in the kernel, there are
//     none of the first kind; if nothing in the kernel takes note of other
//     threads but barriers, there are none of the second (quiet): a chain of
//     causality order from a write of this kernel begins with a barrier behind
//     it, and one from somebody else enters the block with an acquire, a
//     strong or volatile read, an atomic that answers, a fence, or a wait for the
//     grids before. Whoever waits for these itself before the loop is told
//     nothing by others that wait too.
//
// What is read by ld.global.nc nobody writes while the kernel runs: that may
// pass all of these.
//
// The load reads no more addresses than before: the first turn's is done where
// the loop is certainly entered, and in turns without another exit than the
// test at their end every turn comes to it (takes, candidates).

// traffic is what a loop does to memory.
type traffic struct {
	writes bool // to what may be global memory
	meets  bool // threads of the block or of the warp meet
	other  bool // what loads keep their places beside
}

// look tells what the loop does to memory.
func (p *pipeliner) look() (t traffic) {
	for _, b := range p.loop.Blocks {
		for i := range b.Instrs {
			a, ok := flow.AccessOf(i)
			switch {
			case p.f.CallsRoutine(i):
			case meets(i):
				t.meets = true
			case ok && (a.Strict || i.Op.Has(op.Atomic|op.Updates|op.Ordered)), !ok && i.Op.Has(op.Effect), i.Op == op.CALL:
				t.other = true
				return t
			case ok && a.Write && a.Space&op.SpaceGlobal != 0:
				t.writes = true
			}
		}
	}
	return t
}

// meets reports whether threads wait for each other at i, and for nothing else.
func meets(i *ori.Instr) bool { return i.Op == op.BAR || i.Op == op.WARPSYNC }

// early reports whether a load of the loop may be done a turn earlier.
func (p *pipeliner) early(i *ori.Instr) bool {
	a, ok := flow.AccessOf(i)
	if !ok || !a.Plain || a.Write || a.Strict {
		return false
	}
	return a.Frozen || !p.busy.writes && (!p.busy.meets || p.quiet())
}

// quiet reports whether no thread that comes to a barrier has written global
// memory before, or has been told of what others wrote.
func (p *pipeliner) quiet() bool {
	if p.calm == 0 {
		p.calm = -1
		if p.silent() {
			p.calm = 1
		}
	}
	return p.calm > 0
}

func (p *pipeliner) silent() bool {
	if !p.f.Kernel || p.f.Props.HasCalls {
		return false
	}
	var from []*ori.Block // that other blocks behind a write follow
	for _, b := range p.dom.Order.Blocks {
		written := false
		for i := range b.Instrs {
			a, ok := flow.AccessOf(i)
			switch {
			case meets(i):
				if written {
					return false
				}
			case harmless(i), p.f.CallsRoutine(i), i.Op == op.ACQBULK && p.waited():
			case i.Op.Has(op.Atomic | op.Effect), i.Op == op.CALL, ok && (a.Strict || i.Op.Has(op.Ordered)) && i.Op != op.REDG:
				return false
			case ok && a.Write && a.Space&op.SpaceGlobal != 0:
				written = true
			}
		}
		if written {
			from = append(from, b.Succs...)
		}
	}
	seen := make([]bool, p.f.NumBlocks())
	for len(from) > 0 {
		b := from[len(from)-1]
		from = from[:len(from)-1]
		if seen[b.ID] {
			continue
		}
		seen[b.ID] = true
		for i := range b.Instrs {
			if meets(i) {
				return false
			}
		}
		from = append(from, b.Succs...)
	}
	return true
}

// waited reports whether threads wait for the grids before on all ways to the loop.
func (p *pipeliner) waited() bool {
	for _, b := range p.dom.Order.Blocks {
		if p.in[b] || !p.dom.Dominates(b, p.loop.Header) {
			continue
		}
		for i := range b.Instrs {
			if i.Op == op.ACQBULK && i.Guard.Kind == ori.KNone {
				return true
			}
		}
	}
	return false
}

// harmless reports whether i writes no global memory and takes no note of what
// others do, though it keeps its place: copies to shared memory, waits for
// these, exits.
func harmless(i *ori.Instr) bool {
	switch i.Op {
	case op.LDGSTS, op.LDGDEPBAR, op.DEPBAR, op.NOP, op.EXIT:
		return true
	}
	return false
}
