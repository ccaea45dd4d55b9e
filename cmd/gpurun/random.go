package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goptxas/goptxas/internal/witness/gen"
	"github.com/goptxas/goptxas/internal/witness/gen/pipe"
	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// random makes programs, of which a quarter bring tiles through shared memory,
// and runs both codes of each beside what the interpreter says. Programs come
// in rounds: the next round is compiled while one runs, and what the clock
// cuts off is whole rounds.
func random(args []string) error {
	var s settings
	f := s.flags("random")
	first := f.Uint64("first", 0, "first seed")
	n := f.Int("n", 20_000, "programs")
	here := f.Bool("sim", false, "run both codes in the simulator, without a GPU")
	f.BoolVar(&s.careful, "careful", false, "run only what ends in the simulator too, and nothing more behind a kernel that hangs")
	f.BoolVar(&s.trust, "trust", false, "ask the reference only where our code does not leave what the interpreter says, and behind all else")
	stories := f.Int("explain", 4, "programs not as the interpreter says that are shrunk and kept with their words")
	most := f.Duration("end", 0, "begin no round after this time (0: no limit)")
	if err := f.Parse(args); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "gpurun")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	start := time.Now()
	rounds := make(chan []*row, 1)
	go func() {
		defer close(rounds)
		for k := 0; k < *n && (*most == 0 || time.Since(start) < *most); k += perRound {
			rows := s.round(tmp, *first+uint64(k), min(perRound, *n-k))
			if s.careful {
				parallel(len(rows), s.jobs, func(k int) { rows[k].screen() })
			}
			rounds <- rows
		}
	}()
	var all []*row
	for rows := range rounds {
		if *here {
			parallel(len(rows), s.jobs, func(k int) { rows[k].simulate() })
		} else if err := s.runRows(rows, 1); err != nil {
			return err
		}
		if s.careful && !*here && slices.ContainsFunc(rows, func(r *row) bool { return r.Outcome == "notrun" }) {
			all = append(all, rows...)
			fmt.Println("a kernel hangs, or no worker starts: nothing more is run")
			break
		}
		all = append(all, rows...)
		fmt.Printf("%d programs in %s: %s\n", len(all), time.Since(start).Round(time.Second), outcomes(all))
	}
	if s.trust && !*here {
		if err := s.appeal(tmp, all); err != nil {
			return err
		}
	}
	for _, r := range all {
		r.witness()
	}
	if err := s.explain(tmp, all, *here, *stories); err != nil {
		return err
	}
	return s.randomReport(all)
}

// outcomes counts what came of rows, so that a run that is cut off has said
// something.
func outcomes(rows []*row) string {
	count := map[string]int{}
	for _, r := range rows {
		count[r.Outcome]++
	}
	var list []string
	for _, k := range slices.Sorted(maps.Keys(count)) {
		list = append(list, fmt.Sprintf("%d %s", count[k], k))
	}
	return strings.Join(list, ", ")
}

// appeal asks the reference about rows in which our code did not leave what
// the interpreter says.
func (s *settings) appeal(tmp string, all []*row) error {
	var rows []*row
	for _, r := range all {
		if len(r.known) == 0 || r.Outcome != "differ" && r.Outcome != "fault" {
			continue
		}
		base := filepath.Join(tmp, r.File)
		if ref := compile(s.ref, []string{"-arch=sm_90a"}, base+".ptx", base+".ref.cubin"); ref.Err == "" {
			r.refCubin, r.known, r.Outcome, r.Err = ref.Out, nil, "", ""
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	fmt.Printf("the reference is asked about %d programs\n", len(rows))
	return s.runRows(rows, 1)
}

const (
	perRound = 600
	perFile  = 10 // of the programs that may share one
)

// randomModes are the ways our compiler is asked, file by file.
var randomModes = [8]string{"O3", "O3", "O1", "O3", "r24", "O3", "O0", "serial"}

// randomFile is one file of a round.
type randomFile struct {
	name, text, mode string
	kind             string       // common, wide, small, tensor, pipe, async, hopper
	alone            []randomFile // each of its programs
	prog             *gen.Prog    // of a file with one that can be shrunk
}

// round writes, interprets and compiles the programs of some seeds.
func (s *settings) round(tmp string, first uint64, n int) []*row {
	files := randomFiles(first, n)
	var mu sync.Mutex
	var rows []*row
	parallel(len(files), s.jobs, func(k int) {
		made := s.randomRows(tmp, &files[k])
		if slices.ContainsFunc(made, func(r *row) bool { return r.Outcome != "" }) && len(files[k].alone) > 1 {
			made = nil // one program in the file is refused: all the others are not
			for j := range files[k].alone {
				made = append(made, s.randomRows(tmp, &files[k].alone[j])...)
			}
		}
		mu.Lock()
		rows = append(rows, made...)
		mu.Unlock()
	})
	return rows
}

// randomFiles makes the programs: pipes have files of their own, for their
// functions and maps have names that all pipes use.
func randomFiles(first uint64, n int) []randomFile {
	var files []randomFile
	mode := func(seed uint64) string { return randomModes[seed*0x9e3779b97f4a7c15>>61] }
	styles := [...]gen.Style{gen.New, gen.NewWide, gen.NewSmall, gen.NewTensor}
	kinds := [len(styles)]string{"common", "wide", "small", "tensor"}
	order := [...]int{0, 1, 2, 3, 2, 3, -1, -1} // -1 is a pipe
	var open [len(styles)][]*gen.Prog
	flush := func(k int) {
		if list := open[k]; len(list) > 0 {
			f := randomFile{name: list[0].Name, text: gen.Join(list), mode: mode(list[0].Seed), kind: kinds[k]}
			for _, p := range list {
				f.alone = append(f.alone, randomFile{name: p.Name + "_alone", text: p.Text(), mode: f.mode, kind: f.kind, prog: p})
			}
			files, open[k] = append(files, f), nil
		}
	}
	for seed := first; seed < first+uint64(n); seed++ {
		if k := order[seed%uint64(len(order))]; k >= 0 {
			if open[k] = append(open[k], styles[k](seed)); len(open[k]) == perFile {
				flush(k)
			}
			continue
		}
		if seed/8%4 == 3 { // one in four is a loop that waits for all that it copied
			p := pipe.NewTurns(seed)
			f := randomFile{name: fmt.Sprint("turns", seed), text: p.Text(), mode: mode(seed), kind: "pipe"}
			if p.Beside() {
				f.kind = "async"
			}
			files = append(files, f)
			continue
		}
		p := pipe.New(seed)
		f := randomFile{name: fmt.Sprint("pipe", seed), text: p.Text(), mode: mode(seed), kind: pipeKind(p)}
		if f.mode == "r24" {
			f.mode = fmt.Sprint("r", p.Registers())
		}
		files = append(files, f)
	}
	for k := range styles {
		flush(k)
	}
	return files
}

// pipeKind tells pipes of loads and sums from those with matrix products or
// asynchronous copies, and these from those that only sm_90a has.
func pipeKind(p *pipe.Pipe) string {
	switch {
	case p.Hopper():
		return "hopper"
	case p.Beside():
		return "async"
	}
	return "pipe"
}

// randomRows compiles one file and makes a row for each of its programs.
func (s *settings) randomRows(tmp string, f *randomFile) []*row {
	base := filepath.Join(tmp, f.name)
	fail := func(err error) []*row {
		return []*row{{File: f.name, kind: f.kind, Mode: f.mode, Outcome: "notrun", Err: err.Error()}}
	}
	list, err := launch.Parse(f.text)
	if err != nil {
		return fail(err)
	}
	if err := os.WriteFile(base+".ptx", []byte(f.text), 0o644); err != nil {
		return fail(err)
	}
	opts, err := argsOf(f.mode)
	if err != nil {
		return fail(err)
	}
	var ref build
	if !s.trust {
		ref = compile(s.ref, []string{"-arch=sm_90a"}, base+".ptx", base+".ref.cubin")
	}
	our := compile(s.ours, append([]string{"-arch=sm_90a"}, opts...), base+".ptx", base+".cubin")
	v, err := ptxvm.Load(f.name, f.text, "sm_90a")
	if err != nil {
		return fail(err)
	}
	var rows []*row
	for k := range list {
		r := &row{File: f.name, kind: f.kind, Kernel: list[k].Kernel, Mode: f.mode, launch: list[k], guard: 256, text: f.text, prog: f.prog}
		if k < len(f.alone) {
			r.text, r.prog = f.alone[k].text, f.alone[k].prog
		}
		r.judgeBuild(ref, our)
		r.refCubin, r.ourCubin, r.RefSec, r.OurSec = ref.Out, our.Out, ref.Seconds, our.Seconds
		out, err := v.Run(&list[k], ptxvm.Options{MaxSteps: 4_000_000})
		if err != nil {
			r.Outcome, r.Err = "unsuited", err.Error()
		}
		for _, b := range out {
			if b != nil {
				r.want = append(r.want, gpu.Hash(b))
			}
		}
		if s.trust {
			r.known = []*gpu.Result{{Stage: "done", Hash: r.want, Changed: true}}
		}
		rows = append(rows, r)
	}
	return rows
}

// simulate runs a row in the simulator.
func (r *row) simulate() {
	if r.Outcome != "" {
		return
	}
	refs := r.known
	if len(refs) == 0 {
		ref, _ := simulateOne(r.refCubin, &r.launch, false, sim.Async{})
		refs = []*gpu.Result{ref}
	}
	our, _ := simulateOne(r.ourCubin, &r.launch, false, sim.Async{})
	r.judge(refs, our)
}

// screen leaves out what one of the codes does not end in the simulator: on a
// GPU it may hang, and what is killed there is slow to die.
func (r *row) screen() {
	if r.Outcome != "" {
		return
	}
	for _, x := range []struct{ cubin, outcome string }{{r.refCubin, "reffault"}, {r.ourCubin, "fault"}} {
		if x.cubin == "" {
			continue
		}
		if got, _ := simulateOne(x.cubin, &r.launch, false, sim.Async{}); !got.OK() {
			r.Outcome, r.Err = x.outcome, "in the simulator: "+got.Err
			return
		}
	}
}

// witness says which of the codes left what the interpreter says.
func (r *row) witness() {
	as := func(x *gpu.Result) bool { return x != nil && x.OK() && slices.Equal(x.Hash, r.want) }
	switch {
	case r.Outcome == "unsuited" || r.Outcome == "notrun" || as(r.Ref) && as(r.Ours):
	case as(r.Ours):
		r.Note = "ours is as the interpreter says"
	case as(r.Ref):
		r.Note = "the reference's is as the interpreter says"
	case r.Outcome == "equal" || r.Outcome == "silent":
		r.Outcome, r.Note = "both", "both differ from the interpreter"
	default:
		r.Note = "none is as the interpreter says"
	}
}

// randomReport prints counts by kind of program and keeps what is not equal.
func (s *settings) randomReport(rows []*row) error {
	count := map[string]int{}
	var keep []*row
	for _, r := range rows {
		count[r.kind+" "+r.Mode+" "+r.Outcome]++
		if r.Outcome != "equal" {
			r.launch.Args = nil
			keep = append(keep, r)
		}
	}
	var names []string
	for k := range count {
		names = append(names, k)
	}
	slices.Sort(names)
	for _, k := range names {
		fmt.Printf("%-32s %d\n", k, count[k])
	}
	by := map[string]int{}
	for _, r := range rows {
		by[strings.TrimSpace(r.Outcome+"  "+r.Note)]++
	}
	for k, n := range by {
		fmt.Printf("%6d %s\n", n, k)
	}
	return writeJSON(s.out, keep)
}
