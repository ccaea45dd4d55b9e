package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/driver"
	"github.com/goptxas/goptxas/internal/witness/gen"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
)

// wrongCompiler makes this test's binary a compiler that counts the zeros at the
// front where all ones are asked for.
const wrongCompiler = "GPURUN_WRONG"

func TestMain(m *testing.M) {
	if os.Getenv(wrongCompiler) == "" {
		os.Exit(m.Run())
	}
	n := len(os.Args)
	text, err := os.ReadFile(os.Args[n-3])
	if err != nil {
		os.Exit(1)
	}
	wrong := bytes.ReplaceAll(text, []byte("popc.b32"), []byte("clz.b32"))
	cubin, ok := driver.CompileTexts(context.Background(), os.Args[1:n-3], []driver.Text{{Name: "k.ptx", Text: wrong}}, os.Stderr)
	if !ok || os.WriteFile(os.Args[n-1], cubin, 0o644) != nil {
		os.Exit(1)
	}
}

// TestExplain: of a program that our code gets wrong a small one is kept that
// it still gets wrong, with words that the two say differently.
func TestExplain(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(wrongCompiler, "1")
	s := &settings{ours: self, jobs: 2, trust: true}
	tmp := t.TempDir()
	p := withCount(t)
	rows := s.randomRows(tmp, &randomFile{name: "k", text: p.Text(), mode: "O3", kind: "small", prog: p})
	if rows[0].simulate(); rows[0].Outcome != "differ" {
		t.Fatalf("%s %s: the fault does not show", rows[0].Outcome, rows[0].Err)
	}
	if err := s.explain(tmp, rows, true, 1); err != nil {
		t.Fatal(err)
	}
	got := rows[0].Story
	if got == nil || got.Err != "" || got.Steps == 0 || !strings.Contains(got.Program, "popc.b32") || len(got.Program) >= len(p.Text()) {
		t.Fatalf("%+v", got)
	}
	if len(got.Words) == 0 || got.Words[0].Ours == got.Words[0].Said {
		t.Errorf("words %v", got.Words)
	}
	if list, err := launch.Parse(got.Program); err != nil || list[0].Args[0].Fill == "" {
		t.Errorf("the inputs are not told: %v", err)
	}
}

// withCount returns a small program in which counting bits otherwise changes
// the results.
func withCount(t *testing.T) *gen.Prog {
	run := func(text string) string {
		v, err := ptxvm.Load("k", text, "sm_90a")
		if err != nil {
			t.Fatal(err)
		}
		list, err := launch.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		out, err := v.Run(&list[0], ptxvm.Options{MaxSteps: 4_000_000})
		if err != nil {
			t.Fatal(err)
		}
		return string(bytes.Join(out, nil))
	}
	for seed := uint64(1); seed < 4000; seed++ {
		p := gen.NewSmall(seed)
		if text := p.Text(); strings.Contains(text, "popc.b32") && run(text) != run(strings.ReplaceAll(text, "popc.b32", "clz.b32")) {
			return p
		}
	}
	t.Fatal("no program")
	return nil
}
