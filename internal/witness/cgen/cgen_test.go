package cgen

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

const steps = 3_000_000

// ptx compiles a program to PTX by the reference's front end.
func ptx(t *testing.T, cicc, dir string, seed uint64) string {
	t.Helper()
	in, out := filepath.Join(dir, "k.ii"), filepath.Join(dir, "k.ptx")
	if err := os.WriteFile(in, []byte(Program(seed)), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := oracle.Run(dir, cicc, "--c++17", "-arch", "compute_90a", "-m64", in, "-o", out); r.Exit != 0 {
		t.Fatalf("seed %d: %s%s\n%s", seed, r.Stdout, r.Stderr, Program(seed))
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("// Random C program %d.\n//: run k grid=1 block=%d\n//: buf %d bits %d\n//: buf %d zero\n//: u32 %d\n",
		seed, Threads, InBytes, seed, 4*OutWords*Threads, seed%11) + string(text)
}

// count is how many programs are run: GOPTXAS_CGEN, or a few.
func count() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("GOPTXAS_CGEN"), 10, 64); err == nil {
		return n
	}
	if testing.Short() {
		return 6
	}
	return 25
}

// TestPrograms compares the interpreter with our code in the simulator.
func TestPrograms(t *testing.T) {
	oracle.Find(t)
	cicc := filepath.Join(oracle.Dir(), "nvidia", "cu13", "nvvm", "bin", "cicc")
	if _, err := os.Stat(cicc); err != nil {
		t.Skip("the reference's front end is not installed: run `make oracle`")
	}
	dir := t.TempDir()
	modes := [][]string{nil, {"-O1"}, {"--maxrregcount=24"}, {"-O0"}}
	agree := 0
	for seed := range count() {
		text := ptx(t, cicc, dir, seed)
		args := modes[seed%uint64(len(modes))]
		switch why, err := differs(text, args); {
		case err != nil:
			t.Errorf("seed %d: %v", seed, err)
		case why != "":
			t.Errorf("seed %d %v: %s", seed, args, why)
		default:
			agree++
		}
	}
	t.Logf("%d programs agree", agree)
}

func differs(text string, args []string) (string, error) {
	list, err := launch.Parse(text)
	if err != nil {
		return "", err
	}
	v, err := ptxvm.Load("k.ptx", text, "sm_90a")
	if err != nil {
		return "", err
	}
	want, err := v.Run(&list[0], ptxvm.Options{MaxSteps: steps})
	if err != nil {
		return "", err
	}
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(text)}}, goptxas.Options{Arch: "sm_90a", Args: args})
	if err != nil {
		return "", err
	}
	m, err := sim.Load(out.Cubin)
	if err != nil {
		return "", err
	}
	k, err := m.Kernel("k")
	if err != nil {
		return "", err
	}
	c, err := k.Prepare(&list[0], nil)
	if err != nil {
		return "", err
	}
	c.Launch.MaxSteps = steps
	if _, err := k.Run(&c.Launch); err != nil {
		return "", err
	}
	for n := range want {
		if !bytes.Equal(want[n], c.Buffers[n]) {
			return fmt.Sprintf("argument %d differs", n), nil
		}
	}
	return "", nil
}
