package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/goptxas/goptxas/internal/witness/gen"
	"github.com/goptxas/goptxas/internal/witness/gpu"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sim"
)

// saidWord is one word that our code left and the interpreter does not say.
type saidWord struct {
	Buffer int    `json:"buffer"` // among the buffers of the launch
	Offset int    `json:"offset"`
	Ours   uint32 `json:"ours"`
	Said   uint32 `json:"said"`
}

// story is what is kept of a row in which our code does not leave what the
// interpreter says: the smallest program that still does so, whose launch
// tells the contents of its buffers, and the words that differ.
type story struct {
	Program string     `json:"program"`
	Steps   int        `json:"steps"` // of shrinking
	Words   []saidWord `json:"words"`
	Err     string     `json:"err,omitempty"`
}

const (
	mostSteps = 24  // of shrinking
	mostSaid  = 200 // words that a story keeps
)

// teller looks closer at rows.
type teller struct {
	settings
	tmp  string
	here bool // in the simulator
}

// explain tells the stories of the first rows whose results are not the
// interpreter's.
func (s *settings) explain(tmp string, all []*row, here bool, most int) error {
	t := &teller{*s, tmp, here}
	t.trust = true
	for _, r := range all {
		if most == 0 {
			break
		}
		if r.Outcome != "both" && r.Outcome != "differ" {
			continue
		}
		most--
		if err := t.tell(r); err != nil {
			return err
		}
	}
	return nil
}

// tell shrinks the program of a row and keeps what is left.
func (t *teller) tell(r *row) error {
	r.Story = &story{Program: r.text}
	if p := r.prog; p != nil {
		for r.Story.Steps < mostSteps {
			q, err := t.smaller(p, r.Mode)
			if err != nil {
				return err
			}
			if q == nil {
				break
			}
			p = q
			r.Story.Steps++
		}
		r.Story.Program = p.Text()
	}
	if err := t.words(r.Story, r.Mode); err != nil {
		r.Story.Err = err.Error()
	}
	fmt.Printf("%s %s: %d words differ after %d steps of shrinking\n", r.Kernel, r.Mode, len(r.Story.Words), r.Story.Steps)
	return nil
}

// smaller tries all programs that are one step smaller and returns the
// shortest whose results are still not the interpreter's.
func (t *teller) smaller(p *gen.Prog, mode string) (*gen.Prog, error) {
	list := gen.Candidates(p)
	rows := make([]*row, len(list))
	parallel(len(list), t.jobs, func(k int) {
		f := randomFile{name: fmt.Sprint("step", k), text: list[k].Text(), mode: mode}
		rows[k] = t.randomRows(t.tmp, &f)[0]
	})
	if t.here {
		parallel(len(rows), t.jobs, func(k int) { rows[k].simulate() })
	} else if err := t.runRows(rows, 1); err != nil {
		return nil, err
	}
	var best *gen.Prog
	size := len(p.Text())
	for k, r := range rows {
		if n := len(list[k].Text()); r.Outcome == "differ" && n < size {
			best, size = list[k], n
		}
	}
	return best, nil
}

// words runs a program once more, and keeps what differs.
func (t *teller) words(s *story, mode string) error {
	list, err := launch.Parse(s.Program)
	if err != nil {
		return err
	}
	l := &list[0]
	base := filepath.Join(t.tmp, "story")
	if err := os.WriteFile(base+".ptx", []byte(s.Program), 0o644); err != nil {
		return err
	}
	opts, err := argsOf(mode)
	if err != nil {
		return err
	}
	our := compile(t.ours, append([]string{"-arch=sm_90a"}, opts...), base+".ptx", base+".cubin")
	if our.Err != "" {
		return fmt.Errorf("%s", our.Err)
	}
	v, err := ptxvm.Load("story", s.Program, "sm_90a")
	if err != nil {
		return err
	}
	said, err := v.Run(l, ptxvm.Options{MaxSteps: 4_000_000})
	if err != nil {
		return err
	}
	var want []byte
	var sizes []int
	for _, b := range said {
		if b != nil {
			want, sizes = append(want, b...), append(sizes, len(b))
		}
	}
	got, err := t.left(our.Out, l)
	if err != nil {
		return err
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d bytes, the interpreter has %d", len(got), len(want))
	}
	for _, w := range differing(want, got, sizes, mostSaid) {
		s.Words = append(s.Words, saidWord{w.Buffer, w.Offset, w.Ours, w.Ref})
	}
	return nil
}

// left returns all that a launch leaves in its buffers.
func (t *teller) left(cubin string, l *launch.Launch) ([]byte, error) {
	if t.here {
		r, bufs := simulateOne(cubin, l, false, sim.Async{})
		if !r.OK() {
			return nil, fmt.Errorf("%s", r.Err)
		}
		var all []byte
		for _, b := range bufs {
			all = append(all, b...)
		}
		return all, nil
	}
	p, err := t.pool()
	if err != nil {
		return nil, err
	}
	dump := filepath.Join(t.tmp, "story.dump")
	var last *gpu.Result
	p.Run(1, func(int) gpu.Job {
		return gpu.Job{
			Next: func(so []*gpu.Result) *gpu.Request {
				if len(so) > 0 {
					return nil
				}
				return &gpu.Request{Cubin: cubin, Launch: *l, Guard: 256, Dump: dump}
			},
			Done: func(all []*gpu.Result) { last = all[len(all)-1] },
		}
	})
	if !last.OK() {
		return nil, fmt.Errorf("%s: %s", last.Stage, last.Err)
	}
	return os.ReadFile(dump)
}
