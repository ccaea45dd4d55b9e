package diag

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/src"
)

func TestForms(t *testing.T) {
	var out bytes.Buffer
	f := &src.File{Name: "in.ptx", Text: []byte("a\nb\nc\n")}
	s := NewSink(&out, Options{})
	u := s.Open(f)
	u.Report(Error, 2, "Unknown symbol 'x'")
	u.Report(Warning, src.NoPos, "odd")
	u.Report(Ignored, 0, "nothing")
	u.Report(Fatal, 4, "stop")
	u.Close()
	later := s.Open(f)
	later.Report(Error, 0, "never shown")
	later.Close()
	s.Say(Fatal, "Ptx assembly aborted due to errors")
	want := "ptxas in.ptx, line 2; error   : Unknown symbol 'x'\nptxas warning : odd\n" +
		"ptxas in.ptx, line 3; fatal   : stop\nptxas fatal   : Ptx assembly aborted due to errors\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	if s.Errors() != 3 || !s.Fatal() {
		t.Errorf("%d errors, want 3", s.Errors())
	}
}

func TestWarningOptions(t *testing.T) {
	for _, c := range []struct {
		opts   Options
		want   string
		errors int
	}{
		{Options{NoWarnings: true}, "", 0},
		{Options{WarningsAreErrors: true}, "ptxas error   : w\n", 1},
		{Options{NoWarnings: true, WarningsAreErrors: true}, "ptxas error   : w\n", 1},
		{Options{Form: JSON}, "{\"severity\":\"warning\",\"message\":\"w\"}\n", 0},
	} {
		var out bytes.Buffer
		s := NewSink(&out, c.opts)
		s.Say(Warning, "w")
		if out.String() != c.want || s.Errors() != c.errors || s.Raised() != c.errors {
			t.Errorf("%+v: %q, %d errors", c.opts, out.String(), s.Errors())
		}
	}
}

// TestOrder closes many units in random order from many goroutines: the
// output is always in the order of opening.
func TestOrder(t *testing.T) {
	const n = 200
	var want strings.Builder
	for i := range n {
		fmt.Fprintf(&want, "ptxas info    : %d\n", i)
	}
	for seed := range uint64(20) {
		var out bytes.Buffer
		s := NewSink(&out, Options{})
		units := make([]*Unit, n)
		for i := range units {
			units[i] = s.Open(nil)
		}
		var wg sync.WaitGroup
		for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(n) {
			wg.Go(func() {
				units[i].Report(Info, src.NoPos, strconv.Itoa(i))
				units[i].Close()
			})
		}
		wg.Wait()
		if out.String() != want.String() {
			t.Fatalf("seed %d: out of order", seed)
		}
	}
}
