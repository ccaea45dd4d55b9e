package cubin

import (
	"slices"

	"github.com/goptxas/goptxas/internal/cubin/elf"
)

// debug makes the debug sections, then the relocations of data, which come
// behind them.
func (b *builder) debug() {
	if b.m.Host != nil {
		b.name(".nv.host")
		b.sectionSymbol(b.section(rankHost, &Section{Name: ".nv.host", Type: TypeHost, Align: 8, Content: Bytes(b.m.Host)}))
	}
	b.name(".debug_frame")
	frames := b.section(rankDebug, &Section{Name: ".debug_frame", Type: elf.TypeProgbits, Align: 1})
	if len(b.m.Kernels) > 0 {
		b.sectionSymbol(frames)
	}
	b.debugSections()
	b.dataRelocs()
	b.frames(frames)
	if !b.m.NoCallGraph {
		b.name(".nv.callgraph")
		b.sectionSymbol(b.section(rankCallGraph, &Section{
			Name: ".nv.callgraph", Type: TypeCallGraph, Align: 4, EntSize: 8,
			Link: b.symtab, Content: b.callGraph(),
		}))
		b.name(".nv.prototype")
		if !b.m.Patch {
			b.prototypes()
		}
	}
	if !b.isNew && !b.m.Relocatable {
		b.name(".nv.rel.action")
		b.sectionSymbol(b.section(rankRelAction, &Section{Name: ".nv.rel.action", Type: TypeRelocInfo, Align: 8, EntSize: 8, Content: Bytes(relAction)}))
	}
}

// debugSections makes the sections that a debugger reads. The strings of a
// line table are made before its relocations.
func (b *builder) debugSections() {
	var waiting *Section
	var fixes []Fix
	flush := func() {
		if waiting != nil {
			b.relocs(waiting, waiting.Name, fixes, nil)
			waiting = nil
		}
	}
	for _, d := range b.m.Debug {
		if d.Name != ".debug_str" {
			flush()
		}
		s := b.section(rankDebug, &Section{Name: d.Name, Type: elf.TypeProgbits, Align: 1, Content: Bytes(d.Data)})
		b.name(s.Name)
		b.sectionSymbol(s)
		if d.Name != ".debug_str" {
			waiting, fixes = s, d.Fixes
		}
	}
	flush()
}

// prototypes makes the table of functions that other objects may call.
func (b *builder) prototypes() {
	p := &Prototypes{}
	for i := len(b.m.Kernels) - 1; i >= 0; i-- {
		if k := &b.m.Kernels[i]; k.Prototype != "" {
			p.List = append(p.List, Call{From: b.syms[k.Name], Prototype: k.Prototype})
		}
	}
	for i := range b.m.Decls {
		if d := &b.m.Decls[i]; d.Listed && d.Prototype != "" && b.syms[d.Name] != nil {
			p.List = append(p.List, Call{From: b.syms[d.Name], Prototype: d.Prototype})
		}
	}
	for _, x := range b.m.Aliases {
		p.List = append(p.List, Call{From: b.syms[x.From], Prototype: x.Prototype})
	}
	if len(p.List) > 0 {
		b.sectionSymbol(b.section(rankPrototype, &Section{Name: ".nv.prototype", Type: TypePrototype, Align: 4, EntSize: 8, Link: b.symtab, Content: p}))
	}
}

// relAction is the content of .nv.rel.action, the same in every file.
const relAction = "\x73\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x11\x25\x00\x05\x36"

// callGraph lists the calls of external functions, last first, or the edges
// of an object as they are given.
func (b *builder) callGraph() *CallGraph {
	c := &CallGraph{}
	if b.m.Patch {
		for _, e := range b.m.Edges {
			c.Calls = append(c.Calls, Call{From: b.syms[e.From], To: b.syms[e.To]})
		}
		return c
	}
	if b.m.Relocatable {
		for _, e := range b.m.Edges {
			x := Call{From: b.syms[e.From], To: b.syms[e.To]}
			if e.Taken {
				c.AddressTaken = append(c.AddressTaken, x)
			} else {
				c.Calls = append(c.Calls, x)
			}
		}
		for i := range b.m.Decls {
			if d := &b.m.Decls[i]; d.Prototype != "" && !d.Listed && b.syms[d.Name] != nil {
				c.Prototypes = append(c.Prototypes, Call{From: b.syms[d.Name], Prototype: d.Prototype})
			}
		}
		for _, x := range b.m.Taken {
			c.Prototypes = append(c.Prototypes, Call{From: b.syms[x.From], Prototype: x.Prototype})
		}
		for _, x := range b.m.Indirect {
			c.Indirect = append(c.Indirect, Call{From: b.syms[x.From], Prototype: x.Prototype})
		}
		return c
	}
	isKernel := b.kernelNames()
	for i := len(b.m.Kernels) - 1; i >= 0; i-- {
		k := &b.m.Kernels[i]
		for j := len(k.Calls) - 1; j >= 0; j-- {
			x := Call{From: b.syms[k.Name], To: b.syms[k.Calls[j]]}
			if !isKernel[k.Calls[j]] {
				c.Calls = append(c.Calls, x)
				continue
			}
			c.AddressTaken = append(c.AddressTaken, x)
			if p := (Call{From: x.To}); !slices.Contains(c.Prototypes, p) {
				c.Prototypes = append(c.Prototypes, p)
			}
		}
	}
	return c
}

// kernelNames returns the names of the kernels of this file.
func (b *builder) kernelNames() map[string]bool {
	all := make(map[string]bool, len(b.m.Kernels))
	for i := range b.m.Kernels {
		if k := &b.m.Kernels[i]; !k.Device {
			all[k.Name] = true
		}
	}
	return all
}
