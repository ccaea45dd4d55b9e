package pipeline

import (
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/phase"
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ptx/isa"
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
	Kernels  []*Kernel
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
	p := newProgram(m, o.Arch, linkOptions{Tool: tool, Rela: o.Rela, Host: o.Host, Blocks: o.Blocks, Errors: o.Errors, Debug: o.Debug, Extensible: o.Extensible})
	o.Layout, o.Slot = p.layout, p.slot
	out := &Output{Funcs: p.funcs, Kernels: p.kernels}
	failures := make([]*Failure, len(out.Funcs))
	if o.Pool == nil {
		o.Pool = pool.New(nil, pool.NameTop)
	}
	r, err := newRunners(&o)
	if err != nil {
		return nil, err
	}
	o.known = newMemory(m, &o)
	if p.object == nil {
		out.Global, out.Consts[3], out.Consts[4] = p.file.Memory()
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
	clock.lap()
	for n := range out.Funcs {
		begun := time.Now()
		p.describe(n)
		out.Kernels[n].Filed = time.Since(begun)
	}
	p.complete()
	described := clock.lap().Time
	if !o.NoLines {
		p.lineTables(o.Debug)
	}
	if o.Debug {
		p.debugSections()
	}
	out.Debug = clock.lap()
	f, err := cubin.Build(p.file)
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
func one(m *sema.Module, fn int32, s *scratch, all *runners, size int64) (k *Kernel, fail *Failure) {
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
		k, err = o.known.remembered(fn, o, func() (*Kernel, error) { return compileBody(m, m.Body(fn, &s.sema), o, r, &at) })
		return err
	})
	if f.Entry { // nobody else reads it
		m.Drop(fn)
	}
	if err == nil {
		k.Hurry = uint8(o.Hurry)
		k.Time, k.Made, k.Spared = time.Since(start), at.Making, o.spared || o.Hurry > all.base
		if !o.Layout.Object {
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

// localAlign is what variables of the module in local memory are aligned to.
const localAlign = 16

// variables declares the module's variables in the file and returns how
// much shared memory they take.
func variables(m *sema.Module, l *build.Layout, file *cubin.Module) cubin.Shared {
	var sh cubin.Shared
	for n := range m.Vars {
		v := &m.Vars[n]
		align := max(1, v.Shape.Align)
		switch v.Space {
		case isa.SpaceShared:
			if v.Shape.Open {
				file.DynamicShared = true
				file.SharedAlign = max(file.SharedAlign, align)
				l.Dynamic[v.Name] = int64(align)
				continue
			}
			at := (sh.Size + align - 1) / align * align
			l.Shared[v.Name] = int64(at)
			sh.Size, sh.Align = at+v.Shape.Size(), max(sh.Align, align)
		case isa.SpaceLocal:
			l.LocalBytes = (l.LocalBytes + int64(v.Shape.Size()) + localAlign - 1) / localAlign * localAlign
			l.Local[v.Name] = l.LocalBytes
		case isa.SpaceGlobal, isa.SpaceConst:
			if v.Shape.Type >= isa.Texref && v.Shape.Type <= isa.Surfref {
				file.Refs = append(file.Refs, reference(v))
				continue
			}
			file.Decls = append(file.Decls, decl(v, align))
		}
	}
	cubin.Place(file.Decls)
	for _, d := range file.Decls {
		if d.Space == cubin.SpaceConst {
			l.Const[d.Name] = int64(d.Offset)
			l.ConstBytes = max(l.ConstBytes, int64(d.Offset+d.Size+3)&^3)
		}
	}
	for n := range file.Decls {
		relocate(m, l, &file.Decls[n])
	}
	l.SharedBytes, l.Fixed = int64(sh.Size), sharedNamed(m)
	return sh
}

// sharedNamed reports whether an initial value holds the offset of a shared
// variable.
func sharedNamed(m *sema.Module) bool {
	for n := range m.Vars {
		for _, r := range m.Vars[n].Relocs {
			if v := m.Syms[r.Sym].Var; v >= 0 && m.Vars[v].Space == isa.SpaceShared {
				return true
			}
		}
	}
	return false
}

func decl(v *sema.Var, align uint64) cubin.Decl {
	d := cubin.Decl{Name: v.Name, Space: cubin.SpaceGlobal, Bind: bind(v.Linkage), Size: v.Shape.Size(), Align: align, Managed: v.Managed}
	if v.Space == isa.SpaceConst {
		d.Space = cubin.SpaceConst
	}
	if v.Init != nil {
		d.Init = make([]byte, d.Size)
		copy(d.Init, v.Init)
	}
	return d
}

func bind(l sema.Linkage) uint8 {
	switch l {
	case sema.Static:
		return cubin.BindLocal
	case sema.Weak, sema.Common:
		return cubin.BindWeak
	}
	return cubin.BindGlobal
}

// coops makes the records of instructions of several threads of a warp.
func coops(list []emit.Coop) []cubin.Attr {
	if len(list) == 0 {
		return nil
	}
	masks, offsets := cubin.Words(cubin.AttrCoopMasks), cubin.Words(cubin.AttrCoopOffsets)
	for _, c := range list {
		masks.Words = append(masks.Words, c.Mask)
		offsets.Words = append(offsets.Words, c.Offset)
	}
	return []cubin.Attr{masks, offsets}
}

// program is a module on its way into a file.
type program struct {
	m       *sema.Module
	arch    *target.Arch
	o       linkOptions
	file    *cubin.Module
	layout  *build.Layout // where its variables lie
	shared  cubin.Shared  // what they take of shared memory
	object  *object       // nil: a program that runs as it is
	funcs   []int32       // Module.Funcs of each kernel, in the order of the file
	kernels []*Kernel     // their code, once it is made
}

// linkOptions are the choices of the command line about the file.
type linkOptions struct {
	Tool   cubin.TKInfo
	Rela   bool   // --force-rela
	Host   []byte // --nv-host: contents of .nv.host
	Blocks bool   // --blocks-are-clusters
	Errors bool   // --make-errors-visible-at-exit
	Debug  bool   // -g: functions stay apart
	// Extensible asks for an object that is a whole program but for functions
	// of the system (-ewp).
	Extensible bool
}

// newProgram lays the module's variables out and finds the functions that need
// code.
func newProgram(m *sema.Module, arch *target.Arch, o linkOptions) *program {
	p := &program{m: m, arch: arch, o: o}
	p.file = &cubin.Module{Arch: arch, PTXSM: m.Target.SM, Tool: o.Tool, TexIndep: m.TexMode == sema.TexIndependent, ForceRela: o.Rela, Host: o.Host}
	p.layout = &build.Layout{Apart: o.Debug, Shared: map[string]int64{}, Dynamic: map[string]int64{}, Const: map[string]int64{}, Local: map[string]int64{}}
	if m.Opts.Relocatable || o.Extensible {
		p.file.Relocatable, p.file.Extensible, p.layout.Object = true, o.Extensible, true
		p.object = &object{m: m, arch: arch, file: p.file}
		p.object.declare()
		p.funcs = objectFuncs(m)
	} else {
		p.shared = variables(m, p.layout, p.file)
		p.funcs = m.Kernels()
		slices.Sort(p.funcs) // the file has them in source order
	}
	p.file.Kernels = make([]cubin.Kernel, len(p.funcs)) // so that address slots exist
	p.kernels = make([]*Kernel, len(p.funcs))
	if p.object == nil {
		externals(m, p.layout, p.funcs, p.file)
	}
	return p
}

// slot returns where bank 4 holds the address of a symbol.
func (p *program) slot(name string) (int64, bool) {
	v, ok := p.file.AddressSlot(name)
	return int64(v), ok
}

// describe tells the file about kernel n, whose code is made.
func (p *program) describe(n int) {
	k := p.kernels[n]
	p.file.ISAClass, p.file.Tensormap = max(p.file.ISAClass, k.Class), max(p.file.Tensormap, k.Maps)
	p.file.Kernels[n] = p.kernel(&p.m.Funcs[p.funcs[n]], k)
}

// complete tells the file what only objects say, once all code is made.
func (p *program) complete() {
	if p.object != nil {
		p.object.complete(p)
	}
}

// kernel collects what the file says about one kernel.
func (p *program) kernel(f *sema.Func, k *Kernel) cubin.Kernel {
	m := p.m
	c := cubin.Kernel{
		Name: f.Name, Bind: bind(f.Linkage), Code: k.Code.Text, Regs: uint16(k.Props.Registers),
		Frame: uint32(k.Frame), MinStack: uint32(k.Frame + k.Stack), Exits: k.Code.Exits, MaxRegs: abi.MaxRegisters,
		Calls: k.Calls, Const2: k.Bank2, Refs: k.Refs, Slots: slots(p.arch, f, k.Refs),
	}
	if k.Props.SharedBytes > 0 {
		c.Shared = cubin.Shared{Size: uint64(k.Props.SharedBytes), Align: max(16, p.shared.Align), Used: true, Base: true}
	}
	if !p.layout.Object && (c.Shared.Size > 0 || len(p.layout.Dynamic) > 0) { // the system's part comes first
		c.Shared.Size += uint64(p.arch.SharedReserved)
	}
	c.Params = params(f)
	last := uint32(0)
	if n := len(k.Code.Exits); n > 0 {
		last = k.Code.Exits[n-1]
	}
	isNew := p.arch.Has(target.NewFiles)
	c.Frames = []dwarf.Frame{dwarf.KernelFrame(uint64(len(k.Code.Text)), dwarf.Plain(last, uint64(k.Frame), isNew))}
	addSubs(&c, m, k)
	if !p.layout.Object {
		outsideCalls(&c, k)
	}
	c.Tensor = tensorUse(k.Props.Tensor)
	a := &f.Launch
	if a.ReqNTid[0] != 0 {
		c.Attrs = append(c.Attrs, cubin.Words(cubin.AttrReqNTid, a.ReqNTid[0], max(1, a.ReqNTid[1]), max(1, a.ReqNTid[2])))
	}
	if a.MaxNTid[0] != 0 {
		c.Attrs = append(c.Attrs, cubin.Words(cubin.AttrMaxThreads, a.MaxNTid[0], max(1, a.MaxNTid[1]), max(1, a.MaxNTid[2])))
	}
	if a.HasCluster {
		c.Attrs = append(c.Attrs, cubin.Words(cubin.AttrCtaPerCluster, a.Cluster[0], max(1, a.Cluster[1]), max(1, a.Cluster[2])))
	}
	if a.ExplicitCluster {
		c.Attrs = append(c.Attrs, cubin.Flag(cubin.AttrExplicitCluster))
	}
	if a.HasRank {
		c.Attrs = append(c.Attrs, cubin.Words(cubin.AttrMaxClusterRank, a.MaxClusterRank))
	}
	if a.BlocksAreGrids || p.o.Blocks {
		c.Attrs = append(c.Attrs, cubin.Flag(cubin.AttrBlocksAreClusters))
	}
	c.ErrbarAtExit = p.o.Errors
	c.Attrs = append(c.Attrs, banks(m, k.Refs, isNew)...)
	if k.Props.Pool {
		c.Attrs = append(c.Attrs, cubin.Flag(cubin.AttrRegReconfig))
	}
	c.Attrs = append(c.Attrs, coops(k.Code.Coops)...)
	if k.Props.Barriers > 0 {
		c.Attrs = append(c.Attrs, cubin.Byte(cubin.AttrNumBarriers, uint8(k.Props.Barriers)))
	}
	return c
}

// params describes the parameters of a kernel.
func params(f *sema.Func) (list []cubin.Param) {
	for _, p := range f.Params {
		x := cubin.Param{Offset: uint16(p.Offset), Size: uint32(p.Shape.Size())}
		if p.Ptr {
			x.LogAlign = uint8(bits.TrailingZeros64(max(1, p.PtrAlign)))
			x.Space = paramSpace(p.PtrSpace)
		}
		list = append(list, x)
	}
	return list
}

// bank0 returns how long the constant bank of a kernel's parameters is.
func bank0(arch *target.Arch, f *sema.Func, k *Kernel) int {
	c := cubin.Kernel{Params: params(f), Slots: slots(arch, f, k.Refs)}
	return int(c.Bank0(arch))
}

func paramSpace(s isa.Space) uint8 {
	switch s.Base() {
	case isa.SpaceLocal:
		return 1
	case isa.SpaceShared:
		return 2
	case isa.SpaceGlobal:
		return 4
	}
	return 5
}

// String names the place of a failure.
func (f *Failure) String() string {
	if f.Pos == src.NoPos {
		return f.Text
	}
	name, line := f.File.Line(f.Pos)
	return fmt.Sprintf("%s, line %d; %s", name, line, f.Text)
}
