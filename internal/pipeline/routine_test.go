package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/sass"
)

// TestRoutine: a kernel that divides pairs in several places has the long
// way once and calls it, unless its registers are few.
func TestRoutine(t *testing.T) {
	text := func(n int, limit string) string {
		var b strings.Builder
		fmt.Fprintf(&b, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n%s{\n.reg .b64 %%rd<99>;\nld.param.u64 %%rd1,[p];\n", limit)
		for k := range n {
			fmt.Fprintf(&b, "ld.global.u64 %%rd2,[%%rd1+%d];\nld.global.u64 %%rd3,[%%rd1+%d];\ndiv.u64 %%rd4,%%rd2,%%rd3;\nst.global.u64 [%%rd1+%d],%%rd4;\n", 32*k, 32*k+8, 32*k+16)
		}
		return b.String() + "ret;\n}\n"
	}
	for _, c := range []struct {
		n     int
		arch  string
		limit string
		calls int
	}{
		{1, "sm_80", "", 0},
		{2, "sm_80", "", 2},
		{7, "sm_80", "", 7},
		{4, "sm_90", "", 4},
		{4, "sm_100", "", 4},
		{3, "sm_120", "", 3},
		{3, "sm_80", ".maxnreg 16\n", 0},
	} {
		out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(text(c.n, c.limit))}}, goptxas.Options{Arch: c.arch})
		if err != nil {
			t.Errorf("%d divisions for %s: %v", c.n, c.arch, err)
			continue
		}
		if got := count(t, c.arch, out.Cubin, "CALL"); got != c.calls {
			t.Errorf("%d divisions for %s: %d calls, want %d", c.n, c.arch, got, c.calls)
		}
	}
}

// count returns how many instructions of a cubin have a mnemonic.
func count(t *testing.T, arch string, file []byte, mnemonic string) int {
	t.Helper()
	n := 0
	instructions(t, arch, file, func(_ *cubin.Function, i *sass.Inst) {
		if i.Op().String() == mnemonic {
			n++
		}
	})
	return n
}
