package sched

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// passes makes a function that loads words in one block and goes over all of
// them several times in the next one, with a barrier before the sum of them.
func passes(words, times int, barrier bool) *ori.Func {
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	f := (&ori.Module{}).NewFunc("passes")
	f.Kernel = true
	b, c := f.NewBlock(), f.NewBlock()
	b.AddEdge(c)
	base := f.Words(f.NewReg(ori.R, 1))
	b.Append(f.NewInstr(op.S2R, op.Mods{}, ops(base), ops(ori.Special(op.SRTidX))))
	vals := make([]ori.Operand, words)
	for k := range vals {
		vals[k] = f.Words(f.NewReg(ori.R, 1))
		b.Append(f.NewInstr(op.LDS, op.Mods{}, ops(vals[k]), ops(ori.Addr(base, int64(4*k)))))
	}
	b.Append(f.NewInstr(op.BAR, op.M(op.MSYNC), nil, ops(ori.Imm(0))))
	for range times {
		for k, x := range vals {
			vals[k] = f.Words(f.NewReg(ori.R, 1))
			c.Append(f.NewInstr(op.FMUL, op.Mods{}, ops(vals[k]), ops(x, ori.Imm(0x40000000))))
		}
	}
	if barrier {
		c.Append(f.NewInstr(op.BAR, op.M(op.MSYNC), nil, ops(ori.Imm(0))))
	}
	sum := vals[0]
	for _, x := range vals[1:] {
		more := f.Words(f.NewReg(ori.R, 1))
		c.Append(f.NewInstr(op.FADD, op.Mods{}, ops(more), ops(sum, x)))
		sum = more
	}
	c.Append(f.NewInstr(op.STS, op.Mods{}, nil, ops(ori.Addr(base, 0), sum)))
	c.Append(f.NewInstr(op.EXIT, op.Mods{}, nil, nil))
	return f
}

// TestLighter: words that find no room are alive at once whichever way, but one
// that was gone over as often as it must be is added up and gone, before the
// next one and behind a barrier, too.
func TestLighter(t *testing.T) {
	for _, c := range []struct {
		words, times int
		barrier      bool
	}{{300, 26, false}, {300, 26, true}} {
		f := passes(c.words, c.times, c.barrier)
		tune := Usual()
		tune.Tried = f.Size() - 1
		Pre(f, target.Find("sm_90a"), Budget{Most: 253}, tune, nil)
		if err := f.Verify(0); err != nil {
			t.Error(err)
		}
		left, early := c.words*c.times, 0 // sums before half of the products
		for i := range f.Blocks[1].Instrs {
			switch i.Op {
			case op.FMUL:
				left--
			case op.FADD:
				if left > c.words*c.times/2 {
					early++
				}
			}
		}
		if early < c.words/4 {
			t.Errorf("%d words, %d passes, a barrier %v: %d of them are added up before half of the products", c.words, c.times, c.barrier, early)
		}
	}
}
