package sched

import (
	"slices"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// TestQuick: only where words find no room another order is looked for, and that
// needs fewer.
func TestQuick(t *testing.T) {
	for _, c := range []struct {
		words int
		moves bool
	}{{40, false}, {200, true}} {
		f := (&ori.Module{}).NewFunc("sum")
		f.Kernel = true
		b := f.NewBlock()
		add := func(o op.Op, d *ori.Operand, srcs ...ori.Operand) {
			var dsts []ori.Operand
			if d != nil {
				dsts = []ori.Operand{*d}
			}
			b.Append(f.NewInstr(o, op.Mods{}, dsts, srcs))
		}
		base := f.Words(f.NewReg(ori.R, 1))
		add(op.S2R, &base, ori.Special(op.SRTidX))
		list := make([]ori.Operand, c.words)
		for k := range list {
			list[k] = f.Words(f.NewReg(ori.R, 1))
			add(op.LDS, &list[k], ori.Addr(base, int64(4*k)))
		}
		sum := list[0]
		for _, x := range list[1:] {
			more := f.Words(f.NewReg(ori.R, 1))
			add(op.FADD, &more, sum, x)
			sum = more
		}
		add(op.STS, nil, ori.Addr(base, 0), sum)
		add(op.EXIT, nil)
		before := slices.Clone(f.Order()[0])
		tune := Usual()
		tune.Quick = true
		Pre(f, target.Find("sm_90a"), Budget{Most: 150}, tune, nil)
		if err := f.Verify(0); err != nil {
			t.Error(err)
		}
		if moved := !slices.Equal(before, f.Order()[0]); moved != c.moves {
			t.Errorf("%d words: moved is %v", c.words, moved)
		}
		if crowded(f, Budget{Most: 150}) {
			t.Errorf("%d words: more are alive than there are registers", c.words)
		}
	}
}
