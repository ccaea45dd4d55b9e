package pipeline

import (
	"strings"
	"time"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// meter measures parts of the work one after the other.
type meter struct {
	o     *Options
	begun time.Time
}

// lap returns the cost of what was done since the last lap.
func (t *meter) lap() Cost {
	now := time.Now()
	c := Cost{Time: now.Sub(t.begun)}
	if t.o.Heap != nil {
		c.Heap = t.o.Heap()
	}
	t.begun = now
	return c
}

// Module compiles every kernel of a checked module on the given number of
// workers and builds the file. The result does not depend on the workers.
func Module(m *sema.Module, o Options, workers int, tool cubin.TKInfo) (*Output, error) {
	clock := meter{&o, time.Now()}
	p := link.New(m, o.Arch, link.Options{Tool: tool, Rela: o.Rela, Keep: o.Keep, Host: o.Host, Blocks: o.Blocks, Errors: o.Errors, Debug: o.Debug, Fast: o.Fast > FastOff, Extensible: o.Extensible, Patch: o.Patch, Workers: workers})
	o.Layout, o.Slot = p.Layout, p.Slot
	out := &Output{Funcs: p.Funcs, Kernels: p.Kernels}
	failures := make([]*Failure, len(out.Funcs))
	if o.Pool == nil {
		o.Pool = pool.New(nil, pool.NameTop)
	}
	r, err := newRunners(&o)
	if err != nil {
		return nil, err
	}
	o.known = newMemory(m, &o)
	if p.Object == nil {
		out.Global, out.Consts[3], out.Consts[4] = p.File.Memory()
	}
	out.Setup = clock.lap()
	if o.Follow != nil {
		o.Follow.Begin(out, lengths(m))
	}
	compile(m, &o, r, out, failures, workers)
	if err := o.ended(); err != nil {
		return nil, err
	}
	for _, f := range failures {
		if f != nil {
			out.Failures = append(out.Failures, *f)
		}
	}
	if len(out.Failures) > 0 {
		return out, nil
	}
	if p.Object != nil {
		if err := addLinked(p, &o, r); err != nil {
			return nil, err
		}
	}
	clock.lap()
	for n := range p.Funcs {
		begun := time.Now()
		p.Describe(n)
		p.Kernels[n].Filed = time.Since(begun)
	}
	p.Complete()
	described := clock.lap().Time
	if !o.NoLines {
		p.LineTables(o.Debug, o.Debug || o.LineInfo)
	}
	if o.Debug {
		p.DebugSections()
	}
	out.Debug = clock.lap()
	f, err := cubin.Build(p.File)
	if err != nil {
		return nil, err
	}
	out.count(m, f)
	out.Cubin, err = f.Write()
	out.ELF = clock.lap()
	out.ELF.Time += described
	return out, err
}

// count notes the memory that the sections of the file take.
func (out *Output) count(m *sema.Module, f *cubin.File) {
	params := make(map[string]*cubin.Section, len(out.Kernels))
	out.Global, out.Consts = 0, [5]int{}
	for _, s := range f.Sections {
		if name, ok := strings.CutPrefix(s.Name, ".nv.constant0."); ok && params[name] == nil {
			params[name] = s
		}
		switch s.Name {
		case ".nv.global", ".nv.global.init":
			out.Global += int(s.Size())
		case ".nv.constant3":
			out.Consts[3] = int(s.Size())
		case ".nv.constant4":
			out.Consts[4] = int(s.Size())
		}
	}
	for n, k := range out.Kernels {
		if s := params[m.Funcs[out.Funcs[n]].Name]; s != nil {
			k.Bank0 = int(s.Size())
		}
	}
}
