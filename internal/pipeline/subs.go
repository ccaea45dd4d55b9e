package pipeline

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
)

// addFunctions puts a kernel, the functions it calls that stand by themselves
// and their routines into one section: every function was emitted to know its
// size, and is emitted again at its place.
func (c *compilation) addFunctions(k *link.Kernel, units []*unit) error {
	plan, kernel := c.plan, units[0]
	routines := kernel.routines
	for _, u := range units[1:] {
		for _, x := range u.routines {
			if !slices.ContainsFunc(routines, func(y *unit) bool { return y.f.Name == x.f.Name }) {
				routines = append(routines, x)
			}
		}
	}
	units = append(units, routines...)
	places := placesOf(units)
	find := func(name string) (int64, bool) {
		for n, fn := range plan.Functions {
			if c.m.Funcs[fn].Name == name {
				return places[n+1], true
			}
		}
		for n, x := range routines {
			if x.f.Name == name {
				return places[len(places)-len(routines)+n], true
			}
		}
		return 0, false
	}
	err := c.join(k, units, places, find, func(n int, u *unit) {
		k.Props.Barriers = max(k.Props.Barriers, u.f.Props.Barriers)
		k.Props.Tensor |= u.f.Props.Tensor
		if n > 0 && u.debug != nil {
			u.debug.At, u.debug.End = uint64(places[n]), uint64(places[n])+u.debug.End
			k.Debug = append(k.Debug, u.debug)
		}
		if n > 0 && u.f.Routine == ori.NoRoutine {
			frame := u.f.Props.LocalBytes + u.f.Props.SpillBytes
			k.Stack += frame
			k.Subs = append(k.Subs, link.Sub{Func: plan.Functions[n-1], Offset: uint64(places[n]), Size: uint64(u.code.Size), Frame: frame, Spills: u.spills, Unwind: link.Unwind(u.f, u.code)})
		}
	})
	if err != nil {
		return err
	}
	if kernel.f.Props.HasCalls {
		k.Props.Registers = max(k.Props.Registers, abi.CallRegisters-abi.HiddenRegisters)
	}
	k.Calls = plan.Systems
	k.FillBank2(c.m, plan, places)
	return nil
}

// placed lists the functions that have no code of their own in a kernel.
func placed(p *build.Plan) []int32 {
	var list []int32
	for _, fn := range p.Placed {
		if !slices.Contains(p.Functions, fn) {
			list = append(list, fn)
		}
	}
	return list
}

// addRoutines puts the routines of a function of an object behind it, and its
// literals into its own constants.
func (c *compilation) addRoutines(k *link.Kernel, u *unit) error {
	units := append([]*unit{u}, u.routines...)
	places := placesOf(units)
	find := func(name string) (int64, bool) {
		n := slices.IndexFunc(units[1:], func(x *unit) bool { return x.f.Name == name })
		if n < 0 {
			return 0, false
		}
		return places[n+1], true
	}
	if err := c.join(k, units, places, find, func(int, *unit) {}); err != nil {
		return err
	}
	k.FillBank2(c.m, c.plan, places)
	return nil
}

// placesOf says where functions stand one behind the other, with the sizes
// they were emitted with.
func placesOf(units []*unit) []int64 {
	places := make([]int64, len(units))
	end := int64(0)
	for n, u := range units {
		places[n] = end
		end += int64(u.code.Size)
	}
	return places
}

// join emits functions at their places and makes them the code of a kernel,
// which takes the registers of the greediest.
func (c *compilation) join(k *link.Kernel, units []*unit, places []int64, find func(string) (int64, bool), each func(n int, u *unit)) error {
	var parts []*emit.Code
	for n, u := range units {
		options := emit.Options{Slot: c.o.Slot, Base: places[n], Target: find, Part: true, Keep: c.o.Layout.Keep}
		if c.o.Layout.Object {
			options.Literal = c.plan.Literal
		}
		code, err := emit.Func(u.f, c.o.Arch, options)
		if err != nil {
			return err
		}
		parts = append(parts, code)
		if n > 0 {
			k.AddLocs(u.locs, code)
		}
		k.Props.Registers = max(k.Props.Registers, u.f.Props.Registers)
		each(n, u)
	}
	code, err := emit.Join(c.o.Arch, parts)
	k.Code = code
	return err
}
