package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// cost is what one launch of one cubin comes to in the simulator.
type cost struct {
	Instructions uint64            `json:"instructions"` // of warps
	Registers    int               `json:"registers"`
	Stack        uint32            `json:"stack,omitempty"`
	Mix          map[string]uint64 `json:"mix"` // instructions by operation
}

// counted is one launch of both compilers' code.
type counted struct {
	File   string `json:"file"`
	Kernel string `json:"kernel"`
	Err    string `json:"err,omitempty"`
	Ours   cost   `json:"ours"`
	Ref    cost   `json:"ref"`
}

// ratio is our instructions over the reference's.
func (c *counted) ratio() float64 {
	return float64(c.Ours.Instructions) / float64(max(1, c.Ref.Instructions))
}

// count tells how many instructions warps execute in both compilers' code,
// in the simulator: launches that stand in the files, or as a plan says.
func count(args []string) error {
	var s settings
	f := s.flags("count")
	set := s.corpusFlags(f, 1)
	blocks := f.Uint64("blocks", 2, "blocks of a grid that run, the first; 0 = all")
	mix := f.Int("mix", 8, "operations a line names: those that differ most in number")
	if err := f.Parse(args); err != nil {
		return err
	}
	files, tmp, p, err := set.open()
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	var mu sync.Mutex
	var all []*counted
	parallel(len(files), s.jobs, func(k int) {
		rows := s.countFile(files[k], filepath.Join(tmp, filepath.Base(files[k])), p, *blocks)
		mu.Lock()
		all = append(all, rows...)
		mu.Unlock()
	})
	countReport(all, *mix)
	return writeJSON(s.out, all)
}

// countFile compiles a file with both compilers and runs its launches.
func (s *settings) countFile(file, base string, p *planner, blocks uint64) []*counted {
	text, err := os.ReadFile(file)
	if err != nil {
		return []*counted{{File: file, Err: err.Error()}}
	}
	name := filepath.Base(file)
	list, err := launch.Parse(string(text))
	if err == nil && len(list) == 0 {
		for _, x := range p.of(name, string(text)) {
			if !x.unsuited() && !strings.HasPrefix(x.Note, "untried") {
				list = append(list, x.Launch)
			}
		}
	}
	if err != nil || len(list) == 0 {
		return nil
	}
	arch := "-arch=" + archOf(string(text))
	opts, err := argsOf(s.modes)
	our := compile(s.ours, append([]string{arch}, opts...), file, base+".our.cubin")
	ref := compile(s.ref, []string{arch}, file, base+".ref.cubin")
	defer os.Remove(our.Out)
	defer os.Remove(ref.Out)
	if our.Err != "" || ref.Err != "" || err != nil {
		return []*counted{{File: name, Err: fmt.Sprint(our.Err, ref.Err, err)}}
	}
	var rows []*counted
	for k := range list {
		r := &counted{File: name, Kernel: list[k].Kernel}
		if r.Ref, err = costOf(ref.Out, &list[k], blocks); err == nil {
			r.Ours, err = costOf(our.Out, &list[k], blocks)
		}
		if err != nil {
			r.Err = err.Error()
		}
		rows = append(rows, r)
	}
	return rows
}

// costOf runs the first blocks of one launch of one cubin.
func costOf(name string, l *launch.Launch, blocks uint64) (c cost, err error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return c, err
	}
	m, err := sim.Load(b)
	if err != nil {
		return c, err
	}
	p, err := m.Kernel(l.Kernel)
	if err != nil {
		return c, err
	}
	mem := m.Memory()
	params, _, err := place(p, l, mem)
	if err != nil {
		return c, err
	}
	c.Registers, c.Stack, c.Mix = p.Function().Regs, p.Function().Frame, map[string]uint64{}
	names := map[string]string{} // an instruction's text is printed once
	_, err = p.Run(&sim.Launch{
		Grid: l.Grid, Block: l.Block, Cluster: l.Cluster, Smem: l.Smem, Params: params, Memory: mem, MaxSteps: maxSimulated, Blocks: blocks,
		Hook: func(e *sim.Event) error {
			c.Mix[operation(e, names)]++
			c.Instructions++
			return nil
		},
	})
	return c, err
}

// operation is the name of an instruction's operation, without modifiers.
func operation(e *sim.Event, names map[string]string) string {
	key := fmt.Sprint(e.Section(), e.PC())
	if s, ok := names[key]; ok {
		return s
	}
	words := strings.Fields(e.Text())
	for len(words) > 1 && strings.HasPrefix(words[0], "@") {
		words = words[1:]
	}
	s, _, _ := strings.Cut(words[0], ".")
	names[key] = strings.TrimSuffix(s, ";")
	return names[key]
}

// countReport prints the rows, worst first, and the geometric means.
func countReport(all []*counted, mix int) {
	good := slices.DeleteFunc(slices.Clone(all), func(c *counted) bool { return c.Err != "" })
	slices.SortStableFunc(good, func(x, y *counted) int {
		return cmp.Or(cmp.Compare(y.ratio(), x.ratio()), strings.Compare(x.File+x.Kernel, y.File+y.Kernel))
	})
	var instructions, registers float64
	over := 0
	for _, c := range good {
		instructions += math.Log(c.ratio())
		registers += math.Log(float64(max(1, c.Ours.Registers)) / float64(max(1, c.Ref.Registers)))
		if c.ratio() > 1.15 {
			over++
		}
		fmt.Printf("%6.3f %9d %9d  registers %3d %3d  stack %4d %4d  %s:%s %s\n", c.ratio(), c.Ours.Instructions, c.Ref.Instructions,
			c.Ours.Registers, c.Ref.Registers, c.Ours.Stack, c.Ref.Stack, c.File, c.Kernel, differences(c, mix))
	}
	for _, c := range all {
		if c.Err != "" {
			fmt.Printf("not run: %s:%s: %s\n", c.File, c.Kernel, firstLine(c.Err))
		}
	}
	n := float64(max(1, len(good)))
	fmt.Printf("%d launches: instructions x%.3f, %d over 1.15; registers x%.3f\n", len(good), math.Exp(instructions/n), over, math.Exp(registers/n))
}

// differences names the operations that differ most in number, in percent of
// the reference's instructions.
func differences(c *counted, most int) string {
	diff := map[string]float64{}
	for o, n := range c.Ours.Mix {
		diff[o] += float64(n)
	}
	for o, n := range c.Ref.Mix {
		diff[o] -= float64(n)
	}
	var ops []string
	for o, d := range diff {
		if d != 0 {
			ops = append(ops, o)
		}
	}
	slices.SortFunc(ops, func(x, y string) int {
		return cmp.Or(cmp.Compare(math.Abs(diff[y]), math.Abs(diff[x])), strings.Compare(x, y))
	})
	var b strings.Builder
	for _, o := range ops[:min(most, len(ops))] {
		fmt.Fprintf(&b, " %s%+.1f%%", o, 100*diff[o]/float64(max(1, c.Ref.Instructions)))
	}
	return b.String()
}
