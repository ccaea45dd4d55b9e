package cubin

import (
	"slices"

	"github.com/goptxas/goptxas/internal/cubin/elf"
)

// dataKinds describes the sections that hold variables, by storage number.
var dataKinds = [...]struct {
	name, first string
	typ, typed  uint32 // in executable files, in objects
	flags       uint64
	rank        rank
}{
	storeConst:  {".nv.constant3", ".nv.constant.user", elf.TypeProgbits, TypeConstant0 + 3, elf.FlagAlloc, rankConst},
	storeInit:   {".nv.global.init", ".nv.global.init", elf.TypeProgbits, TypeGlobalInit, elf.FlagAlloc | elf.FlagWrite, rankInit},
	storeZero:   {".nv.global", ".nv.global", elf.TypeNobits, TypeGlobal, elf.FlagAlloc | elf.FlagWrite, rankZero},
	storeShared: {".nv_debug.shared", ".nv_debug.shared", elf.TypeNobits, TypeShared, elf.FlagAlloc | elf.FlagWrite, rankZero},
}

// otherOf is the st_other of variables of objects, by space.
var otherOf = [...]uint8{SpaceGlobal: OtherGlobal, SpaceConst: OtherConstant, SpaceShared: OtherShared}

const (
	slotName  = ".nv.constant4"
	slotFirst = ".nv.constant.pic"
	slotSize  = 8
)

// decls makes variables and their address slots: those seen from outside
// first.
func (b *builder) decls() {
	ordered(b.m.Decls, func(d *Decl) {
		if d.Space != SpaceFunc {
			b.decl(d)
		}
	})
}

func (b *builder) decl(d *Decl) {
	sym := &Symbol{Name: d.Name, Bind: d.Bind, Type: SymObject, Size: d.Size, Value: d.Offset}
	switch {
	case d.Space == SpaceFunc:
		sym.Type = SymFunc
		if d.Entry {
			sym.Other = OtherEntry
		}
	case d.Common:
		sym.Special, sym.Value = ShCommon, d.Align
	case !d.Extern:
		sym.Section = b.store(d)
	}
	if b.m.Relocatable && d.Space != SpaceFunc {
		sym.Type, sym.Other = SymCudaObject, otherOf[d.Space]
		if d.Space == SpaceShared && !d.Extern {
			sym.Value = d.Align
		}
	}
	if d.Managed {
		sym.Other |= OtherManaged
	}
	if !d.Kernel {
		b.symbol(sym)
	}
	if d.Space == SpaceConst || b.m.Relocatable || b.m.Patch || b.m.Direct && d.Space == SpaceGlobal {
		return
	}
	if b.slots == nil {
		b.slots = b.section(rankConst, &Section{Name: slotName, Type: elf.TypeProgbits, Flags: elf.FlagAlloc, Align: slotSize, Content: Bytes(nil)})
		b.renamed(slotName, slotFirst)
		b.sectionSymbol(b.slots)
	}
	off := b.slots.Size()
	if b.preserves() {
		slot := &Symbol{Name: SlotSymbol(d.Name), Bind: d.Bind, Type: SymObject, Other: 1, Section: b.slots, Value: off, Size: slotSize}
		if d.Space == SpaceFunc { // the driver's
			slot.Bind = BindWeak
		}
		b.symbol(slot)
	}
	b.slots.Content = Bytes(make([]byte, off+slotSize))
	fix := Fix{Off: off, Type: Rel64, Symbol: d.Name}
	if d.Kernel {
		fix.Type = RelFuncDesc64
	}
	b.slotFix = append(b.slotFix, fix)
}

// SlotSymbol names the word of bank 4 that holds the address of a variable.
func SlotSymbol(name string) string { return "$ADDRESS$" + name }

// preserves reports whether the file says what was relocated in it.
func (b *builder) preserves() bool { return b.m.Preserve && !b.isNew && !b.m.Relocatable && !b.m.Patch }

// resolved makes the symbols of the shared variables that the code of a kernel
// names, and the table of the words that name variables.
func (b *builder) resolved(k *Kernel, text *Section) {
	if !b.preserves() || len(k.Resolved) == 0 {
		return
	}
	own := map[string]*Symbol{}
	for _, d := range k.Locals {
		s := &Symbol{Name: d.Name, Type: SymObject, Other: 1, Value: d.Offset, Size: d.Size}
		if bank := b.syms[".nv.shared."+k.Name]; bank != nil {
			s.Section = bank.Section
		}
		b.symbol(s)
		own[d.Name] = s
	}
	name := resolvedTable + text.Name
	b.name(name)
	list := b.table(name, TypeResolvedRela, text).Content.(*Relocs)
	for _, x := range slices.Backward(k.Resolved) {
		s := own[x.Symbol]
		if s == nil {
			s = b.syms[x.Symbol]
		}
		list.List = append(list.List, Reloc{Off: x.Off, Type: x.Type, Sym: s, Addend: x.Addend})
	}
}

// resolvedTable begins the names of tables of what was relocated.
const resolvedTable = ".nv.resolvedrela"

// store puts the variable into its section, made on first use.
func (b *builder) store(d *Decl) *Section {
	n := d.storage()
	kind := &dataKinds[n]
	s := b.data[n]
	if s == nil {
		s = b.section(kind.rank, &Section{Name: kind.name, Type: b.typ(kind.typ, kind.typed), Flags: kind.flags, Align: 1, Content: Bytes(nil)})
		if kind.typ == elf.TypeNobits {
			s.Content = NoBits(0)
		}
		b.data[n] = s
		b.renamed(kind.name, kind.first)
		b.sectionSymbol(s)
	}
	s.Align = max(s.Align, d.Align)
	end := d.Offset + d.Size
	switch c := s.Content.(type) {
	case NoBits:
		if d.Space == SpaceShared {
			// Shared variables of an object have no place yet, only room.
			end = elf.AlignUp(uint64(c), d.Align) + d.Size
		}
		s.Content = max(c, NoBits(end))
	case Bytes:
		if uint64(len(c)) < end {
			c = append(c, make([]byte, end-uint64(len(c)))...)
		}
		copy(c[d.Offset:end], d.Init)
		s.Content = c
	}
	return s
}

// dataRelocs makes the tables of the address slots, the user's constants and
// the initialised variables, in this order.
func (b *builder) dataRelocs() {
	if b.slots != nil {
		b.relocs(b.slots, slotFirst, b.slotFix, nil)
	}
	for _, n := range [...]int{storeConst, storeInit} {
		if b.data[n] == nil {
			continue
		}
		var fixes []Fix
		ordered(b.m.Decls, func(d *Decl) {
			if d.Space == SpaceFunc || d.storage() != n {
				return
			}
			for _, x := range d.Fixes {
				x.Off += d.Offset
				fixes = append(fixes, x)
			}
		})
		b.relocs(b.data[n], dataKinds[n].first, fixes, nil)
	}
}
