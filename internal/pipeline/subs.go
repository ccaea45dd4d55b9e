package pipeline

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/codegen/ra"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/call"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Sub is a function compiled into a kernel's section.
type Sub struct {
	Func   int32
	Offset uint64
	Size   uint64
	Frame  int32
	Spills ra.Result
}

// addFunctions compiles the functions a kernel calls that stand by
// themselves, and puts all into one section: first every function is emitted
// to know its size, then again at its place.
func (c *compilation) addFunctions(k *Kernel, kernel *unit) error {
	plan := c.plan
	units := []*unit{kernel}
	routines := kernel.routines
	for n := 0; n < len(plan.Functions); n++ {
		u, err := c.function(c.load(plan.Functions[n]))
		if err != nil {
			return err
		}
		units = append(units, u)
		for _, x := range u.routines {
			if !slices.ContainsFunc(routines, func(y *unit) bool { return y.f.Name == x.f.Name }) {
				routines = append(routines, x)
			}
		}
	}
	var all []*ori.Func
	for _, u := range units {
		all = append(all, u.f)
	}
	if len(all) > 1 && plan.Meet.Share(all) {
		return errMeet
	}
	units = append(units, routines...)
	places := make([]int64, len(units))
	end := int64(0)
	for n, u := range units {
		places[n] = end
		end += int64(u.code.Size)
	}
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
	var parts []*emit.Code
	for n, u := range units {
		code, err := emit.Func(u.f, c.o.Arch, emit.Options{Slot: c.o.Slot, Base: places[n], Target: find, Part: true, Forms: c.o.forms})
		if err != nil {
			return err
		}
		parts = append(parts, code)
		if n > 0 {
			k.addLocs(u.locs, code)
		}
		k.Props.Registers = max(k.Props.Registers, u.f.Props.Registers)
		k.Props.Barriers = max(k.Props.Barriers, u.f.Props.Barriers)
		k.Props.Tensor |= u.f.Props.Tensor
		if n > 0 && u.debug != nil {
			u.debug.at, u.debug.end = uint64(places[n]), uint64(places[n])+u.debug.end
			k.debug = append(k.debug, u.debug)
		}
		if n > 0 && u.f.Routine == ori.NoRoutine {
			frame := u.f.Props.LocalBytes + u.f.Props.SpillBytes
			k.Stack += frame
			k.Subs = append(k.Subs, Sub{Func: plan.Functions[n-1], Offset: uint64(places[n]), Size: uint64(u.code.Size), Frame: frame, Spills: u.spills})
		}
	}
	if kernel.f.Props.HasCalls {
		k.Props.Registers = max(k.Props.Registers, abi.CallRegisters-abi.HiddenRegisters)
	}
	code, err := emit.Join(c.o.Arch, parts)
	if err != nil {
		return err
	}
	k.Code, k.Calls = code, plan.Systems
	k.bank2(c.m, plan, places)
	return nil
}

// addRoutines puts the routines of a function of an object behind it.
func (c *compilation) addRoutines(k *Kernel, u *unit) error {
	places := map[string]int64{}
	units := append([]*unit{u}, u.routines...)
	end := int64(0)
	for _, x := range units {
		places[x.f.Name] = end
		end += int64(x.code.Size)
	}
	find := func(name string) (int64, bool) {
		at, ok := places[name]
		return at, ok && name != u.f.Name
	}
	var parts []*emit.Code
	for n, x := range units {
		code, err := emit.Func(x.f, c.o.Arch, emit.Options{Slot: c.o.Slot, Base: places[x.f.Name], Target: find, Part: true, Forms: c.o.forms})
		if err != nil {
			return err
		}
		parts = append(parts, code)
		if n > 0 {
			k.addLocs(x.locs, code)
		}
		k.Props.Registers = max(k.Props.Registers, x.f.Props.Registers)
	}
	code, err := emit.Join(c.o.Arch, parts)
	k.Code = code
	return err
}

// bank2 fills the kernel's own constants: the offsets of functions that
// pointers name, then the tables of jumps.
func (k *Kernel) bank2(m *sema.Module, plan *build.Plan, places []int64) {
	if plan.Bank2 == 0 {
		return
	}
	k.Bank2 = make([]byte, (plan.Bank2+7)/8*8)
	if plan.Pointers {
		for n, fn := range plan.Functions {
			binary.LittleEndian.PutUint64(k.Bank2[build.PointerSlot(m, fn):], uint64(places[n+1]))
		}
	}
	for _, t := range k.Code.Tables {
		for n, v := range t.Entries {
			binary.LittleEndian.PutUint32(k.Bank2[t.Offset+4*int64(n):], v)
		}
	}
}

// externals declares what kernels have addresses of in slots, routines of
// the driver that they call and kernels that they name, and notes who needs
// which: the places of the slots depend on it.
func externals(m *sema.Module, l *build.Layout, kernels []int32, file *cubin.Module) {
	any := newKernelNames(m).twice(m)
	for n := range m.Funcs { // some gradients are routines of the driver
		any = any || !m.Funcs[n].HasBody && m.Funcs[n].Alias < 0 || m.Funcs[n].HasGradients()
	}
	if !any {
		return
	}
	load := bodies(m)
	var known []string
	for n, fn := range kernels {
		names := call.NewPlan(m, load(fn), l, load).Systems
		file.Kernels[n].Calls = names
		for _, name := range names {
			if !slices.Contains(known, name) {
				known = append(known, name)
				isKernel := slices.ContainsFunc(m.Funcs, func(f sema.Func) bool { return f.Entry && f.Name == name })
				file.Decls = append(file.Decls, cubin.Decl{Name: name, Space: cubin.SpaceFunc, Bind: cubin.BindGlobal, Kernel: isKernel})
			}
		}
	}
}

// kernelNames finds the names of kernels in texts. Most words are told apart
// from them by their first byte and their length.
type kernelNames struct {
	funcs    map[string]int32
	first    [256]bool
	min, max int
}

func newKernelNames(m *sema.Module) *kernelNames {
	x := &kernelNames{funcs: map[string]int32{}, min: math.MaxInt}
	for n := range m.Funcs {
		if name := m.Funcs[n].Name; m.Funcs[n].Entry && name != "" {
			x.funcs[name] = int32(n)
			x.first[name[0]] = true
			x.min, x.max = min(x.min, len(name)), max(x.max, len(name))
		}
	}
	return x
}

// each calls yield with every kernel that a text names, as often as it does,
// while that returns true.
func (x *kernelNames) each(text []byte, yield func(fn int32) bool) {
	for at := 0; at < len(text); {
		if !isWordByte[text[at]] {
			at++
			continue
		}
		end := at + 1
		for end < len(text) && isWordByte[text[end]] {
			end++
		}
		if n := end - at; n >= x.min && n <= x.max && x.first[text[at]] {
			if fn, ok := x.funcs[string(text[at:end])]; ok && !yield(fn) {
				return
			}
		}
		at = end
	}
}

// twice reports whether the text may name a kernel elsewhere than where it
// is defined, which saves reading all bodies twice.
func (x *kernelNames) twice(m *sema.Module) (found bool) {
	seen := make([]bool, len(m.Funcs))
	for n := range m.Files {
		x.each(m.Files[n].File.Text, func(fn int32) bool {
			found = found || seen[fn]
			seen[fn] = true
			return !found
		})
	}
	return found
}

// isWordByte tells the bytes that names may hold.
var isWordByte = [256]bool{
	'_': true, '$': true, '%': true,
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
	'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true, 'g': true, 'h': true, 'i': true, 'j': true, 'k': true, 'l': true, 'm': true,
	'n': true, 'o': true, 'p': true, 'q': true, 'r': true, 's': true, 't': true, 'u': true, 'v': true, 'w': true, 'x': true, 'y': true, 'z': true,
	'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'G': true, 'H': true, 'I': true, 'J': true, 'K': true, 'L': true, 'M': true,
	'N': true, 'O': true, 'P': true, 'Q': true, 'R': true, 'S': true, 'T': true, 'U': true, 'V': true, 'W': true, 'X': true, 'Y': true, 'Z': true,
}

// addSubs tells the file about the functions in a kernel's section.
func addSubs(c *cubin.Kernel, m *sema.Module, k *Kernel) {
	for _, s := range k.Subs {
		f := &m.Funcs[s.Func]
		c.Subs = append(c.Subs, cubin.Sub{Name: "$" + c.Name + "$" + f.Name, Bind: bind(f.Linkage), Off: s.Offset, Size: s.Size, Frame: uint32(s.Frame)})
		x := dwarf.KernelFrame(s.Size, nil)
		x.Start = s.Offset
		c.Frames = append(c.Frames, x)
	}
}

// outsideCalls tells an executable file about the calls that leave a
// kernel's section: all are of the driver's routines.
func outsideCalls(c *cubin.Kernel, k *Kernel) {
	for _, r := range k.Code.Relocs { // return addresses of calls that leave the section
		if r.Symbol == "" && r.Kind <= emit.RelocHi {
			c.Fixes = append(c.Fixes, cubin.Fix{Off: uint64(r.Offset), Type: cubin.RelAbs32Lo + cubin.RelocType(r.Kind), Symbol: c.Name, Addend: r.Addend})
		}
		if r.Symbol != "" && r.Kind == emit.RelocAbs { // sizes of the driver's tables
			c.Fixes = append(c.Fixes, cubin.Fix{Off: uint64(r.Offset), Type: cubin.RelAbs32at32, Symbol: r.Symbol})
		}
	}
	if len(k.Code.Calls) > 0 {
		c.Attrs = append(c.Attrs, cubin.Words(cubin.AttrSyscallOffsets, k.Code.Calls...))
	}
}
