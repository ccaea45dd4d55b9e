package pipeline_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

const volatileText = `.version 8.8
.target %s
.address_size 64
.shared .align 16 .b8 room[4096];
.visible .entry k(.param .u64 a) {
	.reg .b32 %%s, %%r<%d>, %%x, %%y; .reg .b64 %%d; .reg .pred %%p;
	ld.param.u64 %%d, [a];
	mov.u32 %%x, %%tid.x;
	mov.u32 %%s, room;
	mad.lo.u32 %%s, %%x, 4, %%s;
	mov.b32 %%r0, %%x;
	ld.global.u32 %%y, [%%d];
	setp.lt.u32 %%p, %%x, %%y;
%s	ret;
}
`

// volatiles writes accesses to shared memory whose order threads of a warp
// count on, among arithmetic and plain accesses that may pass them, and lists
// them: loads, of which some are never read and some repeat the one before, and
// stores.
func volatiles(rng *rand.Rand, n int) (text string, order []string) {
	var b strings.Builder
	for k := 1; k <= n; k++ {
		at := 4 * rng.IntN(8)
		how := []string{"volatile.shared", "relaxed.cta.shared"}[rng.IntN(2)]
		guard := []string{"", "", "@%p "}[rng.IntN(3)]
		if rng.IntN(3) > 0 {
			fmt.Fprintf(&b, "\tmov.b32 %%r%d, 7;\n\t%sld.%s.u32 %%r%d, [%%s+%d];\n", k, guard, how, k, at)
			order = append(order, fmt.Sprintf("LDS %#x", at))
		} else {
			fmt.Fprintf(&b, "\tadd.u32 %%r%d, %%r%d, %%r%d;\n\t%sst.%s.u32 [%%s+%d], %%r%d;\n", k, k-1, rng.IntN(k), guard, how, at, k)
			order = append(order, fmt.Sprintf("STS %#x", at))
		}
		if rng.IntN(4) == 0 {
			fmt.Fprintf(&b, "\tst.global.u32 [%%d+%d], %%r%d;\n", 8*k, rng.IntN(k))
		}
	}
	fmt.Fprintf(&b, "\tst.global.u32 [%%d+4], %%r%d;\n", n)
	return b.String(), order
}

// TestVolatileOrder: volatile accesses to shared memory all happen, in the order
// of the text, though their addresses differ.
func TestVolatileOrder(t *testing.T) {
	count := 0
	for seed := range uint64(12) {
		body, want := volatiles(rand.New(rand.NewPCG(seed, 1)), 40)
		for _, arch := range []string{"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"} {
			text := fmt.Sprintf(volatileText, arch, 64, body)
			out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(text)}}, goptxas.Options{Arch: arch})
			if err != nil {
				t.Fatal(err)
			}
			if got := sharedAccesses(t, arch, out.Cubin); !slices.Equal(got, want) {
				t.Errorf("seed %d for %s:\n%v, want\n%v", seed, arch, got, want)
			}
			count += len(want)
		}
	}
	t.Logf("%d accesses", count)
}

var sharedAccess = regexp.MustCompile(`^(LDS|STS)\b[^\[]*\[[^\]+]*(?:\+UR\d+)?(?:\+(0x[0-9a-f]+))?\]`)

// sharedAccesses lists the loads and stores of shared memory with their offsets.
func sharedAccesses(t *testing.T, arch string, file []byte) (list []string) {
	t.Helper()
	a := target.Find(arch)
	instructions(t, arch, file, func(_ *cubin.Function, i *sass.Inst) {
		text := i.Text(a, 0)
		if strings.HasPrefix(text, "@") {
			_, text, _ = strings.Cut(text, " ")
		}
		if m := sharedAccess.FindStringSubmatch(text); m != nil {
			at := m[2]
			if at == "" {
				at = "0x0"
			}
			list = append(list, m[1]+" "+at)
		}
	})
	return list
}
