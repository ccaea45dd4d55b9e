package regalloc

import (
	"math"
	mathbits "math/bits"

	"github.com/goptxas/goptxas/internal/engine/bits"
)

// excess knows the points at which more words live than there are
// registers, and by how many, while words are taken away. Points that are
// not overfull never become so and are forgotten. Points come in chunks of
// 64; what is taken from all points of a chunk is noted once, until the
// first of them may no longer be overfull, so that taking a word away costs
// by the chunk and not by the point.
type excess struct {
	points bits.Set
	by     []int32 // of each overfull point, before what its chunk notes
	lazy   []int32 // of each chunk, what was taken from all its points
	least  []int32 // of each chunk, no overfull point has by below this
}

func newExcess(words, room []int32) excess {
	e := excess{points: bits.NewSet(len(words)), by: make([]int32, len(words))}
	e.lazy, e.least = make([]int32, len(e.points)), make([]int32, len(e.points))
	for n := range e.least {
		e.least[n] = math.MaxInt32
	}
	for k, w := range words {
		if d := w - room[k]; d > 0 {
			e.points.Add(k)
			e.by[k] = d
			e.least[k>>6] = min(e.least[k>>6], d)
		}
	}
	return e
}

// less takes one word away from every point of [from, to).
func (e *excess) less(from, to int32) {
	lo, hi, first, last := bits.Ends(from, to)
	for n := lo; n <= hi; n++ {
		mask := ^uint64(0)
		if n == lo {
			mask = first
		}
		if n == hi {
			mask &= last
		}
		switch all := e.points[n]; {
		case all&mask == 0:
		case all&^mask == 0:
			if e.lazy[n]++; e.lazy[n] >= e.least[n] {
				e.settle(n)
			}
		default:
			e.some(n, all&mask)
		}
	}
}

// some takes one word away from some points of a chunk.
func (e *excess) some(n int32, which uint64) {
	for ; which != 0; which &= which - 1 {
		k := n<<6 + int32(mathbits.TrailingZeros64(which))
		if e.by[k]--; e.by[k] <= e.lazy[n] {
			e.points.Del(int(k))
		} else {
			e.least[n] = min(e.least[n], e.by[k])
		}
	}
}

// settle applies what a chunk noted to its points.
func (e *excess) settle(n int32) {
	least := int32(math.MaxInt32)
	for left := e.points[n]; left != 0; left &= left - 1 {
		k := n<<6 + int32(mathbits.TrailingZeros64(left))
		if e.by[k] -= e.lazy[n]; e.by[k] <= 0 {
			e.points.Del(int(k))
		} else {
			least = min(least, e.by[k])
		}
	}
	e.least[n], e.lazy[n] = least, 0
}
