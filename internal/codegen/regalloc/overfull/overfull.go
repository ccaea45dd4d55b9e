// Package overfull keeps the points of a program at which more words live than
// there are registers.
package overfull

import (
	"math"
	mathbits "math/bits"

	"github.com/goptxas/goptxas/internal/engine/bits"
)

// Points are the points at which more words live than there are
// registers, and by how many, while words are taken away. Points that are
// not overfull never become so and are forgotten. Points come in chunks of
// 64; what is taken from all points of a chunk is noted once, until the
// first of them may no longer be overfull, so that taking a word away costs
// by the chunk and not by the point.
type Points struct {
	Set   bits.Set // those that are overfull
	by    []int32  // of each overfull point, before what its chunk notes
	lazy  []int32  // of each chunk, what was taken from all its points
	least []int32  // of each chunk, no overfull point has by below this
}

// New compares the words that live at each point with the room there is.
func New(words, room []int32) Points {
	e := Points{Set: bits.NewSet(len(words)), by: make([]int32, len(words))}
	e.lazy, e.least = make([]int32, len(e.Set)), make([]int32, len(e.Set))
	for n := range e.least {
		e.least[n] = math.MaxInt32
	}
	for k, w := range words {
		if d := w - room[k]; d > 0 {
			e.Set.Add(k)
			e.by[k] = d
			e.least[k>>6] = min(e.least[k>>6], d)
		}
	}
	return e
}

// Less takes one word away from every point of [from, to).
func (e *Points) Less(from, to int32) {
	lo, hi, first, last := bits.Ends(from, to)
	for n := lo; n <= hi; n++ {
		mask := ^uint64(0)
		if n == lo {
			mask = first
		}
		if n == hi {
			mask &= last
		}
		switch all := e.Set[n]; {
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
func (e *Points) some(n int32, which uint64) {
	for ; which != 0; which &= which - 1 {
		k := n<<6 + int32(mathbits.TrailingZeros64(which))
		if e.by[k]--; e.by[k] <= e.lazy[n] {
			e.Set.Del(int(k))
		} else {
			e.least[n] = min(e.least[n], e.by[k])
		}
	}
}

// settle applies what a chunk noted to its points.
func (e *Points) settle(n int32) {
	least := int32(math.MaxInt32)
	for left := e.Set[n]; left != 0; left &= left - 1 {
		k := n<<6 + int32(mathbits.TrailingZeros64(left))
		if e.by[k] -= e.lazy[n]; e.by[k] <= 0 {
			e.Set.Del(int(k))
		} else {
			least = min(least, e.by[k])
		}
	}
	e.least[n], e.lazy[n] = least, 0
}
