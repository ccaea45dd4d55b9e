package flow

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
)

// Loop is a natural loop, or the strongly connected part of an irreducible
// one as far as its header dominates it.
type Loop struct {
	Header *ori.Block
	Parent *Loop
	Depth  int // 1 for the outermost
	Blocks []*ori.Block
}

// Loops is the loop nest of a function.
type Loops struct {
	All   []*Loop
	inner []*Loop // innermost loop of each block ID
}

// Of returns the innermost loop around b, or nil.
func (l *Loops) Of(b *ori.Block) *Loop { return l.inner[b.ID] }

// Depth returns how many loops are around b.
func (l *Loops) Depth(b *ori.Block) int {
	if x := l.inner[b.ID]; x != nil {
		return x.Depth
	}
	return 0
}

// LoopsOf returns the loops of f, whose dominators are d.
func LoopsOf(f *ori.Func, d *Dom) *Loops {
	return kept(f, ori.FactLoops, func() *Loops { return findLoops(f, d) })
}

// Holds compares with the loops of f as it is.
func (l *Loops) Holds(f *ori.Func) bool {
	x := findLoops(f, dominators(f, OrderOf(f)))
	return slices.EqualFunc(l.All, x.All, func(a, b *Loop) bool {
		return a.Header == b.Header && a.Depth == b.Depth && slices.Equal(a.Blocks, b.Blocks)
	})
}

// findLoops makes one loop of each header of a back edge (one that leads to
// a block dominating its source); headers later in the reverse postorder are
// inner ones and are found first.
func findLoops(f *ori.Func, d *Dom) *Loops {
	l := &Loops{inner: make([]*Loop, f.NumBlocks())}
	order := d.Order.Blocks
	for n := len(order) - 1; n >= 0; n-- {
		h := order[n]
		var work []*ori.Block
		for _, p := range h.Preds {
			if d.Order.Index[p.ID] >= 0 && d.Dominates(h, p) {
				work = append(work, p)
			}
		}
		if len(work) == 0 {
			continue
		}
		l.collect(&Loop{Header: h}, work, d)
	}
	for _, x := range l.All {
		for p := x; p != nil; p = p.Parent {
			x.Depth++
		}
	}
	return l
}

// collect walks backwards from the latches to the header. A block already
// in an inner loop stands for that whole loop.
func (l *Loops) collect(x *Loop, work []*ori.Block, d *Dom) {
	l.All = append(l.All, x)
	add := func(b *ori.Block) { x.Blocks = append(x.Blocks, b) }
	inside := map[*ori.Block]bool{x.Header: true}
	add(x.Header)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if inside[b] || d.Order.Index[b.ID] < 0 {
			continue
		}
		inside[b] = true
		add(b)
		work = append(work, b.Preds...)
	}
	for _, b := range x.Blocks {
		in := l.inner[b.ID]
		if in == nil {
			l.inner[b.ID] = x
			continue
		}
		for in.Parent != nil && in.Parent != x {
			in = in.Parent
		}
		if in != x {
			in.Parent = x
		}
	}
}
