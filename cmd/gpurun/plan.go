package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/front"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
)

// planned is one launch of one kernel.
type planned struct {
	File   string        `json:"file"`
	Guard  int           `json:"guard"`
	Note   string        `json:"note,omitempty"` // what is not as it should be
	Launch launch.Launch `json:"launch"`
}

// unsuited reports whether the interpreter has seen the launch fail: it may
// hang the GPU, and would say nothing.
func (p *planned) unsuited() bool {
	switch reason(p.Note) {
	case "", "racy", "unset", noteOpen, "silent", "untried", "no body":
		return false
	}
	return true
}

// guardOf keeps buffers of tried launches apart: writes between them are
// seen.
const guardOf = 64 << 10

// planFile chooses launches for every kernel of a PTX text. Earlier choices
// about which there is nothing to complain are kept.
func planFile(name, text string, count int, old []planned) ([]planned, error) {
	x, err := front.Check(name, text, archOf(text))
	if err != nil {
		return nil, err
	}
	p, err := ptxvm.New(x.Module, x.Bodies)
	var list []planned
	for _, k := range kernels(x) {
		if err != nil {
			for n := range 2 * count {
				list = append(list, planned{File: name, Guard: unknownGuard, Note: "untried: " + err.Error(), Launch: k.unknown(n, uint64(n))})
			}
			continue
		}
		found := retry(p, k.fn.Name, old)
		if len(found) == 0 {
			found = k.pick(p, count)
		}
		for _, t := range found {
			list = append(list, planned{File: name, Guard: guardOf, Note: t.note(), Launch: t.launch})
		}
	}
	return list, nil
}

// retry tries the launches of a kernel in an earlier plan and returns the
// good ones.
func retry(p *ptxvm.Program, kernel string, old []planned) []trial {
	var good []trial
	for k := range old {
		if old[k].Launch.Kernel != kernel {
			continue
		}
		t := try(p, old[k].Launch, true)
		if t.level() == 0 {
			t.confirm(p)
		}
		if t.level() == 0 {
			good = append(good, t)
		}
	}
	return good
}

// makePlan plans many files.
func makePlan(files []string, count, jobs int, old map[string][]planned) []planned {
	all := make([][]planned, len(files))
	parallel(len(files), jobs, func(k int) {
		text, err := os.ReadFile(files[k])
		if err != nil {
			return
		}
		name := filepath.Base(files[k])
		list, err := planFile(name, string(text), count, old[name])
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", files[k], err)
		}
		all[k] = list
	})
	return slices.Concat(all...)
}

// plan writes the launches of a corpus to a file, to be carried to the GPU.
func plan(args []string) error {
	var s settings
	f := s.flags("plan")
	dir := f.String("corpus", "", "folder of PTX files")
	list := f.String("list", "", "file with the names of the PTX files to take, one a line")
	seeds := f.Int("seeds", 2, "launches of each kernel")
	count := f.Int("files", 0, "this many files, chosen at random; 0 = all")
	from := f.String("from", "", "an earlier plan, whose good launches are kept")
	if err := f.Parse(args); err != nil {
		return err
	}
	files, err := ptxFiles(*dir)
	if err != nil {
		return err
	}
	if files, err = choose(files, *list, s.only, *count); err != nil {
		return err
	}
	var old map[string][]planned
	if *from != "" {
		if old, err = readPlan(*from); err != nil {
			return err
		}
	}
	p := makePlan(files, *seeds, min(s.jobs, runtime.NumCPU()), old)
	sum := map[string]int{}
	for _, x := range p {
		sum[reason(x.Note)]++
	}
	var names []string
	for n := range sum {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		fmt.Printf("%6d %s\n", sum[n], n)
	}
	return writeJSON(s.out, p)
}

// readPlan reads what plan wrote.
func readPlan(name string) (map[string][]planned, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list []planned
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, err
	}
	m := map[string][]planned{}
	for _, p := range list {
		m[p.File] = append(m[p.File], p)
	}
	return m, nil
}

// planner returns the launches of a file: from a plan, or made now.
type planner struct {
	known map[string][]planned
	seeds int
}

func (p *planner) of(name, text string) []planned {
	if p.known != nil {
		return p.known[name]
	}
	list, err := planFile(name, text, p.seeds, nil)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %s\n", name, strings.SplitN(err.Error(), "\n", 2)[0])
	}
	return list
}

func writeJSON(name string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(b, '\n'), 0o644)
}
