// Package sunk finds constants that can be made later.
package sunk

import "github.com/goptxas/goptxas/internal/codegen/regalloc/problem"

// A load that only some threads do writes over what the others keep, often
// zeros that were put there word by word. Where the register is in memory
// between its uses, these constants need not go there: they are made again
// just before what is written over them.

// Constants say of each operand, by number, which constants are made just before
// it instead of where the source makes them.
type Constants struct {
	Write []bool  // a constant: it is written where the next instruction reads it
	Read  []uint8 // so many of the words are made here
}

// Find finds the constants that can be made later: words that one
// instruction writes with constants and that the next one to touch them, in the
// same block, reads and writes. Only registers of the file count.
func Find(p *problem.Problem, base []int32, class uint8) *Constants {
	l := &Constants{make([]bool, len(p.Ops)), make([]uint8, len(p.Ops))}
	words := base[len(p.VRegs)]
	next, stamp := make([]int32, words), make([]int32, words) // operand that touches each word next, in block stamp-1
	for b := range p.Blocks {
		blk := &p.Blocks[b]
		for n := blk.First + blk.N - 1; n >= blk.First; n-- {
			i := &p.Insts[n]
			for k := i.First; k < i.First+i.N; k++ {
				o := &p.Ops[k]
				if p.VRegs[o.V].Class != class {
					continue
				}
				if i.Constant && i.Kind == problem.Normal && o.Role == problem.Def && i.N == 1 {
					l.constant(p, k, next, stamp, base[o.V], int32(b)+1)
				}
				for w := base[o.V] + int32(o.Sub); w < base[o.V]+int32(o.Sub)+int32(o.N); w++ {
					if twice := stamp[w] == int32(b)+1 && (next[w] >= i.First && next[w] < i.First+i.N); twice {
						next[w] = -1 // one instruction reads it here and writes it there
					} else {
						next[w] = k
					}
					stamp[w] = int32(b) + 1
				}
			}
		}
	}
	return l
}

// constant decides about operand k, which a constant is written to.
func (l *Constants) constant(p *problem.Problem, k int32, next, stamp []int32, base, block int32) {
	o := &p.Ops[k]
	first := base + int32(o.Sub)
	to := next[first]
	for w := first; w < first+int32(o.N); w++ {
		if stamp[w] != block || next[w] != to {
			return
		}
	}
	if to < 0 {
		return
	}
	if x := &p.Ops[to]; x.Role == problem.DefMay || x.Role == problem.UseDef {
		l.Write[k] = true
		l.Read[to] += o.N
	}
}

// Reading is what it costs that operand k of v is read from memory.
func (l *Constants) Reading(p *problem.Problem, k int32) float64 {
	n := l.Read[k]
	if n == 0 {
		return problem.Traffic(p.Ops[k].N)
	}
	cost := problem.RematCost * float64(n)
	if n < p.Ops[k].N {
		cost += problem.Traffic(p.Ops[k].N - n)
	}
	return cost
}
