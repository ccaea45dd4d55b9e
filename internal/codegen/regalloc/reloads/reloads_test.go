package reloads

import (
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/problem"
)

// step is an instruction about one register: of a kind, with its slot, or
// with a role.
type step struct {
	kind problem.Kind
	v    int32
	slot int32
	role problem.Role
}

// TestJoin: a temporary stays for the next access unless memory or it were
// written meanwhile, somebody else still wants it, or registers are short.
func TestJoin(t *testing.T) {
	const n, store, load = problem.Normal, problem.Spill, problem.Reload
	for _, c := range []struct {
		name string
		list []step
		room int32
		want int
	}{
		{"from store to load", []step{{n, 0, -1, problem.Def}, {store, 0, 8, 0}, {n, 9, -1, problem.Use}, {load, 1, 8, 0}, {n, 1, -1, problem.Use}}, 8, 1},
		{"from load to load", []step{{load, 0, 8, 0}, {n, 0, -1, problem.Use}, {load, 1, 8, 0}, {n, 1, -1, problem.Use}, {load, 2, 8, 0}}, 8, 2},
		{"written and stored between", []step{{load, 0, 8, 0}, {n, 0, -1, problem.UseDef}, {store, 0, 8, 0}, {load, 1, 8, 0}}, 8, 1},
		{"written between", []step{{load, 0, 8, 0}, {n, 0, -1, problem.UseDef}, {load, 1, 8, 0}}, 8, 0},
		{"memory written between", []step{{load, 0, 8, 0}, {store, 3, 11, 0}, {load, 1, 8, 0}}, 8, 0},
		{"other words", []step{{load, 0, 8, 0}, {load, 1, 12, 0}}, 8, 0},
		{"wanted later", []step{{load, 0, 8, 0}, {load, 1, 8, 0}, {n, 0, -1, problem.Use}}, 8, 0},
		{"no registers", []step{{load, 0, 8, 0}, {n, 9, -1, problem.Use}, {load, 1, 8, 0}}, 7, 0},
		{"two that fit one at a time", []step{{load, 0, 8, 0}, {load, 1, 16, 0}, {load, 2, 8, 0}, {load, 3, 16, 0}}, 8, 1},
	} {
		p := &problem.Problem{Files: []problem.File{{SpillTo: problem.Memory}}}
		for v := range int32(10) {
			p.VRegs = append(p.VRegs, problem.VReg{Width: 4, Fixed: -1, Remat: -1, Keep: v < 9, Of: v&^15 | 9})
		}
		for _, s := range c.list {
			role := s.role
			switch s.kind {
			case store:
				role = problem.Use
			case load:
				role = problem.Def
			}
			p.Insts = append(p.Insts, problem.Inst{Kind: s.kind, Slot: s.slot, First: int32(len(p.Ops)), N: 1})
			p.Ops = append(p.Ops, problem.Operand{V: s.v, N: 4, Role: role})
		}
		p.Blocks = []problem.Block{{N: int32(len(p.Insts))}}
		words, room := make([]int32, PerInst*len(p.Insts)), make([]int32, PerInst*len(p.Insts))
		for k := range room {
			words[k], room[k] = 4, c.room
		}
		q, got := Join(p, 0, 1, words, room)
		if got != c.want || len(q.Insts) != len(p.Insts)-got {
			t.Errorf("%s: %d loads gone, %d of %d instructions left, want %d", c.name, got, len(q.Insts), len(p.Insts), c.want)
		}
	}
}
