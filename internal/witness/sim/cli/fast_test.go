package cli

import (
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/pipeline"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/front"
	"github.com/goptxas/goptxas/internal/witness/sweep"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// TestFast runs the zoo, timed, as each level of fast compilation makes it.
func TestFast(t *testing.T) {
	for at, arch := range []string{"sm_90a", "sm_75", "sm_80", "sm_89", "sm_100a", "sm_120a"} {
		for level := pipeline.FastMin; level < pipeline.NumFast; level++ {
			var f figures
			list := zoo.List(t)
			for i := range list {
				k := &list[i]
				if (arch != "sm_90a" || level != pipeline.FastMax) && !sweep.Takes(i+at+int(level), 5) {
					continue
				}
				c, err := front.Check(k.File, textFor(k, arch), arch)
				if err != nil {
					continue // not for this GPU
				}
				out, err := pipeline.Module(c.Module, pipeline.Options{Arch: target.Find(arch), Level: 3, Fast: level}, 1, cubin.TKInfo{})
				if err != nil || len(out.Failures) > 0 {
					t.Errorf("%s is refused for %s at level %d: %v %v", k.File, arch, level, err, out)
					continue
				}
				f.file(t, k, out.Cubin)
			}
			t.Logf("%s, level %d: %d of %d kernels as on the H200, %d early reads", arch, level, f.right, f.kernels, f.reports)
		}
	}
}
