package flow

import (
	"slices"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
)

// Index lists, for every register, the instructions that write it and those
// that read it (addresses and guards too), in the order of the code, once for
// each operand. It is as the function was when it was made.
type Index struct {
	Defs, Uses [][]*ori.Instr
}

// IndexOf returns the index of a function, in the memory of the one before if the
// function has changed since: who asks again forgets that.
func IndexOf(f *ori.Func) Index {
	if x, ok := f.Recall(ori.FactIndex).(*index); ok {
		return x.Index
	}
	x, ok := f.Former(ori.FactIndex).(*index)
	if !ok {
		x = new(index)
	}
	x.fill(f)
	f.Remember(ori.FactIndex, x)
	return x.Index
}

// index is an index with its memory.
type index struct {
	Index
	lists [][]*ori.Instr
	room  []*ori.Instr
}

// fill makes it the index of f.
func (x *index) fill(f *ori.Func) {
	n := len(f.Regs)
	x.lists = slices.Grow(x.lists[:0], 2*n)[:2*n]
	x.Index = Index{x.lists[:n:n], x.lists[n:]}
	size := pool.Make[int32](f.Scratch(), 2*n)
	total := 0
	operands(f, func(_ *ori.Instr, r ori.Reg, use int) {
		size[2*int(r)+use]++
		total++
	})
	x.room = slices.Grow(x.room[:0], total)[:total]
	room := x.room
	for r := range f.Regs {
		n, m := size[2*r], size[2*r+1]
		x.Defs[r], x.Uses[r], room = room[:0:n], room[n:n:n+m], room[n+m:]
	}
	operands(f, func(i *ori.Instr, r ori.Reg, use int) {
		if use == 0 {
			x.Defs[r] = append(x.Defs[r], i)
		} else {
			x.Uses[r] = append(x.Uses[r], i)
		}
	})
}

// Holds compares with the index of f as it is.
func (x *index) Holds(f *ori.Func) bool {
	var y index
	y.fill(f)
	same := func(a, b [][]*ori.Instr) bool { return slices.EqualFunc(a, b, slices.Equal) }
	return same(x.Defs, y.Defs) && same(x.Uses, y.Uses)
}

// operands visits every register that an instruction writes, with zero, or
// reads, with one.
func operands(f *ori.Func, visit func(i *ori.Instr, r ori.Reg, use int)) {
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			for k := range i.Args {
				if a := &i.Args[k]; a.HasReg() {
					use := 0
					if k >= int(i.NDst) {
						use = 1
					}
					visit(i, a.Reg, use)
				}
			}
			if i.Guard.HasReg() {
				visit(i, i.Guard.Reg, 1)
			}
		}
	}
}
