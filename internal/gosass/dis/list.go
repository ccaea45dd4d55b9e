package dis

import (
	"bytes"
	"strconv"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/sass"
)

// A listing prints code as nvdisasm -c does, to the letter.

// textCol is the column of the operation, behind an address of four digits
// and guardRoom columns for the guard.
const (
	textCol   = 35
	guardRoom = 19
)

type listing struct {
	p       *program
	opt     *Options
	out     []byte
	text    []byte // scratch for one instruction
	hexCol  int
	longest int
}

// header prints what stands above all sections.
func (l *listing) header() {
	l.str("\t.target\t" + l.p.arch.Name + "\n\n\t.elftype\t@\"" + elfType(l.p.file.Kind) + "\"\n")
}

func elfType(k cubin.Kind) string {
	switch k {
	case cubin.KindReloc:
		return "ET_REL"
	case cubin.KindExec:
		return "ET_EXEC"
	}
	return "ET_EWP"
}

func (l *listing) str(s string) { l.out = append(l.out, s...) }

// banner opens a section.
func (l *listing) banner(name string) {
	const width = 26
	l.str("\n\n//--------------------- " + name)
	for n := len(name); n < width; n++ {
		l.out = append(l.out, ' ')
	}
	if len(name) >= width {
		l.out = append(l.out, ' ')
	}
	l.str("--------------------------\n")
}

// section prints one code section.
func (l *listing) section(t *textSection) {
	l.banner(t.sec.Name)
	l.str("\t.section\t" + t.sec.Name + ",\"ax\",@progbits\n")
	if r := t.sec.Info.Regs; r != 0 {
		l.str("\t.sectioninfo\t@\"SHI_REGISTERS=" + strconv.Itoa(int(r)) + "\"\n")
	}
	l.str("\t.align\t" + strconv.FormatUint(t.sec.Align, 10) + "\n")
	for n := range t.words() {
		pc := n * sass.WordBytes
		l.place(t, pc)
		l.str(t.lines[pc])
		l.instruction(t, pc)
	}
	l.place(t, t.words()*sass.WordBytes)
}

// place prints the symbols and labels of a place: symbols last first.
func (l *listing) place(t *textSection, off uint64) {
	if off == 0 || t.funcAt(off) != nil {
		for n := len(t.syms) - 1; n >= 0; n-- {
			if s := t.syms[n]; s.Value == off && (off == 0 || s.Type == cubin.SymFunc) {
				l.symbol(t, s)
			}
		}
		return
	}
	if name, ok := t.labels[off]; ok {
		l.str(name + ":\n")
	}
}

// symbol prints the directives and the label of a symbol.
func (l *listing) symbol(t *textSection, s *cubin.Symbol) {
	const pad = "        "
	if s.Type != cubin.SymFunc {
		if n := typeText(s.Type); n != "" {
			l.str(pad + ".type           " + s.Name + "," + n + "\n")
		}
		l.str(s.Name + ":\n")
		return
	}
	switch s.Bind {
	case cubin.BindGlobal:
		l.str(pad + ".global         " + s.Name + "\n")
	case cubin.BindWeak:
		l.str(pad + ".weak           " + s.Name + "\n")
	}
	l.str(pad + ".type           " + s.Name + ",@function\n")
	if s.Size != 0 {
		l.str(pad + ".size           " + s.Name + ",(" + t.nameAt(s.Value+s.Size) + " - " + s.Name + ")\n")
	}
	if s.Other != 0 {
		l.str(pad + ".other          " + s.Name + ",@\"" + otherText(s.Other) + "\"\n")
	}
	l.str(s.Name + ":\n")
}

// otherText names the bits of st_other.
func otherText(o uint8) string {
	vis := [...]string{"STV_DEFAULT", "STV_INTERNAL", "STV_HIDDEN", "STV_PROTECTED"}[o&3]
	kind := ""
	switch {
	case o&0xe0 == cubin.OtherReserved:
		kind = "STO_CUDA_RESERVED_SHARED "
	case o&cubin.OtherConstant != 0:
		kind = "STO_CUDA_CONSTANT "
	case o&cubin.OtherShared != 0:
		kind = "STO_CUDA_SHARED "
	case o&cubin.OtherGlobal != 0:
		kind = "STO_CUDA_GLOBAL "
	case o&cubin.OtherEntry != 0:
		kind = "STO_CUDA_ENTRY "
	}
	if o&cubin.OtherManaged != 0 {
		kind += "STO_CUDA_MANAGED "
	}
	return kind + vis
}

// nameAt names a place: a function, a label or a number.
func (t *textSection) nameAt(off uint64) string {
	if s := t.funcAt(off); s != nil {
		return s.Name
	}
	if n, ok := t.labels[off]; ok {
		return n
	}
	return "0x" + strconv.FormatUint(off, 16)
}

// measure finds the longest instruction, to which the notes of indirect
// branches are aligned, and the column of what follows the lines: two behind
// the end of the longest, one behind a note.
func (l *listing) measure() {
	for _, t := range l.p.sections {
		for n := range t.words() {
			text := l.plain(t, n*sass.WordBytes)
			l.longest = max(l.longest, len(text)-outdent(text))
		}
	}
	for _, t := range l.p.sections {
		size := l.longest + 2
		for pc, targets := range t.multi {
			if pc < t.words()*sass.WordBytes {
				size = max(size, len(t.annotate(l.plain(t, pc), l.longest, targets))+1)
			}
		}
		digits := len(appendHexN(nil, uint64(len(t.code)), 4))
		l.hexCol = max(l.hexCol, textCol-4+digits+size)
	}
}

// outdent is how far a guard stands in front of the column of operations;
// uniform guards do not.
func outdent(text []byte) int {
	if len(text) < 2 || text[0] != '@' || bytes.HasPrefix(text, []byte("@U")) || bytes.HasPrefix(text, []byte("@!U")) {
		return 0
	}
	return bytes.IndexByte(text, ' ') + 1
}

// textOf gives the text of the instruction at pc with labels and symbols in
// place of numbers. The result is good until the next call.
func (l *listing) textOf(t *textSection, pc uint64) []byte {
	text := l.plain(t, pc)
	if targets, ok := t.multi[pc]; ok {
		text = t.annotate(text, l.longest, targets)
		l.text = text
	}
	return text
}

// plain is textOf without notes.
func (l *listing) plain(t *textSection, pc uint64) []byte {
	w := t.word(pc)
	i := sass.Decode(l.p.arch, w)
	text := i.AppendText(l.text[:0], l.p.arch, pc)
	if mayBranch(w.Lo) {
		if to, ok := targetOf(&i, pc); ok {
			text = replaceLast(text, appendHexSigned(nil, int64(to)), "`("+t.nameAt(to)+")")
		}
	}
	for _, r := range t.relocs[pc] {
		text = t.relocate(text, &r)
	}
	l.text = text
	return text
}

// annotate adds the targets of an indirect branch behind column col.
func (t *textSection) annotate(text []byte, col int, targets []uint64) []byte {
	text = bytes.TrimRight(text, " ;")
	for len(text)-outdent(text) < col {
		text = append(text, ' ')
	}
	text = append(text, "(*\"BRANCH_TARGETS "...)
	for n, to := range targets {
		if n > 0 {
			text = append(text, ',')
		}
		text = append(text, t.nameAt(to)...)
	}
	return append(text, "\"*);"...)
}

// instruction prints one line: address, guard, text and what was asked for
// behind it.
func (l *listing) instruction(t *textSection, pc uint64) {
	text := l.textOf(t, pc)
	start := len(l.out)
	l.str("        /*")
	l.out = appendHexN(l.out, pc, 4)
	l.str("*/")
	for n := outdent(text); n < guardRoom; n++ {
		l.out = append(l.out, ' ')
	}
	l.out = append(l.out, text...)
	if !l.opt.Hex && !l.opt.Ctrl {
		l.out = append(l.out, '\n')
		return
	}
	w := t.word(pc)
	l.pad(start)
	if l.opt.Ctrl {
		i := sass.Decode(l.p.arch, w)
		l.str("/* ")
		l.out = i.Ctrl().AppendText(l.out)
		l.str(" */")
		if !l.opt.Hex {
			l.out = append(l.out, '\n')
			return
		}
		l.out = append(l.out, ' ')
	}
	col := len(l.out) - start
	l.hex(w.Lo)
	start = len(l.out)
	for len(l.out)-start < col {
		l.out = append(l.out, ' ')
	}
	l.hex(w.Hi)
}

func (l *listing) pad(start int) {
	for len(l.out)-start < l.hexCol {
		l.out = append(l.out, ' ')
	}
}

func (l *listing) hex(v uint64) {
	l.str("/* 0x")
	l.out = appendHexN(l.out, v, 16)
	l.str(" */\n")
}

// trailer prints the symbols that the file uses and does not define, common
// ones first.
func (l *listing) trailer() {
	var list []*cubin.Symbol
	for _, s := range l.p.file.Symtab() {
		if s.Special == cubin.ShCommon {
			list = append(list, s)
		}
	}
	for _, s := range l.p.file.Symtab() {
		if s.Section == nil && s.Special == 0 && s.Name != "" {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return
	}
	l.str("\n\n//--------------------- SYMBOLS --------------------------\n\n")
	for _, s := range list {
		if s.Special == cubin.ShCommon {
			l.str("\t.comm\t\t" + s.Name + ", " + strconv.FormatUint(s.Size, 10) + ", " + strconv.FormatUint(s.Value, 10) + "\n")
		}
		if n := typeText(s.Type); n != "" {
			l.str("\t.type\t\t" + s.Name + "," + n + "\n")
		}
		if s.Other != 0 {
			l.str("\t.other\t\t" + s.Name + ",@\"" + otherText(s.Other) + "\"\n")
		}
		if s.Size != 0 && s.Special != cubin.ShCommon {
			l.str("\t.size\t\t" + s.Name + ",0x" + strconv.FormatUint(s.Size, 16) + "\n")
		}
	}
}

// symTypes are the names of symbol types as the listing spells them.
var symTypes = [16]string{
	cubin.SymObject: "@object", cubin.SymFunc: "@function", cubin.SymTexture: "@\"STT_CUDA_TEXTURE\"",
	cubin.SymSampler: "@\"STT_CUDA_SAMPLER\"", cubin.SymSurface: "@\"STT_CUDA_SURFACE\"", cubin.SymCudaObject: "@\"STT_CUDA_OBJECT\"",
}

func typeText(t uint8) string { return symTypes[t&15] }
