package pipeline

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/par"
	"github.com/goptxas/goptxas/internal/engine/phase"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/bodies"
)

// scratch is the memory that a worker keeps from kernel to kernel.
type scratch struct {
	sema bodies.Scratch
	o    Options
}

func newScratch(o *Options, worker int) *scratch {
	s := &scratch{o: *o}
	s.o.worker, s.o.scratch = worker, new(pool.Scratch)
	return s
}

// compile fills the kernels, each in its own place whichever worker makes
// it. Every worker has its own scratch.
func compile(m *sema.Module, o *Options, r *runners, out *Output, failures []*Failure, workers int) {
	w := par.New(par.Options[*scratch]{
		N:       min(workers, len(out.Funcs)),
		Limiter: o.Limiter,
		Make:    func(i int) *scratch { return newScratch(o, i) },
	})
	size := lengths(m)
	r.workers = min(workers, len(out.Funcs))
	for _, fn := range out.Funcs {
		r.whole += size[fn]
	}
	jobs := make([]*par.Job, len(out.Funcs))
	for rank, n := range startOrder(m, out.Funcs, size, workers) {
		fn := out.Funcs[n]
		jobs[n] = w.Submit(par.Task[*scratch]{
			Name: m.Funcs[fn].Name, Priority: int64(-rank),
			Run: func(_ context.Context, s *scratch) error {
				out.Kernels[n], failures[n] = one(m, fn, s, r, size[fn])
				if o.Follow != nil {
					o.Follow.Done(s.o.worker, n, out.Kernels[n])
				}
				return nil
			},
		})
	}
	w.Stop()
	for n, j := range jobs {
		if err := j.Wait(); err != nil { // one was not allowed to end
			f := &m.Funcs[out.Funcs[n]]
			failures[n] = &Failure{Func: out.Funcs[n], File: m.Files[f.File].File, Pos: src.NoPos, Text: err.Error()}
		}
	}
}

// lengths returns how long the text of every function is: from its name to
// the next function or the end of its file. That is how long compiling it
// takes, near enough to start the longest first.
func lengths(m *sema.Module) []int64 {
	order := make([]int, len(m.Funcs))
	for n := range order {
		order[n] = n
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &m.Funcs[a], &m.Funcs[b]
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Pos, y.Pos), cmp.Compare(a, b))
	})
	size := make([]int64, len(m.Funcs))
	for k, n := range order {
		f := &m.Funcs[n]
		end := int64(len(m.Files[f.File].File.Text))
		if k+1 < len(order) && m.Funcs[order[k+1]].File == f.File {
			end = int64(m.Funcs[order[k+1]].Pos)
		}
		size[n] = end - int64(f.Pos)
	}
	return size
}

// startOrder returns the places of functions in a list, in the order in
// which their work should start: those that alone could keep one of several
// workers busy at the end come first, the longest of them before the others;
// the rest in the order in which the report names them, so that it grows as
// the work does.
func startOrder(m *sema.Module, funcs []int32, size []int64, workers int) []int {
	order := make([]int, 0, len(funcs))
	total, place := int64(0), make([]int, len(m.Funcs))
	for n, fn := range funcs {
		total += size[fn]
		place[fn] = n + 1
	}
	for _, fn := range m.Kernels() {
		if place[fn] > 0 {
			order = append(order, place[fn]-1)
			place[fn] = 0
		}
	}
	for _, fn := range slices.Backward(funcs) { // of an object: functions
		if place[fn] > 0 {
			order = append(order, place[fn]-1)
		}
	}
	if workers <= 1 {
		return order
	}
	long := total / int64(workers*longShare)
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := size[funcs[a]], size[funcs[b]]
		if max(x, y) <= long {
			return 0
		}
		return cmp.Compare(max(y, long), max(x, long))
	})
	return order
}

// longShare is the part of a worker's share of the work that counts as long.
const longShare = 16

// one compiles a function and turns what goes wrong into a Failure.
func one(m *sema.Module, fn int32, s *scratch, all *runners, size int64) (k *link.Kernel, fail *Failure) {
	f, o := &m.Funcs[fn], &s.o
	r := all.choose(o, size)
	file := m.Files[f.File].File
	start := time.Now()
	var at phase.Progress
	guard := diag.Guard{Level: diag.Kernel, Where: func() diag.Where { return diag.Where{Phase: at.Phase, Func: f.Name} }}
	if o.Repro != nil {
		guard.Repro = func(b *diag.Bug) string { return o.Repro(b, file.Text) }
	}
	err := guard.Run(func() (err error) {
		k, err = o.known.remembered(fn, o, func() (*link.Kernel, error) {
			return searched(m, fn, bodies.Of(m, fn, &s.sema), o, r, &at, all, size)
		})
		return err
	})
	if f.Entry { // nobody else reads it
		m.Drop(fn)
	}
	if err == nil {
		k.Fast = uint8(o.Fast)
		k.Time, k.Made, k.Spared = time.Since(start), at.Making, o.spared || o.Fast > all.base
		if f.Entry {
			k.Bank0 = bank0(o, f, k)
		}
		if o.Heap != nil {
			k.Heap = o.Heap()
		}
		return k, nil
	}
	fail = &Failure{Func: fn, File: file, Pos: src.NoPos, Text: err.Error()}
	if u, ok := err.(*build.Unsupported); ok {
		fail.Pos = u.Pos
	}
	return nil, fail
}

// bank0 returns how long the constant bank of a kernel's parameters is.
func bank0(o *Options, f *sema.Func, k *link.Kernel) int {
	c := cubin.Kernel{Params: link.Params(f), Slots: link.Slots(o.Arch, o.Layout, f, k.Refs)}
	return int(c.Bank0(o.Arch))
}
