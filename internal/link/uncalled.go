package link

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// uncalled lists functions that a debugger is to find though no kernel calls
// them: with what they call they are all that kernels do not reach. Those that
// nobody calls come first.
func uncalled(m *sema.Module, kernels []int32) []int32 {
	r := reacher{m: m, load: Bodies(m), seen: make([]bool, len(m.Funcs))}
	for _, fn := range kernels {
		r.visit(fn)
	}
	var rest, list []int32
	called := make([]bool, len(m.Funcs))
	for n := range m.Funcs {
		fn := int32(n)
		if f := &m.Funcs[n]; f.Entry || !f.HasBody || r.seen[n] {
			continue
		}
		rest = append(rest, fn)
		for _, c := range r.load(fn).Calls {
			if c.Func >= 0 && aliased(m, c.Func) != fn {
				called[aliased(m, c.Func)] = true
			}
		}
	}
	for _, others := range [...]bool{false, true} {
		for _, fn := range rest {
			if !r.seen[fn] && called[fn] == others {
				r.visit(fn)
				list = append(list, fn)
			}
		}
	}
	slices.Sort(list)
	return list
}

// reacher finds the functions that calls lead to.
type reacher struct {
	m    *sema.Module
	load func(int32) *sema.Body
	seen []bool
}

func (r *reacher) visit(fn int32) {
	fn = aliased(r.m, fn)
	if r.seen[fn] || !r.m.Funcs[fn].HasBody {
		return
	}
	r.seen[fn] = true
	for _, c := range r.load(fn).Calls {
		if c.Func >= 0 {
			r.visit(c.Func)
		}
	}
}

// alone makes of what the file says about a kernel what it says about a
// function that stands by itself in a program.
func alone(c *cubin.Kernel, k *Kernel) {
	c.Device, c.Params, c.Slots, c.Shared = true, nil, 0, cubin.Shared{}
	c.Regs = max(c.Regs, abi.CallRegisters)
	c.Frames[0] = functionFrame(uint64(len(c.Code)), k.Unwind)
}
