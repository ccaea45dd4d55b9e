package pipeline

import (
	"cmp"
	"context"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/engine/par"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// scratch is what a worker keeps from kernel to kernel: memory, and what it
// has learned of the machine's forms.
type scratch struct {
	sema sema.Scratch
	o    Options
}

func newScratch(o *Options) *scratch {
	s := &scratch{o: *o}
	s.o.forms = emit.NewForms(o.Arch)
	return s
}

// compile fills the kernels, each in its own place whichever worker makes
// it. Every worker has its own scratch.
func compile(m *sema.Module, o *Options, r *runner, out *Output, failures []*Failure, workers int) {
	w := par.New(par.Options[*scratch]{
		N:       min(workers, len(out.Funcs)),
		Limiter: o.Limiter,
		Make:    func(int) *scratch { return newScratch(o) },
	})
	size := lengths(m)
	jobs := make([]*par.Job, len(out.Funcs))
	for _, n := range longestFirst(out.Funcs, size) {
		fn := out.Funcs[n]
		jobs[n] = w.Submit(par.Task[*scratch]{
			Name: m.Funcs[fn].Name, Priority: size[fn],
			Run: func(_ context.Context, s *scratch) error {
				out.Kernels[n], failures[n] = one(m, fn, s, r)
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

// longestFirst returns the places of functions in a list, in the order in
// which their work should start.
func longestFirst(funcs []int32, size []int64) []int {
	order := make([]int, len(funcs))
	for n := range order {
		order[n] = n
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size[funcs[b]], size[funcs[a]]) })
	return order
}
