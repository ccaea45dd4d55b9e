package pipeline

import (
	"bytes"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/ra"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/gen/pipe"
)

// TestShown: where loads that could be sent ahead stay, dumps show the kernel that is kept:
// each of them is compiled to the same file, which is the one that nobody looks at, too.
func TestShown(t *testing.T) {
	a := target.Find("sm_90a")
	kept, dropped := 0, 0
	for seed := range uint64(60) {
		text := pipe.NewReads(seed).Text()
		file := func(set string) *Output {
			o, err := (&Options{Arch: a, Level: 3}).Vary(set)
			if err != nil {
				t.Fatal(err)
			}
			out, err := Module(check(t, "reads.ptx", text, a), *o, 1, cubin.TKInfo{})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		if !file("AheadWarps=0").Kernels[0].Ahead {
			continue
		}
		unseen := file("")
		if unseen.Kernels[0].Ahead {
			kept++
		} else {
			dropped++
		}
		seen, _ := resumedFile(t, "reads.ptx", text, a, "DUMPIR=Unroll,LeaveSSA,PreSchedule")
		if !bytes.Equal(seen.Cubin, unseen.Cubin) {
			t.Errorf("seed %d: with dumps another file is made", seed)
		}
	}
	if kept < 2 || dropped < 2 {
		t.Errorf("loads of %d kernels are sent ahead, of %d they stay", kept, dropped)
	}
}

// TestPays: what loads ahead may cost.
func TestPays(t *testing.T) {
	plain := &link.Kernel{Latency: 100, Occupancy: 10, Spills: ra.Result{Stores: 1, Loads: 1}}
	for _, c := range []struct {
		latency, occupancy float64
		stores, loads      int
		want               bool
	}{
		{90, 10, 1, 1, true},
		{101, 10, 1, 1, false},
		{90, 10, 2, 1, false},
		{90, 10, 1, 2, false},
		{90, 12, 0, 0, true},
		{80, 8, 1, 1, true},
		{81, 8, 1, 1, false}, // eight warps take longer for the work of ten
		{50, 7, 1, 1, false},
	} {
		k := &link.Kernel{Latency: c.latency, Occupancy: c.occupancy, Spills: ra.Result{Stores: c.stores, Loads: c.loads}}
		if got := pays(k, plain, 0.8); got != c.want {
			t.Errorf("%v: %v", c, got)
		}
	}
}
