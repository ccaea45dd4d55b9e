package dis

import (
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/cubin/elf"
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// textSection is one code section with what printing needs to know about
// it.
type textSection struct {
	sec    *cubin.Section
	name   string // kernel or function, without .text.
	code   []byte
	info   *cubin.Info
	syms   []*cubin.Symbol          // that name places in the section, last first
	relocs map[uint64][]cubin.Reloc // by the place they patch
	labels map[uint64]string
	multi  map[uint64][]uint64 // targets of an indirect branch
	lines  map[uint64]string   // source lines, printed above the code there
}

// program is a file prepared for printing.
type program struct {
	file     *cubin.File
	arch     *target.Arch
	sections []*textSection
}

const textPrefix = ".text."

// load prepares the code sections of a file; only names one, or all for "".
func load(f *cubin.File, only string) (*program, error) {
	a, err := f.Arch()
	if err != nil {
		return nil, err
	}
	p := &program{file: f, arch: a}
	bySec := map[*cubin.Section]*textSection{}
	for _, s := range f.Sections {
		code := s.Data()
		if s.Flags&elf.FlagExec == 0 || code == nil {
			continue
		}
		t := &textSection{sec: s, name: cutPrefix(s.Name, textPrefix), code: code, labels: map[uint64]string{}}
		bySec[s] = t
		if only == "" || only == t.name {
			p.sections = append(p.sections, t)
		}
	}
	if only != "" && len(p.sections) == 0 {
		return nil, errNoKernel(only)
	}
	for _, s := range f.Symtab() {
		if t := bySec[s.Section]; t != nil {
			t.syms = append(t.syms, s)
		}
	}
	for _, s := range f.Sections {
		t := bySec[s.Info.Section]
		if t == nil {
			continue
		}
		switch c := s.Content.(type) {
		case *cubin.Relocs:
			t.addRelocs(c)
		case *cubin.Info:
			if s.Type == cubin.TypeInfo {
				t.info = c
			}
		}
	}
	all := make([]*textSection, 0, len(bySec))
	for _, s := range f.Sections {
		if t := bySec[s]; t != nil {
			all = append(all, t)
		}
	}
	p.label(all)
	return p, nil
}

func cutPrefix(s, prefix string) string {
	if len(s) > len(prefix) && s[:len(prefix)] == prefix {
		return s[len(prefix):]
	}
	return s
}

func (t *textSection) addRelocs(c *cubin.Relocs) {
	if len(c.List) == 0 {
		return
	}
	if t.relocs == nil {
		t.relocs = make(map[uint64][]cubin.Reloc, len(c.List))
	}
	for _, r := range c.List {
		t.relocs[r.Off] = append(t.relocs[r.Off], r)
	}
}

// word returns the instruction at an offset.
func (t *textSection) word(off uint64) bits.Word {
	b := t.code[off : off+sass.WordBytes : off+sass.WordBytes]
	return bits.Word{Lo: le.Uint64(b), Hi: le.Uint64(b[8:])}
}

// words is the number of whole instructions.
func (t *textSection) words() uint64 { return uint64(len(t.code)) / sass.WordBytes }

// targetOf returns the code address an instruction names.
func targetOf(i *sass.Inst, pc uint64) (uint64, bool) {
	for n := range i.NArg() {
		if o := i.Arg(n); o.Kind == sass.KindLabel {
			return uint64(int64(pc) + sass.WordBytes + o.Imm), true
		}
	}
	return 0, false
}
