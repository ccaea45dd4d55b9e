package regalloc_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/check"
)

// TestConstraints allocates one instruction with an operand of every kind of
// bound, and looks at where each went.
func TestConstraints(t *testing.T) {
	p := &regalloc.Problem{Files: []regalloc.File{{Name: "R", Size: 255, Budget: 255, SpillTo: regalloc.Memory, Taken: []int{1}}}}
	add := func(v regalloc.VReg) int32 {
		v.Remat = -1
		p.VRegs = append(p.VRegs, v)
		return int32(len(p.VRegs) - 1)
	}
	fixed := add(regalloc.VReg{Width: 2, Align: 2, Fixed: 4})
	run := add(regalloc.VReg{Width: 128, Align: 8, Fixed: -1}) // an accumulator
	quad := add(regalloc.VReg{Width: 4, Align: 4, Fixed: -1})
	low := add(regalloc.VReg{Width: 1, Fixed: -1, Hi: 3})
	high := add(regalloc.VReg{Width: 1, Fixed: -1, Lo: 200, Hi: 210})
	barred := add(regalloc.VReg{Width: 1, Fixed: -1})
	p.Excludes = []regalloc.Exclude{{V: barred, Lo: 0, Hi: 8}}
	early, late, result := add(regalloc.VReg{Width: 1, Fixed: -1}), add(regalloc.VReg{Width: 1, Fixed: -1}), add(regalloc.VReg{Width: 1, Fixed: -1})
	inst := func(ops ...regalloc.Operand) {
		p.Insts = append(p.Insts, regalloc.Inst{First: int32(len(p.Ops)), N: int32(len(ops))})
		p.Ops = append(p.Ops, ops...)
	}
	for _, v := range []int32{fixed, run, quad, low, high, barred, late} {
		inst(regalloc.Operand{V: v, Sub: 0, N: p.VRegs[v].Width, Role: regalloc.Def})
	}
	inst(regalloc.Operand{V: early, Sub: 0, N: 1, Role: regalloc.DefEarly}, regalloc.Operand{V: result, Sub: 0, N: 1, Role: regalloc.Def}, regalloc.Operand{V: late, Sub: 0, N: 1, Role: regalloc.UseLate}, regalloc.Operand{V: quad, Sub: 0, N: 4, Role: regalloc.Use},
		regalloc.Operand{V: fixed, Sub: 0, N: 2, Role: regalloc.Use}, regalloc.Operand{V: run, Sub: 0, N: 128, Role: regalloc.Use}, regalloc.Operand{V: low, Sub: 0, N: 1, Role: regalloc.Use}, regalloc.Operand{V: high, Sub: 0, N: 1, Role: regalloc.Use}, regalloc.Operand{V: barred, Sub: 0, N: 1, Role: regalloc.Use})
	inst(regalloc.Operand{V: early, Sub: 0, N: 1, Role: regalloc.Use}, regalloc.Operand{V: result, Sub: 0, N: 1, Role: regalloc.Use})
	p.Blocks = []regalloc.Block{{N: int32(len(p.Insts))}}
	s, err := regalloc.Solve(p, regalloc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := check.Check(p, s); err != nil {
		t.Fatal(err)
	}
	at := func(v int32) int { return int(s.Phys[v]) }
	for _, c := range []struct {
		what string
		ok   bool
	}{
		{"a fixed pair", at(fixed) == 4},
		{"128 in a row, aligned to 8", at(run)%8 == 0 && at(run)+128 <= 255},
		{"an aligned four", at(quad)%4 == 0},
		{"below 3, not the taken one", at(low) < 3 && at(low) != 1},
		{"between 200 and 210", at(high) >= 200 && at(high) < 210},
		{"not below 8", at(barred) >= 8},
		{"an early result apart from what is read", at(early) != at(late) && at(early) != at(low) && at(early) != at(barred)},
		{"a result apart from what is read late", at(result) != at(late)},
	} {
		if !c.ok {
			t.Errorf("%s: registers %v", c.what, s.Phys)
		}
	}
}

// TestWideSpill moves a run of 128 registers out of the way of another, in
// memory and back.
func TestWideSpill(t *testing.T) {
	p := &regalloc.Problem{Files: []regalloc.File{{Name: "R", Size: 255, Budget: 160, SpillTo: regalloc.Memory}}}
	for range 2 {
		p.VRegs = append(p.VRegs, regalloc.VReg{Width: 128, Align: 8, Fixed: -1, Remat: -1})
	}
	for _, o := range []regalloc.Operand{{V: 0, Sub: 0, N: 128, Role: regalloc.Def}, {V: 1, Sub: 0, N: 128, Role: regalloc.Def}, {V: 1, Sub: 0, N: 128, Role: regalloc.Use}, {V: 0, Sub: 0, N: 128, Role: regalloc.Use}} {
		p.Insts = append(p.Insts, regalloc.Inst{First: int32(len(p.Ops)), N: 1})
		p.Ops = append(p.Ops, o)
	}
	p.Blocks = []regalloc.Block{{N: 4}}
	s, err := regalloc.Solve(p, regalloc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := check.Check(p, s); err != nil {
		t.Fatal(err)
	}
	if s.Slots != 128 || s.Spills != 1 || s.Reloads != 1 {
		t.Errorf("%d words, %d stores, %d loads", s.Slots, s.Spills, s.Reloads)
	}
}

// TestRotate: short chains one behind the other take registers in turn where
// the file asks for it, so that a scheduler may put them between each other.
func TestRotate(t *testing.T) {
	for _, rotate := range []bool{false, true} {
		p := &regalloc.Problem{Files: []regalloc.File{{Name: "P", Size: 7, Budget: 7, SpillTo: regalloc.Memory, Rotate: rotate}}}
		const chains = 14
		for v := range int32(chains) {
			p.VRegs = append(p.VRegs, regalloc.VReg{Width: 1, Fixed: -1, Remat: -1})
			for _, role := range []regalloc.Role{regalloc.Def, regalloc.Use} {
				p.Insts = append(p.Insts, regalloc.Inst{First: int32(len(p.Ops)), N: 1})
				p.Ops = append(p.Ops, regalloc.Operand{V: v, Sub: 0, N: 1, Role: role})
			}
		}
		p.Blocks = []regalloc.Block{{N: int32(len(p.Insts))}}
		s, err := regalloc.Solve(p, regalloc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Check(p, s); err != nil {
			t.Fatal(err)
		}
		last := map[int16]int{}
		near := 0
		for v := range chains {
			if at, ok := last[s.Phys[v]]; ok && v-at < 7 {
				near++
			}
			last[s.Phys[v]] = v
		}
		if rotate != (near == 0) {
			t.Errorf("in turn %v: %d of %d reuse a register within seven; registers %v", rotate, near, chains, s.Phys[:chains])
		}
	}
}
