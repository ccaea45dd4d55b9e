package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fake finds a fault in every tenth seed.
type fake struct{ seen map[uint64]int }

func (f fake) do(seed uint64) (result, fault, text string) {
	f.seen[seed]++
	if seed%10 == 0 {
		return "fault", "why", "text"
	}
	return "agree", "", ""
}

// TestLedger stops and goes on: nothing is done twice, nothing is lost.
func TestLedger(t *testing.T) {
	dir, f := t.TempDir(), fake{map[uint64]int{}}
	for range 2 {
		l, err := open(dir, "x")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []uint64{0, 100} {
			if !l.done[c] {
				if err := l.run(f, c); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		l.file.Close()
	}
	l, err := open(dir, "x")
	if err != nil {
		t.Fatal(err)
	}
	defer l.file.Close()
	if len(f.seen) != 200 || f.seen[150] != 1 || l.total["fault"] != 20 || l.total["agree"] != 180 {
		t.Errorf("%d seeds, %v", len(f.seen), l.total)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "fault-110.txt")); err != nil || string(b) != "why\ntext" {
		t.Errorf("%q, %v", b, err)
	}
}

// TestPrograms does a few seeds of each mode.
func TestPrograms(t *testing.T) {
	count := map[string]int{}
	for seed := range uint64(32) {
		result, fault, text := programs{}.do(seed)
		count[result[strings.LastIndexByte(result, '-')+1:]]++
		if fault != "" {
			t.Errorf("%s\n%s", fault, text)
		}
	}
	if count["agree"] < 28 {
		t.Error(count)
	}
}

// TestHostile damages a few texts of the zoo.
func TestHostile(t *testing.T) {
	h, err := newHostile("")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for seed := range uint64(300) {
		result, fault, text := h.do(seed)
		count[result]++
		if fault != "" {
			t.Errorf("%s\n%s", fault, text)
		}
	}
	if count["compiled"] == 0 || count["refused"] == 0 {
		t.Error(count)
	}
	t.Log(count)
}
