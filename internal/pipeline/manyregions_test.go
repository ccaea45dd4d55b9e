package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
)

// manyRegions writes a kernel with n regions, one behind the other, in each of
// which all threads of the warp wait for each other while the warp may be apart.
func manyRegions(n int, body string) string {
	var b strings.Builder
	b.WriteString(`.version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a) {
	.reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %d<4>;
	ld.param.u64 %d1, [a];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %d2, %r1, 4;
	add.s64 %d1, %d1, %d2;
	mov.u32 %r2, 0;
	and.b32 %r9, %r1, 3;
LOOP:
	setp.eq.u32 %p3, %r1, %r2;
	@%p3 bra AWAKE;
	nanosleep.u32 20;
AWAKE:
`)
	for k := range n {
		fmt.Fprintf(&b, "\tadd.u32 %%r3, %%r2, %d;\n\tld.global.u32 %%r4, [%%d1+%d];\n\tsetp.gt.u32 %%p1, %%r4, %d;\n\t@%%p1 bra S%d;\n", k, 4*k, k+1, k)
		fmt.Fprintf(&b, "\t%s\n\tst.global.u32 [%%d1+%d], %%r3;\nS%d:\n", body, 4*k, k)
	}
	b.WriteString("\tadd.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p2, %r2, %r9;\n\t@%p2 bra LOOP;\n\tret;\n}\n")
	return b.String()
}

// TestManyRegions: what makes threads wait for each other in many regions leaves
// no barrier for all of them, and some of the regions go.
func TestManyRegions(t *testing.T) {
	for _, body := range []string{"bar.sync 0;", "movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r4;"} {
		for _, level := range []goptxas.Level{goptxas.O0, goptxas.O3} {
			in := goptxas.Input{Name: "k.ptx", Text: []byte(manyRegions(20, body))}
			if _, err := goptxas.Compile(context.Background(), []goptxas.Input{in}, goptxas.Options{Arch: "sm_90", Level: level}); err != nil {
				t.Errorf("%s at level %d: %v", body, level, err)
			}
		}
	}
}
