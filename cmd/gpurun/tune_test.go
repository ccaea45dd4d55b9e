package main

import (
	"errors"
	"hash/fnv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/launch"
)

// fakeTuner is a tuner of which the GPU is a function of the settings: those
// with SchedSlack=24 are faster, those with SchedSpare=0 wrong, those with
// SchedManner=1 fault, and those with RegAllocSpread=false are not compiled.
func fakeTuner(asked *[]string) *tuner {
	t := &tuner{launches: make([]launch.Launch, 2), rounds: 3, repeat: 1}
	t.build = func(how string) (string, error) {
		if strings.Contains(how, "RegAllocSpread=false") {
			return "", errors.New("refused")
		}
		*asked = append(*asked, how)
		return "cubin " + how, nil
	}
	turn := 0.0
	t.measure = func(list []*gpu.Request) (so []*gpu.Result) {
		for _, q := range list {
			turn++
			r := &gpu.Result{Stage: "done", Hash: []uint64{7}, Micros: 100 + turn/1e6}
			if strings.Contains(q.Cubin, "SchedManner=1") {
				return append(so, &gpu.Result{Stage: "run", Err: "fault"})
			}
			if strings.Contains(q.Cubin, "SchedSlack=24") {
				r.Micros *= 0.9
			}
			if strings.Contains(q.Cubin, "SchedSpare=0") {
				r.Hash, r.Micros = []uint64{8}, 1
			}
			so = append(so, r)
		}
		return so
	}
	t.cycles = func(cubin string) uint64 {
		h := fnv.New32()
		h.Write([]byte(cubin))
		if strings.Contains(cubin, "SchedSlack=24") {
			return 900 + uint64(h.Sum32()%50)
		}
		return 1000 + uint64(h.Sum32()%50)
	}
	return t
}

// TestTune: the fastest candidate is kept, those that fault, leave other
// memory behind or are not compiled are refused, the same seed asks for the
// same candidates, and the simulator's ranking is counted.
func TestTune(t *testing.T) {
	var one, two []string
	all, err := fakeTuner(&one).run(60, 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fakeTuner(&two).run(60, 3); err != nil || strings.Join(one, "\n") != strings.Join(two, "\n") {
		t.Errorf("the same seed asked for other candidates, %v", err)
	}
	if len(all) != 61 {
		t.Errorf("%d candidates", len(all)-1)
	}
	for _, x := range all {
		bad := strings.Contains(x.How, "RegAllocSpread=false") || strings.Contains(x.How, "SchedManner=1") || strings.Contains(x.How, "SchedSpare=0")
		if bad != (x.Err != "") {
			t.Errorf("%q: %q", x.How, x.Err)
		}
		if x.Kept && (bad || !strings.Contains(x.How, "SchedSlack=24")) {
			t.Errorf("%q was kept", x.How)
		}
	}
	if alike, pairs := agreement(all); pairs == 0 || alike != pairs {
		t.Errorf("%d of %d pairs alike", alike, pairs)
	}
	if got := strings.Join(options("SchedSlack=24 Unroll/off"), " "); got != "--knob=SchedSlack=24 --phase=Unroll/off" {
		t.Errorf("options %s", got)
	}
}
