package dag

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/target"
)

// Where exponentials take most of the time, as in the softmax of attention,
// all rows have equal paths, and by paths alone the rows go side by side: the
// maxima of all of them are found before the first exponential can begin.
// There the unit is given to one row after the other: the paths of a row that
// has its turn early are longer by the time that the unit is busy for those
// behind it.

// TakeTurns lengthens the heights of a graph by the time that the special
// function unit is busy with what comes later, and reports whether it did.
func (b *Grapher) TakeTurns(g *Graph) bool {
	ops, each := b.Exponentials(g)
	if ops == nil {
		return false
	}
	g.look = mostLook
	turn := b.turnsOf(g)
	if several(ops, turn, b.tune.Turns.Few) < b.Turns {
		return false
	}
	slices.SortStableFunc(ops, func(x, y int32) int { // the last one first
		return cmp.Or(
			cmp.Compare(turn[y], turn[x]),
			cmp.Compare(min(len(g.Succs[x]), b.tune.Turns.Reads), min(len(g.Succs[y]), b.tune.Turns.Reads)),
			cmp.Compare(y, x),
		)
	})
	end := int32(0)
	for _, k := range ops {
		end = max(end+each, g.Height[k])
		g.Height[k] = end
	}
	g.heights()
	return true
}

// Exponentials returns the operations of the special function unit, if they
// keep it busy for most of the time, and how long each of them does.
func (b *Grapher) Exponentials(g *Graph) (ops []int32, each int32) {
	for k, c := range g.Classes {
		if c == target.ClassXu {
			ops = append(ops, int32(k))
		}
	}
	each = int32(b.Timing.Busy(target.ClassXu, target.ClassXu))
	if n := each * int32(len(ops)); n < int32(b.tune.Turns.Time) || int32(b.tune.Turns.Share)*n < int32(len(g.Instrs)) {
		return nil, each
	}
	return ops, each
}

// turnsOf finds for each instruction the last one before it whose result comes
// at no known time, those of the unit apart, plus one: of the operations of one
// row that is where its maximum was exchanged.
func (b *Grapher) turnsOf(g *Graph) []int32 {
	turn := make([]int32, len(g.Instrs))
	for k := range g.Instrs {
		at := turn[k]
		if c := g.Classes[k]; b.Timing.Variable(c) && c != target.ClassXu && c != target.ClassGmma {
			at = int32(k) + 1
		}
		for _, e := range g.Succs[k] {
			turn[e.To] = max(turn[e.To], at)
		}
	}
	return turn
}

// several counts the turns that have a few operations.
func several(ops, turn []int32, few int) (large int) {
	n := map[int32]int{}
	for _, k := range ops {
		if n[turn[k]]++; n[turn[k]] == few {
			large++
		}
	}
	return large
}
