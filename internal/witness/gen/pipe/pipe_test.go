package pipe

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sim"
	"github.com/goptxas/goptxas/internal/witness/sweep"
)

func TestMain(m *testing.M) { sweep.Main(m) }

// pipes is how many pipes the test runs.
func pipes() int {
	if os.Getenv("GOPTXAS_FULL") != "" {
		return 5000
	}
	return 30
}

// simulate runs a launch of a cubin.
func simulate(l *launch.Launch, cubin []byte) ([][]byte, error) {
	m, err := sim.Load(cubin)
	if err != nil {
		return nil, err
	}
	k, err := m.Kernel(l.Kernel)
	if err != nil {
		return nil, err
	}
	c, err := k.Prepare(l, nil)
	if err != nil {
		return nil, err
	}
	c.Launch.MaxSteps = 3_000_000
	_, err = k.Run(&c.Launch)
	return c.Buffers, err
}

// pipeWant runs a pipe in the interpreter, with threads in some order.
func pipeWant(t *testing.T, p *Pipe, order uint64) ([][]byte, *launch.Launch) {
	t.Helper()
	list, err := launch.Parse(p.Text())
	if err != nil {
		t.Fatal(err)
	}
	v, err := ptxvm.Load("pipe.ptx", p.Text(), "sm_90a")
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Text())
	}
	out, err := v.Run(&list[0], ptxvm.Options{Undefined: true, MaxSteps: 3_000_000, Schedule: order})
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Text())
	}
	return out, &list[0]
}

// TestPipes runs pipes in the interpreter, in two orders of threads, and our
// code in the simulator.
func TestPipes(t *testing.T) {
	n := pipes()
	kinds := map[string]int{}
	for seed := range uint64(n) {
		p := New(seed)
		want, l := pipeWant(t, p, 0)
		other, _ := pipeWant(t, p, seed+1)
		out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "pipe.ptx", Text: []byte(p.Text())}}, goptxas.Options{Arch: "sm_90a"})
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Text())
		}
		got, err := simulate(l, out.Cubin)
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Text())
		}
		if p.Group {
			kinds["group"]++
		}
		if p.Cluster {
			kinds["cluster"]++
		}
		for k := range want {
			if !bytes.Equal(want[k], other[k]) {
				t.Fatalf("the order of threads matters\n%s", p.Text())
			}
			if !bytes.Equal(want[k], got[k]) {
				t.Fatalf("argument %d differs\n%s", k, p.Text())
			}
		}
		kinds[p.How]++
	}
	t.Log(kinds)
	for _, k := range [...]string{"copy", "bulk", "load", "roles", "group", "cluster"} {
		if kinds[k] == 0 {
			t.Errorf("no pipe with %s", k)
		}
	}
}
