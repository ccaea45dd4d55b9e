package sema_test

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/front"
)

// TestScales: where the scales of a product lie, as constants and in registers.
// The messages are the reference's.
func TestScales(t *testing.T) {
	const head = ".version 8.8\n.target sm_120a\n.entry k() {\n.reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %rd; .reg .f32 %f<8>; .reg .f16 %q;\n"
	const product = "{%f1,%f2,%f3,%f4},{%r1,%r2,%r3,%r4},{%r5,%r6},{%f1,%f2,%f3,%f4}"
	kinds := map[string]string{
		"1": "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue8m0 " + product,
		"2": "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 " + product,
		"4": "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 " + product,
		"s": "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 {%f1,%f2,%f3,%f4},{%r1,%r2,%r3,%r4},{%r5,%r6,%r7,%r8},{%f1,%f2,%f3,%f4},%r10,0",
	}
	const mixed = "Vector with elements of different types are not allowed in mma instruction"
	for _, c := range []struct{ kind, a, b, want string }{
		{"1", "{3,1}", "{3,3}", ""},
		{"1", "{%h1,%h2}", "{%h3,%h4}", ""},
		{"1", "{%h1,%r2}", "{0,0}", "Incompatible elements of vector expression"},
		{"1", "{0,%rd}", "{%h1,2}", ""},
		{"1", "{4,0}", "{0,0}", "Argument 5 of instruction 'mma': value '4' out of range, expected to be in range [0..3]"},
		{"1", "{0,2}", "{0,4}", "Argument 5 of instruction 'mma': value '2' out of range, expected to be in range [0..1] / Argument 7 of instruction 'mma': value '4' out of range, expected to be in range [0..3]"},
		{"2", "{1,0}", "{2,3}", "Argument 5 of instruction 'mma': unexpected value '1', expected to be 0 or 2"},
		{"4", "{0,1}", "{2,0}", "Argument 7 of instruction 'mma': unexpected value '2', expected to be 0"},
		{"s", "{3,0}", "{0,0}", "Argument 7 of instruction 'Sparse mma': unexpected value '3', expected to be 0 or 2"},
		{"1", "0", "%h1", "Vector expected for argument 5 / Vector expected for argument 7"},
		{"1", "{0}", "{0,0}", "Argument vector size mismatch for instruction 'mma'"},
		{"1", "{%r1,0}", "{0,0}", "Arguments mismatch for instruction 'mma'"},
		{"1", "{%f1,0}", "{0,0}", "Arguments mismatch for instruction 'mma'"},
		{"1", "{%q,0}", "{0,0}", mixed},
		{"1", "{0,%f1}", "{0,0}", mixed},
		{"1", "{0,1.0}", "{0,0}", mixed},
	} {
		x, err := front.Check("k.ptx", head+kinds[c.kind]+",%r8,"+c.a+",%r9,"+c.b+";\nret;\n}\n", "sm_120a")
		if x == nil {
			t.Fatal(err)
		}
		var said []string
		for l := range strings.Lines(x.Messages) {
			if _, m, ok := strings.Cut(strings.TrimSpace(l), "error   : "); ok {
				said = append(said, m)
			}
		}
		if got := strings.Join(said, " / "); got != c.want {
			t.Errorf("%s %s %s\n got %s\nwant %s", c.kind, c.a, c.b, got, c.want)
		}
	}
}
