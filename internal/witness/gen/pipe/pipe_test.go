package pipe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
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
func simulate(l *launch.Launch, cubin []byte, when sim.Async) ([][]byte, error) {
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
	c.Launch.MaxSteps, c.Launch.Async = 3_000_000, when
	st, err := k.Run(&c.Launch)
	if err == nil && len(st.Races) > 0 {
		err = errors.New(st.Races[0].String())
	}
	return c.Buffers, err
}

// wantOf runs a text in the interpreter.
func wantOf(t *testing.T, text string, o ptxvm.Options) ([][]byte, *launch.Launch) {
	t.Helper()
	list, err := launch.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := ptxvm.Load("pipe.ptx", text, "sm_90a")
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	o.Undefined, o.MaxSteps = true, 3_000_000
	out, err := v.Run(&list[0], o)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
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
		want, l := wantOf(t, p.Text(), ptxvm.Options{})
		other, _ := wantOf(t, p.Text(), ptxvm.Options{Schedule: seed + 1})
		out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "pipe.ptx", Text: []byte(p.Text())}}, goptxas.Options{Arch: "sm_90a"})
		if err != nil {
			t.Fatalf("%v\n%s", err, p.Text())
		}
		got, err := simulate(l, out.Cubin, sim.Async{})
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

// TestTurns checks that loops which wait for all that they copied leave the same
// bytes in two orders of threads and with late copies, have no races, and that
// our code leaves them too, with copies early and late.
func TestTurns(t *testing.T) {
	kinds := map[string]int{}
	for seed := range uint64(2 * pipes()) {
		p := NewTurns(seed)
		text := p.Text()
		want, l := wantOf(t, text, ptxvm.Options{Races: true})
		other, _ := wantOf(t, text, ptxvm.Options{Schedule: seed + 1, Late: true})
		got := [][][]byte{other}
		out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "turns.ptx", Text: []byte(text)}}, goptxas.Options{Arch: []string{"sm_90a", "sm_100a", "sm_120"}[seed%3]})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for _, when := range [...]sim.Async{{When: sim.AsEarly}, {When: sim.AsLate}, {When: sim.BySeed, Seed: seed}} {
			b, err := simulate(l, out.Cubin, when)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			got = append(got, b)
		}
		for n, b := range got {
			for k := range want {
				if !bytes.Equal(want[k], b[k]) {
					t.Fatalf("run %d: argument %d differs\n%s", n, k, text)
				}
			}
		}
		for _, k := range [...]string{p.How, p.Copies, p.Guard, p.Kind, fmt.Sprint(p.Buffers)} {
			kinds[k]++
		}
	}
	t.Log(kinds)
	for _, k := range [...]string{"copy", "load", "bulk", "behind", "before", "between", "branch", "guard", "size", "peel", "f16", "s8", "fma", "mad", "1", "2", "3"} {
		if kinds[k] == 0 {
			t.Errorf("no turns with %s", k)
		}
	}
}

// TestReads: loops that load what they work on leave what the interpreter says,
// with loads sent ahead wherever they may be.
func TestReads(t *testing.T) {
	kinds := map[string]int{}
	for seed := range uint64(4 * pipes()) {
		p := NewReads(seed)
		text := p.Text()
		want, l := wantOf(t, text, ptxvm.Options{Races: true})
		o := goptxas.Options{Arch: []string{"sm_90a", "sm_80", "sm_75", "sm_120"}[seed%4]}
		if seed%3 > 0 {
			o.Args = []string{"--knob", "AheadShare=1000000", "--knob", "AheadWarps=0"}
		}
		out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "reads.ptx", Text: []byte(text)}}, o)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		got, err := simulate(l, out.Cubin, sim.Async{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for k := range want {
			if !bytes.Equal(want[k], got[k]) {
				t.Fatalf("argument %d differs\n%s", k, text)
			}
		}
		for _, k := range append(slices.Clone(p.Middle), p.Turns, fmt.Sprint(p.Few), "end "+p.End) {
			kinds[k]++
		}
	}
	t.Log(kinds)
	for _, k := range [...]string{"shared", "shuffle", "store", "inner", "scratch", "exchange", "number", "words", "threads", "0", "1", "5", "end red", "end barrier", "end again"} {
		if kinds[k] == 0 {
			t.Errorf("no reads with %s", k)
		}
	}
}
