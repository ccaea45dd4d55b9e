// Package tuner looks for faster code of a kernel by launches on a GPU.
package tuner

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/goptxas/goptxas/internal/pipeline"
	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/launch"
)

// Candidate is one candidate of a search on the GPU.
type Candidate struct {
	How    string  `json:"how"`           // its settings; "" is the usual code
	Ratio  float64 `json:"ratio"`         // of its time to the usual code's beside it, median of the rounds
	Cycles uint64  `json:"cycles"`        // without a GPU, 0 if nobody knows
	Err    string  `json:"err,omitempty"` // why it is refused
	Kept   bool    `json:"kept,omitempty"`
	Again  float64 `json:"again,omitempty"` // the ratio of the best ones, measured once more
	Same   string  `json:"same,omitempty"`  // an earlier one with the same code, which is not measured again

	cubin string
	code  [sha256.Size]byte
}

// Reference is how the reference's code is listed.
const Reference = "the reference"

// Tuner ranks candidates by launches on the GPU. The usual code and a
// candidate take turns on equal memory; a candidate that leaves other memory
// behind is refused.
type Tuner struct {
	Build    func(how string, n int) (cubin string, err error) // n tells files of one draw apart
	Measure  func(list []*gpu.Request) []*gpu.Result           // stops at the first failure
	Cycles   func(cubin string) uint64
	Launches []launch.Launch
	Rounds   int
	Repeat   int
	Jobs     int
	Ended    func() bool // no time is left to try more
	Beside   bool        // the reference's code is measured, too
	want     []*gpu.Result
	seen     map[[sha256.Size]byte]*Candidate // by code
}

// Options spells the settings of a candidate as options of the compiler.
func Options(how string) (args []string) {
	for s := range strings.FieldsSeq(how) {
		if strings.Contains(s, "/") {
			args = append(args, "--phase="+s)
		} else {
			args = append(args, "--knob="+s)
		}
	}
	return args
}

// RunAll runs requests one after the other until one fails.
func RunAll(s *gpu.Session, list []*gpu.Request) (all []*gpu.Result) {
	s.Run(gpu.Job{
		Next: func(so []*gpu.Result) *gpu.Request {
			if k := len(so); k < len(list) && (k == 0 || so[k-1].OK()) {
				return list[k]
			}
			return nil
		},
		Done: func(so []*gpu.Result) { all = so },
	})
	return all
}

// drawn is how many candidates are drawn before the first of them is measured: they
// are compiled side by side.
const drawn = 8

// mostDrawn is how many candidates are drawn at most for each that counts: those of the
// code of an earlier one do not.
const mostDrawn = 8

// finalists is how many of the best are measured again, in so many times as many rounds.
const (
	finalists = 4
	finals    = 4
)

// Run tries n candidates and returns all, the usual code first, then the
// reference's if that is asked for.
func (t *Tuner) Run(n int, seed uint64) ([]*Candidate, error) {
	usual := &Candidate{Ratio: 1}
	list := []*Candidate{usual}
	if t.Beside {
		list = append(list, &Candidate{How: Reference})
	}
	all, h := list, pipeline.NewSampler(seed, true)
	t.seen = map[[sha256.Size]byte]*Candidate{}
	t.make(list, -len(list))
	if usual.Err != "" {
		return nil, fmt.Errorf("the usual code: %s", usual.Err)
	}
	if _, err := t.ratio(usual.cubin, usual.cubin, 1); err != nil {
		return nil, fmt.Errorf("the usual code: %w", err)
	}
	for _, x := range list[1:] {
		t.judge(x, usual.cubin)
	}
	h.Start(1)
	for tried, drawnAll := 0, 0; tried < n && drawnAll < mostDrawn*n && !t.Ended(); {
		list = nil
		for len(list) < min(drawn, n-tried) {
			how := h.Next()
			if how == "" {
				break
			}
			list = append(list, &Candidate{How: how})
		}
		if len(list) == 0 {
			break
		}
		t.make(list, drawnAll)
		drawnAll += len(list)
		for _, x := range list {
			if x.Same != "" {
				continue
			}
			tried++
			all = append(all, x)
			if t.judge(x, usual.cubin); x.Err == "" {
				h.Tell(x.How, x.Ratio)
			}
		}
	}
	t.final(all, usual)
	return all, nil
}

// make compiles candidates, and finds what those cost without a GPU that have a code
// of their own, side by side.
func (t *Tuner) make(list []*Candidate, from int) {
	t.beside(list, func(k int, x *Candidate) {
		var err error
		if x.cubin, err = t.Build(x.How, from+k); err != nil {
			x.Err = err.Error()
			return
		}
		code, err := os.ReadFile(x.cubin)
		if err != nil {
			code = []byte(x.cubin)
		}
		x.code = sha256.Sum256(code)
	})
	for _, x := range list {
		if x.Err != "" {
			continue
		}
		switch old := t.seen[x.code]; {
		case old == nil:
			t.seen[x.code] = x
		case old.How == "":
			x.Same = "the usual code"
		default:
			x.Same = old.How
		}
	}
	t.beside(list, func(_ int, x *Candidate) {
		if x.Err == "" && x.Same == "" {
			x.Cycles = t.Cycles(x.cubin)
		}
	})
}

// beside does something for candidates, several at a time.
func (t *Tuner) beside(list []*Candidate, do func(k int, x *Candidate)) {
	var wait sync.WaitGroup
	left := make(chan struct{}, max(1, t.Jobs))
	for k, x := range list {
		wait.Go(func() {
			left <- struct{}{}
			defer func() { <-left }()
			do(k, x)
		})
	}
	wait.Wait()
}

// judge measures a candidate beside the usual code.
func (t *Tuner) judge(x *Candidate, usual string) {
	if x.Err != "" {
		return
	}
	var err error
	if x.Ratio, err = t.ratio(usual, x.cubin, 1); err != nil {
		x.Err = err.Error()
	}
}

// final measures the best candidates, and the reference's code, once more: of many that
// were measured once the best was lucky, too. The best of them is kept if it is better
// than the usual code.
func (t *Tuner) final(all []*Candidate, usual *Candidate) {
	list := slices.Clone(all[1:])
	if t.Beside {
		list = list[1:]
	}
	list = slices.DeleteFunc(list, func(x *Candidate) bool { return x.Err != "" })
	slices.SortStableFunc(list, func(x, y *Candidate) int { return cmp.Compare(x.Ratio, y.Ratio) })
	list = list[:min(len(list), finalists)]
	best := usual
	best.Again = 1
	for _, x := range list {
		r, err := t.ratio(usual.cubin, x.cubin, finals)
		if err != nil {
			x.Err = err.Error()
			continue
		}
		if x.Again = r; r < best.Again {
			best = x
		}
	}
	best.Kept = true
	if t.Beside && all[1].Err == "" {
		if r, err := t.ratio(usual.cubin, all[1].cubin, finals); err == nil {
			all[1].Again = r
		}
	}
}

// ratio is the time of a candidate beside the usual code's: the median of
// rounds, or so many times as many, in which they take turns. What the candidate leaves behind is read in
// the first round.
func (t *Tuner) ratio(usual, cubin string, times int) (float64, error) {
	var list []*gpu.Request
	for n := range t.Rounds * times {
		for _, file := range [...]string{usual, cubin} {
			for k := range t.Launches {
				unread := n > 0 || file == usual && t.want != nil
				list = append(list, &gpu.Request{Cubin: file, Launch: t.Launches[k], Guard: 256, Repeat: t.Repeat, Unread: unread})
			}
		}
	}
	so := t.Measure(list)
	if len(so) >= len(t.Launches) && t.want == nil {
		t.want = so[:len(t.Launches)]
	}
	for k, r := range so {
		switch {
		case !r.OK():
			return 0, fmt.Errorf("%s: %s", r.Stage, r.Err)
		case list[k].Unread:
		case !slices.Equal(r.Hash, t.want[k%len(t.Launches)].Hash) || r.Guards != t.want[k%len(t.Launches)].Guards:
			return 0, errors.New("other memory than the usual code leaves")
		}
	}
	if len(so) < len(list) {
		return 0, errors.New("not all launches ran")
	}
	var ratios []float64
	for len(so) > 0 {
		a, b := 0.0, 0.0
		for k := range t.Launches {
			a += so[k].Micros
			b += so[len(t.Launches)+k].Micros
		}
		so = so[2*len(t.Launches):]
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

// Agreement counts the pairs of candidates that differ on the GPU, and those
// of them that the simulator ranks alike.
func Agreement(all []*Candidate) (alike, pairs int) {
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

// Show prints what was found.
func Show(out io.Writer, all []*Candidate) {
	refused, tried := 0, 0
	for _, x := range all {
		if x.How != "" && x.How != Reference {
			tried++
		}
		if x.Err != "" {
			refused++
			fmt.Fprintf(out, "refused  %s: %s\n", x.How, x.Err)
		}
	}
	for _, x := range all {
		if x.Kept {
			fmt.Fprintf(out, "%d candidates, %d refused; the best takes %.3f of the usual time: %s\n", tried, refused, x.Again, strings.Join(Options(x.How), " "))
			if y := all[1]; y.How == Reference && y.Again > 0 {
				fmt.Fprintf(out, "the reference's time over ours: usual %.3f, best %.3f\n", y.Again, y.Again/x.Again)
			}
		}
	}
	alike, pairs := Agreement(all)
	fmt.Fprintf(out, "of %d pairs that differ by more than %.0f %% the simulator ranks %d alike\n", pairs, 100*differs, alike)
}
