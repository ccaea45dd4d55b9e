package cubin

import (
	"slices"

	"github.com/goptxas/goptxas/internal/cubin/elf"
)

// renamed enters a section's name; from sm_90 on it was first another,
// longer one and the rest of that stays blank.
func (b *builder) renamed(name, first string) {
	b.name(name)
	if b.isNew && len(first) > len(name) {
		b.sh = blank(b.sh, len(first)-len(name))
		b.str = blank(b.str, len(first)-len(name))
	}
}

// relocs makes the relocation tables of a section. first is the section's
// name at the time its tables are named. Variables of the function k are
// made when they are first named.
func (b *builder) relocs(of *Section, first string, fixes []Fix, k *Kernel) {
	if !b.isNew {
		first = of.Name
	}
	var rel, rela *Section
	named := [2]bool{}
	for _, x := range fixes {
		// Where shared memory lies the linker finds out in two steps, which
		// an addend in the place itself does not survive; and to a number of
		// a constant bank that stands there already it would add another.
		withAddend := x.Addend != 0 || x.Beside || b.m.ForceRela || !b.isNew && (x.Type == RelAbs32at32 || x.Type == RelConst21at38)
		b.local(k, x.Symbol)
		if !withAddend && !named[0] {
			named[0] = true
			b.name(".rel" + first)
			if !b.isNew && x.State == Live {
				rel = b.table(".rel"+of.Name, elf.TypeRel, of)
			}
		}
		if (withAddend || b.isNew) && !named[1] {
			named[1] = true
			b.relaName(of, first, x.State)
		}
		if (withAddend || b.isNew) && rela == nil && x.State != Dropped && (b.isNew || x.State == Live) {
			rela = b.table(".rela"+of.Name, elf.TypeRela, of)
		}
		if x.State != Live {
			continue
		}
		r := Reloc{Off: x.Off, Type: x.Type, Sym: b.syms[x.Symbol], Addend: x.Addend}
		t := rela
		if !b.isNew && !withAddend {
			t = rel
		}
		c := t.Content.(*Relocs)
		c.List = append(c.List, r)
	}
	for _, t := range [...]*Section{rel, rela} {
		if t != nil {
			slices.Reverse(t.Content.(*Relocs).List)
		}
	}
}

// local makes a variable of a function when it is first named.
func (b *builder) local(k *Kernel, name string) {
	if b.syms[name] != nil {
		return
	}
	for i := range b.m.Decls { // an external function that nobody calls
		if d := &b.m.Decls[i]; b.m.Relocatable && d.Space == SpaceFunc && d.Name == name {
			b.decl(d)
			return
		}
	}
	if k == nil {
		return
	}
	for i := range k.Locals {
		d := &k.Locals[i]
		if d.Name != name {
			continue
		}
		sym := &Symbol{Name: name, Type: SymCudaObject, Other: otherOf[d.Space], Size: d.Size, Value: d.Align}
		bank := ".nv.shared." + k.Name
		if d.Space == SpaceConst {
			bank, sym.Value, sym.Other = ".nv.constant2."+k.Name, d.Offset, OtherConstant|1
		}
		if s := b.syms[bank]; s != nil {
			sym.Section = s.Section
		}
		b.symbol(sym)
	}
}

// relaName enters the name of a table with addends: the section's final
// name among the section names, when the table stays.
func (b *builder) relaName(of *Section, first string, st FixState) {
	final := ".rela" + of.Name
	if st == Dropped {
		final = ".rela" + first
	}
	b.str = append(b.str, ".rela"+first)
	b.sh = append(b.sh, final)
	b.sh = blank(b.sh, len(".rela"+first)-len(final))
}

func (b *builder) table(name string, typ uint32, of *Section) *Section {
	ent, addends := uint64(elf.RelSize), typ != elf.TypeRel
	if addends {
		ent = elf.RelaSize
	}
	return b.section(rankRelocs, &Section{
		Name: name, Type: typ, Flags: elf.FlagInfoLink, Align: 8, EntSize: ent,
		Link: b.symtab, Info: Target{Section: of}, Content: &Relocs{Addends: addends},
	})
}
