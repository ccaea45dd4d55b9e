package sched

import (
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/sched/dag"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// shifts makes a loop that adds ten vectors to those before them, which only
// some threads load, and stores the sums where loads may read.
func shifts() (*ori.Func, *ori.Block) {
	f, body := streams(0)
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	some, base, to, desc := f.NewReg(ori.P, 1), f.NewReg(ori.R, 2), f.NewReg(ori.R, 2), f.NewReg(ori.UR, 2)
	top, last := f.Blocks[0], body.First()
	top.Append(f.NewInstr(op.ULDC, op.M(op.M64), ops(f.Words(desc)), ops(ori.Const(0, 0x208))))
	top.Append(f.NewInstr(op.LDC, op.M(op.M64), ops(f.Words(base)), ops(ori.Const(0, 0x218))))
	top.Append(f.NewInstr(op.LDC, op.M(op.M64), ops(f.Words(to)), ops(ori.Const(0, 0x220))))
	top.Append(f.NewInstr(op.ISETP, op.M(op.MNE, op.MAND), ops(f.Words(some)), ops(f.Word(base, 0), ori.Zero(ori.R), ori.Zero(ori.P))))
	d := ori.Operand{Kind: ori.KDesc, Class: ori.UR, Reg: desc, N: 2}
	add := func(i *ori.Instr) *ori.Instr {
		body.InsertBefore(i, last)
		return i
	}
	var these, before [10]ori.Reg
	for k := range these {
		these[k] = f.NewReg(ori.R, 4)
		add(f.NewInstr(op.LDG, op.M(op.ME, op.M128), ops(f.Words(these[k])), ops(d, ori.Addr(f.Words(base), int64(1024*k)))))
	}
	for k := range before {
		before[k] = f.NewReg(ori.R, 4)
		for w := range 4 {
			add(f.NewInstr(op.MOV, op.Mods{}, ops(f.Word(before[k], w)), ops(ori.Zero(ori.R))))
		}
		add(f.NewInstr(op.LDG, op.M(op.ME, op.M128), ops(f.Words(before[k])), ops(d, ori.Addr(f.Words(base), int64(1024*k-1024))))).Guard = f.Words(some)
	}
	var sums [10]ori.Reg
	for k := len(sums) - 1; k >= 0; k-- {
		sums[k] = f.NewReg(ori.R, 4)
		for w := range 4 {
			add(f.NewInstr(op.FADD, op.Mods{}, ops(f.Word(sums[k], w)), ops(f.Word(before[k], w), f.Word(these[k], w))))
		}
	}
	for k, z := range sums {
		add(f.NewInstr(op.STG, op.M(op.ME, op.M128), nil, ops(d, ori.Addr(f.Words(to), int64(1024*k)), f.Words(z))))
	}
	return f, body
}

// waits counts how often sums wait for most of the time that a load takes.
func waits(b *ori.Block) (n int) {
	now, there := 0, map[ori.Reg]int{}
	for i := range b.Instrs {
		now++
		if i.Op == op.LDG {
			there[i.Args[0].Reg] = now + dag.LongLoad
		}
		for _, o := range i.Srcs() {
			if t := there[o.Reg]; i.Op == op.FADD && t > now {
				if t-now > dag.LongLoad/2 {
					n++
				}
				now = t
			}
		}
	}
	return n
}

// TestLoadsInTurn: of vectors that are added up both are
// in flight at the same time where registers do not last for all of them.
func TestLoadsInTurn(t *testing.T) {
	for _, c := range []struct{ registers, most int }{{255, 1}, {80, 2}, {64, 3}, {56, 5}} {
		f, body := shifts()
		tune := Usual()
		tune.Registers = c.registers
		Pre(f, target.Find("sm_90a"), Budget{Most: 255}, tune, nil)
		got := waits(body)
		t.Logf("%d registers: %d waits", c.registers, got)
		if got > c.most {
			t.Errorf("%d registers: %d waits for loads, not %d", c.registers, got, c.most)
		}
	}
}
