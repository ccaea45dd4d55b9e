package problem

import (
	"slices"
	"testing"
)

// TestJoinable: copies connect registers of one file over others, whichever side is kept.
func TestJoinable(t *testing.T) {
	p := &Problem{VRegs: []VReg{{}, {}, {Keep: true}, {}, {}, {Class: 1}, {Keep: true}, {}}}
	for _, c := range []struct {
		kind Kind
		a, b int32
	}{{Move, 0, 1}, {Move, 2, 1}, {Move, 3, 4}, {Move, 5, 2}, {Normal, 6, 7}} {
		p.Insts = append(p.Insts, Inst{Kind: c.kind, First: int32(len(p.Ops)), N: 2})
		p.Ops = append(p.Ops, Operand{V: c.a, N: 1, Role: Def}, Operand{V: c.b, N: 1, Role: Use})
	}
	if got, want := p.Joinable(), []bool{true, true, true, false, false, false, true, false}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
