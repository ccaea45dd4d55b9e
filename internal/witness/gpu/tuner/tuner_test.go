package tuner

import (
	"errors"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/launch"
)

// fakeTuner is a tuner of which the GPU is a function of the settings: those
// with SchedSlack=24 are faster, those with SchedSpare=0 wrong, those with
// SchedManner=1 fault, and those with RegAllocSpread=false are not compiled,
// and two change nothing.
func fakeTuner(asked *[]string) *Tuner {
	t := &Tuner{Launches: make([]launch.Launch, 2), Rounds: 3, Repeat: 1, Jobs: 1, Beside: true, Ended: func() bool { return false }}
	t.Build = func(how string, _ int) (string, error) {
		if strings.Contains(how, "RegAllocSpread=false") {
			return "", errors.New("refused")
		}
		*asked = append(*asked, how)
		if how == "TurnsTime=100000" || how == "SlackAlone=30" { // change nothing
			how = ""
		}
		return "cubin " + how, nil
	}
	turn := 0.0
	t.Measure = func(list []*gpu.Request) (so []*gpu.Result) {
		for _, q := range list {
			turn++
			r := &gpu.Result{Stage: "done", Hash: []uint64{7}, Micros: 100 + turn/1e6}
			if strings.Contains(q.Cubin, "SchedManner=1") {
				return append(so, &gpu.Result{Stage: "run", Err: "fault"})
			}
			if strings.Contains(q.Cubin, "SchedSlack=24") {
				r.Micros *= 0.9
			}
			if strings.Contains(q.Cubin, Reference) {
				r.Micros *= 1.02
			}
			if strings.Contains(q.Cubin, "SchedSpare=0") {
				r.Hash, r.Micros = []uint64{8}, 1
			}
			if q.Unread {
				r.Hash = nil
			}
			so = append(so, r)
		}
		return so
	}
	t.Cycles = func(cubin string) uint64 {
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
	all, err := fakeTuner(&one).Run(60, 3)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fakeTuner(&two).Run(60, 3)
	slices.Sort(one) // several are compiled at a time
	slices.Sort(two)
	if err != nil || !slices.Equal(one, two) {
		t.Errorf("the same seed asked for other candidates, %v", err)
	}
	if len(all) != 62 || all[0].How != "" || all[1].How != Reference {
		t.Errorf("%d candidates", len(all)-2)
	}
	if r := all[1].Again; r < 1.01 || r > 1.03 {
		t.Errorf("the reference takes %v of the usual time", r)
	}
	if !slices.Contains(one, "SlackAlone=30") || slices.ContainsFunc(all, func(x *Candidate) bool { return x.How == "SlackAlone=30" }) {
		t.Error("what changes nothing was measured")
	}
	for _, x := range all[2:] {
		bad := strings.Contains(x.How, "RegAllocSpread=false") || strings.Contains(x.How, "SchedManner=1") || strings.Contains(x.How, "SchedSpare=0")
		if bad != (x.Err != "") {
			t.Errorf("%q: %q", x.How, x.Err)
		}
		if x.Kept && (bad || x.Again > 0.95 || !strings.Contains(x.How, "SchedSlack=24")) {
			t.Errorf("%q was kept", x.How)
		}
	}
	if alike, pairs := Agreement(all); pairs == 0 || alike != pairs {
		t.Errorf("%d of %d pairs alike", alike, pairs)
	}
	if got := strings.Join(Options("SchedSlack=24 Unroll/off"), " "); got != "--knob=SchedSlack=24 --phase=Unroll/off" {
		t.Errorf("options %s", got)
	}
}
