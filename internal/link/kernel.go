package link

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

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

// kernel collects what the file says about one kernel.
func (p *Program) kernel(f *sema.Func, k *Kernel) cubin.Kernel {
	m := p.m
	c := cubin.Kernel{
		Name: f.Name, Bind: bind(f.Linkage), Code: k.Code.Text, Regs: uint16(k.Props.Registers),
		Frame: uint32(k.Frame), MinStack: uint32(k.Frame + k.Stack), Exits: k.Code.Exits, MaxRegs: k.MaxRegs,
		Calls: k.Calls, Const2: k.Bank2, Refs: k.Refs, Slots: Slots(p.arch, p.Layout, f, k.Refs),
	}
	if k.Props.SharedBytes > 0 {
		c.Shared = cubin.Shared{Size: uint64(k.Props.SharedBytes), Align: max(16, p.shared.Align), Used: true, Base: true}
	}
	if !p.Layout.Object && (c.Shared.Size > 0 || len(p.Layout.Dynamic) > 0) { // the system's part comes first
		c.Shared.Size += uint64(p.arch.SharedReserved)
	}
	c.Params = Params(f)
	last := uint32(0)
	if n := len(k.Code.Exits); n > 0 {
		last = k.Code.Exits[n-1]
	}
	isNew := p.arch.Has(target.NewFiles)
	rules := dwarf.Plain(last, uint64(k.Frame), isNew)
	if at := k.Framed; at.Size > 0 && at.Behind <= last {
		rules = dwarf.Made(at.Behind, last, at.Size, isNew)
	}
	c.Frames = []dwarf.Frame{dwarf.KernelFrame(uint64(len(k.Code.Text)), rules)}
	addSubs(&c, m, k)
	if !p.Layout.Object {
		outsideCalls(&c, k)
		p.resolved(&c, k)
		if !f.Entry {
			alone(&c, k)
		}
	}
	c.Tensor = tensorUse(k.Props.Tensor)
	c.ErrbarAtExit = p.o.Errors
	c.Attrs = slices.Concat(c.Attrs, p.launchAttrs(&f.Launch), banks(m, k.Refs, isNew), codeAttrs(k))
	return c
}

// launchAttrs are the records of what a kernel says about its launches.
func (p *Program) launchAttrs(a *sema.Launch) (attrs []cubin.Attr) {
	if a.ReqNTid[0] != 0 {
		attrs = append(attrs, cubin.Words(cubin.AttrReqNTid, a.ReqNTid[0], max(1, a.ReqNTid[1]), max(1, a.ReqNTid[2])))
	}
	if a.MaxNTid[0] != 0 {
		attrs = append(attrs, cubin.Words(cubin.AttrMaxThreads, a.MaxNTid[0], max(1, a.MaxNTid[1]), max(1, a.MaxNTid[2])))
	}
	if a.HasCluster {
		attrs = append(attrs, cubin.Words(cubin.AttrCtaPerCluster, a.Cluster[0], max(1, a.Cluster[1]), max(1, a.Cluster[2])))
	}
	if a.ExplicitCluster {
		attrs = append(attrs, cubin.Flag(cubin.AttrExplicitCluster))
	}
	if a.HasRank {
		attrs = append(attrs, cubin.Words(cubin.AttrMaxClusterRank, a.MaxClusterRank))
	}
	if a.BlocksAreGrids || p.o.Blocks {
		attrs = append(attrs, cubin.Flag(cubin.AttrBlocksAreClusters))
	}
	return attrs
}

// codeAttrs are the records of what stands in a kernel's code.
func codeAttrs(k *Kernel) (attrs []cubin.Attr) {
	if k.Props.Pool {
		attrs = append(attrs, cubin.Flag(cubin.AttrRegReconfig))
	}
	attrs = append(attrs, coops(k.Code.Coops)...)
	if list := k.Code.WarpWide; len(list) > 0 {
		attrs = append(attrs, cubin.Words(cubin.AttrWarpWideOffsets, list...))
	}
	if k.Code.Converges {
		attrs = append(attrs, cubin.Words(cubin.AttrCRSStackSize, 0))
	}
	if list := k.Code.Mbarriers; len(list) > 0 {
		attrs = append(attrs, cubin.Words(cubin.AttrMbarrierOffsets, list...), cubin.Half(cubin.AttrNumMbarriers, k.Code.MbarrierCount()))
	}
	if list := k.Code.Unused; len(list) > 0 {
		attrs = append(attrs, cubin.Words(cubin.AttrUnusedLoadBytes, list...))
	}
	if k.Props.Barriers > 0 {
		attrs = append(attrs, cubin.Byte(cubin.AttrNumBarriers, uint8(k.Props.Barriers)))
	}
	return attrs
}

// Params describes the parameters of a kernel.
func Params(f *sema.Func) (list []cubin.Param) {
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

// PlaceLiterals gives the literals of a kernel's functions their places behind
// what the kernel's own bank of constants holds: equal ones share theirs.
func PlaceLiterals(plan *build.Plan, f *ori.Func) {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			for k := range i.Args {
				if a := &i.Args[k]; a.Kind == ori.KLiteral {
					*a = ori.Const(ori.LiteralBank, plan.Literal(uint64(a.Imm)))
					a.N = 2
				}
			}
		}
	}
}

// HasLiterals reports whether f reads constants of its kernel's own bank whose
// places are not known.
func HasLiterals(f *ori.Func) bool {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if slices.ContainsFunc(i.Srcs(), func(a ori.Operand) bool { return a.Kind == ori.KLiteral }) {
				return true
			}
		}
	}
	return false
}

// FillBank2 fills the kernel's own constants: the offsets of functions that
// pointers name, then the tables of jumps, then literals.
func (k *Kernel) FillBank2(m *sema.Module, plan *build.Plan, places []int64) {
	if plan.Bank2 == 0 {
		return
	}
	k.Bank2 = make([]byte, (plan.Bank2+7)/8*8)
	k.Counted = int(plan.Bank2)
	if len(plan.Taken) > 0 && !plan.Object {
		k.Counted -= int(build.PointerSlot(m, int32(len(m.Funcs))))
	}
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
	at := plan.Bank2 - 8*int64(len(plan.Literals))
	for n, v := range plan.Literals {
		binary.LittleEndian.PutUint64(k.Bank2[at+8*int64(n):], v)
	}
}

// addSubs tells the file about the functions in a kernel's section.
func addSubs(c *cubin.Kernel, m *sema.Module, k *Kernel) {
	for _, s := range k.Subs {
		f := &m.Funcs[s.Func]
		c.Subs = append(c.Subs, cubin.Sub{Name: "$" + c.Name + "$" + f.Name, Bind: bind(f.Linkage), Off: s.Offset, Size: s.Size, Frame: uint32(s.Frame)})
		c.Frames = append(c.Frames, dwarf.CalleeFrame(s.Offset, s.Size, dwarf.Number(abi.ReturnReg), s.Unwind))
	}
}

// outsideCalls tells an executable file about the calls that leave a
// kernel's section: all are of the driver's routines.
func outsideCalls(c *cubin.Kernel, k *Kernel) {
	for _, r := range k.Code.Relocs { // return addresses of calls that leave the section
		if r.Kind <= emit.RelocHi { // and addresses of variables that have no place in a bank
			c.Fixes = append(c.Fixes, cubin.Fix{Off: uint64(r.Offset), Type: cubin.RelAbs32Lo + cubin.RelocType(r.Kind), Symbol: cmp.Or(r.Symbol, c.Name), Addend: r.Addend})
		}
		if r.Symbol != "" && r.Kind == emit.RelocAbs { // sizes of the driver's tables
			c.Fixes = append(c.Fixes, cubin.Fix{Off: uint64(r.Offset), Type: cubin.RelAbs32at32, Symbol: r.Symbol})
		}
	}
	if len(k.Code.Calls) > 0 {
		c.Attrs = append(c.Attrs, cubin.Words(cubin.AttrSyscallOffsets, k.Code.Calls...))
	}
}
