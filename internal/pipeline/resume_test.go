package pipeline

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// resumed are kernels, beside every ninth of the zoo, with all that a function can have besides its
// instructions: frames, calls, routines, places where threads gather,
// asynchronous copies, spills, textures.
var resumed = []string{"alloca_stack", "call_divergent", "call_struct", "cp_async", "diverge_sync", "divrem64", "dot_f64", "arms_shfl", "mbarrier", "tex"}

// TestResume compiles kernels, dumps them after several phases, as text and as
// records, and compiles every dump: the file is the same.
func TestResume(t *testing.T) {
	const list = "Unroll,CSE,LeaveSSA,Converge,Legalize,PreSchedule,AllocateRegisters,ExpandCopies,PostSchedule,AssignScoreboards"
	count, files := 0, 0
	for n, k := range append(zoo.List(t), zoo.Gatherings(t)...) {
		if n%9 != 0 && !hasAny(k.File, resumed) {
			continue
		}
		files++
		a := target.Find("sm_90a")
		if strings.Contains(k.Text, ".target sm_75") || strings.Contains(k.Text, ".target sm_80") {
			a = target.Find([]string{"sm_80", "sm_120"}[n%2])
		}
		form := "DumpRecords=false"
		if n%2 == 0 {
			form = "DumpRecords=true"
		}
		_, dumps := resumedFile(t, k.File, k.Text, a, "DUMPIR="+list, form)
		count += dumps
	}
	if files < 20 || count < 10*files {
		t.Errorf("%d dumps of %d files compiled", count, files)
	}
	t.Logf("%d dumps of %d files compiled to the same files", count, files)
}

// resumedFile compiles a text that is dumped as knobs say, and every dump: the
// file is the same. It returns the file and counts the dumps.
func resumedFile(t *testing.T, name, text string, a *target.Arch, set ...string) (want *Output, count int) {
	t.Helper()
	o := Options{Arch: a, Level: 3, Knobs: knobs.New()}
	for _, s := range set {
		if err := o.Knobs.Assign(s); err != nil {
			t.Fatal(err)
		}
	}
	type place struct {
		fn  string
		seq int
	}
	dumps := map[place]*dumpFile{}
	o.Create = func(fn string, seq int, _, _ string) (io.WriteCloser, error) {
		f := &dumpFile{}
		dumps[place{fn, seq}] = f
		return f, nil
	}
	want, err := Module(check(t, name, text, a), o, 1, cubin.TKInfo{})
	if err != nil {
		t.Fatal(err)
	}
	for at, d := range dumps {
		if strings.HasSuffix(at.fn, ".") { // a routine
			continue
		}
		m, err := ori.Read(d.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		head, err := ReadHead(m.Head)
		if err != nil || head.Step == 0 || head.Target != a.Name || head.Sum == 0 {
			t.Fatalf("%s: head %q, %v", name, m.Head, err)
		}
		again := Options{Arch: a, Level: 3, Knobs: knobs.New(), Resume: &Resume{Func: at.fn, Step: head.Step, Read: func() (*ori.Func, error) {
			m, err := ori.Read(d.Bytes())
			if err != nil {
				return nil, err
			}
			return m.Funcs[0], nil
		}}}
		got, err := Module(check(t, name, text, a), again, 1, cubin.TKInfo{})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Failures) > 0 {
			t.Errorf("%s: %s after %s: %s", name, at.fn, head.Phase, got.Failures[0].Text)
		} else if !bytes.Equal(got.Cubin, want.Cubin) {
			t.Errorf("%s: %s from %s on: another file", name, at.fn, head.Phase)
		}
		count++
	}
	return want, count
}

func hasAny(s string, list []string) bool {
	for _, x := range list {
		if strings.Contains(s, x) {
			return true
		}
	}
	return false
}
