package flow

import (
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
)

// Index lists, for every register, the instructions that write it and those
// that read it (addresses and guards too), in the order of the code, once for
// each operand. It is as the function was when it was made.
type Index struct {
	Defs, Uses [][]*ori.Instr
}

// IndexOf makes the index of a function.
func IndexOf(f *ori.Func) Index {
	lists := make([][]*ori.Instr, 2*len(f.Regs))
	x := Index{lists[:len(f.Regs):len(f.Regs)], lists[len(f.Regs):]}
	size := pool.Make[int32](f.Scratch(), 2*len(f.Regs))
	total := 0
	operands(f, func(_ *ori.Instr, r ori.Reg, use int) {
		size[2*int(r)+use]++
		total++
	})
	room := make([]*ori.Instr, total)
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
	return x
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
