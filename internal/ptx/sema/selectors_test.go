package sema_test

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/front"
)

// TestOddOperands: selectors after what has no parts, predicates that nobody
// declared and .pred beside another type. The messages are the reference's.
func TestOddOperands(t *testing.T) {
	const head = ".version 8.7\n.target sm_90\n.entry k() {\n.reg .b16 %h<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<4>;\nL:\n"
	for _, c := range []struct{ text, want string }{
		{"bra L.x;", "Unknown field '.x' / Label expected for argument 0 of instruction 'bra'"},
		{"mov.u32 %r1, %rd1.x;", "Unknown field '.x'"},
		{"mov.u32 %h1.b0, %r1;", "Unknown field '.b0' / Result register required for instruction 'mov'"},
		{"mov.u32 %r1, %r2.x;", "Unknown video selector: '.x' / Video selector is not allowed on source operand for instruction 'mov'"},
		{"setp.eq.u32 %p1|none, %r1, %r2;", "Predicate output expected for instruction 'setp' / Predicate output expected for instruction 'setp' / Unknown symbol 'none'"},
		{"elect.sync %r1|%r2, -1;", "Predicate output expected for instruction 'elect'"},
		{"setp.gt.pred.f32 %p1, %r1, %r2;", ""},
		{"add.pred.s32.pred %r1, %r2, %r3;", ""},
		{"add.pred %r1, %r2, %r3;", "Unexpected instruction types specified for 'add'"},
		{"mul.lo.pred.s32 %r1, %r2, %r3;", "Unexpected instruction types specified for 'mul.lo'"},
	} {
		x, err := front.Check("k.ptx", head+c.text+"\nret;\n}\n", "sm_90")
		if x == nil {
			t.Fatal(err)
		}
		var said []string
		for _, l := range strings.Split(strings.TrimSpace(x.Messages), "\n") {
			if _, m, ok := strings.Cut(l, "error   : "); ok {
				said = append(said, m)
			}
		}
		if got := strings.Join(said, " / "); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}
