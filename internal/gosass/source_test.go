package gosass

import (
	"bytes"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/gosass/asm"
	"github.com/goptxas/goptxas/internal/gosass/dis"
	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// again prints a file as source and assembles that; "" when the bytes are
// the same.
func again(t *testing.T, name string, b []byte) (why string, lines, words int) {
	src, err := dis.Source(read(t, b), &dis.Options{})
	if err != nil {
		return err.Error(), 0, 0
	}
	w, err := assembleFile(name, src, nil)
	if err != nil {
		return err.Error(), 0, 0
	}
	if !bytes.Equal(w, b) {
		return "other bytes", 0, 0
	}
	return "", bytes.Count(src, []byte("] =0x")) + bytes.Count(src, []byte("]\n")), bytes.Count(src, []byte("] =0x"))
}

// sameAgain counts files that came back from their source.
type sameAgain struct{ files, lines, words int }

func (s *sameAgain) file(t *testing.T, name string, b []byte) {
	why, n, raw := again(t, name, b)
	if why != "" {
		t.Errorf("%s: %s", name, why)
	}
	s.files++
	s.lines += n
	s.words += raw
}

func (s *sameAgain) log(t *testing.T) {
	t.Logf("%d files the same; %d instructions, %d of them with their word", s.files, s.lines, s.words)
}

// TestSource: what dis prints, asm turns into the same bytes.
func TestSource(t *testing.T) {
	var n sameAgain
	for _, s := range cases.Cubins(t) {
		n.file(t, s.Name, s.Data)
	}
	n.log(t)
}

// TestSourceCorpus does so for real kernels.
func TestSourceCorpus(t *testing.T) {
	tools, c := oracle.Find(t), corpus.Find(t)
	var n sameAgain
	for i, f := range c.Smoke() {
		if i%8 != 0 || f.Bytes > 80000 {
			continue
		}
		for _, flag := range [...]string{"-lineinfo", "-c"} {
			if b, err := tools.Cubin(f.Path, flag, "-arch", "sm_90a"); err == nil {
				n.file(t, f.Name, b)
			}
		}
	}
	n.log(t)
}

// TestSourceErrors: a bad source is refused with its line.
func TestSourceErrors(t *testing.T) {
	for _, c := range [...]struct{ src, want string }{
		{"", "x:1: the source is empty"},
		{"hello", "x:1: a source begins with"},
		{".cubin EXEC sm_12 flags=4", "x:1: unknown architecture"},
		{".cubin EXEC sm_90a flags=4\n.attr X", "x:2: "},
		{".cubin EXEC sm_90a flags=4\n.section .a WHAT", "x:2: unknown section type"},
		{".cubin EXEC sm_90a flags=4\n.section .a PROGBITS\n.byte 0x100", "x:3: "},
		{".cubin EXEC sm_90a flags=4\n.section .a PROGBITS\n.zero 99999999999", "x:3: "},
		{".cubin EXEC sm_90a flags=4\n.section .a PROGBITS link=.b", "x:2: no section"},
		{".arch sm_90a\n.kernel k\nEXIT ;", "x:2: kernel k has no .end"},
		{".arch sm_90a\n.kernel k\nWHAT R1 ;\n.end", "x:3: "},
		{".arch sm_90a\n.kernel k\nBRA `(nowhere) ;\n.end", "x:3: no label"},
		{".arch sm_90a\n.kernel k\n.fruit 3\n.end", "x:3: unknown directive"},
		{".kernel k\nEXIT ;\n.end", "x:3: no architecture"},
	} {
		_, err := asm.Assemble("x", []byte(c.src), nil)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.src, err, c.want)
		}
	}
}

// FuzzAssemble: no source makes the assembler panic.
func FuzzAssemble(f *testing.F) {
	f.Add([]byte(".arch sm_90a\n.kernel k\n.param u64 p\nL:\nBRA `(L) ; [B------:R-:W-:Y:S05]\n.end"))
	f.Add([]byte(".cubin EXEC sm_90a flags=4\n.section .shstrtab STRTAB align=1\n.blank 1\n.name .shstrtab\n.section .symtab SYMTAB\n.symbol k LOCAL FUNC\n.section .x CUDA_INFO link=.symtab\n.attr REGCOUNT @k 1"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if file, err := asm.Assemble("x", src, nil); err == nil {
			_, _ = file.Write()
		}
	})
}
