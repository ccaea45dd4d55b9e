package ptxvm

import (
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// TestZoo runs every kernel of the zoo and compares every byte with what an
// H200 left, watching for undefined registers.
func TestZoo(t *testing.T) {
	launches, exact := 0, 0
	var st Stats
	start := time.Now()
	for _, k := range zoo.List(t) {
		p, err := Load(k.File, k.Text, "sm_90a")
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		for n := range k.Launches {
			launches++
			out, s, err := p.RunStats(&k.Launches[n], Options{Undefined: true})
			if err != nil {
				t.Errorf("%v", err)
				continue
			}
			st.Warps += s.Warps
			st.Threads += s.Threads
			switch {
			case k.Want == nil:
				t.Errorf("%s: no measured results", k.File)
			default:
				if diff := k.Want[n].Compare(out); diff != "" {
					t.Errorf("%s: launch %d: %s", k.File, n, diff)
					continue
				}
				exact++
			}
		}
	}
	if exact < 129 {
		t.Errorf("%d equal launches, want at least 129", exact)
	}
	t.Logf("%d launches: %d equal to the H200; %d warp and %d thread instructions in %v",
		launches, exact, st.Warps, st.Threads, time.Since(start).Round(time.Millisecond))
}

// TestSchedules runs the zoo in other orders of warps and threads: what the
// kernels leave must not depend on it. Atomic float sums and the like may
// differ, and the lanes that activemask and elect see.
func TestSchedules(t *testing.T) {
	launches, raced := 0, 0
	for _, k := range zoo.List(t) {
		p, err := Load(k.File, k.Text, "sm_90a")
		if err != nil {
			continue
		}
		for n := range k.Launches {
			for seed := uint64(1); seed <= 2; seed++ {
				out, err := p.Run(&k.Launches[n], Options{Undefined: true, Races: seed == 2 && k.Launches[n].Threads() <= 256, Schedule: seed})
				if err != nil {
					t.Errorf("%v", err)
					continue
				}
				launches++
				if seed == 2 {
					raced++
				}
				if k.Want == nil {
					continue
				}
				if diff := k.Want[n].Compare(out); diff != "" {
					t.Errorf("%s: launch %d: schedule %d: %s", k.File, n, seed, diff)
				}
			}
		}
	}
	t.Logf("%d launches, %d watched for races", launches, raced)
}

// BenchmarkZoo measures thread instructions a second over the whole zoo.
func BenchmarkZoo(b *testing.B) {
	type job struct {
		p *Program
		k *zoo.Kernel
	}
	var jobs []job
	list := zoo.List(b)
	for n := range list {
		p, err := Load(list[n].File, list[n].Text, "sm_90a")
		if err != nil {
			b.Fatal(err)
		}
		jobs = append(jobs, job{p, &list[n]})
	}
	threads := int64(0)
	for b.Loop() {
		for _, j := range jobs {
			for n := range j.k.Launches {
				_, st, err := j.p.RunStats(&j.k.Launches[n], Options{})
				if err != nil {
					b.Fatal(err)
				}
				threads += st.Threads
			}
		}
	}
	b.ReportMetric(float64(threads)/b.Elapsed().Seconds()/1e6, "Minst/s")
}
