package dis

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/elf"
	"github.com/goptxas/goptxas/internal/gosass/directive"
	"github.com/goptxas/goptxas/internal/sass"
)

// The source form of a cubin says everything that is in the file, by name
// and in file order: sections with their typed contents, code as in a
// listing with the control column behind it. Numbers that follow from the
// rest (offsets, indices, sizes of tables, program headers) are not in it.

// Source prints a file as a source that Assemble turns into the same bytes.
func Source(f *cubin.File, opt *Options) ([]byte, error) {
	p, err := load(f, "")
	if err != nil {
		return nil, err
	}
	w := &source{p: p, list: listing{p: p, opt: &Options{}}, names: f.Names()}
	w.line(".cubin", KindName(f.Kind), p.arch.Name, kv("flags", uint64(f.FlagsLow)))
	if err := w.odd(f.Odd); err != nil {
		return nil, err
	}
	for _, s := range f.Sections {
		if opt.Only != "" && !strings.HasSuffix(s.Name, "."+opt.Only) {
			continue
		}
		w.section(s)
	}
	return w.list.out, nil
}

type source struct {
	p     *program
	list  listing
	names *cubin.Names
}

// line prints a directive with its words.
func (w *source) line(words ...string) {
	for i, s := range words {
		if s == "" {
			continue
		}
		if i > 0 {
			w.list.out = append(w.list.out, ' ')
		}
		w.list.str(s)
	}
	w.list.out = append(w.list.out, '\n')
}

func kv(key string, v uint64) string { return key + "=0x" + strconv.FormatUint(v, 16) }

// kvIf is kv for values other than zero.
func kvIf(key string, v uint64) string {
	if v == 0 {
		return ""
	}
	return kv(key, v)
}

func KindName(k cubin.Kind) string {
	switch k {
	case cubin.KindExec:
		return "EXEC"
	case cubin.KindReloc:
		return "REL"
	case cubin.KindWholeProgram:
		return "EWP"
	}
	return "0x" + strconv.FormatUint(uint64(k), 16)
}

// quote writes a name, in quotes when it could be mistaken for something
// else.
func quote(s string) string {
	plain := s != "" && s[0] != '#' && s[0] != '+'
	for i := 0; i < len(s) && plain; i++ {
		c := s[i]
		plain = c > ' ' && c < 0x7f && !strings.ContainsRune("\"=;:,`\\", rune(c))
	}
	if plain {
		return s
	}
	return strconv.Quote(s)
}

func (w *source) sym(s *cubin.Symbol) string { return "@" + w.symName(s) }

func (w *source) symName(s *cubin.Symbol) string {
	if s == nil {
		return "#0"
	}
	if n, unique := w.names.Symbol(s); !unique {
		return "#" + strconv.Itoa(n)
	}
	return quote(s.Name)
}

func (w *source) sec(s *cubin.Section) string {
	if n, unique := w.names.Section(s); !unique {
		return "#" + strconv.Itoa(n)
	}
	return quote(s.Name)
}

// odd prints departures from the rules that a source can carry.
func (w *source) odd(o *cubin.Odd) error {
	if o == nil {
		return nil
	}
	if o.Header != nil || len(o.SymInfo)+len(o.Trailing)+len(o.NameOffs)+len(o.SymOffs) > 0 {
		return fmt.Errorf("the file departs from the rules of a cubin in ways a source cannot say")
	}
	if o.HasProgs {
		w.line(".progs")
	}
	for _, p := range o.Progs {
		w.line(".prog", kv("type", uint64(p.Type)), kv("flags", uint64(p.Flags)), kv("off", p.Off), kv("vaddr", p.Vaddr),
			kv("paddr", p.Paddr), kv("filesz", p.Filesz), kv("memsz", p.Memsz), kv("align", p.Align))
	}
	return nil
}

func (w *source) section(s *cubin.Section) {
	typ := cubin.TypeName(s.Type)
	if typ == "" {
		typ = "0x" + strconv.FormatUint(uint64(s.Type), 16)
	}
	words := []string{"\n.section", quote(s.Name), typ, kvIf("flags", s.Flags), kvIf("align", s.Align), kvIf("entsize", s.EntSize), kvIf("addr", s.Addr), kvIf("gap", s.Gap)}
	if s.Link != nil {
		words = append(words, "link="+w.sec(s.Link))
	}
	switch {
	case s.Info.Section != nil:
		words = append(words, "info="+w.sec(s.Info.Section))
	case s.Info.Symbol != nil:
		words = append(words, "info="+w.sym(s.Info.Symbol), kvIf("regs", uint64(s.Info.Regs)))
	default:
		words = append(words, kvIf("info", uint64(s.Info.Number)))
	}
	w.line(words...)
	w.content(s)
}

func (w *source) content(s *cubin.Section) {
	switch c := s.Content.(type) {
	case cubin.NoBits:
		w.line("\t.nobits", "0x"+strconv.FormatUint(uint64(c), 16))
	case cubin.Same:
		w.line("\t.same", w.sec(c.As))
	case *cubin.Strings:
		w.strings(c.List)
	case *cubin.SymTab:
		for _, x := range c.Symbols {
			w.symbol(x)
		}
	case *cubin.Relocs:
		for i := range c.List {
			w.reloc(&c.List[i])
		}
	case *cubin.Info:
		for i := range c.Attrs {
			w.attr(&c.Attrs[i], c.Compat)
		}
	case *cubin.TKInfo:
		w.line("\t.tkinfo", strconv.Quote(c.Object), strconv.Quote(c.Tool), strconv.Quote(c.Version), strconv.Quote(c.Branch), strconv.Quote(c.Options))
	case *cubin.CUInfo:
		w.line("\t.cuinfo", kv("version", uint64(c.Version)), kv("sm", uint64(c.SM)), kv("toolkit", uint64(c.Toolkit)))
	case *cubin.CallGraph:
		w.calls(".call", c.Calls)
		w.calls(".prototype", c.Prototypes)
		w.calls(".indirect", c.Indirect)
		w.calls(".taken", c.AddressTaken)
	case *cubin.Prototypes:
		w.calls(".prototype", c.List)
	case cubin.Bytes:
		w.bytes(s, c)
	}
}

func (w *source) calls(word string, list []cubin.Call) {
	for _, c := range list {
		if word == ".prototype" {
			w.line("\t"+word, w.sym(c.From), strconv.Quote(c.Prototype))
			continue
		}
		w.line("\t"+word, w.sym(c.From), w.sym(c.To))
	}
}

// strings prints a string table, one name a line, runs of empty names as a
// count.
func (w *source) strings(list elf.Strings) {
	for i := 0; i < len(list); i++ {
		if list[i] != "" {
			w.line("\t.name", quote(list[i]))
			continue
		}
		n := 1
		for i+n < len(list) && list[i+n] == "" {
			n++
		}
		w.line("\t.blank", strconv.Itoa(n))
		i += n - 1
	}
}

func (w *source) symbol(s *cubin.Symbol) {
	bind, typ := strconv.Itoa(int(s.Bind)), strconv.Itoa(int(s.Type))
	if int(s.Bind) < len(directive.BindNames) {
		bind = directive.BindNames[s.Bind]
	}
	if n := directive.SymTypeNames[s.Type&15]; n != "" {
		typ = n
	}
	words := []string{"\t.symbol", quote(s.Name), bind, typ, kvIf("other", uint64(s.Other)), kvIf("value", s.Value), kvIf("size", s.Size), kvIf("special", uint64(s.Special))}
	if s.Section != nil {
		words = append(words, "section="+w.sec(s.Section))
	}
	w.line(words...)
}

func (w *source) reloc(r *cubin.Reloc) {
	addend := ""
	if r.Addend != 0 {
		addend = strconv.FormatInt(r.Addend, 10)
		if r.Addend > 0 {
			addend = "+0x" + strconv.FormatInt(r.Addend, 16)
		}
	}
	w.line("\t.reloc", "0x"+strconv.FormatUint(r.Off, 16), r.Type.String(), w.sym(r.Sym), addend)
}

func (w *source) attr(a *cubin.Attr, compat bool) {
	word := ".attr." + strconv.Itoa(int(a.Format))
	if int(a.Format) < len(directive.AttrWords) && directive.AttrWords[a.Format] != "" {
		word = directive.AttrWords[a.Format]
	}
	words := []string{"\t" + word, a.ID.Name(compat)}
	if a.Format != cubin.SVal {
		if a.Value != 0 || a.Format != cubin.NVal {
			words = append(words, "0x"+strconv.FormatUint(uint64(a.Value), 16))
		}
		w.line(words...)
		return
	}
	if a.Raw != nil {
		words = append(words, "raw="+fmt.Sprintf("%x", a.Raw))
	}
	for _, s := range a.Syms {
		words = append(words, w.sym(s))
	}
	for _, v := range a.Words {
		words = append(words, "0x"+strconv.FormatUint(uint64(v), 16))
	}
	w.line(words...)
}

// bytes prints plain content: code as instructions, the rest as numbers.
func (w *source) bytes(s *cubin.Section, b []byte) {
	if s.Flags&elf.FlagExec != 0 && len(b)%sass.WordBytes == 0 {
		for _, t := range w.p.sections {
			if t.sec == s {
				w.code(t)
				return
			}
		}
	}
	const perLine = 16
	for len(b) > 0 {
		if n := zeros(b); n >= perLine || n == len(b) {
			w.line("\t.zero", strconv.Itoa(n))
			b = b[n:]
			continue
		}
		n := min(perLine, len(b))
		w.list.str("\t.byte ")
		for i, c := range b[:n] {
			if i > 0 {
				w.list.str(", ")
			}
			w.list.str("0x")
			w.list.out = appendHexN(w.list.out, uint64(c), 2)
		}
		w.list.out = append(w.list.out, '\n')
		b = b[n:]
	}
}

func zeros(b []byte) int {
	n := 0
	for n < len(b) && b[n] == 0 {
		n++
	}
	return n
}

// named tells whether a place has a name in the source.
func (t *textSection) named(off uint64) bool {
	if t.funcAt(off) != nil {
		return true
	}
	_, ok := t.labels[off]
	return ok
}
