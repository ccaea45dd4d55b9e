package main

import (
	"testing"

	"github.com/goptxas/goptxas/internal/witness/gpu"
)

// TestEarlyReads: runs that ended, or ended by an early read, are counted.
func TestEarlyReads(t *testing.T) {
	done, early, fault := &gpu.Result{Stage: "done"}, &gpu.Result{Stage: "run", Err: "3 early reads", Early: 3}, &gpu.Result{Stage: "run", Err: "a fault"}
	rows := []*row{{Ref: done, Ours: early}, {Ref: done, Ours: done}, {Ref: fault}, {}}
	if got, want := earlyReads(rows), "early reads: reference 0 in 2 kernels, ours 3 in 2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
