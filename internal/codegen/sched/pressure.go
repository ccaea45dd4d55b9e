package sched

import (
	"math"

	"github.com/goptxas/goptxas/internal/engine/pool"
)

// bound is what an order may have alive at once to be of use.
type bound struct {
	price      int32 // less than this
	general    int32 // words, so many at most
	predicates int32
}

// anyOrder is the bound that all orders keep.
var anyOrder = bound{math.MaxInt32, math.MaxInt32, math.MaxInt32}

// holds reports whether so many words are within the bound.
func (b *bound) holds(c *counts) bool {
	return c[general] <= b.general && c[predicates] <= b.predicates && c.price() < b.price
}

// pressureTally counts the words alive in an order while that is made bottom up.
type pressureTally struct {
	v     *values
	alive []bool // by value
	now   counts // alive before what was placed
	most  counts // alive anywhere so far
}

// begin stands behind the region.
func (t *pressureTally) begin() {
	t.alive = pool.Make[bool](t.v.mem, len(t.v.list))
	t.now = t.v.through
	for x := range t.v.list {
		if y := &t.v.list[x]; y.out {
			t.alive[x] = true
			t.now[y.file] += int32(y.n)
		}
	}
	t.most = t.now
}

// place goes before instruction k, and reports whether more words are alive
// there than anywhere behind it.
func (t *pressureTally) place(k int32) (more bool) {
	for _, x := range t.v.writes.Of(k) {
		if y := &t.v.list[x]; !t.alive[x] { // it takes a word all the same
			t.now[y.file] += int32(y.n)
			more = t.raise(y.file) || more
		}
	}
	for _, x := range t.v.writes.Of(k) {
		y := &t.v.list[x]
		t.now[y.file] -= int32(y.n)
	}
	for _, x := range t.v.reads.Of(k) {
		if y := &t.v.list[x]; !t.alive[x] {
			t.alive[x] = true
			t.now[y.file] += int32(y.n)
			more = t.raise(y.file) || more
		}
	}
	return more
}

// raise notes how many words of a file are alive.
func (t *pressureTally) raise(file uint8) bool {
	if t.now[file] <= t.most[file] {
		return false
	}
	t.most[file] = t.now[file]
	return true
}

// excess is by how much the price of what is alive in an order is more than enough, summed up
// over its instructions.
func (v *values) excess(order []int32, enough int32) (sum int64) {
	defer v.mem.Release(v.mem.Mark())
	t := pressureTally{v: v}
	t.begin()
	for n := len(order) - 1; n >= 0; n-- {
		t.place(order[n])
		sum += int64(max(0, t.now.price()-enough))
	}
	return sum
}
