package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

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
func planFile(name, text string, count int, limit time.Duration, old []planned) ([]planned, error) {
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
		until := time.Now().Add(limit)
		found := retry(p, k.fn.Name, old, until)
		if len(found) == 0 {
			found = k.pick(p, count, until)
		}
		for _, t := range found {
			list = append(list, planned{File: name, Guard: guardOf, Note: t.note(), Launch: t.launch})
		}
	}
	return list, nil
}

// retry tries the launches of a kernel in an earlier plan and returns the
// good ones.
func retry(p *ptxvm.Program, kernel string, old []planned, until time.Time) []trial {
	var good []trial
	for k := range old {
		if old[k].Launch.Kernel != kernel {
			continue
		}
		t := try(p, old[k].Launch, true, until)
		if t.level() == 0 {
			t.confirm(p, until)
		}
		if t.level() == 0 {
			good = append(good, t)
		}
	}
	return good
}

// planLine is what a plan says about one file: a line of its own, so that a
// plan that was cut short is kept and continued.
type planLine struct {
	File     string    `json:"file"`
	Seconds  float64   `json:"seconds"`
	Err      string    `json:"err,omitempty"` // why there are no launches
	Launches []planned `json:"launches"`
}

// makePlan plans many files and tells keep of each as soon as it is done.
func makePlan(files []string, count, jobs int, limit time.Duration, old map[string][]planned, keep func(*planLine) error) error {
	var mu sync.Mutex
	var failed error
	parallel(len(files), jobs, func(k int) {
		name, start := filepath.Base(files[k]), time.Now()
		line := planLine{File: name}
		text, err := os.ReadFile(files[k])
		if err == nil {
			line.Launches, err = planFile(name, string(text), count, limit, old[name])
		}
		if err != nil {
			line.Err = err.Error()
			fmt.Fprintf(os.Stderr, "%s: %v\n", files[k], err)
		}
		line.Seconds = math.Round(100*time.Since(start).Seconds()) / 100
		mu.Lock()
		defer mu.Unlock()
		if err := keep(&line); failed == nil {
			failed = err
		}
	})
	return failed
}

// plan writes the launches of a corpus to a file, to be carried to the GPU.
// Files that the plan has already are left alone.
func plan(args []string) error {
	var s settings
	f := s.flags("plan")
	dir := f.String("corpus", "", "folder of PTX files")
	list := f.String("list", "", "file with the names of the PTX files to take, one a line")
	seeds := f.Int("seeds", 2, "launches of each kernel")
	count := f.Int("files", 0, "this many files, chosen at random; 0 = all")
	from := f.String("from", "", "an earlier plan, whose good launches are kept")
	per := f.Duration("kernel-limit", time.Minute, "time for one kernel; the best launch that was found by then is taken")
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
	lines, err := readLines(s.out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	done := map[string]bool{}
	for _, l := range lines {
		done[l.File] = true
	}
	files = slices.DeleteFunc(files, func(name string) bool { return done[filepath.Base(name)] })
	out, err := os.OpenFile(s.out, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	err = makePlan(files, *seeds, min(s.jobs, runtime.NumCPU()), *per, old, func(l *planLine) error {
		lines = append(lines, *l)
		return appendLine(out, l)
	})
	planSummary(lines)
	return errors.Join(err, out.Close())
}

// planSummary counts launches by what there is to say about them.
func planSummary(lines []planLine) {
	sum := map[string]int{}
	for _, l := range lines {
		for _, x := range l.Launches {
			sum[reason(x.Note)]++
		}
	}
	for _, n := range slices.Sorted(maps.Keys(sum)) {
		fmt.Printf("%6d %s\n", sum[n], n)
	}
}

// appendLine writes a line in one piece.
func appendLine(f *os.File, l *planLine) error {
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	return err
}

// readLines reads what plan wrote. The last line may have been cut off.
func readLines(name string) ([]planLine, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list []planLine
	for line := range bytes.Lines(b) {
		var l planLine
		err := json.Unmarshal(line, &l)
		if err != nil && line[len(line)-1] != '\n' {
			return list, os.Truncate(name, int64(len(b)-len(line)))
		} else if err != nil {
			return nil, fmt.Errorf("%s: %v", name, err)
		}
		list = append(list, l)
	}
	return list, nil
}

// readPlan returns the launches of a plan by file.
func readPlan(name string) (map[string][]planned, error) {
	lines, err := readLines(name)
	m := map[string][]planned{}
	for _, l := range lines {
		m[l.File] = append(m[l.File], l.Launches...)
	}
	return m, err
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
	list, err := planFile(name, text, p.seeds, time.Minute, nil)
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
