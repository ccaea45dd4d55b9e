package sema_test

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/front"
)

// TestClusterSymbols: the place of a variable in a cluster is asked of those
// in shared memory alone, whether the instruction names the space or not.
func TestClusterSymbols(t *testing.T) {
	const mismatch = "State space mismatch between instruction and address in instruction"
	for _, x := range []struct {
		line string
		good bool
	}{
		{"mapa.u64 %d1, s, %r1;", true},
		{"mapa.shared::cluster.u32 %r2, s, %r1;", true},
		{"mapa.u64 %d1, %d2, %r1;", true},
		{"mapa.u64 %d1, g, %r1;", false},
		{"mapa.shared::cluster.u32 %r2, g, %r1;", false},
		{"mapa.u64 %d1, c, %r1;", false},
		{"mapa.shared::cluster.u64 %d1, l, %r1;", false},
		{"mapa.u64 %d1, a, %r1;", false},
		{"getctarank.u64 %r2, s;", true},
		{"getctarank.u64 %r2, g;", false},
		{"getctarank.shared::cluster.u32 %r2, l;", false},
	} {
		_, err := front.Check("t.ptx", `.version 8.0
.target sm_90
.address_size 64
.global .b32 g;
.const .b32 c;
.visible .entry k(.param .u64 a)
{
	.reg .b32 %r<4>;
	.reg .b64 %d<4>;
	.shared .b32 s;
	.local .b32 l;
	`+x.line+`
	ret;
}
`, "sm_90")
		if x.good && err != nil || !x.good && (err == nil || !strings.Contains(err.Error(), mismatch)) {
			t.Errorf("%s: %v", x.line, err)
		}
	}
}
