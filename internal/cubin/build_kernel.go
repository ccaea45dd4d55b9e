package cubin

import (
	"github.com/goptxas/goptxas/internal/cubin/elf"
	"github.com/goptxas/goptxas/internal/target"
)

// kernel makes the sections and symbols of one kernel.
func (b *builder) kernel(i int) {
	k := &b.m.Kernels[i]
	entry := b.symbol(b.syms[k.Name])
	text := b.section(rankText, &Section{
		Name: ".text." + k.Name, Type: elf.TypeProgbits, Flags: elf.FlagAlloc | elf.FlagExec,
		Align: 128, Link: b.symtab, Info: Target{Symbol: entry}, Content: Bytes(k.Code),
	})
	if !b.isNew {
		text.Info.Regs = uint8(k.Regs)
	}
	entry.Section, b.texts[i] = text, text
	b.name(text.Name)
	b.sectionSymbol(text)
	if !k.Device {
		b.name(".nv.info." + k.Name)
		b.shared(k, text)
	}
	first := i == len(b.m.Kernels)-1 && (b.m.hasEntry() || b.m.Patch)
	if first {
		b.reserved()
	}
	if !b.m.Relocatable {
		b.m.callees(i, b.decl)
	}
	if first {
		b.decls()
	}
	if b.m.Relocatable {
		b.m.callees(i, b.decl)
	}
	if k.Shared.Used || k.Shared.Base {
		b.sharedLimit()
	}
	if k.Device {
		b.name(".nv.info." + k.Name)
	}
	bank2 := b.const2(k, text)
	for _, s := range k.Subs {
		b.symbol(&Symbol{Name: s.Name, Bind: s.Bind, Type: SymFunc, Section: text, Value: s.Off, Size: s.Size})
	}
	b.relocs(text, text.Name, k.Fixes, k)
	b.resolved(k, text)
	if bank2 != nil && !k.PointerTable {
		b.relocs(bank2, ".nv.constant.optimizer."+k.Name, k.Const2Fixes, k)
	}
	if !b.isNew && !k.Device {
		b.oldBank0(i, text)
	}
}

// oldBank0 makes the parameter bank of an old file. In an object a symbol
// stands for the parameters, or for what the system keeps when there are
// none.
func (b *builder) oldBank0(i int, text *Section) {
	k := &b.m.Kernels[i]
	bank := b.bank0(k, text, rankConst)
	if !b.m.Relocatable {
		rel := ".rel"
		if b.m.ForceRela {
			rel = ".rela"
		}
		b.sh = append(b.sh, bank.Name, rel+bank.Name)
		b.str = append(b.str, rel+bank.Name, bank.Name)
		b.params[i] = b.sectionSymbol(bank)
		if b.m.Preserve {
			b.paramsIn(k, bank, &Symbol{Type: SymObject, Other: 1})
		}
		b.relocs(bank, bank.Name, b.slotFixes(k), nil)
		return
	}
	b.name(bank.Name)
	b.params[i] = b.sectionSymbol(bank)
	b.paramsIn(k, bank, &Symbol{Type: SymCudaObject, Other: OtherConstant | 1})
	b.relocs(bank, bank.Name, b.slotFixes(k), nil)
}

// paramsIn makes s the symbol of what is in a parameter bank.
func (b *builder) paramsIn(k *Kernel, bank *Section, s *Symbol) {
	size := k.paramSize()
	base := ParamBase(b.m.Arch, size)
	s.Name, s.Section, s.Value, s.Size = paramSymbol, bank, uint64(base), uint64(size)
	if size == 0 {
		s.Name, s.Value, s.Size = systemSymbol, 0, uint64(base)
	}
	b.symbol(s)
}

// typ is the type of a section with data: objects have types of their own
// for each kind.
func (b *builder) typ(plain, typed uint32) uint32 {
	if b.m.Relocatable {
		return typed
	}
	return plain
}

// Bank0 returns how long the kernel's parameter bank is.
func (k *Kernel) Bank0(arch *target.Arch) uint32 {
	size := k.paramSize()
	return uint32(ParamBase(arch, size) + size + k.Slots)
}

// bank0 makes the section of the kernel's parameter bank.
func (b *builder) bank0(k *Kernel, text *Section, r rank) *Section {
	n := k.Bank0(b.m.Arch)
	return b.section(r, &Section{
		Name: ".nv.constant0." + k.Name, Type: b.typ(elf.TypeProgbits, TypeConstant0), Flags: elf.FlagAlloc | elf.FlagInfoLink,
		Align: 4, Info: Target{Section: text}, Content: Bytes(make([]byte, n)),
	})
}

func (b *builder) shared(k *Kernel, text *Section) {
	s := ".nv.shared." + k.Name
	b.name(s)
	if !k.Shared.Used && k.Shared.Size == 0 && !b.m.DynamicShared {
		return
	}
	sec := b.section(rankZero, &Section{
		Name: s, Type: b.typ(elf.TypeNobits, TypeShared), Flags: elf.FlagAlloc | elf.FlagWrite | elf.FlagInfoLink,
		Align: max(k.Shared.Align, 1), Info: Target{Section: text}, Content: NoBits(k.Shared.Size),
	})
	if k.Shared.Used {
		b.sectionSymbol(sec)
	}
}

// reserved makes the symbols of the shared memory that the system keeps.
func (b *builder) reserved() {
	if !b.isNew {
		return
	}
	size := uint64(0)
	if b.m.Arch.Has(target.Capsules) {
		size = 0x40
	}
	if b.m.Relocatable {
		for _, n := range unifiedTables {
			b.symbol(&Symbol{Name: n, Bind: BindWeak, Type: SymObject, Size: 8})
		}
	}
	b.symbol(&Symbol{Name: ".nv.reservedSmem.offset0", Bind: BindWeak, Type: SymObject, Value: size, Size: 4})
	parts := b.m.Arch.SharedParts(b.m.accounts())
	if b.m.Relocatable && len(parts) > 0 {
		b.asked(parts)
	}
	if b.m.FullDebug && len(parts) == 0 || b.m.Relocatable || b.m.Patch {
		return
	}
	s := b.reservedSection(elf.TypeNobits, size, parts)
	if !b.m.FullDebug {
		b.symbol(&Symbol{Name: "__nv_reservedSMEM_offset_0_alias", Bind: BindWeak, Other: OtherReserved, Section: s, Value: size})
	}
	for _, p := range parts {
		b.symbol(&Symbol{Name: p.Name, Bind: BindWeak, Type: SymObject, Section: s, Value: size, Size: uint64(p.Size)})
		size += uint64(p.Size)
	}
}

// asked makes the parts of shared memory that an object asks the linker for.
func (b *builder) asked(parts []target.SharedPart) {
	s := b.reservedSection(TypeReservedShared, 0, parts)
	for _, p := range parts {
		b.symbol(&Symbol{Name: p.Name, Bind: BindWeak, Type: SymCudaObject, Other: OtherReserved, Section: s, Value: p.Kind, Size: uint64(p.Size)})
	}
}

// reservedSection makes the section of the shared memory that the system keeps.
func (b *builder) reservedSection(t uint32, size uint64, parts []target.SharedPart) *Section {
	const name = ".nv.shared.reserved.0"
	b.name(name)
	align := uint64(1)
	for _, p := range parts {
		size += uint64(p.Size)
		if p.Name == target.SharedGuard {
			align = 16
		}
	}
	s := b.section(rankZero, &Section{Name: name, Type: t, Flags: elf.FlagAlloc | elf.FlagWrite, Align: align, Content: NoBits(size)})
	if len(parts) > 0 {
		b.sectionSymbol(s)
	}
	return s
}

// unifiedTables are symbols that the linker fills in for unified function
// and data tables; every new object names them.
var unifiedTables = [...]string{
	"__UDT_OFFSET", "__UFT_OFFSET", "__UFT_CANONICAL", "__UDT_CANONICAL", "__UFT", "__UDT", "__UFT_END", "__UDT_END",
}

// sharedLimit makes, once, the symbol of the room kept at the start of shared
// memory. On sm_90 it was taken back: a nameless symbol and a blanked name
// stay behind.
func (b *builder) sharedLimit() {
	if !b.isNew || b.capSeen {
		return
	}
	b.capSeen = true
	s := &Symbol{Name: ".nv.reservedSmem.cap", Bind: BindWeak, Type: SymObject, Value: 0x400, Size: 4}
	if b.m.Arch.Has(target.Capsules) {
		b.symbol(s)
		return
	}
	b.str = blank(b.str, len(s.Name)+1)
	b.locals = append(b.locals, &Symbol{Other: 1})
}

// const2 makes the compiler's own constant bank.
func (b *builder) const2(k *Kernel, text *Section) *Section {
	if len(k.Const2) == 0 {
		return nil
	}
	align := uint64(4)
	for i := range k.Locals { // the linker puts the bank behind those of others
		if d := &k.Locals[i]; d.Space == SpaceConst {
			align = max(align, d.Align)
		}
	}
	s := b.section(rankConst, &Section{
		Name: ".nv.constant2." + k.Name, Type: b.typ(elf.TypeProgbits, TypeConstant0+2), Flags: elf.FlagAlloc | elf.FlagInfoLink,
		Align: align, Info: Target{Section: text}, Content: Bytes(k.Const2),
	})
	b.renamed(s.Name, ".nv.constant.optimizer."+k.Name)
	b.sectionSymbol(s)
	return s
}
