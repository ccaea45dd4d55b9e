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

// outOfTime lets some phases that code does not need run, then none.
type outOfTime struct{ left int }

// Level leaves the phases as they are.
func (o *outOfTime) Level(base pipeline.Fast, _ int64) pipeline.Fast { return base }

// Short reports whether the time is over.
func (o *outOfTime) Short() bool {
	o.left--
	return o.left < 0
}

// TestSpared ends the time for a kernel at various phases: the code of all
// that come behind is made without them, and is as right.
func TestSpared(t *testing.T) {
	cuts := sweep.Of([]int{0, 4, 9, 14, 20, 26, 32, 38, 44, 50}, []int{0, 9, 26, 44})
	for _, cut := range cuts {
		var f figures
		list := zoo.List(t)
		spared := 0
		for i := range list {
			k := &list[i]
			c, err := front.Check(k.File, k.Text, "sm_90a")
			if err != nil {
				t.Fatalf("%s: %v", k.File, err)
			}
			out, err := pipeline.Module(c.Module, pipeline.Options{Arch: target.Find("sm_90a"), Level: 3, Limits: &outOfTime{cut}}, 1, cubin.TKInfo{})
			if err != nil || len(out.Failures) > 0 {
				t.Errorf("%s is refused: %v %v", k.File, err, out)
				continue
			}
			for _, x := range out.Kernels {
				if x.Spared {
					spared++
				}
			}
			f.file(t, k, out.Cubin)
		}
		if spared < f.kernels/2 {
			t.Errorf("after %d phases only %d of %d kernels were spared any", cut, spared, f.kernels)
		}
		t.Logf("after %d phases: %d of %d kernels as on the H200", cut, f.right, f.kernels)
	}
}
