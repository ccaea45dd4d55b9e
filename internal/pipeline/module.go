package pipeline

import (
	"fmt"
	"time"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/phase"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// Failure is a kernel that could not be compiled.
type Failure struct {
	Func int32
	File *src.File
	Pos  src.Pos
	Text string
}

// Output is a compiled module.
type Output struct {
	Cubin    []byte // nil if something failed
	Kernels  []*link.Kernel
	Funcs    []int32 // Module.Funcs of each kernel
	Failures []Failure
	Global   int    // bytes of global memory
	Consts   [5]int // bytes of the module's constant banks: 3 has variables, 4 addresses
	Setup    Cost
	Debug    Cost // line tables and debug sections
	ELF      Cost
}

// Cost is what a part of the work took: its time, and the bytes the process
// held at its end where Options.Heap tells.
type Cost struct {
	Time time.Duration
	Heap int64
}

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
	p := link.New(m, o.Arch, link.Options{Tool: tool, Rela: o.Rela, Host: o.Host, Blocks: o.Blocks, Errors: o.Errors, Debug: o.Debug, Extensible: o.Extensible})
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
		p.LineTables(o.Debug)
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
	for n, k := range out.Kernels {
		if s := f.Find(".nv.constant0." + m.Funcs[out.Funcs[n]].Name); s != nil {
			k.Bank0 = int(s.Size())
		}
	}
	out.Global, out.Consts = 0, [5]int{}
	for _, s := range f.Sections {
		switch s.Name {
		case ".nv.global", ".nv.global.init":
			out.Global += int(s.Size())
		case ".nv.constant3":
			out.Consts[3] = int(s.Size())
		case ".nv.constant4":
			out.Consts[4] = int(s.Size())
		}
	}
}

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
		k, err = o.known.remembered(fn, o, func() (*link.Kernel, error) { return searched(m, fn, m.Body(fn, &s.sema), o, r, &at, all.share(size)) })
		return err
	})
	if f.Entry { // nobody else reads it
		m.Drop(fn)
	}
	if err == nil {
		k.Hurry = uint8(o.Hurry)
		k.Time, k.Made, k.Spared = time.Since(start), at.Making, o.spared || o.Hurry > all.base
		if f.Entry {
			k.Bank0 = bank0(o.Arch, f, k)
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
func bank0(arch *target.Arch, f *sema.Func, k *link.Kernel) int {
	c := cubin.Kernel{Params: link.Params(f), Slots: link.Slots(arch, f, k.Refs)}
	return int(c.Bank0(arch))
}

// String names the place of a failure.
func (f *Failure) String() string {
	if f.Pos == src.NoPos {
		return f.Text
	}
	name, line := f.File.Line(f.Pos)
	return fmt.Sprintf("%s, line %d; %s", name, line, f.Text)
}
