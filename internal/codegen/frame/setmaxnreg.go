package frame

import (
	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Registers that a block's warps trade (setmaxnreg). Where a warp has given
// registers back only those below the new number may be named, and where it
// has got more all of those: each value is kept below what is there wherever
// it lives. When the code does not fit, no register changes hands: a warp
// keeps those it was launched with, which is always right.

// noLimit is more than any register file has.
const noLimit = 1 << 14

// Pool is what a function says about its registers.
type Pool struct {
	f     *ori.Func
	start int   // registers at launch
	in    []int // at the start of each block
}

// PoolOf finds the changes of register counts of a function; nil if it has
// none.
func PoolOf(f *ori.Func, start int) *Pool {
	p := &Pool{f: f, start: start, in: make([]int, f.NumBlocks())}
	found := false
	for _, b := range f.Blocks {
		p.in[b.ID] = noLimit
		for i := range b.Instrs {
			found = found || i.Op == op.USETMAXREG
		}
	}
	if !found {
		return nil
	}
	p.in[f.Blocks[0].ID] = start
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			for _, s := range b.Succs {
				if n := p.out(b, s); n < p.in[s.ID] {
					p.in[s.ID], changed = n, true
				}
			}
		}
	}
	return p
}

// change returns the count that a block sets, and whether by giving
// registers back; zero if it sets none.
func change(b *ori.Block) (n int, back bool) {
	for i := range b.Instrs {
		if i.Op == op.USETMAXREG {
			n, back = int(i.Srcs()[0].Imm)-abi.HiddenRegisters, i.Mods.Has(op.MDEALLOC)
		}
	}
	return n, back
}

// out is what there is on the way from b to s: a block that asks for more
// asks again by going to itself.
func (p *Pool) out(b, s *ori.Block) int {
	n, _ := change(b)
	if n == 0 || s == b || p.in[b.ID] == noLimit {
		return p.in[b.ID]
	}
	return n
}

// Limit is what may be used everywhere in a block.
func (p *Pool) Limit(b *ori.Block) int {
	if n, back := change(b); back {
		return min(n, p.in[b.ID])
	}
	return p.in[b.ID]
}

// Most is how many registers there are where there are the most.
func (p *Pool) Most() int {
	most := p.start
	for _, b := range p.f.Blocks {
		if n := p.Limit(b); n != noLimit {
			most = max(most, n)
		}
	}
	return most
}

// Calls tells whether every call finds the registers that reach says it uses.
func (p *Pool) Calls(reach func(call *ori.Instr) int) bool {
	for _, b := range p.f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.CALL && reach(i) > p.Limit(b) {
				return false
			}
		}
	}
	return true
}

// Holds tells whether the allocated code names only registers that are there.
func (p *Pool) Holds() bool {
	for _, b := range p.f.Blocks {
		n := p.Limit(b)
		for i := range b.Instrs {
			for _, a := range i.Args {
				if !a.HasReg() || p.f.Regs[a.Reg].Class != ori.R {
					continue
				}
				if p.end(&a) > n {
					return false
				}
			}
		}
	}
	return true
}

// end is the register behind the words that an operand names. The index of a
// constant names a whole register.
func (p *Pool) end(a *ori.Operand) int {
	r := &p.f.Regs[a.Reg]
	if a.Kind == ori.KConst {
		return int(r.Phys) + int(r.Width)
	}
	return int(r.Phys) + int(a.Sub) + max(1, int(a.N))
}

// Drop removes the changes: what asks for registers has them.
func (p *Pool) Drop() {
	for _, b := range p.f.Blocks {
		for i := b.First(); i != nil; {
			next := i.Next()
			switch {
			case i.Op != op.USETMAXREG:
			case i.NDst == 0:
				i.Remove()
			default:
				i.Op, i.Mods = op.UPLOP3, op.M(op.MLUT)
				t := ori.Zero(ori.UP)
				i.Args = append(i.Args[:1:1], t, t, t, ori.Imm(0x80), ori.Imm(0))
			}
			i = next
		}
	}
}
