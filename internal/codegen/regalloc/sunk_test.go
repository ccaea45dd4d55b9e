package regalloc

import "testing"

// TestSunkConstantStays: where a piece goes home for good, loads of it from its
// home go, but not what makes a constant that its home never got.
func TestSunkConstantStays(t *testing.T) {
	for _, c := range []struct {
		kind      Kind
		slot, reg int32
		needless  bool
	}{{Reload, 3, -1, true}, {Reload, -1, 1, true}, {Spill, 3, -1, true}, {Remat, 3, -1, false}, {Remat, -1, 1, false}, {Remat, -1, -1, true}} {
		p := &Problem{VRegs: make([]VReg, 2), Ops: []Operand{{V: 0, N: 1, Role: Def}}}
		w := &rewriter{s: &solver{sol: &Solution{}}, old: p, homes: []home{{spilled: true, again: true, slot: c.slot, reg: c.reg, piece: -1}, {}}}
		i := Inst{Kind: c.kind, Slot: c.slot, N: 1}
		if got := w.needless(&i); got != c.needless {
			t.Errorf("kind %d, slot %d, register %d: needless %v", c.kind, c.slot, c.reg, got)
		}
	}
}
