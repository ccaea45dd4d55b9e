package regalloc

import "slices"

// A load that only some threads do writes over what the others keep, often
// zeros that were put there word by word. Where the register is in memory
// between its uses, these constants need not go there: they are made again
// just before what is written over them.

// sunk says of each operand, by number, which constants are made just before
// it instead of where the source makes them.
type sunk struct {
	write []bool  // a constant: it is written where the next instruction reads it
	read  []uint8 // so many of the words are made here
}

// sinkConstants finds the constants that can be made later: words that one
// instruction writes with constants and that the next one to touch them, in the
// same block, reads and writes.
func sinkConstants(p *Problem, r *ranges) *sunk {
	l := &sunk{make([]bool, len(p.Ops)), make([]uint8, len(p.Ops))}
	words := r.base[len(p.VRegs)]
	next, stamp := make([]int32, words), make([]int32, words) // operand that touches each word next, in block stamp-1
	for b := range p.Blocks {
		blk := &p.Blocks[b]
		for n := blk.First + blk.N - 1; n >= blk.First; n-- {
			i := &p.Insts[n]
			for k := i.First; k < i.First+i.N; k++ {
				o := &p.Ops[k]
				if i.Constant && i.Kind == Normal && o.Role == Def && i.N == 1 {
					l.constant(p, k, next, stamp, r.base[o.V], int32(b)+1)
				}
				for w := r.base[o.V] + int32(o.Sub); w < r.base[o.V]+int32(o.Sub)+int32(o.N); w++ {
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
func (l *sunk) constant(p *Problem, k int32, next, stamp []int32, base, block int32) {
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
	if x := &p.Ops[to]; x.Role == DefMay || x.Role == UseDef {
		l.write[k] = true
		l.read[to] += o.N
	}
}

// reading is what it costs that operand k of v is read from memory.
func (l *sunk) reading(p *Problem, k int32) float64 {
	n := l.read[k]
	if n == 0 {
		return traffic(p.Ops[k].N)
	}
	cost := rematCost * float64(n)
	if n < p.Ops[k].N {
		cost += traffic(p.Ops[k].N - n)
	}
	return cost
}

// pending is a constant that is not made yet.
type pending struct {
	sub, n uint8
	orig   int32 // instruction that makes it
}

// fill makes temporary t hold n words of a home from word sub on: pending
// constants are made now, the others are loaded.
func (w *rewriter) fill(h *home, t int32, sub, n uint8) {
	for at := sub; at < sub+n; {
		k := len(h.unmade)
		end := sub + n
		for j := range h.unmade {
			switch x := &h.unmade[j]; {
			case x.sub == at:
				k, end = j, x.sub+x.n
			case x.sub > at && x.sub < end && k == len(h.unmade):
				end = x.sub
			}
		}
		d := Operand{V: t, Sub: at - sub, N: end - at, Role: Def}
		if k < len(h.unmade) {
			w.s.sol.Reloads++
			w.emit(Inst{Kind: Remat, Orig: h.unmade[k].orig, Slot: -1}, d)
		} else {
			w.load(h, -1, d, at, -1)
		}
		at = end
	}
	h.unmade = slices.DeleteFunc(h.unmade, func(x pending) bool { return x.sub >= sub && x.sub < sub+n })
}
