package sched

import (
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
)

// regSet is a set of virtual registers.
type regSet []uint64

func (s regSet) has(r ori.Reg) bool { return s[r/64]>>(r%64)&1 != 0 }
func (s regSet) add(r ori.Reg)      { s[r/64] |= 1 << (r % 64) }
func (s regSet) drop(r ori.Reg)     { s[r/64] &^= 1 << (r % 64) }

// maxLiveBytes bounds the memory of the liveness sets; functions beyond it
// keep their order before allocation.
const maxLiveBytes = 256 << 20

// liveOut returns the registers alive at the end of each block, by block
// ID, or nil when that would take too much memory.
func liveOut(f *ori.Func) []regSet {
	words := (len(f.Regs) + 63) / 64
	if 2*8*words*f.NumBlocks() > maxLiveBytes {
		return nil
	}
	out := make([]regSet, f.NumBlocks())
	in := make([]regSet, f.NumBlocks())
	pool := make(regSet, 2*words*f.NumBlocks())
	for n := range out {
		out[n], in[n] = pool[:words:words], pool[words:2*words:2*words]
		pool = pool[2*words:]
	}
	live := make(regSet, words)
	for changed := true; changed; {
		changed = false
		for n := len(f.Blocks) - 1; n >= 0; n-- {
			b := f.Blocks[n]
			o := out[b.ID]
			for _, s := range b.Succs {
				for k, x := range in[s.ID] {
					o[k] |= x
				}
			}
			copy(live, o)
			for i := b.Last(); i != nil; i = i.Prev() {
				step(f, live, i)
			}
			for k, x := range live {
				if x != in[b.ID][k] {
					in[b.ID][k] = x
					changed = true
				}
			}
		}
	}
	return out
}

// step takes live from behind i to before it.
func step(f *ori.Func, live regSet, i *ori.Instr) {
	for _, o := range i.Dsts() {
		if o.Kind == ori.KReg && kills(f, i, o) {
			live.drop(o.Reg)
		}
	}
	for _, o := range i.Srcs() {
		if o.HasReg() {
			live.add(o.Reg)
		}
	}
	if i.Guard.Kind == ori.KReg {
		live.add(i.Guard.Reg)
	}
}

// kills reports whether i writes all of a register.
func kills(f *ori.Func, i *ori.Instr, o ori.Operand) bool {
	return i.Guard.Kind == ori.KNone && o.N == f.Regs[o.Reg].Width && i.Op != op.PHISRC
}

// pressure counts the general registers of a set.
func pressure(f *ori.Func, live regSet) int {
	n := 0
	for w, x := range live {
		for ; x != 0; x &= x - 1 {
			r := 64*w + trailing(x)
			if f.Regs[r].Class == ori.R {
				n += int(f.Regs[r].Width)
			}
		}
	}
	return n
}
