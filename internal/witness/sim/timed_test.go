package sim

import (
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// timedRun runs every launch of a kernel file in timed mode.
func timedRun(t *testing.T, k *zoo.Kernel, cubin []byte) (reports []Early, launches int, ok bool) {
	t.Helper()
	m, err := Load(cubin)
	if err != nil {
		t.Errorf("%s: %v", k.File, err)
		return nil, 0, false
	}
	ok = true
	for n := range k.Launches {
		p, err := m.Kernel(k.Launches[n].Kernel)
		if err != nil {
			t.Errorf("%s: %v", k.File, err)
			return nil, 0, false
		}
		c, err := p.Prepare(&k.Launches[n], nil)
		if err != nil {
			t.Errorf("%s: %v", k.File, err)
			return nil, 0, false
		}
		c.Launch.Timed, c.Launch.MaxSteps = true, 500_000
		st, err := p.Run(&c.Launch)
		if err != nil {
			ok = false
		}
		reports = append(reports, st.Reports...)
		launches++
		if k.Want != nil && k.Want[n].Compare(c.Buffers) != "" {
			ok = false
		}
	}
	return reports, launches, ok
}

// TestTimedReference runs the reference's code in timed mode: a report
// means that a latency table is wrong.
func TestTimedReference(t *testing.T) {
	x := oracle.Find(t)
	list := append(zoo.List(t), zoo.Textures(t)...)
	kernels, launches, found, good := 0, 0, 0, 0
	for n := range list {
		k := &list[n]
		b, err := x.Cubin(k.Path, "-arch=sm_90a")
		if err != nil {
			t.Errorf("%s: %v", k.File, err)
			continue
		}
		reports, ran, ok := timedRun(t, k, b)
		for n := range reports {
			t.Errorf("%s: %v", k.File, reports[n])
		}
		found += len(reports)
		kernels++
		launches += ran
		if ok {
			good++
		}
	}
	t.Logf("%d kernels of the reference, %d launches, %d reports, %d right", kernels, launches, found, good)
}
