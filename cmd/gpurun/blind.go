package main

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/launch"
)

// blind runs kernels whose arguments nobody described: as a plan says, or as
// one made on the spot does. The reference runs twice on equal memory: what
// is not deterministic proves nothing.
func blind(args []string) error {
	var s settings
	f := s.flags("blind")
	set := s.corpusFlags(f, 2)
	known := f.String("known", "", "file of the reference's results: what it lacks is added")
	if err := f.Parse(args); err != nil {
		return err
	}
	files, tmp, p, err := set.open()
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	kn, err := readKnown(*known)
	if err != nil {
		return err
	}
	rows, err := s.buildRows(files, tmp, p, kn)
	if err != nil {
		return err
	}
	if err := s.runRows(rows, 2); err != nil {
		return err
	}
	if err := kn.write(*known, rows); err != nil {
		return err
	}
	return s.report(merge(rows))
}

// buildRows compiles the files and makes a row for each launch.
func (s *settings) buildRows(files []string, tmp string, p *planner, kn *known) ([]*row, error) {
	var mu sync.Mutex
	var rows []*row
	for _, mode := range strings.Split(s.modes, ",") {
		opts, err := argsOf(mode)
		if err != nil {
			return nil, err
		}
		parallel(len(files), s.jobs, func(k int) {
			text, err := os.ReadFile(files[k])
			if err != nil {
				return
			}
			name := filepath.Base(files[k])
			made := blindRows(name, mode, p.of(name, string(text)))
			kn.fill(string(text), made)
			base := filepath.Join(tmp, name)
			arch := "-arch=" + archOf(string(text))
			our := compile(s.ours, append([]string{arch}, opts...), files[k], base+"."+mode+".cubin")
			ref := build{Err: "not tried"}
			if our.Err == "" && wanted(made) {
				ref = compile(s.ref, []string{arch}, files[k], base+".ref.cubin")
			}
			for _, r := range made {
				r.built(ref, our)
			}
			mu.Lock()
			rows = append(rows, made...)
			mu.Unlock()
		})
	}
	return rows, nil
}

// wanted reports whether the reference has to run for some row.
func wanted(rows []*row) bool {
	return slices.ContainsFunc(rows, func(r *row) bool { return len(r.known) == 0 })
}

// corpusSet is the flags that say which kernels of a corpus are launched how.
type corpusSet struct {
	s               *settings
	dir, list, plan *string
	seeds, count    *int
}

func (s *settings) corpusFlags(f *flag.FlagSet, seeds int) *corpusSet {
	return &corpusSet{
		s:     s,
		dir:   f.String("corpus", "", "folder of PTX files"),
		list:  f.String("list", "", "file with the names of the PTX files to take, one a line"),
		plan:  f.String("plan", "", "launches that gpurun plan has chosen"),
		seeds: f.Int("seeds", seeds, "launches of each kernel"),
		count: f.Int("files", 0, "this many files, chosen at random; 0 = all"),
	}
}

// open returns the files, a folder for what is made of them, which the
// caller removes, and who knows the launches.
func (c *corpusSet) open() (files []string, tmp string, p *planner, err error) {
	p = &planner{seeds: *c.seeds}
	if *c.plan != "" {
		if p.known, err = readPlan(*c.plan); err != nil {
			return nil, "", nil, err
		}
	}
	if files, tmp, err = workspace(*c.dir); err != nil {
		return nil, "", nil, err
	}
	if files, err = choose(files, *c.list, c.s.only, *c.count); err != nil {
		os.RemoveAll(tmp)
	}
	return files, tmp, p, err
}

// choose filters the files by name and takes some at random.
func choose(files []string, list, only string, count int) ([]string, error) {
	var wanted map[string]bool
	if list != "" {
		b, err := os.ReadFile(list)
		if err != nil {
			return nil, err
		}
		wanted = map[string]bool{}
		for _, n := range strings.Fields(string(b)) {
			wanted[filepath.Base(n)] = true
		}
	}
	var keep []string
	for _, f := range files {
		if strings.Contains(f, only) && (wanted == nil || wanted[filepath.Base(f)]) {
			keep = append(keep, f)
		}
	}
	rand.New(rand.NewPCG(3, 3)).Shuffle(len(keep), func(a, b int) { keep[a], keep[b] = keep[b], keep[a] })
	if count > 0 && count < len(keep) {
		keep = keep[:count]
	}
	return keep, nil
}

// blindRows makes a row for each planned launch.
func blindRows(file, mode string, list []planned) []*row {
	var rows []*row
	for k := range list {
		p := &list[k]
		r := &row{File: file, Kernel: p.Launch.Kernel, Mode: mode, Note: p.Note, launch: p.Launch, guard: p.Guard}
		if p.unsuited() {
			r.Outcome, r.Err = "unsuited", p.Note
		}
		rows = append(rows, r)
	}
	return rows
}

// built notes what the compilers did.
func (r *row) built(ref, our build) {
	r.refCubin, r.ourCubin, r.RefSec, r.OurSec = ref.Out, our.Out, ref.Seconds, our.Seconds
	switch {
	case our.Err != "":
		r.Outcome, r.Err = "compile", our.Err
	case ref.Err != "" && len(r.known) == 0:
		r.Outcome, r.Err = "refcompile", ref.Err
	}
}

// rank orders outcomes: the one that tells most about a kernel wins over
// its other seeds.
var rank = [...]string{"differ", "fault", "equal", "silent", "nondet", "open", "reffault", "unsuited", "refcompile", "compile"}

// merge keeps one row for each kernel.
func merge(rows []*row) []*row {
	best := map[string]*row{}
	var order []string
	level := func(r *row) int {
		for k, o := range rank {
			if o == r.Outcome {
				return k
			}
		}
		return len(rank)
	}
	for _, r := range rows {
		key := r.File + "\x00" + r.Kernel + "\x00" + r.Mode
		if old := best[key]; old == nil {
			order = append(order, key)
			best[key] = r
		} else if level(r) < level(old) {
			best[key] = r
		}
	}
	out := make([]*row, 0, len(order))
	for _, k := range order {
		out = append(out, best[k])
	}
	return out
}

// cubins runs ready-made cubins of one kernel on the same launch, given as
// a PTX file with a description, and compares each with the first.
func cubins(args []string) error {
	var s settings
	f := s.flags("cubin")
	desc := f.String("desc", "", "PTX file with the launch description")
	if err := f.Parse(args); err != nil {
		return err
	}
	text, err := os.ReadFile(*desc)
	if err != nil {
		return err
	}
	list, err := launch.Parse(string(text))
	if err != nil {
		return err
	}
	var rows []*row
	for _, l := range list {
		for _, c := range f.Args()[1:] {
			rows = append(rows, &row{File: filepath.Base(c), Kernel: l.Kernel, Mode: "cubin", launch: l, guard: 256, refCubin: f.Arg(0), ourCubin: c})
		}
	}
	if err := s.runRows(rows, 1); err != nil {
		return err
	}
	for _, r := range rows {
		if r.Ours == nil {
			r.Ours = &gpu.Result{}
		}
	}
	return s.report(rows)
}
