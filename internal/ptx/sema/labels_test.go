package sema_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/front"
)

// TestLabels: labels that have the name of a register, a register of a family or a
// variable, before and behind it, and branches to what is no label. The messages are
// the reference's.
func TestLabels(t *testing.T) {
	const head = ".version 8.8\n.target sm_90\n.shared .b32 s;\n.entry k(.param .b32 n) {\n.reg .b16 %h; .reg .b32 %r<4>; .reg .f32 %f; .reg .b32 q;\n"
	message := regexp.MustCompile(`line \d+; (?:error|fatal) +: (.*)`)
	for _, c := range []struct{ text, want string }{
		{"%r1: add.u32 %r2, %r1, %r1;", ""},
		{"add.u32 %r2, %r1, 1; %r1: bra %r1;", "Label expected for argument 0 of instruction 'bra'"},
		{"{ %r1: bra %r1; }", ""},
		{"{ %r1: add.u32 %r2, %r2, %r1; }", "Arguments mismatch for instruction 'add'"},
		{"%r9: bra %r9;", ""},
		{"%r1: add.u32 %r2, %r2, 1; %r1: add.u32 %r2, %r2, %r1;", "Duplicate definition of label '%r1'"},
		{"bra x1; .reg .b32 x<2>; x1: ret;", "Unknown symbol 'x1'"},
		{"bra x1; .reg .b32 x<2>; mov.b32 x1, 1; x1: ret;", "Label expected for forward reference of 'x1'"},
		{"{ .reg .b32 q; mov.b32 q, 1; } L: bra L;", ""},
		{"q: bra q;", "Duplicate definition of label 'q' / Label expected for argument 0 of instruction 'bra'"},
		{"L: .reg .b32 L;", "Duplicate definition of variable 'L'"},
		{"bra L; .reg .b32 L; L: add.u32 %r1, %r1, %h;", "Duplicate definition of label 'L' / Arguments mismatch for instruction 'add' / Label expected for forward reference of 'L'"},
		{"{ bra L; .reg .b32 L; } add.u32 %r1, %r1, %h;", "Label expected for forward reference of 'L'"},
		{"{ { bra L; } .reg .b32 L; } L: ret;", "Label expected for forward reference of 'L'"},
		{"bra M; bra L; .reg .b32 L; .reg .b32 M;", "Label expected for forward reference of 'M'"},
		{"{ bra L; { .reg .b32 L; } } L: ret;", ""},
		{"bra L; L: .branchtargets A; A: ret;", "Label expected for forward reference of 'L'"},
		{"bra s;", "Label expected for argument 0 of instruction 'bra' / Argument 0 of instruction 'bra': must be register"},
		{"bra s+4;", "Label expected for argument 0 of instruction 'bra'"},
		{"bra n;", "Label expected for argument 0 of instruction 'bra' / Argument 0 of instruction 'bra': must be register"},
		{"bra %h;", "Label expected for argument 0 of instruction 'bra' / Illegal target for instruction 'bra'"},
		{"bra %f;", "Arguments mismatch for instruction 'bra'"},
		{"bra %tid;", "Arguments mismatch for instruction 'bra'"},
		{".shared .b8 v; bra v;", "Label expected for argument 0 of instruction 'bra' / Argument 0 of instruction 'bra': must be register / Illegal target for instruction 'bra'"},
		{".shared .b32 v[2]; bra v;", "Arguments mismatch for instruction 'bra'"},
		{".local .f32 v; bra v;", "Arguments mismatch for instruction 'bra'"},
	} {
		x, err := front.Check("k.ptx", head+c.text+"\nret;\n}\n", "sm_90")
		if x == nil {
			t.Fatal(err)
		}
		var said []string
		for _, m := range message.FindAllStringSubmatch(x.Messages, -1) {
			said = append(said, m[1])
		}
		if got := strings.Join(said, " / "); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}
