package driver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// Parts of kernels with warp-group matrix operations.
const (
	wgHead = `.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)
{
.reg .f32 %f<9>; .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<3>;
ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c]; ld.global.u32 %r1, [%rd3+64]; setp.ne.u32 %p1, %r1, 0;
`
	wgLoad   = "ld.global.v4.f32 {%f0,%f1,%f2,%f3}, [%rd3];"
	wgFence  = "wgmma.fence.sync.aligned;"
	wgMMA    = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, %p1, 1, 1, 0, 0;"
	wgCommit = "wgmma.commit_group.sync.aligned;"
	wgWait   = "wgmma.wait_group.sync.aligned 0;"
	wgStore  = "st.global.v4.f32 [%rd3], {%f0,%f1,%f2,%f3};"
	wgTouch  = "add.f32 %f0, %f0, %f1;"
	wgTurn   = "add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 9; @%p2 bra Y;"
)

// TestLacking: arrivals and waits that the source lacks are told with their
// lines, as the reference tells them.
func TestLacking(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string // the first is line 8
		want  string
	}{
		{"nothing", []string{wgLoad, wgFence, wgMMA, wgCommit, wgWait, wgStore, "ret;"}, ""},
		{"no fence", []string{wgLoad, wgMMA, wgMMA, wgCommit, wgWait, wgStore, "ret;"}, "arrive 9"},
		{"written behind the fence", []string{wgLoad, wgFence, wgTouch, wgMMA, wgCommit, wgWait, wgStore, "ret;"}, "arrive 11"},
		{"fence before the loop", []string{wgLoad, wgFence, "Y:", wgMMA, wgCommit, wgWait, wgTurn, wgStore, "ret;"}, "arrive 11"},
		{"fence in the loop", []string{wgLoad, "Y:", wgFence, wgMMA, wgCommit, wgWait, wgTurn, wgStore, "ret;"}, ""},
		{"wait behind the loop", []string{wgLoad, "Y:", wgFence, wgMMA, wgCommit, wgTurn, wgWait, wgStore, "ret;"}, ""},
		{"no wait", []string{wgLoad, wgFence, wgMMA, wgCommit, wgStore, "ret;"}, "wait 12"},
		{"used before the wait", []string{wgLoad, wgFence, wgMMA, wgCommit, wgTouch, wgWait, wgStore, "ret;"}, "wait 12"},
		{"left", []string{wgLoad, wgFence, wgMMA, wgCommit, "ret;"}, "wait 12"},
		{"left open", []string{wgLoad, wgFence, wgMMA, "ret;"}, ""},
		{"one fence for two", []string{wgLoad, wgFence, wgMMA, wgCommit, wgWait, wgTouch, wgMMA, wgCommit, wgWait, wgStore, "ret;"}, "arrive 14"},
	} {
		text := wgHead + strings.Join(c.lines, "\n") + "\n}\n"
		dir := folder(t, []cases.File{{Name: "k.ptx", Data: []byte(text)}})
		want := ""
		if kind, line, ok := strings.Cut(c.want, " "); ok {
			code, use := "C7519", "in GMMA"
			if kind == "wait" {
				code, use = "C7517", "defined by GMMA"
			}
			want = fmt.Sprintf("ptxas info    : (%s) warpgroup.%s is injected in around line %s by compiler to allow use of registers %s in function 'k'\n", code, kind, line, use)
		}
		args := []string{"k.ptx", "-arch=sm_90a", "-o", "k.cubin"}
		if got := runSelf(t, dir, args...); got.Stderr != want || got.Exit != 0 {
			t.Errorf("%s: exit %d, %q, want %q", c.name, got.Exit, got.Stderr, want)
		}
		if oracle.Available() {
			if ref := oracle.Find(t).Run(dir, "ptxas", args...); ref.Stderr != want {
				t.Errorf("%s: the reference says %q, want %q", c.name, ref.Stderr, want)
			}
		}
	}
}
