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
	total := counted(f, size[:n], size[n:])
	x.room = slices.Grow(x.room[:0], total)[:total]
	room := x.room
	for r := range f.Regs {
		n, m := size[r], size[n+r]
		x.Defs[r], x.Uses[r], room = room[:0:n], room[n:n:n+m], room[n+m:]
	}
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			for k := range i.Args {
				if a := &i.Args[k]; !a.HasReg() {
				} else if k < int(i.NDst) {
					x.Defs[a.Reg] = append(x.Defs[a.Reg], i)
				} else {
					x.Uses[a.Reg] = append(x.Uses[a.Reg], i)
				}
			}
			if i.Guard.HasReg() {
				x.Uses[i.Guard.Reg] = append(x.Uses[i.Guard.Reg], i)
			}
		}
	}
}

// Holds compares with the index of f as it is.
func (x *index) Holds(f *ori.Func) bool {
	var y index
	y.fill(f)
	same := func(a, b [][]*ori.Instr) bool { return slices.EqualFunc(a, b, slices.Equal) }
	return same(x.Defs, y.Defs) && same(x.Uses, y.Uses)
}

// counted adds the operands that write and read each register, and returns how many
// there are.
func counted(f *ori.Func, defs, uses []int32) (total int) {
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			for k := range i.Args {
				if a := &i.Args[k]; !a.HasReg() {
					continue
				} else if k < int(i.NDst) {
					defs[a.Reg]++
				} else {
					uses[a.Reg]++
				}
				total++
			}
			if i.Guard.HasReg() {
				uses[i.Guard.Reg]++
				total++
			}
		}
	}
	return total
}
