package pipeline

import (
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/frame"
	"github.com/goptxas/goptxas/internal/codegen/ra"
	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// shared says what there is for the allocator in a function whose warps trade
// registers: what they have at each place.
func shared(p *frame.Pool, o ra.Options) ra.Options {
	o.Registers = min(p.Most(), abi.MaxRegisters-abi.HiddenRegisters)
	o.Limits = p.Limit
	return o
}

// poolOf finds the trade of registers of a function, if it has one that works.
// A routine has the registers that it uses; of what the driver brings nobody
// asks. Functions that know nothing of the trade end it.
func poolOf(u *unit) *frame.Pool {
	start := budget(u.f, u.o)
	p := frame.PoolOf(u.f, start)
	if p == nil {
		return nil
	}
	known := destroyed(u)
	reach := func(call *ori.Instr) int {
		list, ok := known(call)
		if !ok && !brought(u, call) {
			u.f.Props.Untraded = ori.UntradedCalls
		}
		return ra.Reach(list)
	}
	if !p.Calls(reach) || u.f.Props.Untraded != 0 {
		return nil
	}
	return p
}

// brought reports whether the driver brings what is called: a program calls its
// own functions in other ways, but for those that an object finds by pointers.
func brought(u *unit, call *ori.Instr) bool {
	to := call.Srcs()[0]
	if to.Kind != ori.KSymbol {
		return call.Mods.Has(op.MABS) && !u.o.Layout.Object
	}
	name := u.f.Module.Symbols[to.Reg].Name
	return u.m != nil && !slices.ContainsFunc(u.m.Funcs, func(f sema.Func) bool { return f.Name == name && f.HasBody })
}

// allocateShared allocates registers. A function whose warps trade them is
// allocated with what there is at each place, or, if that cannot be, without
// the trade.
func allocateShared(u *unit, o ra.Options) (*ra.Result, error) {
	all := frame.PoolOf(u.f, o.Registers)
	if all == nil {
		o.Known = u.judge
		return ra.Run(u.f, o)
	}
	if p := poolOf(u); p != nil {
		with := shared(p, o)
		with.Known = u.judge
		if r, err := ra.Run(u.f, with); err == nil {
			if !p.Holds() {
				return nil, fmt.Errorf("register allocation of %s is wrong: registers are used that were given back", u.f.Name)
			}
			u.f.Props.Pool = true
			u.f.Props.Registers = int32(o.Registers)
			return r, nil
		}
	}
	all.Drop()
	return ra.Run(u.f, o)
}

// destroyed returns what tells what the call of a routine or of a private
// function destroys, with the routines that this one calls.
func destroyed(u *unit) func(*ori.Instr) ([]regalloc.Clobber, bool) {
	known := slices.Concat(u.routines, u.callees)
	lists := make([][]regalloc.Clobber, len(known))
	for n, x := range known {
		lists[n] = ra.Written(x.f)
		for _, y := range x.routines {
			lists[n] = append(lists[n], ra.Written(y.f)...)
		}
	}
	return func(call *ori.Instr) ([]regalloc.Clobber, bool) {
		to := call.Srcs()[0]
		if to.Kind != ori.KSymbol {
			return nil, false
		}
		for n, x := range known {
			if x.f.Name == u.f.Module.Symbols[to.Reg].Name {
				return lists[n], true
			}
		}
		return nil, false
	}
}
