package phase

import (
	"fmt"
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

// Run runs the phases over f and stops at the first error. at, which may be
// nil, is kept up to date for whoever catches a panic.
func (r *Runner[F]) Run(f F, at *Progress) error {
	if at == nil {
		at = new(Progress)
	}
	at.Func = r.hooks.Name(f)
	seq := 0
	for i := range r.plan {
		s := &r.plan[i]
		if r.hooks.Stop != nil {
			if err := r.hooks.Stop(); err != nil {
				return err
			}
		}
		if !s.row.Required && r.hooks.Skip != nil && r.hooks.Skip(f) {
			continue
		}
		at.Phase = s.row.Name
		c := r.context(i, at.Func)
		if r.hooks.Pool != nil {
			c.Pool = r.hooks.Pool(f)
		}
		if s.row.NoOp != nil && s.row.NoOp(f, c) {
			continue
		}
		if err := r.step(f, s, c, seq); err != nil {
			return err
		}
		seq++
		if s.flag.stopAfter {
			return nil
		}
	}
	return nil
}

func (r *Runner[F]) context(i int, fn string) *Ctx {
	s := &r.plan[i]
	return &Ctx{
		Phase: s.row.Name, Func: fn, Opt: r.opt,
		Knobs: r.knobs, bisect: r.bisect, step: i,
	}
}

// step runs one phase with everything around it.
func (r *Runner[F]) step(f F, s *step[F], c *Ctx, seq int) error {
	e := &Event{Seq: seq, Phase: s.row.Name, Func: c.Func}
	for _, o := range r.observers {
		o.Before(f, e)
	}
	check := (r.checkAll || s.flag.check) && r.hooks.Check != nil
	if check && r.hooks.Shuffle != nil {
		r.hooks.Shuffle(f)
	}
	before := snapshot(c.Pool)
	e.Opened = time.Now()
	e.Err = s.row.Run(f, c)
	e.Time = time.Since(e.Opened)
	e.Mem = snapshot(c.Pool).Since(before)
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
		err = r.hooks.Dump(w, f, e.Phase)
		if cerr := w.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return fmt.Errorf("dump after phase %s: %w", e.Phase, err)
		}
	}
	return nil
}
