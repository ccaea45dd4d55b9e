package liveness

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/keyed"
)

// Summary is what blocks do with words, and the paths between them: all that it
// depends on what lives between blocks.
type Summary struct {
	edges   []keyed.Pair // between blocks
	touches []keyed.Pair // of words, block by block: what the block does with them
	start   []int32      // of each block, the first of its touches, and the end of all
}

// Summarise copies the paths, and what so many blocks do with words: block<<Actions
// with what happens there, block by block.
func Summarise(edges, touches []keyed.Pair, blocks int) *Summary {
	x := &Summary{slices.Clone(edges), slices.Clone(touches), make([]int32, blocks+1)}
	for _, t := range x.touches {
		x.start[t.Item>>Actions+1]++
	}
	for b := range blocks {
		x.start[b+1] += x.start[b]
	}
	return x
}

// HasPaths reports whether these are the paths between so many blocks.
func (x *Summary) HasPaths(edges []keyed.Pair, blocks int) bool {
	return len(x.start) == blocks+1 && slices.Equal(x.edges, edges)
}

// Does reports whether a block that touches so many words does this with them.
func (x *Summary) Does(b, words int, does func(w int32) (uint8, bool)) bool {
	list := x.touches[x.start[b]:x.start[b+1]]
	return len(list) == words && !slices.ContainsFunc(list, func(t keyed.Pair) bool {
		d, touched := does(t.Key)
		return !touched || int32(d) != t.Item&(1<<Actions-1)
	})
}
