package cubin

import (
	"fmt"
	"sort"

	"github.com/goptxas/goptxas/internal/cubin/elf"
	"github.com/goptxas/goptxas/internal/target"
)

// orderOld and orderNew are the orders of records in .nv.info.K, from some
// 900 such sections of the reference. The driver takes any order.
var (
	orderOld = [...]AttrID{
		AttrSWWar, AttrAPIVersion, AttrSW2861232War, AttrToolsPatch, AttrParamCBank, AttrCBankParamSize, AttrKParamInfo, AttrKParamInfoV2,
		AttrWmmaUsed, AttrMaxRegCount, AttrSurfaceBank, AttrTextureBank, AttrNumBarriers, AttrExterns, AttrAnnotations,
		AttrMercuryISAVersion, AttrWarpWideOffsets, AttrUnusedLoadBytes, AttrInstrRegMap, AttrCoopMasks, AttrCoopOffsets,
		AttrMbarrierOffsets, AttrNumMbarriers, AttrSyscallOffsets, AttrAtom16RegMap, AttrExitOffsets, AttrCtaIDZUsed,
		AttrBranchTargets, AttrMaxThreads, AttrReqNTid, AttrCRSStackSize,
	}
	orderNew = [...]AttrID{
		AttrBlocksAreClusters, AttrAPIVersion, AttrToolsPatch, AttrFinalizerOptions, AttrKParamInfo, AttrKParamInfoV2, AttrMaxClusterRank,
		AttrExplicitCluster, AttrCtaPerCluster, AttrAtEntryFragments, AttrReservedSmemUsed, AttrSparseMMAMask,
		AttrTcgen05OneCta, AttrTcgen05TwoCta, AttrWmmaUsed, AttrMaxRegCount, AttrNumBarriers, AttrExterns, AttrAnnotations,
		AttrMercuryISAVersion, AttrWarpWideOffsets, AttrUnusedLoadBytes, AttrInstrRegMap, AttrCoopMasks, AttrCoopOffsets,
		AttrRegReconfig, AttrVrcCtaInitCount, AttrSyscallOffsets, AttrAtom16RegMap, AttrMbarrierOffsets, AttrNumMbarriers,
		AttrExitOffsets, AttrBranchTargets, AttrMaxThreads, AttrReqNTid, AttrCRSStackSize, AttrCBankParamSize,
		AttrParamCBank, AttrSWWar, AttrTextureBank, AttrSurfaceBank,
	}
)

func place(order []AttrID, id AttrID) int {
	for i, x := range order {
		if x == id {
			return i
		}
	}
	return len(order)
}

// infos makes .nv.info and the section of each kernel. Sections of rank
// rankInfo have no symbols, so the moment does not matter.
func (b *builder) infos() error {
	b.section(rankInfo, &Section{Name: ".nv.info", Type: TypeInfo, Align: 4, Link: b.symtab, Content: b.fileInfo()})
	for i := len(b.m.Kernels) - 1; i >= 0; i-- {
		in, err := b.kernelInfo(i)
		if err != nil {
			return err
		}
		b.section(rankKernelInfo, &Section{
			Name: ".nv.info." + b.m.Kernels[i].Name, Type: TypeInfo, Flags: elf.FlagInfoLink,
			Align: 4, Link: b.symtab, Info: Target{Section: b.texts[i]}, Content: in,
		})
	}
	return nil
}

// SymWord returns a record that gives a symbol a number.
func SymWord(id AttrID, s *Symbol, v uint32) Attr {
	return Attr{ID: id, Format: SVal, Syms: []*Symbol{s}, Words: []uint32{v}}
}

// Half returns a record with a 16-bit value.
func Half(id AttrID, v uint16) Attr { return Attr{ID: id, Format: HVal, Value: v} }

// Byte returns a record with a one-byte value.
func Byte(id AttrID, v uint8) Attr { return Attr{ID: id, Format: BVal, Value: uint16(v)} }

// Flag returns a record without value.
func Flag(id AttrID) Attr { return Attr{ID: id, Format: NVal} }

// Words returns a record with a list of 32-bit words.
func Words(id AttrID, w ...uint32) Attr { return Attr{ID: id, Format: SVal, Words: w} }

func (b *builder) fileInfo() *Info {
	in := &Info{}
	for i := range b.m.Kernels {
		k := &b.m.Kernels[i]
		s := b.syms[k.Name]
		in.Attrs = append(in.Attrs, SymWord(AttrRegCount, s, uint32(k.Regs)))
		if b.m.Relocatable {
			in.Attrs = append(in.Attrs, SymWord(AttrMaxStackSize, s, k.MinStack))
		}
		for j := len(k.Subs) - 1; j >= 0; j-- {
			if x := &k.Subs[j]; x.Size > 0 {
				in.Attrs = append(in.Attrs, SymWord(AttrFrameSize, b.syms[x.Name], x.Frame))
			}
		}
		in.Attrs = append(in.Attrs, SymWord(AttrFrameSize, s, k.Frame))
		if k.ErrbarAtExit {
			in.Attrs = append(in.Attrs, Flag(AttrErrbarAtExit))
		}
	}
	b.samplerInfo(in)
	if b.m.TexIndep {
		in.Attrs = append(in.Attrs, Flag(AttrTexmodeIndep))
	}
	if b.m.FullDebug {
		in.Attrs = append(in.Attrs, Flag(AttrErrbarAtExit))
	}
	if b.m.Patch {
		return in
	}
	for i := len(b.m.Kernels) - 1; i >= 0 && !b.m.Relocatable; i-- {
		if k := &b.m.Kernels[i]; !k.Device {
			in.Attrs = append(in.Attrs, SymWord(AttrMinStackSize, b.syms[k.Name], k.MinStack))
		}
	}
	if !b.m.hasEntry() {
		in.Attrs = append(in.Attrs, Half(AttrMercuryISAVersion, b.isaVersion()))
	}
	return in
}

func (b *builder) isaVersion() uint16 {
	if b.isNew {
		return 0x0101
	}
	return 0
}

// kernelInfo makes the records of one kernel.
func (b *builder) kernelInfo(i int) (*Info, error) {
	k := &b.m.Kernels[i]
	list := []Attr{Words(AttrAPIVersion, toolkit), Half(AttrMercuryISAVersion, b.isaVersion())}
	if len(k.Exits) > 0 || !k.Device {
		list = append(list, Words(AttrExitOffsets, k.Exits...))
	}
	if w := b.m.Arch.Workaround; w >= 0 {
		list = append(list, Words(AttrSWWar, uint32(w)))
	}
	if b.m.Arch.Has(target.War2861232) {
		list = append(list, Flag(AttrSW2861232War))
	}
	if b.m.Patch {
		list = append(list, Flag(AttrToolsPatch))
	}
	regs := k.MaxRegs
	if regs == 0 {
		regs = 255
	}
	if !k.Device {
		list = append(list, Half(AttrMaxRegCount, regs))
	}
	if b.isNew {
		list = append(list, Half(AttrSparseMMAMask, k.Sparse))
		b.params[i] = &Symbol{}
	}
	if b.m.Arch.Has(target.Capsules) {
		list = append(list, k.Tensor.attrs()...)
		if guarded := b.m.Arch.Has(target.GuardedShared) && !k.Device; guarded || k.Tensor.Account || k.Tensor.Account2 {
			list = append(list, Flag(AttrReservedSmemUsed))
		}
	}
	var err error
	if list, err = b.paramInfo(list, i); err != nil {
		return nil, err
	}
	if len(k.Calls) > 0 {
		a := Attr{ID: AttrExterns, Format: SVal}
		for _, c := range k.Calls {
			if b.syms[c] == nil {
				return nil, fmt.Errorf("kernel %s calls %s, which is not declared", k.Name, c)
			}
			a.Syms = append(a.Syms, b.syms[c])
		}
		list = append(list, a)
	}
	list = append(list, k.Attrs...)
	order := orderOld[:]
	if b.isNew {
		order = orderNew[:]
	}
	sort.SliceStable(list, func(x, y int) bool { return place(order, list[x].ID) < place(order, list[y].ID) })
	return &Info{Attrs: list}, nil
}

// Code that the driver runs when a block starts, and how many of the units
// of tensor memory it may then ask for.
const (
	fragmentTensor1 = 6
	fragmentTensor2 = 7
	tensorUnits     = 0x80
)

// attrs are the records about tensor memory.
func (t *TensorUse) attrs() (list []Attr) {
	units := uint8(0)
	if t.Touched {
		units = tensorUnits
	}
	list = append(list, Byte(AttrVrcCtaInitCount, units))
	var fragments []uint32
	if t.Account {
		fragments = append(fragments, fragmentTensor1)
	}
	if t.Account2 {
		fragments = append(fragments, fragmentTensor2)
	}
	if fragments != nil {
		list = append(list, Words(AttrAtEntryFragments, fragments...))
	}
	if t.One {
		list = append(list, Flag(AttrTcgen05OneCta))
	}
	if t.Two {
		list = append(list, Flag(AttrTcgen05TwoCta))
	}
	return list
}

// paramInfo adds the records of the parameters, last parameter first.
func (b *builder) paramInfo(list []Attr, i int) ([]Attr, error) {
	k := &b.m.Kernels[i]
	if len(k.Params) == 0 {
		return list, nil
	}
	size := k.paramSize()
	base := ParamBase(b.m.Arch, size)
	if size > 0xffff {
		return nil, fmt.Errorf("kernel %s: %d bytes of parameters", k.Name, size)
	}
	list = append(list,
		Half(AttrCBankParamSize, uint16(size)),
		Attr{ID: AttrParamCBank, Format: SVal, Syms: []*Symbol{b.params[i]}, Words: []uint32{size<<16 | base}})
	for n := len(k.Params) - 1; n >= 0; n-- {
		list = append(list, k.Params[n].attr(n, size >= firstBigParams))
	}
	return list, nil
}

// attr is the record of a parameter: number, offset, and either packed
// facts or, in big parameter lists, the size.
func (p *Param) attr(n int, big bool) Attr {
	place := uint32(p.Offset)<<16 | uint32(n)
	if big {
		return Attr{ID: AttrKParamInfoV2, Format: SVal, Syms: []*Symbol{nil}, Words: []uint32{place, p.Size}}
	}
	const always = 0x1f << 12
	w := p.Size<<18 | always | uint32(p.Space)<<8 | uint32(p.LogAlign)
	return Attr{ID: AttrKParamInfo, Format: SVal, Syms: []*Symbol{nil}, Words: []uint32{place, w}}
}

// compat makes .nv.compat.
func (b *builder) compat() *Info {
	accel := uint8(0)
	if b.m.Arch.Variant == target.ArchSpecific {
		accel = 1
	}
	return &Info{Compat: true, Attrs: []Attr{
		Byte(CompatAccelerator, accel),
		Byte(CompatISAClass, max(b.m.ISAClass, 1)),
		Byte(CompatTcgen05, 5),
		Half(CompatISAVersion, 0x0101),
		Byte(CompatTensormap, b.m.Tensormap),
		Byte(CompatOpportunistic, 1),
		Words(CompatFastpath, b.m.Arch.FastPath, 0),
	}}
}
