package asm

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/elf"
	"github.com/goptxas/goptxas/internal/gosass/directive"
	"github.com/goptxas/goptxas/internal/target"
)

// asmError is a message about a line of a source.
type asmError struct {
	name string
	line int
	msg  string
}

func (e *asmError) Error() string { return fmt.Sprintf("%s:%d: %s", e.name, e.line, e.msg) }

// srcLine is one line of a source without comment.
type srcLine struct {
	no   int
	text string
}

// draft is a section whose references wait for all names to be known.
type draft struct {
	sec        *cubin.Section
	at         int
	link, info string
	regs       uint8
	lines      []srcLine
}

// assembler reads the source form.
type assembler struct {
	name   string // of the source, for messages
	arch   *target.Arch
	file   *cubin.File
	drafts []*draft
	byName map[string]*cubin.Section
}

// Assemble reads a source: either the form that Source prints, which begins
// with .cubin, or kernels written by hand, which begin with .kernel. The
// architecture may be nil when the source names it.
func Assemble(name string, src []byte, a *target.Arch) (*cubin.File, error) {
	lines := splitLines(src)
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l.text, ".cubin"):
			as := &assembler{name: name, arch: a, byName: map[string]*cubin.Section{}}
			return as.run(lines)
		case strings.HasPrefix(l.text, ".kernel"), strings.HasPrefix(l.text, ".arch"):
			return assembleKernels(name, lines, a)
		default:
			return nil, &asmError{name, l.no, "a source begins with .cubin, .arch or .kernel"}
		}
	}
	return nil, &asmError{name, 1, "the source is empty"}
}

// splitLines drops blank lines and comments that fill a line's end.
func splitLines(src []byte) []srcLine {
	var list []srcLine
	no := 0
	for line := range strings.SplitSeq(string(src), "\n") {
		no++
		if n := strings.Index(line, "//"); n >= 0 && !strings.Contains(line[:n], "\"") {
			line = line[:n]
		}
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, srcLine{no, line})
		}
	}
	return list
}

func (as *assembler) errorf(no int, format string, args ...any) error {
	return &asmError{as.name, no, fmt.Sprintf(format, args...)}
}

func (as *assembler) run(lines []srcLine) (*cubin.File, error) {
	as.file = &cubin.File{}
	var cur *draft
	for _, l := range lines {
		var err error
		switch {
		case strings.HasPrefix(l.text, ".cubin "):
			err = as.head(l)
		case strings.HasPrefix(l.text, ".section "):
			cur, err = as.section(l)
		case strings.HasPrefix(l.text, ".prog"):
			err = as.prog(l)
		case cur == nil:
			err = as.errorf(l.no, "%q stands outside a section", l.text)
		default:
			cur.lines = append(cur.lines, l)
		}
		if err != nil {
			return nil, err
		}
	}
	if as.arch == nil {
		return nil, as.errorf(1, "no architecture")
	}
	return as.file, as.resolve()
}

// resolve makes contents: symbol tables first, since others name symbols.
func (as *assembler) resolve() error {
	for _, d := range as.drafts {
		if isSymtab(d.sec.Type) {
			if err := as.symtab(d); err != nil {
				return err
			}
		}
	}
	for _, d := range as.drafts {
		if err := as.links(d); err != nil {
			return err
		}
	}
	for _, d := range as.drafts {
		if isSymtab(d.sec.Type) {
			continue
		}
		if err := as.content(d); err != nil {
			return err
		}
	}
	return nil
}

func isSymtab(typ uint32) bool { return typ == elf.TypeSymtab || typ == cubin.TypeMercSymtab }

func (as *assembler) head(l srcLine) error {
	w, err := directive.Split(l.text)
	if err != nil || len(w.Words) < 3 {
		return as.errorf(l.no, "want .cubin KIND ARCH flags=N")
	}
	switch w.Words[1] {
	case "EXEC":
		as.file.Kind = cubin.KindExec
	case "REL":
		as.file.Kind = cubin.KindReloc
	case "EWP":
		as.file.Kind = cubin.KindWholeProgram
	default:
		n, err := strconv.ParseUint(w.Words[1], 0, 16)
		if err != nil {
			return as.errorf(l.no, "unknown kind %q", w.Words[1])
		}
		as.file.Kind = cubin.Kind(n)
	}
	a := target.Find(w.Words[2])
	if a == nil {
		return as.errorf(l.no, "unknown architecture %q", w.Words[2])
	}
	if as.arch != nil && as.arch != a {
		return as.errorf(l.no, "the source is for %s, not for %s", a.Name, as.arch.Name)
	}
	as.arch = a
	as.file.SM = a.SM
	v, err := w.Number("flags")
	as.file.FlagsLow = uint8(v)
	if err != nil {
		return as.errorf(l.no, "%v", err)
	}
	return nil
}

func (as *assembler) prog(l srcLine) error {
	if as.file.Odd == nil {
		as.file.Odd = &cubin.Odd{}
	}
	as.file.Odd.HasProgs = true
	if l.text == ".progs" {
		return nil
	}
	w, err := directive.Split(l.text)
	if err != nil {
		return as.errorf(l.no, "%v", err)
	}
	var v [8]uint64
	for i, key := range [...]string{"type", "flags", "off", "vaddr", "paddr", "filesz", "memsz", "align"} {
		if v[i], err = w.Number(key); err != nil {
			return as.errorf(l.no, "%v", err)
		}
	}
	as.file.Odd.Progs = append(as.file.Odd.Progs, elf.Prog{
		Type: uint32(v[0]), Flags: uint32(v[1]), Off: v[2], Vaddr: v[3], Paddr: v[4], Filesz: v[5], Memsz: v[6], Align: v[7],
	})
	return nil
}

func (as *assembler) section(l srcLine) (*draft, error) {
	w, err := directive.Split(l.text)
	if err != nil {
		return nil, as.errorf(l.no, "%v", err)
	}
	if len(w.Words) != 3 {
		return nil, as.errorf(l.no, "want .section NAME TYPE key=value ...")
	}
	typ, ok := cubin.TypeByName(w.Words[2])
	if !ok {
		n, err := strconv.ParseUint(w.Words[2], 0, 32)
		if err != nil {
			return nil, as.errorf(l.no, "unknown section type %q", w.Words[2])
		}
		typ = uint32(n)
	}
	s := &cubin.Section{Name: w.Words[1], Type: typ}
	for _, f := range [...]struct {
		key string
		to  *uint64
	}{{"flags", &s.Flags}, {"align", &s.Align}, {"entsize", &s.EntSize}, {"addr", &s.Addr}, {"gap", &s.Gap}} {
		if *f.to, err = w.Number(f.key); err != nil {
			return nil, as.errorf(l.no, "%v", err)
		}
	}
	const most = 1 << 20
	if s.Align > most || s.Gap > most {
		return nil, as.errorf(l.no, "alignment or gap beyond %d", most)
	}
	regs, err := w.Number("regs")
	if err != nil {
		return nil, as.errorf(l.no, "%v", err)
	}
	d := &draft{sec: s, at: l.no, link: w.Value("link"), info: w.Value("info"), regs: uint8(regs)}
	as.drafts = append(as.drafts, d)
	as.file.Sections = append(as.file.Sections, s)
	as.byName[s.Name] = s
	return d, nil
}

// find resolves the name, or #number, of a section.
func (as *assembler) find(name string, no int) (*cubin.Section, error) {
	if n, ok := strings.CutPrefix(name, "#"); ok {
		i, err := strconv.Atoi(n)
		if err != nil || i < 1 || i > len(as.file.Sections) {
			return nil, as.errorf(no, "no section %s", name)
		}
		return as.file.Sections[i-1], nil
	}
	if s := as.byName[name]; s != nil {
		return s, nil
	}
	return nil, as.errorf(no, "no section %q", name)
}

// symbol resolves @name or @#number in the table that a section links to.
func (as *assembler) symbol(d *draft, ref string, no int) (*cubin.Symbol, error) {
	name, ok := strings.CutPrefix(ref, "@")
	if !ok {
		return nil, as.errorf(no, "%q is no symbol: want @name", ref)
	}
	if name == "#0" {
		return nil, nil
	}
	if d.sec.Link == nil {
		return nil, as.errorf(no, "section %s links to no symbol table", d.sec.Name)
	}
	t, ok := d.sec.Link.Content.(*cubin.SymTab)
	if !ok {
		return nil, as.errorf(no, "section %s is no symbol table", d.sec.Link.Name)
	}
	if n, ok := strings.CutPrefix(name, "#"); ok {
		i, err := strconv.Atoi(n)
		if err != nil || i < 1 || i > len(t.Symbols) {
			return nil, as.errorf(no, "no symbol %s", ref)
		}
		return t.Symbols[i-1], nil
	}
	for _, s := range t.Symbols {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, as.errorf(no, "no symbol %q", name)
}

func (as *assembler) links(d *draft) error {
	var err error
	if d.link != "" {
		if d.sec.Link, err = as.find(d.link, d.at); err != nil {
			return err
		}
	}
	switch {
	case d.info == "":
	case d.info[0] == '@':
		d.sec.Info.Regs = d.regs
		d.sec.Info.Symbol, err = as.symbol(d, d.info, d.at)
	case strings.HasPrefix(d.info, "0x"):
		var n uint64
		n, err = strconv.ParseUint(d.info, 0, 32)
		d.sec.Info.Number = uint32(n)
	default:
		d.sec.Info.Section, err = as.find(d.info, d.at)
	}
	return err
}

func (as *assembler) symtab(d *draft) error {
	t := &cubin.SymTab{}
	for _, l := range d.lines {
		w, err := directive.Split(l.text)
		if err != nil || len(w.Words) != 4 || w.Words[0] != ".symbol" {
			return as.errorf(l.no, "want .symbol NAME BINDING TYPE key=value ...")
		}
		s := &cubin.Symbol{Name: w.Words[1]}
		bind, ok1 := indexOf(directive.BindNames[:], w.Words[2])
		typ, ok2 := indexOf(directive.SymTypeNames[:], w.Words[3])
		if !ok1 || !ok2 {
			return as.errorf(l.no, "unknown binding or type")
		}
		s.Bind, s.Type = bind, typ
		var other, special uint64
		for _, f := range [...]struct {
			key string
			to  *uint64
		}{{"value", &s.Value}, {"size", &s.Size}, {"other", &other}, {"special", &special}} {
			if *f.to, err = w.Number(f.key); err != nil {
				return as.errorf(l.no, "%v", err)
			}
		}
		s.Other, s.Special = uint8(other), uint16(special)
		if n := w.Value("section"); n != "" {
			if s.Section, err = as.find(n, l.no); err != nil {
				return err
			}
		}
		t.Symbols = append(t.Symbols, s)
	}
	d.sec.Content = t
	return nil
}

// indexOf finds a word in a list, or reads it as a number.
func indexOf(list []string, word string) (uint8, bool) {
	for i, s := range list {
		if s == word && s != "" {
			return uint8(i), true
		}
	}
	n, err := strconv.ParseUint(word, 0, 4)
	return uint8(n), err == nil
}

// NoArch is the error of bare instructions that no GPU was named for.
type NoArch struct{}

func (NoArch) Error() string { return "bare instructions need -arch" }

// Raw makes words of bare instruction lines, or takes the code out
// of a source.
func Raw(name string, src []byte, a *target.Arch) ([]byte, error) {
	lines := splitLines(src)
	if len(lines) > 0 && (strings.HasPrefix(lines[0].text, ".cubin") || strings.HasPrefix(lines[0].text, ".kernel") || strings.HasPrefix(lines[0].text, ".arch")) {
		f, err := Assemble(name, src, a)
		if err != nil {
			return nil, err
		}
		var code []byte
		for _, k := range f.Functions() {
			code = append(code, k.Code...)
		}
		return code, nil
	}
	if a == nil {
		return nil, NoArch{}
	}
	return assembleCode(name, lines, a)
}
