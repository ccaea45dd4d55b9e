package ra

import (
	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// steps are the register counts beyond which one warp fewer fits on a
// quarter of a multiprocessor: it has 16,384 registers, which warps take by
// the 256. The first matters only where so many warps can be there at all.
var steps = [...]int{32, 40, 48, 56, 64, 72, 80, 96, 128, 168, 255}

// freeRegisters is how many registers a thread can have where as many warps
// run as the architecture allows (compute capabilities table of the CUDA
// programming guide: 32, 48 or 64 warps).
func freeRegisters(a *target.Arch) int {
	return target.FullRegisters(a)
}

// spread tells the allocator which registers cost nothing, so that it need
// not overwrite those that a memory instruction has yet to read.
func (b *builder) spread() {
	a := b.opts.Arch
	if a == nil {
		return
	}
	b.timing = timing.NewDescriber(b.f, a)
	var list []int
	for _, n := range steps {
		if n >= freeRegisters(a) {
			list = append(list, n-b.opts.Hidden)
		}
	}
	b.p.Files[fileR].Steps = list
	b.p.Files[fileUR].Steps = []int{b.opts.Uniforms}
}

// queues are the late readers behind which others may stand in a queue.
var queues = [...]target.Class{
	target.ClassSts, target.ClassStg, target.ClassLds, target.ClassLdg, target.ClassLdgsts, target.ClassXu, target.ClassFp64,
}

// late says of which files i reads registers when it is long under way, and
// behind whom it stands itself.
func (b *builder) late(i *ori.Instr, x *regalloc.Inst) {
	if b.timing == nil {
		return
	}
	c := b.timing.Class(i)
	if b.timing.Timing.ReadsLate(c) {
		x.Late |= 1 << fileR
	}
	if target.UniformLate(c) {
		x.Late |= 1 << fileUR
	}
	if c.Coupled() && x.Late == 0 {
		return
	}
	for k, q := range queues {
		if q == c {
			x.Queue |= 1 << k
		}
		if i.Guard.Kind == ori.KNone && target.Queued(q, c) {
			x.Behind |= 1 << k
		}
	}
}
