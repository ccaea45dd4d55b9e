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

// exponents makes a loop that adds powers of two of n words to n others, all loaded.
func exponents(n int) (*ori.Func, *ori.Block) {
	f, body := streams(0)
	ops := func(o ...ori.Operand) []ori.Operand { return o }
	base, desc := f.NewReg(ori.R, 2), f.NewReg(ori.UR, 2)
	f.Blocks[0].Append(f.NewInstr(op.ULDC, op.M(op.M64), ops(f.Words(desc)), ops(ori.Const(0, 0x208))))
	f.Blocks[0].Append(f.NewInstr(op.LDC, op.M(op.M64), ops(f.Words(base)), ops(ori.Const(0, 0x218))))
	d, last, sum := ori.Operand{Kind: ori.KDesc, Class: ori.UR, Reg: desc, N: 2}, body.First(), ori.Zero(ori.R)
	add := func(o op.Op, mods op.Mods, srcs ...ori.Operand) ori.Operand {
		x := f.Words(f.NewReg(ori.R, 1))
		body.InsertBefore(f.NewInstr(o, mods, ops(x), srcs), last)
		return x
	}
	for k := range n {
		x := add(op.LDG, op.M(op.ME), d, ori.Addr(f.Words(base), int64(8*k)))
		y := add(op.LDG, op.M(op.ME), d, ori.Addr(f.Words(base), int64(8*k+4)))
		sum = add(op.FADD, op.Mods{}, add(op.FADD, op.Mods{}, y, add(op.MUFU, op.M(op.MEX2), x)), sum)
	}
	body.InsertBefore(f.NewInstr(op.STG, op.M(op.ME), nil, ops(d, ori.Addr(f.Words(base), 0), sum)), last)
	return f, body
}

// TestLoadsTakeAll: where far more loads are in flight together if they leave no words to the exponentials
// of what they bring, they take it.
func TestLoadsTakeAll(t *testing.T) {
	f, body := exponents(16)
	tune := Usual()
	tune.Registers = 32
	Pre(f, target.Find("sm_90a"), Budget{Most: 255}, tune, nil)
	late, begun := 0, false
	for i := range body.Instrs {
		begun = begun || i.Op == op.MUFU
		if begun && i.Op == op.LDG {
			late++
		}
	}
	if late > 10 {
		t.Errorf("%d of 32 loads behind the first exponential", late)
	}
}
