package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goptxas/goptxas/internal/witness/gen"
	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/launch"
)

// row is one kernel in one mode: the reference beside ours.
type row struct {
	File    string      `json:"file"`
	Kernel  string      `json:"kernel"`
	Mode    string      `json:"mode"`
	Outcome string      `json:"outcome"` // equal, differ, refcompile, compile, reffault, fault, nondet, silent
	Err     string      `json:"err,omitempty"`
	Note    string      `json:"note,omitempty"` // what was expected of a guessed launch
	Ref     *gpu.Result `json:"ref,omitempty"`
	Ours    *gpu.Result `json:"ours,omitempty"`
	RefSec  float64     `json:"ref_seconds"`
	OurSec  float64     `json:"our_seconds"`
	Words   []diffWord  `json:"words,omitempty"` // the first that differ
	Story   *story      `json:"story,omitempty"` // of a random program that is not as the interpreter says

	refCubin, ourCubin string
	launch             launch.Launch
	guard              int
	key                string        // of the known results
	refs               []*gpu.Result // the reference's, to be known from now on
	known              []*gpu.Result // the reference's, from an earlier run
	want               []uint64      // what the interpreter says
	kind, text         string        // of a random program
	prog               *gen.Prog     // what it was printed from, if it can be shrunk
}

// settings are the flags every command shares.
type settings struct {
	ours, ref, out string
	jobs, workers  int
	limit, total   time.Duration
	repeat         int
	modes          string
	only           string
	wrap           string
	words          int
	again          int
	careful        bool
	trust          bool
}

func (s *settings) flags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ExitOnError)
	f.StringVar(&s.ours, "ours", "", "our compiler's command")
	f.StringVar(&s.ref, "ref", "ptxas", "the reference's command")
	f.StringVar(&s.out, "o", "report.json", "report file")
	f.IntVar(&s.jobs, "j", runtime.NumCPU(), "compilations at once")
	f.IntVar(&s.workers, "gpu-workers", 4, "kernels on the GPU at once")
	f.DurationVar(&s.limit, "limit", 20*time.Second, "time limit of one kernel")
	f.DurationVar(&s.total, "total", 0, "time limit of all kernels together")
	f.IntVar(&s.repeat, "time", 0, "timed launches of each kernel")
	f.StringVar(&s.modes, "modes", "O3", "comma-separated: O0 O1 O2 O3 r24 r56 r88 serial")
	f.StringVar(&s.wrap, "wrap", "", "command that runs the workers, such as a memory checker with its options")
	f.IntVar(&s.words, "words", 0, "differing words of a kernel that the report keeps")
	f.IntVar(&s.again, "again", 1, "runs of our code, of which all must leave the same")
	f.StringVar(&s.only, "only", "", "only files whose name contains this")
	return f
}

func (s *settings) pool() (*gpu.Pool, error) {
	self, err := os.Executable()
	return &gpu.Pool{Command: append(strings.Fields(s.wrap), self, "worker"), Workers: s.workers, Limit: s.limit, Total: s.total, Careful: s.careful}, err
}

// modeArgs are the options of our compiler in each mode.
var modeArgs = [...]struct {
	name string
	args []string
}{
	{"O0", []string{"-O0"}},
	{"O1", []string{"-O1"}},
	{"O2", []string{"-O2"}},
	{"O3", nil}, // what both compilers do by themselves
	{"r24", []string{"-maxrregcount=24"}},
	{"r56", []string{"-maxrregcount=56"}},
	{"r88", []string{"-maxrregcount=88"}},
	{"serial", []string{"--knob", "SerialSchedule=true"}},
}

func argsOf(mode string) ([]string, error) {
	for i := range modeArgs {
		if modeArgs[i].name == mode {
			return modeArgs[i].args, nil
		}
	}
	return nil, fmt.Errorf("unknown mode %q", mode)
}

// zoo runs the kernels with launch descriptions.
func zoo(args []string) error {
	var s settings
	f := s.flags("zoo")
	dir := f.String("dir", "testdata/zoo", "folder of PTX files")
	if err := f.Parse(args); err != nil {
		return err
	}
	files, tmp, err := workspace(*dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	var mu sync.Mutex
	var rows []*row
	modes := strings.Split(s.modes, ",")
	for _, m := range modes {
		if _, err := argsOf(m); err != nil {
			return err
		}
	}
	parallel(len(files), s.jobs, func(k int) {
		if !strings.Contains(files[k], s.only) {
			return
		}
		text, err := os.ReadFile(files[k])
		if err != nil {
			return
		}
		list, err := launch.Parse(string(text))
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", files[k], err)
			return
		}
		base := filepath.Join(tmp, strings.TrimSuffix(filepath.Base(files[k]), ".ptx"))
		arch := "-arch=" + archOf(string(text))
		ref := compile(s.ref, []string{arch}, files[k], base+".ref.cubin")
		for _, mode := range modes {
			opts, _ := argsOf(mode)
			our := compile(s.ours, append([]string{arch}, opts...), files[k], base+"."+mode+".cubin")
			for _, l := range list {
				r := &row{
					File: filepath.Base(files[k]), Kernel: l.Kernel, Mode: mode, launch: l, guard: 256,
					refCubin: ref.Out, ourCubin: our.Out, RefSec: ref.Seconds, OurSec: our.Seconds,
				}
				r.judgeBuild(ref, our)
				mu.Lock()
				rows = append(rows, r)
				mu.Unlock()
			}
		}
	})
	slices.SortFunc(rows, func(a, b *row) int {
		return strings.Compare(a.File+"\x00"+a.Kernel+"\x00"+a.Mode, b.File+"\x00"+b.Kernel+"\x00"+b.Mode)
	})
	if err := s.runRows(rows, 1); err != nil {
		return err
	}
	return s.report(rows)
}

func (r *row) judgeBuild(ref, our build) {
	switch {
	case ref.Err != "":
		r.Outcome, r.Err = "refcompile", ref.Err
	case our.Err != "":
		r.Outcome, r.Err = "compile", our.Err
	}
}

// runRows runs every row that compiled: the reference as often as wanted,
// then ours.
func (s *settings) runRows(rows []*row, refRuns int) error {
	p, err := s.pool()
	if err != nil {
		return err
	}
	var todo []*row
	for _, r := range rows {
		if r.Outcome == "" {
			todo = append(todo, r)
		}
	}
	dumps, err := os.MkdirTemp("", "gpurun")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dumps)
	p.Run(len(todo), func(n int) gpu.Job {
		r := todo[n]
		d := newDumps(s.words, dumps, n)
		return gpu.Job{
			Next: func(so []*gpu.Result) *gpu.Request { return s.next(r, d, so, refRuns) },
			Done: func(all []*gpu.Result) { r.done(d, all, refRuns) },
		}
	})
	return nil
}

// next asks for another run of a row, whose results so far are given: the
// reference as often as wanted, then ours. A reference that fails proves nothing
// about us, unless the interpreter spoke.
func (s *settings) next(r *row, d *dumps, so []*gpu.Result, refRuns int) *gpu.Request {
	k := len(so)
	if len(r.known) > 0 {
		if k > 0 || !r.known[len(r.known)-1].OK() {
			return nil
		}
		return &gpu.Request{Cubin: r.ourCubin, Launch: r.launch, Guard: r.guard, Repeat: s.repeat}
	}
	if k >= refRuns+s.again || k > 0 && !so[k-1].OK() && (r.want == nil || k != refRuns) || k > refRuns && !slices.Equal(so[k-1].Hash, so[0].Hash) {
		return nil
	}
	q := &gpu.Request{Cubin: r.refCubin, Launch: r.launch, Guard: r.guard, Dump: d.name(k >= refRuns)}
	if k >= refRuns {
		q.Cubin = r.ourCubin
	}
	if k == refRuns || k == 0 {
		q.Repeat = s.repeat
	}
	return q
}

// done judges a row by all its results.
func (r *row) done(d *dumps, all []*gpu.Result, refRuns int) {
	if len(r.known) > 0 {
		all = append(slices.Clone(r.known), all...)
	}
	if len(all) > refRuns {
		r.refs = all[:refRuns]
		r.judge(all[:refRuns], all[len(all)-1])
		if n := len(all) - refRuns; n > 1 && r.Outcome != "equal" {
			r.Note = fmt.Sprintf("run %d", n)
		}
		r.Words = d.compare(r)
		return
	}
	r.refs = all
	last := all[len(all)-1]
	r.Ref, r.Err = last, last.Err
	if r.Outcome = "reffault"; last.Stage == "start" {
		r.Outcome = "notrun"
	}
}

// judge compares the runs of a row.
func (r *row) judge(ref []*gpu.Result, our *gpu.Result) {
	r.Ref, r.Ours = ref[0], our
	for _, x := range ref {
		if x.Stage == "start" {
			r.Outcome, r.Err = "notrun", x.Err
			return
		}
		if !x.OK() {
			r.Outcome, r.Err = "reffault", x.Err
			return
		}
		if !slices.Equal(x.Hash, ref[0].Hash) {
			r.Outcome = "nondet"
			return
		}
	}
	switch {
	case our.Stage == "start":
		r.Outcome, r.Err = "notrun", our.Err
	case !our.OK():
		r.Outcome, r.Err = "fault", our.Stage+": "+our.Err
	case !slices.Equal(our.Hash, ref[0].Hash) || our.Guards != ref[0].Guards:
		if r.Outcome = "differ"; r.Note == noteOpen {
			r.Outcome = "open"
		}
	case !our.Changed:
		r.Outcome = "silent"
	default:
		r.Outcome = "equal"
	}
}

// report writes the rows and prints a summary: counts, then what is wrong.
func (s *settings) report(rows []*row) error {
	count := map[string]int{}
	var refSec, ourSec float64
	for _, r := range rows {
		count[r.Outcome]++
		count[r.Mode+" "+r.Outcome]++
		if r.Outcome == "equal" {
			refSec += r.RefSec
			ourSec += r.OurSec
		}
	}
	var names []string
	for k := range count {
		names = append(names, k)
	}
	slices.Sort(names)
	for _, r := range rows {
		if r.Outcome == "differ" || r.Outcome == "fault" {
			fmt.Printf("%-8s %s %s %s %s\n", r.Outcome, r.Mode, r.File, r.Kernel, r.Err)
		}
	}
	for _, k := range names {
		fmt.Printf("%-24s %d\n", k, count[k])
	}
	fmt.Printf("%d rows, compile seconds of equal rows: reference %.2f, ours %.2f\n", len(rows), refSec, ourSec)
	return writeJSON(s.out, rows)
}
