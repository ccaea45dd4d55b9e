package driver

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/pipeline"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// followers are told together how far a compilation is.
type followers []pipeline.Follower

// Begin tells all of them.
func (l followers) Begin(out *pipeline.Output, size []int64) {
	for _, f := range l {
		f.Begin(out, size)
	}
}

// Phase tells all of them.
func (l followers) Phase(worker int, fn, phase string, opened time.Time, took time.Duration) {
	for _, f := range l {
		f.Phase(worker, fn, phase, opened, took)
	}
}

// Done tells all of them.
func (l followers) Done(worker, n int, k *link.Kernel) {
	for _, f := range l {
		f.Done(worker, n, k)
	}
}

// follow returns who follows the compilation of a module.
func (j *Job) follow(m *sema.Module, arch *target.Arch) (list followers) {
	if j.progress != nil {
		list = append(list, j.progress)
	}
	if j.limits != nil {
		list = append(list, j.limits)
	}
	if j.kernel != nil {
		list = append(list, &delivery{j: j, m: m})
	}
	if j.Settings.Line.Has(cli.TimeTrace) {
		list = append(list, &spans{m: m})
	}
	if j.Settings.Verbose && j.streams(m) {
		list = append(list, &stream{j: j, m: m, arch: arch})
	}
	return list
}

// reported tells whether one of them prints the -v report.
func (l followers) reported() bool {
	return slices.ContainsFunc(l, func(f pipeline.Follower) bool { _, ok := f.(*stream); return ok })
}

// spans returns what ran when, nil if nobody noted it.
func (l followers) spans() *spans {
	for _, f := range l {
		if s, ok := f.(*spans); ok {
			return s
		}
	}
	return nil
}

// streams reports whether the -v report is printed kernel by kernel. Messages
// about the code of kernels stand before the whole report, as in the
// reference's order, where the module is small enough to wait for them; in
// larger ones, and for who reads on a terminal, before their kernel's part. The
// memory of an object, which is told first, is known at the end.
func (j *Job) streams(m *sema.Module) bool {
	if m.Opts.Relocatable || j.Settings.Extensible || j.Settings.ToolsPatch || apart(m, j.Settings) || j.unwritten() {
		return false
	}
	return j.Sink.Form() == diag.Pretty || j.textBytes() >= tooLongToWait || !j.mayWarn()
}

// tooLongToWait is how many bytes of text take so long that the report is not
// kept until all of it is compiled.
const tooLongToWait = 1 << 20

// textBytes returns how long the inputs are.
func (j *Job) textBytes() (n int) {
	for _, s := range j.Files {
		n += len(s.File.Text)
	}
	return n
}

// mayWarn reports whether there may be messages about the code of kernels.
func (j *Job) mayWarn() bool {
	line := j.Settings.Line
	return line.Has(cli.WarnLocal) || line.Has(cli.WarnSpills) || slices.ContainsFunc(j.Files, func(s Source) bool {
		return bytes.Contains(s.File.Text, []byte("wgmma.mma_async")) || bytes.Contains(s.File.Text, []byte("setmaxnreg"))
	})
}

// stream prints the -v report as kernels are done: the part of each as soon
// as those before it are printed.
type stream struct {
	j    *Job
	m    *sema.Module
	arch *target.Arch

	mu    sync.Mutex
	order []int // places of the kernels in the output, as reported
	done  []bool
	ready []*link.Kernel
	funcs []int32
	next  int
}

// Begin prints what concerns the whole module.
func (s *stream) Begin(out *pipeline.Output, _ []int64) {
	s.funcs = out.Funcs
	s.done, s.ready = make([]bool, len(out.Funcs)), make([]*link.Kernel, len(out.Funcs))
	to := pointersOf(s.m)
	for _, fn := range to.First(s.m.Kernels(), to.Comes) {
		if n, ok := slices.BinarySearch(out.Funcs, fn); ok {
			s.order = append(s.order, n)
		}
	}
	s.j.Sink.Say(diag.Info, moduleLine(out.Global, s.j.moduleBanks(out), s.arch))
}

// Phase does nothing.
func (s *stream) Phase(int, string, string, time.Time, time.Duration) {}

// Done prints what has become printable.
func (s *stream) Done(_, n int, k *link.Kernel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[n], s.ready[n] = true, k
	for s.next < len(s.order) && s.done[s.order[s.next]] {
		at := s.order[s.next]
		if k := s.ready[at]; k != nil {
			s.j.advise(s.m, &s.m.Funcs[s.funcs[at]], k)
			s.j.warnFrames(s.m, s.funcs[at], k)
			s.j.reportKernel(s.m, s.arch, s.funcs[at], withPointed(s.m, k, s.funcs[at]))
			s.ready[at] = nil
		}
		s.next++
	}
}

// delivery hands kernels to a user of the library.
type delivery struct {
	j     *Job
	m     *sema.Module
	funcs []int32
}

// Begin notes which kernels there are.
func (d *delivery) Begin(out *pipeline.Output, _ []int64) { d.funcs = out.Funcs }

// Phase does nothing.
func (d *delivery) Phase(int, string, string, time.Time, time.Duration) {}

// Done hands a kernel over.
func (d *delivery) Done(_, n int, k *link.Kernel) {
	if k == nil {
		return
	}
	b := block(d.m, d.funcs[n], k)
	d.j.kernel(n, b.numbers(len(k.Code.Text)), k.Code.Text, k.Spared)
}
