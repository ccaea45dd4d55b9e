package cli

import (
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/pipeline"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/front"
	"github.com/goptxas/goptxas/internal/witness/sim"
	"github.com/goptxas/goptxas/internal/witness/sweep"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// TestFast runs the zoo, timed, as each level of fast compilation makes it.
func TestFast(t *testing.T) {
	for at, arch := range []string{"sm_90a", "sm_75", "sm_80", "sm_89", "sm_100a", "sm_120a"} {
		for level := pipeline.FastMin; level < pipeline.NumFast; level++ {
			var f figures
			list := fastList(t, arch)
			for i := range list {
				k := &list[i]
				if (arch != "sm_90a" || level != pipeline.FastMax) && !sweep.Takes(i+at+int(level), 5) {
					continue
				}
				if code := fastCode(t, k, arch, level); code != nil {
					f.file(t, k, code)
				}
			}
			t.Logf("%s, level %d: %d of %d kernels as on the H200, %d early reads", arch, level, f.right, f.kernels, f.reports)
		}
	}
}

// fastList is the zoo, for sm_90a with the kernels that have products of matrices,
// from which is wanted what the interpreter has.
func fastList(t *testing.T, arch string) []zoo.Kernel {
	list := zoo.List(t)
	if arch != "sm_90a" {
		return list
	}
	for _, k := range zoo.Matrices(t) {
		k.Want = interpreted(t, &k, arch)
		list = append(list, k)
	}
	return list
}

// TestFastHopper runs the asynchronous kernels of each level with every timing.
func TestFastHopper(t *testing.T) {
	for _, k := range zoo.Hopper(t) {
		for level := pipeline.FastMin; level < pipeline.NumFast; level++ {
			m, err := sim.Load(fastCode(t, &k, "sm_90a", level))
			if err != nil {
				t.Fatal(err)
			}
			testTimings(t, &k, "sm_90a", m)
		}
	}
}

// fastCode is what a level makes of a kernel; nil if that is not for the GPU.
func fastCode(t *testing.T, k *zoo.Kernel, arch string, level pipeline.Fast) []byte {
	c, err := front.Check(k.File, textFor(k, arch), arch)
	if err != nil {
		return nil
	}
	out, err := pipeline.Module(c.Module, pipeline.Options{Arch: target.Find(arch), Level: 3, Fast: level}, 1, cubin.TKInfo{})
	if err != nil || len(out.Failures) > 0 {
		t.Fatalf("%s is refused for %s at level %d: %v %v", k.File, arch, level, err, out)
	}
	return out.Cubin
}
