package sched

import (
	"cmp"
	"math"
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
)

// Judge tells what the order that a function has costs when its registers are
// assigned.
type Judge interface {
	// Guess is quick and near enough to compare orders. It is zero where
	// nowhere more lives than there are registers.
	Guess() float64
	// Price is exact, or infinite if it is more than a bound other than zero.
	Price(most float64) float64
}

// manner is a way to look for orders.
type manner struct {
	far  reach   // of regions
	shy  []int32 // see upward; the first order is taken, and others if they need less
	less int32   // so many registers are left to runs that find no place
}

// manners are tried where registers run out, those over fences only with
// products of matrices. Of those that seem equal the first are judged.
var manners = [...]manner{
	{far: overBarriers, shy: []int32{4}}, {far: overFences, shy: []int32{4}}, {far: overFences, less: 12}, {shy: []int32{4}, less: 12}, {shy: []int32{4}}, {shy: []int32{0, 1, 4}},
}

// mostTried is the size of functions of which several orders are tried.
const mostTried = 8000

// nearlyFull is the part of the registers that may be left where runs of them
// find no place all the same.
const nearlyFull = 6

// mostJudged is how many orders are given registers to tell them apart.
const mostJudged = 3

// likely is how much the guess about an order may be that is given registers,
// if the least is so much: some words more are no more than chance.
func likely(least float64) float64 { return 1.1*least + 4 }

// surely is the guess from which no luck of the allocator saves an order from
// spilling.
const surely = 50

// candidate is an order with what it is guessed to cost.
type candidate struct {
	order [][]*ori.Instr
	guess float64
}

// try takes the cheapest of several orders, unless that which f has costs
// nothing. The study is of the source's order.
func try(f *ori.Func, s *study, budget Budget, source [][]*ori.Instr, judge Judge) {
	list := []candidate{{orderOf(f), judge.Guess()}}
	least := math.Inf(1)
	if list[0].guess == 0 {
		if least = judge.Price(0); least == 0 {
			return
		}
	}
	products := multiplies(f)
	for _, m := range manners {
		if m.far == overFences && !products {
			continue
		}
		restore(f, source)
		s.presser(budget, m).arrange(f)
		f.Touch()
		x := candidate{order: orderOf(f)}
		if !slices.ContainsFunc(list, func(y candidate) bool { return same(x.order, y.order) }) {
			x.guess = judge.Guess()
			list = append(list, x)
		}
	}
	restore(f, choose(f, list, least, judge))
}

// choose judges the candidates of which the guess is good, and returns the
// cheapest. What the first costs is known if it is finite.
func choose(f *ori.Func, list []candidate, first float64, judge Judge) [][]*ori.Instr {
	best, least := list[0].order, first
	if !math.IsInf(first, 1) {
		list = list[1:]
	}
	slices.SortStableFunc(list, func(x, y candidate) int { return cmp.Compare(x.guess, y.guess) })
	// of orders that would spill as much the first is as good as any
	list = slices.CompactFunc(list, func(x, y candidate) bool { return x.guess == y.guess && x.guess > surely })
	n := 0
	for n < len(list) && n < mostJudged && list[n].guess <= likely(list[0].guess) {
		n++
	}
	if n == 1 && math.IsInf(first, 1) {
		return list[0].order
	}
	for _, x := range list[:n] {
		restore(f, x.order)
		bound := least
		if math.IsInf(bound, 1) {
			bound = 0
		}
		if c := judge.Price(bound); c < least {
			best, least = x.order, c
		}
		if least == 0 {
			break
		}
	}
	return best
}

// same tells whether two orders are one.
func same(x, y [][]*ori.Instr) bool {
	return slices.EqualFunc(x, y, func(a, b []*ori.Instr) bool { return slices.Equal(a, b) })
}

// sizeOf counts the instructions of f.
func sizeOf(f *ori.Func) (n int) {
	for _, b := range f.Blocks {
		n += b.Len()
	}
	return n
}

// orderOf lists the instructions of every block.
func orderOf(f *ori.Func) [][]*ori.Instr {
	list := make([][]*ori.Instr, len(f.Blocks))
	for n, b := range f.Blocks {
		for i := range b.Instrs {
			list[n] = append(list[n], i)
		}
	}
	return list
}

// restore puts the instructions of every block in an order they had.
func restore(f *ori.Func, order [][]*ori.Instr) {
	for n, b := range f.Blocks {
		for _, i := range order[n] {
			i.Remove()
		}
		for _, i := range order[n] {
			b.Append(i)
		}
	}
	f.Touch()
}
