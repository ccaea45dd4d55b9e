package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/pipeline"
	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// tuned is one candidate of a search on the GPU.
type tuned struct {
	How    string  `json:"how"`           // its settings; "" is the usual code
	Ratio  float64 `json:"ratio"`         // of its time to the usual code's beside it, median of the rounds
	Cycles uint64  `json:"cycles"`        // in the timed simulator, 0 if it cannot run there
	Err    string  `json:"err,omitempty"` // why it is refused
	Kept   bool    `json:"kept,omitempty"`
}

// tuner ranks candidates by launches on the GPU. The usual code and a
// candidate take turns on equal memory; a candidate that leaves other memory
// behind is refused.
type tuner struct {
	build    func(how string) (cubin string, err error)
	measure  func(list []*gpu.Request) []*gpu.Result // stops at the first failure
	cycles   func(cubin string) uint64
	launches []launch.Launch
	rounds   int
	repeat   int
}

// tune searches for faster code of a kernel with a launch description.
func tune(args []string) error {
	var s settings
	f := s.flags("tune")
	desc := f.String("desc", "", "PTX file with the launch description")
	n := f.Int("n", 60, "candidates")
	seed := f.Uint64("seed", 0, "what the choice of candidates begins from")
	rounds := f.Int("rounds", 5, "turns of the usual code and a candidate")
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
	if len(list) == 0 {
		return fmt.Errorf("%s has no launch description", *desc)
	}
	tmp, err := os.MkdirTemp("", "gpurun")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	p, err := s.pool()
	if err != nil {
		return err
	}
	p.Workers = 1
	t := &tuner{launches: list, rounds: *rounds, repeat: max(1, s.repeat)}
	t.build = func(how string) (string, error) {
		out := filepath.Join(tmp, "usual.cubin")
		if how != "" {
			out = filepath.Join(tmp, "candidate.cubin")
		}
		b := compile(s.ours, append([]string{"-arch=" + archOf(string(text))}, options(how)...), *desc, out)
		if b.Err != "" {
			return "", errors.New(b.Err)
		}
		return out, nil
	}
	t.measure = func(list []*gpu.Request) []*gpu.Result { return runAll(p, list) }
	t.cycles = func(cubin string) (sum uint64) {
		for k := range list {
			r, _ := simulateOne(cubin, &list[k], true, sim.Async{})
			if !r.OK() {
				return 0
			}
			sum += r.Cycles
		}
		return sum
	}
	all, err := t.run(*n, *seed)
	if err != nil {
		return err
	}
	showTuned(all)
	return writeJSON(s.out, all)
}

// options spells the settings of a candidate as options of the compiler.
func options(how string) (args []string) {
	for s := range strings.FieldsSeq(how) {
		if strings.Contains(s, "/") {
			args = append(args, "--phase="+s)
		} else {
			args = append(args, "--knob="+s)
		}
	}
	return args
}

// runAll runs requests one after the other until one fails.
func runAll(p *gpu.Pool, list []*gpu.Request) (all []*gpu.Result) {
	p.Run(1, func(int) gpu.Job {
		return gpu.Job{
			Next: func(so []*gpu.Result) *gpu.Request {
				if k := len(so); k < len(list) && (k == 0 || so[k-1].OK()) {
					return list[k]
				}
				return nil
			},
			Done: func(so []*gpu.Result) { all = so },
		}
	})
	return all
}

// run tries n candidates and returns all, the usual code first.
func (t *tuner) run(n int, seed uint64) ([]*tuned, error) {
	usual, err := t.build("")
	if err != nil {
		return nil, err
	}
	first := &tuned{Ratio: 1, Cycles: t.cycles(usual)}
	if _, err := t.ratio(usual, usual); err != nil {
		return nil, fmt.Errorf("the usual code: %w", err)
	}
	all := []*tuned{first}
	h := pipeline.NewHunt(seed, true)
	h.Start(1)
	best := first
	for range n {
		x := &tuned{How: h.Next()}
		if x.How == "" {
			break
		}
		all = append(all, x)
		cubin, err := t.build(x.How)
		if err == nil {
			x.Ratio, err = t.ratio(usual, cubin)
		}
		if err != nil {
			x.Err = err.Error()
			continue
		}
		x.Cycles = t.cycles(cubin)
		if h.Tell(x.How, x.Ratio) {
			best = x
		}
	}
	best.Kept = true
	return all, nil
}

// ratio is the time of a candidate beside the usual code's: the median of
// rounds in which they take turns.
func (t *tuner) ratio(usual, cubin string) (float64, error) {
	var list []*gpu.Request
	for range t.rounds {
		for _, file := range [...]string{usual, cubin} {
			for k := range t.launches {
				list = append(list, &gpu.Request{Cubin: file, Launch: t.launches[k], Guard: 256, Repeat: t.repeat})
			}
		}
	}
	so := t.measure(list)
	for k, r := range so {
		want := so[k%len(t.launches)] // the usual code's first run of the launch
		switch {
		case !r.OK():
			return 0, fmt.Errorf("%s: %s", r.Stage, r.Err)
		case !slices.Equal(r.Hash, want.Hash) || r.Guards != want.Guards:
			return 0, errors.New("other memory than the usual code leaves")
		}
	}
	if len(so) < len(list) {
		return 0, errors.New("not all launches ran")
	}
	var ratios []float64
	for len(so) > 0 {
		a, b := 0.0, 0.0
		for k := range t.launches {
			a += so[k].Micros
			b += so[len(t.launches)+k].Micros
		}
		so = so[2*len(t.launches):]
		if a > 0 {
			ratios = append(ratios, b/a)
		}
	}
	if len(ratios) == 0 {
		return 0, errors.New("no launch took any time")
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2], nil
}

// differs is how much times must differ for a pair of candidates to count.
const differs = 0.03

// agreement counts the pairs of candidates that differ on the GPU, and those
// of them that the simulator ranks alike.
func agreement(all []*tuned) (alike, pairs int) {
	for k, x := range all {
		for _, y := range all[:k] {
			if x.Err != "" || y.Err != "" || x.Cycles == 0 || y.Cycles == 0 {
				continue
			}
			if d := x.Ratio/y.Ratio - 1; d > differs || d < -differs {
				pairs++
				if (x.Cycles > y.Cycles) == (d > 0) && x.Cycles != y.Cycles {
					alike++
				}
			}
		}
	}
	return alike, pairs
}

// showTuned prints what was found.
func showTuned(all []*tuned) {
	refused := 0
	for _, x := range all {
		if x.Err != "" {
			refused++
			fmt.Printf("refused  %s: %s\n", x.How, x.Err)
		}
	}
	for _, x := range all {
		if x.Kept {
			fmt.Printf("%d candidates, %d refused; the best takes %.3f of the usual time: %s\n", len(all)-1, refused, x.Ratio, strings.Join(options(x.How), " "))
		}
	}
	alike, pairs := agreement(all)
	fmt.Printf("of %d pairs that differ by more than %.0f %% the simulator ranks %d alike\n", pairs, 100*differs, alike)
}
