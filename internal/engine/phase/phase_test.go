package phase

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/engine/pool"
)

// fn is a toy function: a name, a program that phases rewrite, and a pool.
type fn struct {
	name string
	log  []string
	code []int
	p    *pool.Pool
}

const (
	ssa Props = 1 << iota
	lowered
	allocated
)

var toyOrder = []string{"Build", "Simplify", "Cse", "Simplify", "Lower", "Allocate", "Emit"}

func mark(name string) func(*fn, *Ctx) error {
	return func(f *fn, _ *Ctx) error {
		f.log = append(f.log, name)
		if f.p != nil {
			var o pool.Of[[1024]byte]
			o.Bind(f.p)
			o.Slice(6)
		}
		return nil
	}
}

// simplify doubles every odd number: one optional rewrite for each.
func simplify(f *fn, c *Ctx) error {
	f.log = append(f.log, "Simplify")
	for i, v := range f.code {
		if v%2 == 1 && c.ShouldChange("double", i) {
			f.code[i] = 2 * v
		}
	}
	return nil
}

func toyTable() Table[*fn] {
	return Table[*fn]{
		Order: toyOrder,
		Rows: []Row[*fn]{
			{Name: "Build", Run: mark("Build"), Required: true, Gives: ssa},
			{Name: "Simplify", Run: simplify, MinOpt: 1, Needs: ssa},
			{
				Name: "Cse", Run: mark("Cse"), MinOpt: 2, Needs: ssa,
				NoOp: func(f *fn, _ *Ctx) bool { return f.name == "empty" },
			},
			{Name: "Lower", Run: mark("Lower"), Required: true, Needs: ssa, Gives: lowered},
			{Name: "Allocate", Run: mark("Allocate"), Required: true, Needs: ssa | lowered, Gives: allocated, Breaks: ssa},
			{Name: "Emit", Run: mark("Emit"), Required: true, Needs: allocated},
			{Name: "Extra", Run: mark("Extra"), MinOpt: 9},
		},
	}
}

func toyHooks() Hooks[*fn] {
	return Hooks[*fn]{
		Name: func(f *fn) string { return f.name },
		Pool: func(f *fn) *pool.Pool { return f.p },
	}
}

func newToy(t *testing.T, opt int, knob string, options ...string) *Runner[*fn] {
	t.Helper()
	r, err := tryToy(opt, knob, options...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func tryToy(opt int, knob string, options ...string) (*Runner[*fn], error) {
	k := knobs.New()
	if knob != "" {
		if err := k.Assign(knob); err != nil {
			return nil, err
		}
	}
	return New(Config[*fn]{Table: toyTable(), Hooks: toyHooks(), Opt: opt, Knobs: k, Options: options})
}

func TestLevelsAndOptions(t *testing.T) {
	for _, c := range []struct {
		opt     int
		fn      string
		knob    string
		options []string
		want    string
	}{
		{0, "f", "", nil, "Build Lower Allocate Emit"},
		{1, "f", "", nil, "Build Simplify Simplify Lower Allocate Emit"},
		{2, "f", "", nil, "Build Simplify Cse Simplify Lower Allocate Emit"},
		{2, "empty", "", nil, "Build Simplify Simplify Lower Allocate Emit"},
		{0, "f", "", []string{"cse/on"}, "Build Cse Lower Allocate Emit"},
		{3, "f", "", []string{"Simplify/off"}, "Build Cse Lower Allocate Emit"},
		{3, "f", "", []string{"all/off"}, "Build Lower Allocate Emit"},
		{3, "f", "", []string{"S*/off", "Simplify/on"}, "Build Simplify Cse Simplify Lower Allocate Emit"},
		{2, "f", "", []string{"Cse/stop-after"}, "Build Simplify Cse"},
		{2, "f", "NamedPhases=Build,Cse,Lower", nil, "Build Cse Lower"},
		{0, "f", "NamedPhases=build,lower,extra", []string{"Extra/on"}, "Build Lower Extra"},
	} {
		f := &fn{name: c.fn}
		if err := newToy(t, c.opt, c.knob, c.options...).Run(f, nil); err != nil {
			t.Errorf("-O%d %v: %v", c.opt, c.options, err)
		}
		if got := strings.Join(f.log, " "); got != c.want {
			t.Errorf("-O%d %s %v ran\n%s, want\n%s", c.opt, c.knob, c.options, got, c.want)
		}
	}
}

func TestOptionErrors(t *testing.T) {
	for _, c := range []struct{ knob, option, want string }{
		{"", "Nope/off", `phase option "Nope/off": unknown phase "Nope"`},
		{"", "Cse", `phase option "Cse" is not NAME/FLAG[=VALUE]`},
		{"", "Cse/fast", `phase option "Cse/fast": unknown flag "fast"`},
		{"", "Cse/off=1", `phase option "Cse/off=1": flag off takes no value`},
		{"", "Emit/off", `phase option "Emit/off": phase Emit is required`},
		{"NamedPhases=Build,Nope", "", `unknown phase "Nope"`},
		{"NamedPhases=Cse", "", `phase Cse needs facts 0x1 that do not hold before it`},
		{"DUMPIR=Cse,Nope", "", `knob DUMPIR: unknown phase "Nope"`},
		{"Bisect=012", "", `bisect pattern "012" is not y, n or bits joined by +`},
	} {
		var options []string
		if c.option != "" {
			options = []string{c.option}
		}
		if _, err := tryToy(2, c.knob, options...); err == nil || err.Error() != c.want {
			t.Errorf("%s %s: %v, want %s", c.knob, c.option, err, c.want)
		}
	}
	var b bytes.Buffer
	tab := toyTable()
	if err := tab.WriteHelp(&b); err != nil || !strings.Contains(b.String(), "from -O2") || !strings.Contains(b.String(), "stop-after") {
		t.Errorf("help text:\n%s", b.String())
	}
}

// TestNeeds walks the table for every level, and checks that a table whose
// order is wrong is refused.
func TestNeeds(t *testing.T) {
	for opt := range 4 {
		if _, err := tryToy(opt, ""); err != nil {
			t.Errorf("-O%d: %v", opt, err)
		}
	}
	for _, order := range [][]string{{"Lower", "Build"}, {"Build", "Lower", "Allocate", "Cse"}, {"Build", "Emit"}} {
		tab := toyTable()
		tab.Order = order
		if _, err := New(Config[*fn]{Table: tab, Hooks: toyHooks(), Opt: 3}); err == nil {
			t.Errorf("order %v was accepted", order)
		}
	}
	tab := toyTable()
	tab.Order, tab.Entry = []string{"Cse"}, ssa
	if _, err := New(Config[*fn]{Table: tab, Hooks: toyHooks(), Opt: 3}); err != nil {
		t.Errorf("facts on entry are not used: %v", err)
	}
}

type file struct {
	bytes.Buffer
	closed bool
}

func (f *file) Close() error { f.closed = true; return nil }

func TestDumps(t *testing.T) {
	for _, c := range []struct {
		knob    string
		options []string
		want    string
	}{
		{"DUMPIR=Cse,Emit", nil, "f_2_Cse.dump f_6_Emit.dump g_2_Cse.dump g_6_Emit.dump"},
		{"", []string{"Lower/dump=g"}, "g_4_Lower.dump"},
		{"", []string{"Lower/html=f", "Emit/dump=[fg]"}, "f_4_Lower.html f_6_Emit.dump g_6_Emit.dump"},
		{"", []string{"all/dump=f"}, "f_0_Build.dump f_1_Simplify.dump f_2_Cse.dump f_3_Simplify.dump f_4_Lower.dump f_5_Allocate.dump f_6_Emit.dump"},
	} {
		k := knobs.New()
		if c.knob != "" {
			if err := k.Assign(c.knob); err != nil {
				t.Fatal(err)
			}
		}
		files := map[string]*file{}
		h := toyHooks()
		h.Dump = func(w io.Writer, f *fn, e *Event) error {
			_, err := fmt.Fprintf(w, "%s after %s: %v", f.name, e.Phase, f.log)
			return err
		}
		h.Create = func(fn string, seq int, phase, kind string) (io.WriteCloser, error) {
			w := &file{}
			files[fmt.Sprintf("%s_%d_%s.%s", fn, seq, phase, kind)] = w
			return w, nil
		}
		r, err := New(Config[*fn]{Table: toyTable(), Hooks: h, Opt: 2, Knobs: k, Options: c.options})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []string{"f", "g"} {
			if err := r.Run(&fn{name: n}, nil); err != nil {
				t.Fatal(err)
			}
		}
		var names []string
		for n, w := range files {
			names = append(names, n)
			if !w.closed || !strings.Contains(w.String(), " after ") {
				t.Errorf("%s: %q", n, w.String())
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s %v wrote\n%s, want\n%s", c.knob, c.options, got, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, options := range [][]string{{"check"}, {"check/on"}, {"Lower/check"}} {
		h := toyHooks()
		shuffled := 0
		h.Shuffle = func(*fn) { shuffled++ }
		h.Check = func(f *fn) error {
			if slices.Contains(f.log, "Lower") {
				return errors.New("block 2 has no end")
			}
			return nil
		}
		r, err := New(Config[*fn]{Table: toyTable(), Hooks: h, Opt: 2, Options: options})
		if err != nil {
			t.Fatal(err)
		}
		var at Progress
		err = r.Run(&fn{name: "f"}, &at)
		if err == nil || err.Error() != "after phase Lower, function f: block 2 has no end" || at.Phase != "Lower" || shuffled == 0 {
			t.Errorf("%v: %v at %+v, %d shuffles", options, err, at, shuffled)
		}
	}
}

// counter is an Observer that adds up what it sees of each phase.
type counter struct {
	mu            sync.Mutex
	before, after map[string]int
	mem           map[string]pool.Delta
}

func (c *counter) Before(_ *fn, e *Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.before[e.Phase]++
}

func (c *counter) After(_ *fn, e *Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.after[e.Phase]++
	m := c.mem[e.Phase]
	m.Total += e.Mem.Total
	c.mem[e.Phase] = m
}

func TestObservers(t *testing.T) {
	c := &counter{before: map[string]int{}, after: map[string]int{}, mem: map[string]pool.Delta{}}
	r, err := New(Config[*fn]{
		Table: toyTable(), Hooks: toyHooks(), Opt: 2, Options: []string{"Cse/time", "Lower/mem"},
		Observers: []Observer[*fn]{c},
	})
	if err != nil {
		t.Fatal(err)
	}
	var report bytes.Buffer
	r.Report(&report)
	top := pool.New(nil, pool.NameTop)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			p := pool.New(top, pool.NameKernel)
			if err := r.Run(&fn{name: fmt.Sprint("k", i), p: p}, nil); err != nil {
				t.Error(err)
			}
			p.Destroy()
		})
	}
	wg.Wait()
	for _, n := range r.Names() {
		want := 4
		if n == "Simplify" { // twice in the table
			want = 8
		}
		if c.before[n] != want || c.after[n] != want {
			t.Errorf("%s: %d events before, %d after, want %d", n, c.before[n], c.after[n], want)
		}
	}
	if m := c.mem["Build"]; m.Total != 4*6144 {
		t.Errorf("memory of Build: %+v", m)
	}
	if strings.Count(report.String(), "::  Cse  [Time") != 4 || strings.Count(report.String(), "  Lower  ::  [Total 6 KB]") != 4 {
		t.Errorf("report:\n%s", report.String())
	}
	t.Logf("\n%s", report.String())
}

func TestPhaseError(t *testing.T) {
	tab := toyTable()
	tab.Rows[3].Run = func(*fn, *Ctx) error { return errors.New("k.ptx:3: too large") }
	r, err := New(Config[*fn]{Table: tab, Hooks: toyHooks(), Opt: 2})
	if err != nil {
		t.Fatal(err)
	}
	f := &fn{name: "f"}
	if err := r.Run(f, nil); err == nil || err.Error() != "k.ptx:3: too large" || slices.Contains(f.log, "Emit") {
		t.Errorf("%v, ran %v", err, f.log)
	}
}

// TestBisect breaks rewrites among many, in some of many functions, and finds
// them: each alone, and two that are wrong only together.
func TestBisect(t *testing.T) {
	tries := 0
	for bad := 1; bad < 400; bad += 38 {
		for _, with := range [...]int{bad, 399 - bad/2} {
			found, err := FindChanges(func(pattern string) ([]Change, bool, error) {
				tries++
				return toyChanges(pattern, bad, with)
			})
			if err != nil {
				t.Fatalf("bad rewrites %d and %d: %v", bad, with, err)
			}
			want := map[string]bool{}
			for _, n := range [...]int{bad, with} {
				want[fmt.Sprintf("k%d %d", n/40, n%40)] = true
			}
			for _, c := range found {
				if at := fmt.Sprint(c.Func, " ", c.ID); !want[at] || c.Phase != "Simplify" {
					t.Errorf("bad rewrites %d and %d: found %v", bad, with, c)
				} else {
					delete(want, at)
				}
			}
			if len(want) != 0 {
				t.Errorf("bad rewrites %d and %d: not found %v", bad, with, want)
			}
		}
	}
	t.Logf("%d compiles found 22 faults among 400 rewrites each", tries)
	for _, c := range []struct {
		wrong func(string) bool
		want  string
	}{
		{func(string) bool { return true }, "without any"},
		{func(string) bool { return false }, "is right with all"},
		{func(p string) bool { return p == "y" }, "right and wrong with the same"},
	} {
		_, err := FindChanges(func(p string) ([]Change, bool, error) { return make([]Change, 2), c.wrong(p), nil })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// toyChanges compiles ten functions with rewrites that a pattern allows. The
// result is wrong if both bad ones are among them.
func toyChanges(pattern string, bad ...int) ([]Change, bool, error) {
	r, err := tryToy(1, "Bisect="+pattern)
	if err != nil {
		return nil, false, err
	}
	wrong := 0
	for k := range 10 {
		f := &fn{name: fmt.Sprint("k", k), code: make([]int, 40)}
		for i := range f.code {
			f.code[i] = 2*(40*k+i) + 1
		}
		if err := r.Run(f, nil); err != nil {
			return nil, false, err
		}
		for _, n := range bad {
			if i := n - 40*k; i >= 0 && i < 40 && f.code[i] != 2*n+1 {
				wrong++
			}
		}
	}
	return r.Bisect().Changes(), wrong == len(bad), nil
}

// TestChangeLog: what a bisection allows is read back from its log.
func TestChangeLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a log")
	for range 2 { // the same compilation twice
		b, err := ParseBisect("1")
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Log(file); err != nil {
			t.Fatal(err)
		}
		for n := range 100 {
			b.allow(Change{Func: "a b", Phase: "P", Kind: "k", Step: 3, ID: n})
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list, err := ReadChanges(string(text))
	if err != nil || len(list) < 30 || len(list) > 70 {
		t.Fatalf("%d rewrites, %v", len(list), err)
	}
	for _, c := range list {
		if c.Func != "a b" || c.Phase != "P" || c.Kind != "k" || c.Step != 3 || c.Hash&1 == 0 || c.Hash != c.hash() {
			t.Errorf("%+v", c)
		}
	}
	if _, err := ReadChanges("nonsense\n"); err == nil {
		t.Error("nonsense is taken")
	}
}
