package pipeline

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/knobs"
)

// drawn lists candidates, of which the cost is told by a function.
func drawn(seed uint64, n int, cost func(string) float64) (list []string, best string) {
	h := NewSampler(seed, false)
	h.Start(100)
	for range n {
		text := h.Next()
		list = append(list, text)
		h.Tell(text, cost(text))
	}
	best, _ = h.Best()
	return list, best
}

// TestSampler: candidates follow from the seed and from what those before cost,
// none comes twice, each setting is tried by itself first, and those to come
// build on the best.
func TestSampler(t *testing.T) {
	const n = 200
	cost := func(s string) float64 {
		if strings.Contains(s, "SchedSlack=24") && strings.Contains(s, "SchedSpare=3") {
			return 50
		}
		return 100 - float64(strings.Count(s, "SchedSlack=24"))
	}
	one, best := drawn(1, n, cost)
	again, _ := drawn(1, n, cost)
	other, _ := drawn(2, n, cost)
	seen := map[string]bool{}
	differ := false
	for k := range one {
		if one[k] != again[k] {
			t.Fatalf("candidate %d is %q and %q", k, one[k], again[k])
		}
		differ = differ || one[k] != other[k]
		if one[k] == "" || seen[one[k]] {
			t.Fatalf("candidate %d, %q, is none", k, one[k])
		}
		seen[one[k]] = true
		o, err := (&Options{}).Vary(one[k])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := newRunner(o); err != nil {
			t.Fatalf("candidate %q: %v", one[k], err)
		}
	}
	if !differ {
		t.Error("another seed gives the same candidates")
	}
	if !strings.Contains(best, "SchedSlack=24") || !strings.Contains(best, "SchedSpare=3") {
		t.Errorf("the best is %q", best)
	}
}

// TestVary: settings change a copy of the options alone.
func TestVary(t *testing.T) {
	o := &Options{Knobs: knobs.New(), Phases: []string{"CSE/off"}}
	v, err := o.Vary("SchedSlack=12 Unroll/off")
	if err != nil {
		t.Fatal(err)
	}
	if n := v.Knobs.Int(knobs.SchedSlack); n != 12 || len(v.Phases) != 2 {
		t.Errorf("slack %d, phases %v", n, v.Phases)
	}
	if n := o.Knobs.Int(knobs.SchedSlack); n != 6 || len(o.Phases) != 1 {
		t.Errorf("the options became slack %d, phases %v", n, o.Phases)
	}
	if _, err := o.Vary("Nothing=1"); err == nil {
		t.Error("a setting that does not exist is taken")
	}
}

// TestSamplerAdds: settings that gain something by themselves are set together,
// the best first.
func TestSamplerAdds(t *testing.T) {
	gains := map[string]float64{"SchedManner=2": 3, "TurnsTime=100000": 5, "SchedSlack=12": 1}
	cost := func(s string) float64 {
		c := 100.0
		for x := range strings.FieldsSeq(s) {
			c -= gains[x]
		}
		return c
	}
	h := NewSampler(1, false)
	h.Start(100)
	for len(h.plain) > 0 {
		text := h.Next()
		h.Tell(text, cost(text))
	}
	for range 2 {
		text := h.Next()
		h.Tell(text, cost(text))
	}
	if best, c := h.Best(); c != 91 || best != "SchedManner=2 SchedSlack=12 TurnsTime=100000" {
		t.Errorf("the best is %q with %v", best, c)
	}
}
