package pipeline_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

const acquireText = `.version 8.8
.target %s
.address_size 64
.shared .align 8 .b64 flag;
.visible .entry k(.param .u64 a) {
	.reg .b32 %%r<10>; .reg .b64 %%d<9>; .reg .pred %%p;
	ld.param.u64 %%d1, [a];
	cvta.to.global.u64 %%d1, %%d1;
	ld.global.u32 %%r2, [%%d1];
	%s
	ld.global.u32 %%r3, [%%d1];
	ld.global.u32 %%r5, [%%d1+4];
	st.global.v4.u32 [%%d1+16], {%%r2, %%r3, %%r4, %%r5};
	ret;
}
`

// TestAcquire: loads behind an acquire stay behind it, and do not take the
// words of loads before it.
func TestAcquire(t *testing.T) {
	n := 0
	for _, c := range []string{
		"ld.acquire.cta.shared.u32 %r4, [flag];",
		"atom.acquire.cta.shared.add.u32 %r4, [flag], 5;",
		"atom.acquire.cta.shared.cas.b32 %r4, [flag], 0, 1;",
		"ld.acquire.cta.global.u32 %r4, [%d1+64];",
		"ld.acquire.gpu.global.u32 %r4, [%d1+64];",
		"atom.acquire.cta.global.exch.b32 %r4, [%d1+64], 5;",
		"atom.acq_rel.gpu.global.add.u32 %r4, [%d1+64], 5;",
		"ld.relaxed.cta.shared.u32 %r4, [flag];\nfence.acq_rel.cta;",
		"mbarrier.test_wait.shared.b64 %p, [flag], %d1;\nselp.b32 %r4, 1, 0, %p;",
	} {
		for _, arch := range []string{"sm_90", "sm_100", "sm_120"} {
			text := fmt.Sprintf(acquireText, arch, c)
			out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(text)}}, goptxas.Options{Arch: arch})
			if err != nil {
				t.Errorf("%s: %v", c, err)
				continue
			}
			if got := behindAcquire(t, arch, out.Cubin); got != "0|0 4" && got != "|0 0 4" {
				t.Errorf("%s for %s: %s", c, arch, got)
			}
			n++
		}
	}
	t.Logf("%d acquires", n)
}

// behindAcquire lists the offsets of weak global loads in a cubin with one
// kernel, those behind the last other access but stores behind a bar.
func behindAcquire(t *testing.T, arch string, file []byte) string {
	t.Helper()
	a := target.Find(arch)
	var before, behind []string
	instructions(t, arch, file, func(_ *cubin.Function, i *sass.Inst) {
		text := i.Text(a, 0)
		name, _, _ := strings.Cut(text, " ")
		switch base, _, _ := strings.Cut(name, "."); {
		case name == "LDG.E" && strings.Contains(text, "+0x4]"):
			behind = append(behind, "4")
		case name == "LDG.E":
			behind = append(behind, "0")
		case slices.Contains([]string{"LDG", "LDS", "ATOMS", "ATOMG", "SYNCS", "MEMBAR", "CCTL"}, base):
			before, behind = append(before, behind...), nil
		}
	})
	slices.Sort(behind)
	return strings.Join(before, " ") + "|" + strings.Join(behind, " ")
}
