package phase

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goptxas/goptxas/internal/engine/pool"
)

// Progress says which phase of which function is running. The guard around Run
// reads it after a panic, from the same goroutine.
type Progress struct {
	Phase, Func string
	// Making is how long functions took to be made, before any phase ran.
	Making time.Duration
}

// Pass is a function on its way through the phases.
type Pass[F any] struct {
	r    *Runner[F]
	f    F
	at   *Progress
	next int // in the plan
	seq  int // phases that ran

	// of the phase at work
	ctx   Ctx
	event Event
}

// Begin returns a Pass of f that stands before the first phase. at, which may
// be nil, is kept up to date for whoever catches a panic.
func (r *Runner[F]) Begin(f F, at *Progress) *Pass[F] {
	if at == nil {
		at = new(Progress)
	}
	return &Pass[F]{r: r, f: f, at: at}
}

// Run runs the phases over f and stops at the first error.
func (r *Runner[F]) Run(f F, at *Progress) error { return r.Begin(f, at).Finish() }

// Through runs the phases up to and with the next one of a name, or all that
// are left if there is none.
func (p *Pass[F]) Through(name string) error {
	p.at.Func = p.r.hooks.Name(p.f)
	for p.next < len(p.r.plan) {
		at := p.r.plan[p.next].row.Name
		if err := p.phase(); err != nil {
			return err
		}
		if at == name {
			break
		}
	}
	return nil
}

// Finish runs the phases that are left.
func (p *Pass[F]) Finish() error { return p.Through("") }

// Start goes on at the first phase of a name from a step of the plan on,
// without those before it, or at that step if the name is empty.
func (p *Pass[F]) Start(step int, name string) error {
	if step < 0 || step > len(p.r.plan) {
		return fmt.Errorf("there are %d phases, none is number %d", len(p.r.plan), step)
	}
	for n := step; n < len(p.r.plan); n++ {
		if name == "" || strings.EqualFold(p.r.plan[n].row.Name, name) {
			p.next = n
			return nil
		}
	}
	return fmt.Errorf("no phase %q runs from step %d on", name, step)
}

// Passed reports whether a phase of a name lies behind.
func (p *Pass[F]) Passed(name string) bool {
	return slices.ContainsFunc(p.r.plan[:p.next], func(s step[F]) bool { return s.row.Name == name })
}

// phase runs the next phase of the plan.
func (p *Pass[F]) phase() error {
	r := p.r
	i := p.next
	s := &r.plan[i]
	p.next++
	if r.hooks.Stop != nil {
		if err := r.hooks.Stop(); err != nil {
			return err
		}
	}
	if !s.row.Required && r.hooks.Skip != nil && r.hooks.Skip(p.f) {
		return nil
	}
	p.at.Phase = s.row.Name
	c := &p.ctx
	r.context(c, i, p.at.Func)
	if r.hooks.Pool != nil {
		c.Pool = r.hooks.Pool(p.f)
	}
	if s.row.NoOp != nil && s.row.NoOp(p.f, c) {
		return nil
	}
	err := p.step(s, c)
	if r.hooks.Done != nil {
		r.hooks.Done(p.f)
	}
	if err != nil {
		return err
	}
	p.seq++
	if s.flag.stopAfter {
		p.next = len(r.plan)
	}
	return nil
}

// context tells c about step i of the plan.
func (r *Runner[F]) context(c *Ctx, i int, fn string) {
	s := &r.plan[i]
	*c = Ctx{
		Phase: s.row.Name, Func: fn, Opt: r.opt,
		Knobs: r.knobs, bisect: r.bisect, step: i,
	}
}

// step runs one phase with everything around it.
func (p *Pass[F]) step(s *step[F], c *Ctx) error {
	r, f, e := p.r, p.f, &p.event
	*e = Event{Seq: p.seq, Step: c.step, Phase: s.row.Name, Func: c.Func}
	for _, o := range r.observers {
		o.Before(f, e)
	}
	check := (r.checkAll || s.flag.check) && r.hooks.Check != nil
	if check && r.hooks.Shuffle != nil {
		r.hooks.Shuffle(f)
	}
	if len(r.observers) == 0 {
		e.Err = s.row.Run(f, c)
	} else {
		before := snapshot(c.Pool)
		e.Opened = time.Now()
		e.Err = s.row.Run(f, c)
		e.Time = time.Since(e.Opened)
		e.Mem = snapshot(c.Pool).Since(before)
	}
	if e.Err == nil && check {
		if err := r.hooks.Check(f); err != nil {
			e.Err = fmt.Errorf("after phase %s, function %s: %w", s.row.Name, c.Func, err)
		}
	}
	for _, o := range r.observers {
		o.After(f, e)
	}
	if err := r.dump(f, s, e); err != nil && e.Err == nil {
		return err
	}
	return e.Err
}

func snapshot(p *pool.Pool) pool.Snapshot {
	if p == nil {
		return pool.Snapshot{}
	}
	return p.Snapshot()
}

// dump writes what the options of the step ask for.
func (r *Runner[F]) dump(f F, s *step[F], e *Event) error {
	if r.hooks.Create == nil || r.hooks.Dump == nil {
		return nil
	}
	kinds := [...]struct {
		name string
		want dumpFlag
	}{{"dump", s.flag.dump}, {"html", s.flag.html}}
	for _, k := range kinds {
		if !k.want.wants(e.Func) {
			continue
		}
		w, err := r.hooks.Create(e.Func, e.Seq, e.Phase, k.name)
		if err != nil {
			return fmt.Errorf("dump after phase %s: %w", e.Phase, err)
		}
		err = r.hooks.Dump(w, f, e)
		if cerr := w.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return fmt.Errorf("dump after phase %s: %w", e.Phase, err)
		}
	}
	return nil
}
