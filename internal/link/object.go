package link

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/whole"
	"github.com/goptxas/goptxas/internal/target"
)

// objectFuncs lists the functions of an object in the order of its file:
// every kernel and every function with a body, callers before what they
// call.
func objectFuncs(m *sema.Module) []int32 {
	load := Bodies(m)
	height := make([]int, len(m.Funcs))
	var list []int32
	for n := range m.Funcs {
		if m.Funcs[n].HasBody {
			list = append(list, int32(n))
		}
	}
	// As many rounds as the longest chain of calls has links; recursion ends
	// with the last round.
	for range list {
		changed := false
		for _, fn := range list {
			for _, c := range load(fn).Calls {
				if c.Func >= 0 && c.Func != fn && m.Funcs[c.Func].HasBody && height[fn] <= height[c.Func] && height[fn] < len(list) {
					height[fn], changed = height[c.Func]+1, true
				}
			}
		}
		if !changed {
			break
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(height[b], height[a]) })
	return list
}

// AddWeak adds a function to an object that the text does not have. The
// linker keeps one of those with a name, whose prototypes must be alike.
func (p *Program) AddWeak(name string, args []isa.Type, result isa.Type, k *Kernel) {
	param := func(t isa.Type) sema.Param {
		return sema.Param{Space: isa.SpaceReg, Shape: sema.Shape{Type: t, Vec: 1, Elems: 1, Align: uint64(t.Bits() / 8)}}
	}
	f := sema.Func{Name: name, Linkage: sema.Weak, HasBody: true, HasArgs: true, Alias: -1}
	f.Rets = []sema.Param{param(result)}
	for _, t := range args {
		f.Params = append(f.Params, param(t))
	}
	p.Funcs = append(p.Funcs, int32(len(p.m.Funcs)))
	p.m.Funcs = append(p.m.Funcs, f)
	p.Kernels = append(p.Kernels, k)
	p.File.Kernels = append(p.File.Kernels, cubin.Kernel{})
}

// object collects what only objects say.
type object struct {
	m    *sema.Module
	arch *target.Arch
	file *cubin.Module
	used []string // functions whose address the code takes
}

// declare tells the file about variables and functions that others define.
func (x *object) declare() {
	m := x.m
	for n := range m.Vars {
		v := &m.Vars[n]
		space, ok := objectSpace(v)
		if v.Shape.Type.IsOpaque() && v.Space == isa.SpaceGlobal {
			x.file.Refs = append(x.file.Refs, reference(v))
		}
		if !ok {
			continue
		}
		d := cubin.Decl{
			Name: v.Name, Space: space, Bind: bind(v.Linkage), Size: v.Shape.Size(), Align: max(1, v.Shape.Align), Managed: v.Managed,
			Extern: !v.Defined, Common: v.Linkage == sema.Common,
		}
		if d.Common {
			d.Bind = cubin.BindGlobal
		}
		if v.Init != nil {
			d.Init = make([]byte, d.Size)
			copy(d.Init, v.Init)
		}
		if v.Space == isa.SpaceShared && v.Shape.Open {
			d.Extern, d.Size = true, 0
		}
		x.file.Decls = append(x.file.Decls, d)
	}
	load := Bodies(m)
	for n := range m.Funcs {
		f := &m.Funcs[n]
		switch {
		case f.HasBody && !f.Entry:
			x.file.Decls = append(x.file.Decls, sharedOf(m, load(int32(n)))...)
		case !f.HasBody && f.Alias < 0:
			x.file.Decls = append(x.file.Decls, cubin.Decl{Name: f.Name, Space: cubin.SpaceFunc, Bind: bind(f.Linkage), Entry: f.Entry})
		}
	}
	x.place()
	for n := range x.file.Decls {
		x.initial(&x.file.Decls[n])
	}
}

// place gives variables with memory here their offsets.
func (x *object) place() {
	var own []cubin.Decl
	var at []int
	for n := range x.file.Decls {
		if d := &x.file.Decls[n]; !d.Extern && !d.Common && d.Space != cubin.SpaceFunc && d.Space != cubin.SpaceShared {
			own, at = append(own, *d), append(at, n)
		}
	}
	cubin.Place(own, true)
	for k, n := range at {
		x.file.Decls[n].Offset = own[k].Offset
	}
}

func objectSpace(v *sema.Var) (cubin.Space, bool) {
	switch {
	case v.Shape.Type.IsOpaque():
	case v.Space == isa.SpaceGlobal:
		return cubin.SpaceGlobal, true
	case v.Space == isa.SpaceConst:
		return cubin.SpaceConst, true
	case v.Space == isa.SpaceShared:
		return cubin.SpaceShared, true
	}
	return 0, false
}

// sharedOf lists the shared variables that a body declares.
func sharedOf(m *sema.Module, b *sema.Body) []cubin.Decl {
	var list []cubin.Decl
	for n := range b.Vars {
		v := &b.Vars[n]
		if v.Space != isa.SpaceShared && v.Space != isa.SpaceSharedCTA {
			continue
		}
		list = append(list, cubin.Decl{
			Name: build.SharedSymbol(m, b, int32(n)), Space: cubin.SpaceShared, Bind: cubin.BindLocal,
			Size: v.Shape.Size(), Align: max(1, v.Shape.Align),
		})
	}
	return list
}

// initial makes the relocations of a variable's initial bytes.
func (x *object) initial(d *cubin.Decl) {
	at := slices.IndexFunc(x.m.Vars, func(v sema.Var) bool { return v.Name == d.Name })
	if at < 0 || d.Init == nil {
		return
	}
	for _, r := range x.m.Vars[at].Relocs {
		sym := &x.m.Syms[r.Sym]
		if sym.Func >= 0 && x.m.Funcs[aliased(x.m, sym.Func)].Entry {
			d.Fixes = append(d.Fixes, kernelFix(&r, sym.Name))
			continue
		}
		fix := cubin.Fix{Off: r.Offset, Type: cubin.RelG64, Symbol: sym.Name, Addend: int64(r.Addend)}
		first := relG8
		if sym.Func >= 0 {
			fix.Symbol = x.m.Funcs[aliased(x.m, sym.Func)].Name
			fix.Type, first = cubin.Rel64, rel8
			if x.arch.Has(target.NewFiles) {
				fix.Type, first = cubin.RelUnified, relUnified8
			}
		}
		switch r.Width {
		case 1:
			fix.Type = first + cubin.RelocType(r.Shift)
		case 4:
			fix.Type = rel32
		}
		d.Fixes = append(d.Fixes, fix)
	}
}

// Relocations of one byte of an address, the first of eight each, and of a
// 32-bit word.
const (
	rel8        cubin.RelocType = 0x4c
	relUnified8 cubin.RelocType = 0x68
	rel32       cubin.RelocType = 0x01
)

// aliased follows aliases to the function with the body.
func aliased(m *sema.Module, fn int32) int32 {
	for n := 0; m.Funcs[fn].Alias >= 0 && n < len(m.Funcs); n++ {
		fn = m.Funcs[fn].Alias
	}
	return fn
}

// function completes what the file says about one function of an object.
func (x *object) function(c *cubin.Kernel, fn int32, k *Kernel) {
	f := &x.m.Funcs[fn]
	c.Device = !f.Entry
	c.MinStack = 0 // unknown: the linker adds up frames
	c.Calls = nil
	if c.Device {
		c.Params, c.Regs = nil, max(c.Regs, abi.CallRegisters)
		c.Frames = []dwarf.Frame{functionFrame(uint64(len(c.Code)), k.Unwind)}
		if f.Linkage != sema.Static && !x.taken(fn) {
			c.Prototype = build.Prototype(f.Rets, f.Params)
		}
	} else {
		c.Locals = sharedOf(x.m, Bodies(x.m)(fn))
		c.Shared = cubin.Shared{}
		for _, d := range c.Locals {
			c.Shared.Size = (c.Shared.Size+d.Align-1)/d.Align*d.Align + d.Size
			c.Shared.Align = max(c.Shared.Align, d.Align)
			c.Shared.Used, c.Shared.Base = true, true
		}
	}
	for n := range x.m.Funcs {
		if a := &x.m.Funcs[n]; a.Alias >= 0 && aliased(x.m, int32(n)) == fn {
			c.Subs = append(c.Subs, cubin.Sub{Name: a.Name, Bind: bind(a.Linkage)})
			x.file.Edges = append(x.file.Edges, cubin.Edge{From: a.Name, To: f.Name}) // who calls one keeps the other
			x.file.Aliases = append(x.file.Aliases, cubin.Indirect{From: a.Name, Prototype: build.Prototype(f.Rets, f.Params)})
		}
	}
	for _, r := range k.Code.Relocs {
		if r.Kind == emit.RelocLiteral {
			literal(c, &r)
			continue
		}
		if r.Symbol == "" {
			r.Symbol = f.Name
		}
		if fix, ok := x.fix(&r); ok {
			c.Fixes = append(c.Fixes, fix)
		}
		x.edge(c, &r)
	}
	if !x.arch.Has(target.NewFiles) {
		c.Attrs = append(c.Attrs, banks(x.m, relocated(k.Code.Relocs), false)...)
	}
	for _, p := range k.Indirect {
		x.file.Indirect = append(x.file.Indirect, cubin.Indirect{From: c.Name, Prototype: p})
	}
}

// literal lets the linker fill an operand that reads a function's own constants:
// each has a symbol.
func literal(c *cubin.Kernel, r *emit.Reloc) {
	const size = 8
	name := fmt.Sprintf("%s.const_opt.%d.%d", c.Name, r.Addend, r.Addend+size)
	if !slices.ContainsFunc(c.Locals, func(d cubin.Decl) bool { return d.Name == name }) {
		c.Locals = append(c.Locals, cubin.Decl{Name: name, Space: cubin.SpaceConst, Bind: cubin.BindLocal, Offset: uint64(r.Addend), Size: size, Align: size})
	}
	c.Fixes = append(c.Fixes, cubin.Fix{Off: uint64(r.Offset), Type: cubin.RelConst19at40, Symbol: name})
}

// functionFrame is the call frame of a function that others call: it returns
// to where R20 and R21 say.
func functionFrame(size uint64, unwind dwarf.Program) dwarf.Frame {
	var init, rules dwarf.Program
	to := dwarf.Number(abi.ReturnReg)
	return dwarf.Frame{
		CodeAlign: 4, Return: to, Size: size,
		Initial: init.DefCFA(dwarf.R1, 0).SameValue(dwarf.RZ).SameValue(dwarf.R1).SameValue(to).SameValue(to + 1),
		Rules:   append(rules.DefCFA(dwarf.R1, 0), unwind...),
	}
}

// funcOf finds a function by the name of its symbol, -1 if there is none.
func (x *object) funcOf(name string) int32 {
	return int32(slices.IndexFunc(x.m.Funcs, func(f sema.Func) bool { return f.Name == name }))
}

// taken reports whether the address of a function is used.
func (x *object) taken(fn int32) bool {
	name := x.m.Funcs[fn].Name
	for n := range x.file.Decls {
		for _, f := range x.file.Decls[n].Fixes {
			if f.Symbol == name {
				return true
			}
		}
	}
	return slices.Contains(x.used, name)
}

// addresses notes, before the functions are told of, whose addresses the
// code takes.
func (x *object) addresses(k *Kernel) {
	for _, r := range k.Code.Relocs {
		if r.Symbol != "" && (r.Kind == emit.RelocLo || r.Kind == emit.RelocHi) && x.funcOf(r.Symbol) >= 0 && !slices.Contains(x.used, r.Symbol) {
			x.used = append(x.used, r.Symbol)
		}
	}
}

// fix turns a place in the code into a relocation.
func (x *object) fix(r *emit.Reloc) (cubin.Fix, bool) {
	f := cubin.Fix{Off: uint64(r.Offset), Symbol: r.Symbol, Addend: r.Addend}
	fn := x.funcOf(r.Symbol)
	late, function := x.arch.Has(target.NewFiles), fn >= 0
	switch r.Kind {
	case emit.RelocLo, emit.RelocHi:
		f.Type = cubin.RelAbs32Lo
		switch {
		case !function || r.Addend != 0: // an addend: a place in the code
		case x.m.Funcs[fn].Entry:
			f.Type = cubin.RelFuncDesc32Lo
		case late:
			f.Type = cubin.RelUnified32Lo
		}
		if r.Kind == emit.RelocHi {
			f.Type++
		}
	case emit.RelocAbs:
		f.Type = cubin.RelAbs32at32
		if n := slices.IndexFunc(x.file.Decls, func(d cubin.Decl) bool { return d.Name == r.Symbol }); n >= 0 && x.file.Decls[n].Space == cubin.SpaceConst {
			f.Type = cubin.RelAbs16at32
		}
	case emit.RelocBank:
		f.Type = cubin.RelConst21at38
	case emit.RelocBound:
		f.Type = cubin.RelBindless14at40
	case emit.RelocUniform:
		f.Type = cubin.RelConst22at37
	case emit.RelocCall:
		f.Type = cubin.RelAbs47at34
		if late {
			f.Type = cubin.RelAbs55
		}
	case emit.RelocPointer:
		f.Type, f.Symbol = cubin.RelAbs56, unifiedOffset
		return f, late
	}
	return f, true
}

// unifiedOffset is what calls through pointers add: the linker knows it.
const unifiedOffset = "__UFT_OFFSET"

// edge adds a call to the call graph.
func (x *object) edge(c *cubin.Kernel, r *emit.Reloc) {
	fn := x.funcOf(r.Symbol)
	if fn < 0 || r.Kind == emit.RelocPointer || r.Addend != 0 {
		return
	}
	e := cubin.Edge{From: c.Name, To: r.Symbol, Taken: r.Kind != emit.RelocCall}
	if !slices.Contains(x.file.Edges, e) {
		x.file.Edges = append(x.file.Edges, e)
	}
	f := &x.m.Funcs[fn]
	if !f.Entry && (f.HasBody || e.Taken) {
		return
	}
	if !slices.Contains(c.Calls, f.Name) {
		c.Calls = append(c.Calls, f.Name)
	}
}

// prototypes spells the prototypes of functions that others define or whose
// address is used. Those of the driver also say which registers they use.
func (x *object) prototypes() {
	add := func(s string) string {
		if !slices.Contains(x.file.Prototypes, s) {
			x.file.Prototypes = append(x.file.Prototypes, s)
		}
		return s
	}
	for _, i := range append(slices.Clone(x.file.Indirect), x.file.Aliases...) {
		add(i.Prototype)
	}
	for n := range x.file.Decls {
		d := &x.file.Decls[n]
		if d.Space != cubin.SpaceFunc {
			continue
		}
		if d.Entry { // nobody calls a kernel
			continue
		}
		fn := x.funcOf(d.Name)
		f := &x.m.Funcs[fn]
		d.Prototype, d.Listed = build.Prototype(f.Rets, f.Params), !x.taken(fn)
		if whole.IsSystemCall(f.Name) {
			d.Prototype += systemConvention
		}
		add(d.Prototype)
	}
	for n := range x.file.Kernels {
		k := &x.file.Kernels[n]
		fn := x.funcOf(k.Name)
		switch {
		case k.Prototype != "":
			add(k.Prototype)
		case k.Device && x.taken(fn):
			f := &x.m.Funcs[fn]
			x.file.Taken = append(x.file.Taken, cubin.Indirect{From: k.Name, Prototype: add(build.Prototype(f.Rets, f.Params))})
		case x.taken(fn):
			x.file.Taken = append(x.file.Taken, cubin.Indirect{From: k.Name})
		}
	}
}

// systemConvention follows the prototype of the driver's functions: twelve
// words from R4 on, the return address in R20, and as a mask the registers
// they change.
const systemConvention = "|12p4r20sRx000000000000000000000000000000000000000000000000000000000000fff9"

// complete tells the file what only objects say, once all code is made.
func (x *object) complete(p *Program) {
	for _, k := range p.Kernels {
		x.addresses(k)
	}
	for n, fn := range p.Funcs {
		x.function(&x.file.Kernels[n], fn, p.Kernels[n])
	}
	if !x.file.Patch { // nobody links them
		x.prototypes()
	}
}
