package flow

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
)

// Order is a depth-first numbering of the blocks that the entry reaches.
type Order struct {
	Blocks []*ori.Block // reverse postorder
	Index  []int32      // position of each block ID in Blocks, -1 = not reached
}

// OrderOf numbers the blocks of f in reverse postorder.
func OrderOf(f *ori.Func) *Order {
	o := &Order{Index: make([]int32, f.NumBlocks())}
	for n := range o.Index {
		o.Index[n] = -1
	}
	if len(f.Blocks) == 0 {
		return o
	}
	return o.walk(f.Blocks[0], func(b *ori.Block) []*ori.Block { return b.Succs })
}

// walk fills the order by an explicit-stack depth-first search.
func (o *Order) walk(root *ori.Block, next func(*ori.Block) []*ori.Block) *Order {
	type frame struct {
		b *ori.Block
		n int
	}
	var post []*ori.Block
	stack := []frame{{root, 0}}
	o.Index[root.ID] = 0
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		s := next(top.b)
		if top.n < len(s) {
			t := s[top.n]
			top.n++
			if o.Index[t.ID] < 0 {
				o.Index[t.ID] = 0
				stack = append(stack, frame{t, 0})
			}
			continue
		}
		post = append(post, top.b)
		stack = stack[:len(stack)-1]
	}
	for n := len(post) - 1; n >= 0; n-- {
		o.Index[post[n].ID] = int32(len(o.Blocks))
		o.Blocks = append(o.Blocks, post[n])
	}
	return o
}

// Dom is a dominator tree. Blocks are named by their ID.
type Dom struct {
	Order *Order
	Idom  []int32 // immediate dominator of each block ID, -1 for the root and what it does not reach
	in    []int32 // preorder number in the tree
	out   []int32 // highest preorder number below
}

// DomOf returns the dominator tree of f.
func DomOf(f *ori.Func) *Dom {
	return kept(f, ori.FactDom, func() *Dom { return dominators(f, OrderOf(f)) })
}

// Holds compares with the tree of f as it is.
func (d *Dom) Holds(f *ori.Func) bool {
	x := dominators(f, OrderOf(f))
	return slices.Equal(d.Idom, x.Idom) && slices.Equal(d.Order.Blocks, x.Order.Blocks)
}

// dominators iterates over the reverse postorder until nothing changes
// (Cooper, Harvey, Kennedy).
func dominators(f *ori.Func, o *Order) *Dom {
	d := &Dom{Order: o, Idom: make([]int32, f.NumBlocks())}
	pos := make([]int32, len(o.Blocks)) // immediate dominator by position
	for n := range pos {
		pos[n] = -1
	}
	if len(pos) > 0 {
		pos[0] = 0
	}
	settle(pos, o.Index, func(n int) ([]*ori.Block, int32) { return o.Blocks[n].Preds, -1 })
	for n := range d.Idom {
		d.Idom[n] = -1
	}
	for n := 1; n < len(pos); n++ {
		if pos[n] >= 0 {
			d.Idom[o.Blocks[n].ID] = o.Blocks[pos[n]].ID
		}
	}
	d.number(f)
	return d
}

// settle moves the dominator of every position up to where those that come
// there meet, until nothing changes. comes returns the blocks that do, and the
// position known before, or -1.
func settle(pos, index []int32, comes func(n int) ([]*ori.Block, int32)) {
	for changed := true; changed; {
		changed = false
		for n := 1; n < len(pos); n++ {
			from, best := comes(n)
			for _, b := range from {
				k := index[b.ID]
				if k < 0 || pos[k] < 0 {
					continue
				}
				if best < 0 {
					best = k
				} else {
					best = commonDominator(pos, best, k)
				}
			}
			if best >= 0 && pos[n] != best {
				pos[n], changed = best, true
			}
		}
	}
}

func commonDominator(idom []int32, a, b int32) int32 {
	for a != b {
		for a > b {
			a = idom[a]
		}
		for b > a {
			b = idom[b]
		}
	}
	return a
}

// number gives each block an interval such that a dominates b exactly when
// a's interval contains b's.
func (d *Dom) number(f *ori.Func) {
	kids := make([][]int32, f.NumBlocks())
	for _, b := range d.Order.Blocks {
		if p := d.Idom[b.ID]; p >= 0 {
			kids[p] = append(kids[p], b.ID)
		}
	}
	d.in, d.out = make([]int32, f.NumBlocks()), make([]int32, f.NumBlocks())
	for n := range d.in {
		d.in[n], d.out[n] = -1, -2
	}
	if len(d.Order.Blocks) == 0 {
		return
	}
	next := int32(0)
	type frame struct {
		b int32
		n int
	}
	stack := []frame{{d.Order.Blocks[0].ID, 0}}
	d.in[stack[0].b], next = 0, 1
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.n < len(kids[t.b]) {
			k := kids[t.b][t.n]
			t.n++
			d.in[k] = next
			next++
			stack = append(stack, frame{k, 0})
			continue
		}
		d.out[t.b] = next - 1
		stack = stack[:len(stack)-1]
	}
}

// Dominates reports whether every path from the root to b goes through a.
// A block dominates itself.
func (d *Dom) Dominates(a, b *ori.Block) bool {
	return d.in[a.ID] >= 0 && d.in[a.ID] <= d.in[b.ID] && d.out[b.ID] <= d.out[a.ID] && d.in[b.ID] >= 0
}

// PostDom is the dominator tree of the reversed flow: from every exit
// towards the entry. The exits' common parent is a virtual root that no
// block stands for.
type PostDom struct {
	Ipdom []int32 // immediate post-dominator of each block ID, -1 = the virtual root or none
}

// PostDomOf returns the post-dominators of f. A loop that nothing leaves, or
// that threads leave by exits under a guard inside its blocks, ends where its
// turns do: its threads part and reconverge like all others.
func PostDomOf(f *ori.Func) *PostDom {
	return kept(f, ori.FactPostDom, func() *PostDom { return postDominators(f) })
}

// Holds compares with the post-dominators of f as it is.
func (d *PostDom) Holds(f *ori.Func) bool {
	return slices.Equal(d.Ipdom, postDominators(f).Ipdom)
}

func postDominators(f *ori.Func) *PostDom {
	d := &PostDom{Ipdom: make([]int32, f.NumBlocks())}
	for n := range d.Ipdom {
		d.Ipdom[n] = -1
	}
	w := postWalk{seen: make([]bool, f.NumBlocks()), end: make([]bool, f.NumBlocks())}
	for _, b := range f.Blocks {
		if len(b.Succs) == 0 {
			w.from(b)
		}
	}
	d.settle(&w)
	w.post = w.post[:0]
	// In this order what ends a turn of a loop comes behind all that leads
	// to it. Nothing leads from such loops to the blocks above.
	for _, b := range slices.Backward(OrderOf(f).Blocks) {
		w.from(b)
	}
	d.settle(&w)
	return d
}

// postWalk visits blocks against the flow.
type postWalk struct {
	seen []bool
	end  []bool // walks began here
	post []*ori.Block
}

// from visits all blocks that lead to an end and were not seen yet.
func (w *postWalk) from(end *ori.Block) {
	if w.seen[end.ID] {
		return
	}
	type frame struct {
		b *ori.Block
		n int
	}
	stack := []frame{{end, 0}}
	w.seen[end.ID], w.end[end.ID] = true, true
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.n < len(t.b.Preds) {
			p := t.b.Preds[t.n]
			t.n++
			if !w.seen[p.ID] {
				w.seen[p.ID] = true
				stack = append(stack, frame{p, 0})
			}
			continue
		}
		w.post = append(w.post, t.b)
		stack = stack[:len(stack)-1]
	}
}

// settle finds the post-dominators of the blocks of a walk. Positions: 0 is
// the virtual root, then the blocks in reverse postorder of the reversed
// graph.
func (d *PostDom) settle(w *postWalk) {
	index := make([]int32, len(d.Ipdom))
	for n := range index {
		index[n] = -1
	}
	order := make([]*ori.Block, 1, len(w.post)+1)
	for _, b := range slices.Backward(w.post) {
		index[b.ID] = int32(len(order))
		order = append(order, b)
	}
	pos := make([]int32, len(order))
	for n := 1; n < len(pos); n++ {
		pos[n] = -1
	}
	settle(pos, index, func(n int) ([]*ori.Block, int32) {
		if w.end[order[n].ID] {
			return order[n].Succs, 0
		}
		return order[n].Succs, -1
	})
	for n := 1; n < len(order); n++ {
		if pos[n] > 0 {
			d.Ipdom[order[n].ID] = order[pos[n]].ID
		}
	}
}

// Walk visits the tree from its root, each block before what it dominates.
// mark is asked before a block is entered; when everything below the block was
// visited, leave gets the answer. The stack is explicit: trees can be deep.
func (d *Dom) Walk(enter func(*ori.Block), mark func() int, leave func(int)) {
	if len(d.Order.Blocks) == 0 {
		return
	}
	kids := make([][]*ori.Block, len(d.Idom))
	for _, b := range d.Order.Blocks {
		if p := d.Idom[b.ID]; p >= 0 {
			kids[p] = append(kids[p], b)
		}
	}
	type frame struct {
		kids []*ori.Block // not visited yet
		mark int
	}
	var stack []frame
	visit := func(b *ori.Block) {
		stack = append(stack, frame{kids[b.ID], mark()})
		enter(b)
	}
	visit(d.Order.Blocks[0])
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if len(t.kids) == 0 {
			leave(t.mark)
			stack = stack[:len(stack)-1]
			continue
		}
		b := t.kids[0]
		t.kids = t.kids[1:]
		visit(b)
	}
}
