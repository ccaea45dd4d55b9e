package asm

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/elf"
	"github.com/goptxas/goptxas/internal/gosass/directive"
)

// content makes the content of a section from its lines; the type of the
// section, and the first word where that is not enough, say which kind.
func (as *assembler) content(d *draft) error {
	first := ""
	if len(d.lines) > 0 {
		first, _, _ = strings.Cut(d.lines[0].text, " ")
	}
	switch {
	case first == ".same":
		return as.same(d)
	case first == ".byte" || first == ".zero":
		return as.data(d)
	}
	switch d.sec.Type {
	case elf.TypeStrtab:
		return as.strings(d)
	case elf.TypeRel, elf.TypeRela, cubin.TypeMercRela, cubin.TypeResolvedRela:
		return as.relocs(d)
	case cubin.TypeInfo, cubin.TypeMercInfo, cubin.TypeCompat:
		return as.info(d)
	case elf.TypeNote:
		return as.note(d)
	case cubin.TypeCallGraph, cubin.TypePrototype:
		return as.calls(d)
	}
	switch {
	case elf.TakesNoRoom(d.sec.Type, d.sec.Flags):
		return as.nobits(d)
	case d.sec.Flags&elf.FlagExec != 0:
		code, err := as.code(d)
		d.sec.Content = cubin.Bytes(code)
		return err
	}
	return as.data(d)
}

// each splits the lines of a section.
func (as *assembler) each(d *draft, visit func(l srcLine, w *directive.Line) error) error {
	for _, l := range d.lines {
		w, err := directive.Split(l.text)
		if err != nil {
			return as.errorf(l.no, "%v", err)
		}
		if err := visit(l, w); err != nil {
			return err
		}
	}
	return nil
}

func (as *assembler) same(d *draft) error {
	w, err := directive.Split(d.lines[0].text)
	if err != nil || len(w.Words) != 2 {
		return as.errorf(d.lines[0].no, "want .same SECTION")
	}
	s, err := as.find(w.Words[1], d.lines[0].no)
	d.sec.Content = cubin.Same{As: s}
	return err
}

func (as *assembler) nobits(d *draft) error {
	d.sec.Content = cubin.NoBits(0)
	return as.each(d, func(l srcLine, w *directive.Line) error {
		if len(w.Words) != 2 || w.Words[0] != ".nobits" {
			return as.errorf(l.no, "want .nobits SIZE")
		}
		n, err := strconv.ParseUint(w.Words[1], 0, 64)
		if err != nil {
			return as.errorf(l.no, "%q is no size", w.Words[1])
		}
		d.sec.Content = cubin.NoBits(n)
		return nil
	})
}

// mostZeros bounds .zero, so that a short source cannot ask for any amount
// of memory.
const mostZeros = 1 << 28

func (as *assembler) data(d *draft) error {
	var b []byte
	err := as.each(d, func(l srcLine, w *directive.Line) error {
		switch {
		case len(w.Words) == 2 && w.Words[0] == ".zero":
			n, err := strconv.ParseUint(w.Words[1], 0, 64)
			if err != nil || n > mostZeros || uint64(len(b))+n > mostZeros {
				return as.errorf(l.no, "%q is no count of zeros", w.Words[1])
			}
			b = append(b, make([]byte, n)...)
		case len(w.Words) > 1 && w.Words[0] == ".byte":
			for _, x := range w.Words[1:] {
				n, err := strconv.ParseUint(x, 0, 8)
				if err != nil {
					return as.errorf(l.no, "%q is no byte", x)
				}
				b = append(b, byte(n))
			}
		default:
			return as.errorf(l.no, "want .byte or .zero")
		}
		return nil
	})
	d.sec.Content = cubin.Bytes(b)
	return err
}

func (as *assembler) strings(d *draft) error {
	var list elf.Strings
	err := as.each(d, func(l srcLine, w *directive.Line) error {
		switch {
		case len(w.Words) == 2 && w.Words[0] == ".name":
			list = append(list, w.Words[1])
		case len(w.Words) == 2 && w.Words[0] == ".blank":
			n, err := strconv.ParseUint(w.Words[1], 0, 16)
			if err != nil {
				return as.errorf(l.no, "%q is no count", w.Words[1])
			}
			list = append(list, make([]string, n)...)
		default:
			return as.errorf(l.no, "want .name or .blank")
		}
		return nil
	})
	d.sec.Content = &cubin.Strings{List: list}
	return err
}

func (as *assembler) relocs(d *draft) error {
	c := &cubin.Relocs{Addends: d.sec.Type != elf.TypeRel}
	d.sec.Content = c
	return as.each(d, func(l srcLine, w *directive.Line) error {
		if len(w.Words) < 4 || w.Words[0] != ".reloc" {
			return as.errorf(l.no, "want .reloc OFFSET TYPE @SYMBOL [+ADDEND]")
		}
		off, err := strconv.ParseUint(w.Words[1], 0, 64)
		typ, ok := cubin.ParseRelocType(w.Words[2])
		if err != nil || !ok {
			return as.errorf(l.no, "bad offset or relocation type")
		}
		sym, err := as.symbol(d, w.Words[3], l.no)
		if err != nil {
			return err
		}
		r := cubin.Reloc{Off: off, Type: typ, Sym: sym}
		if len(w.Words) > 4 {
			if r.Addend, err = strconv.ParseInt(w.Words[4], 0, 64); err != nil {
				return as.errorf(l.no, "%q is no addend", w.Words[4])
			}
		}
		c.List = append(c.List, r)
		return nil
	})
}

func (as *assembler) info(d *draft) error {
	in := &cubin.Info{Compat: d.sec.Type == cubin.TypeCompat}
	d.sec.Content = in
	return as.each(d, func(l srcLine, w *directive.Line) error {
		a, err := as.attr(d, l, w, in.Compat)
		in.Attrs = append(in.Attrs, a)
		return err
	})
}

func (as *assembler) attr(d *draft, l srcLine, w *directive.Line, compat bool) (cubin.Attr, error) {
	a := cubin.Attr{}
	if len(w.Words) < 2 {
		return a, as.errorf(l.no, "want .attr NAME value ...")
	}
	format, ok := indexOf(directive.AttrWords[:], w.Words[0])
	if n, isNumber := strings.CutPrefix(w.Words[0], ".attr."); !ok && isNumber {
		v, err := strconv.ParseUint(n, 10, 8)
		format, ok = uint8(v), err == nil
	}
	id, known := cubin.AttrByName(w.Words[1], compat)
	if !ok || !known {
		return a, as.errorf(l.no, "unknown attribute %s %s", w.Words[0], w.Words[1])
	}
	a.ID, a.Format = id, cubin.Format(format)
	if h := w.Value("raw"); h != "" {
		b, err := hex.DecodeString(h)
		if err != nil {
			return a, as.errorf(l.no, "raw: %v", err)
		}
		a.Raw = b
		return a, nil
	}
	for _, x := range w.Words[2:] {
		if strings.HasPrefix(x, "@") {
			s, err := as.symbol(d, x, l.no)
			if err != nil {
				return a, err
			}
			a.Syms = append(a.Syms, s)
			continue
		}
		n, err := strconv.ParseUint(x, 0, 32)
		if err != nil {
			return a, as.errorf(l.no, "%q is no number", x)
		}
		a.Words = append(a.Words, uint32(n))
	}
	if a.Format != cubin.SVal {
		if len(a.Words) > 0 {
			a.Value = uint16(a.Words[0])
		}
		a.Words = nil
	}
	return a, nil
}

func (as *assembler) note(d *draft) error {
	return as.each(d, func(l srcLine, w *directive.Line) error {
		switch {
		case w.Words[0] == ".tkinfo" && len(w.Words) == 6:
			d.sec.Content = &cubin.TKInfo{Object: w.Words[1], Tool: w.Words[2], Version: w.Words[3], Branch: w.Words[4], Options: w.Words[5]}
			return nil
		case w.Words[0] == ".cuinfo":
			v, err1 := w.Number("version")
			sm, err2 := w.Number("sm")
			kit, err3 := w.Number("toolkit")
			if err1 == nil && err2 == nil && err3 == nil {
				d.sec.Content = &cubin.CUInfo{Version: uint16(v), SM: uint16(sm), Toolkit: uint32(kit)}
				return nil
			}
		}
		return as.errorf(l.no, "want .tkinfo or .cuinfo")
	})
}

func (as *assembler) calls(d *draft) error {
	g, p := &cubin.CallGraph{}, &cubin.Prototypes{}
	d.sec.Content = g
	if d.sec.Type == cubin.TypePrototype {
		d.sec.Content = p
	}
	return as.each(d, func(l srcLine, w *directive.Line) error {
		if len(w.Words) != 3 {
			return as.errorf(l.no, "want two names")
		}
		from, err := as.symbol(d, w.Words[1], l.no)
		if err != nil {
			return err
		}
		c := cubin.Call{From: from}
		if w.Words[0] == ".prototype" {
			c.Prototype = w.Words[2]
			g.Prototypes, p.List = append(g.Prototypes, c), append(p.List, c)
			return nil
		}
		if c.To, err = as.symbol(d, w.Words[2], l.no); err != nil {
			return err
		}
		switch w.Words[0] {
		case ".call":
			g.Calls = append(g.Calls, c)
		case ".indirect":
			g.Indirect = append(g.Indirect, c)
		case ".taken":
			g.AddressTaken = append(g.AddressTaken, c)
		default:
			return as.errorf(l.no, "unknown directive %s", w.Words[0])
		}
		return nil
	})
}
