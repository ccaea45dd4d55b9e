package ori

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori/op"
)

// TestVerify breaks one invariant at a time.
func TestVerify(t *testing.T) {
	good := func() *Func {
		m, err := Parse(`func f kernel {
reg r0 2/2
reg p1 1/1
b0: -> b2, b1
@p1 BRA b2
b1: -> b2
IADD3 r0[0] = r0[1], 0x1, rz
b2:
EXIT
}
`)
		if err != nil {
			t.Fatal(err)
		}
		return m.Funcs[0]
	}
	if err := good().Verify(Built); err != nil {
		t.Fatal(err)
	}
	add := func(f *Func) *Instr { return f.Blocks[1].First() }
	for _, c := range []struct {
		want  string
		stage Stage
		spoil func(f *Func)
	}{
		{"class", Built, func(f *Func) { f.Regs[0].Class = NumClasses }},
		{"width", Built, func(f *Func) { f.Regs[0].Width = 0 }},
		{"wide", Built, func(f *Func) { f.Regs[1].Width = 2 }},
		{"fixed to nothing", Built, func(f *Func) { f.Regs[0].Fixed = true }},
		{"alignment", Built, func(f *Func) { f.Regs[0].Phys = 3 }},
		{"no blocks", Built, func(f *Func) { f.Blocks = nil }},
		{"block number", Built, func(f *Func) { f.Blocks[1].ID = 0 }},
		{"one end only", Built, func(f *Func) { f.Blocks[2].Preds = f.Blocks[2].Preds[:1] }},
		{"outside the function", Built, func(f *Func) { f.Blocks = f.Blocks[:2] }},
		{"linked wrongly", Built, func(f *Func) { add(f).block = f.Blocks[0] }},
		{"instruction number", Built, func(f *Func) { add(f).ID = 0 }},
		{"end of the list", Built, func(f *Func) { f.Blocks[1].n = 7 }},
		{"operation", Built, func(f *Func) { add(f).Op = op.None }},
		{"pseudo", Allocated, func(f *Func) {
			f.Regs[0].Phys, f.Regs[1].Phys = 0, 0
			add(f).Op = op.COPY
		}},
		{"no predicate", Built, func(f *Func) { add(f).Guard = f.Word(0, 0) }},
		{"result 0 is no register", Built, func(f *Func) { add(f).Args[0] = Imm(1) }},
		{"does not exist", Built, func(f *Func) { add(f).Args[1].Reg = 99 }},
		{"named as", Built, func(f *Func) { add(f).Args[1].Class = UR }},
		{"words", Built, func(f *Func) { add(f).Args[1].Sub = 2 }},
		{"no place", Allocated, func(*Func) {}},
		{"gone", Built, func(f *Func) { f.Blocks[0].Last().Args[0].Reg = 77 }},
		{"without an edge", Built, func(f *Func) { f.Blocks[0].Last().Args[0].Reg = 0 }},
		{"middle of a block", Built, func(f *Func) { f.Blocks[1].Prepend(f.NewInstr(op.EXIT, op.Mods{}, nil, nil)) }},
		{"no jump", Built, func(f *Func) { f.Blocks[0].Last().Remove() }},
		{"nothing follows", Built, func(f *Func) { f.Blocks[2].Last().Guard = f.Word(1, 0) }},
		{"schedule", Scheduled, func(f *Func) {
			f.Regs[0].Phys, f.Regs[1].Phys = 0, 0
			add(f).Sched.Stall = 16
		}},
	} {
		f := good()
		c.spoil(f)
		if err := f.Verify(c.stage); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.want, err)
		}
	}
}
