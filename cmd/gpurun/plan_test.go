package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestResume cuts a plan short in the middle of a line: the next run keeps
// what is whole and adds what is missing.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	for _, n := range [...]string{"a.ptx", "b.ptx"} {
		if err := os.WriteFile(filepath.Join(dir, n), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "plan.jsonl")
	args := []string{"-corpus", dir, "-seeds", "1", "-j", "1", "-o", out}
	if err := plan(args); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(whole), "\n")
	if err := os.WriteFile(out, whole[:len(first)+20], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := plan(args); err != nil {
		t.Fatal(err)
	}
	again, err := os.ReadFile(out)
	if err != nil || !strings.HasPrefix(string(again), first+"\n") {
		t.Fatalf("the first line changed: %v", err)
	}
	p, err := readPlan(out)
	if err != nil || len(p) != 2 || len(p["a.ptx"]) != 1 || len(p["b.ptx"]) != 1 {
		t.Errorf("%d files, %v", len(p), err)
	}
}

// TestTotals has two warps expect the bytes of a second copy before the first
// one begins: only the sums tell how many bytes each map brings.
func TestTotals(t *testing.T) {
	x := &probed{
		maps:    []mapUse{{places: []uint64{0, 1024}}, {places: []uint64{2048, 2560}}},
		expects: []brought{{1536, map[int]uint64{0: 1}}, {512, map[int]uint64{1: 1}}, {1024, map[int]uint64{0: 1}}},
		at:      []barrierOf{{0, 8}, {0, 8}, {0, 16}},
	}
	if x.consistent() {
		t.Error("1,536 and 1,024 bytes of one copy")
	}
	all := x.totals()
	if len(all) != 2 || all[0].bytes != 2048 || all[0].count[0] != 1 || all[0].count[1] != 1 || all[1].bytes != 1024 {
		t.Errorf("%+v", all)
	}
}
