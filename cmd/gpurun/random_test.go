package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/launch"
)

// TestRandomFiles: every seed is one launch of one file, a quarter or more
// have matrix products or asynchronous copies, and every way to compile is
// used for every kind.
func TestRandomFiles(t *testing.T) {
	const n = 900
	count, modes := map[string]int{}, map[string]bool{}
	launches := map[string]int{}
	for _, f := range randomFiles(3000, n) {
		list, err := launch.Parse(f.text)
		if err != nil {
			t.Fatal(err)
		}
		for k := range list {
			launches[strings.TrimLeft(list[k].Kernel, "abcdefghijklmnopqrstuvwxyz")]++
		}
		count[f.kind] += len(list)
		modes[f.kind+" "+f.mode] = true
		if f.alone != nil && len(f.alone) != len(list) {
			t.Errorf("%s: %d programs, %d alone", f.name, len(list), len(f.alone))
		}
		if tensor := strings.Contains(f.text, "mma") || strings.Contains(f.text, "cp.async"); tensor != slices.Contains([]string{"async", "hopper", "tensor"}, f.kind) {
			t.Errorf("%s is no %s", f.name, f.kind)
		}
	}
	if len(launches) != n || count["async"]+count["hopper"]+count["tensor"] < n/4 {
		t.Errorf("%d programs, %v", len(launches), count)
	}
	for _, kind := range []string{"common", "wide", "small", "tensor", "async", "hopper"} {
		for _, m := range randomModes {
			if m == "r24" && kind == "hopper" {
				m = "r56"
			}
			if !modes[kind+" "+m] {
				t.Errorf("no %s at %s", kind, m)
			}
		}
	}
}

// TestRandomWitness: what the interpreter says is said of each outcome.
func TestRandomWitness(t *testing.T) {
	right, wrong := &gpu.Result{Stage: "done", Hash: []uint64{7}, Changed: true}, &gpu.Result{Stage: "done", Hash: []uint64{8}, Changed: true}
	hang, none := &gpu.Result{Stage: "run", Err: "hang"}, &gpu.Result{Stage: "start", Err: "no GPU"}
	for _, x := range []struct {
		ref, our      *gpu.Result
		outcome, note string
	}{
		{right, right, "equal", ""},
		{wrong, wrong, "both", "both differ from the interpreter"},
		{right, wrong, "differ", "the reference's is as the interpreter says"},
		{wrong, right, "differ", "ours is as the interpreter says"},
		{right, hang, "fault", "the reference's is as the interpreter says"},
		{hang, right, "reffault", "ours is as the interpreter says"},
		{none, none, "notrun", ""},
	} {
		r := &row{want: []uint64{7}}
		r.judge([]*gpu.Result{x.ref}, x.our)
		if r.witness(); r.Outcome != x.outcome || r.Note != x.note {
			t.Errorf("%v %v: %s, %s", x.ref, x.our, r.Outcome, r.Note)
		}
	}
}
