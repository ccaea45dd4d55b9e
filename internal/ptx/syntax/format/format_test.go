package format

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

const untidy = `.version 8.0
.target sm_90a // the GPU
.address_size 64


/* a kernel */
.visible .entry k(.param .u64 a,
 .param .u32 n) .maxntid 128, 1, 1
{ .reg .pred %p<2>; .reg .b32 %r<4>; // registers
.reg .b64 %a;


ld.param.u64   %a,[ a ];
  @%p1  bra   DONE ; { mov.b64 { %r1 , %r2 }, %a; }
DONE: // the end
ret;
}
.global .align 4 .b8 t[4] = { 1,2,  3, 4 };
`

const tidy = `.version 8.0
.target sm_90a // the GPU
.address_size 64

/* a kernel */
.visible .entry k(
	.param .u64 a,
	.param .u32 n
)
.maxntid 128, 1, 1
{
	.reg .pred %p<2>;
	.reg .b32 %r<4>; // registers
	.reg .b64 %a;

	ld.param.u64 %a, [a];
	@%p1 bra DONE;
	{
		mov.b64 {%r1, %r2}, %a;
	}
DONE: // the end
	ret;
}
.global .align 4 .b8 t[4] = {1, 2, 3, 4};
`

func TestFormat(t *testing.T) {
	if got := string(Source([]byte(untidy))); got != tidy {
		t.Errorf("got\n%s\nwant\n%s", got, tidy)
	}
}

// bare drops the white space between tokens: what a formatter may not change.
func bare(text []byte) []byte {
	var out []byte
	for f := (&formatter{text: text}); f.next(); {
		out = append(append(out, f.tok...), '\n')
	}
	return out
}

// TestFormatAll formats every text of the repository: no token changes, a
// second time changes nothing, and the tree has as many statements.
func TestFormatAll(t *testing.T) {
	var names []string
	for _, dir := range []string{"examples", "testdata/zoo", "testdata/programs"} {
		list, err := filepath.Glob(filepath.Join("..", "..", "..", "..", dir, "*.ptx"))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, list...)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got := Source(text)
		if !bytes.Equal(bare(text), bare(got)) {
			t.Fatalf("%s: tokens changed", name)
		}
		if again := Source(got); !bytes.Equal(again, got) {
			t.Fatalf("%s: formatting again changes\n%s\nto\n%s", name, got, again)
		}
		a, b := syntax.Scan(&src.File{Name: name, Text: text}), syntax.Scan(&src.File{Name: name, Text: got})
		if len(a.Stmts) != len(b.Stmts) || (a.Err == nil) != (b.Err == nil) {
			t.Fatalf("%s: %d statements became %d (%v, %v)", name, len(a.Stmts), len(b.Stmts), a.Err, b.Err)
		}
	}
	if len(names) < 20 {
		t.Fatalf("%d texts", len(names))
	}
	t.Logf("%d texts formatted", len(names))
}

func FuzzFormat(f *testing.F) {
	f.Add([]byte(untidy))
	f.Add([]byte(".section .debug { .b8 1 }\n@@DWARF .byte 1\n# 3 \"a.cu\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := Source(text)
		if !bytes.Equal(bare(text), bare(got)) {
			t.Fatalf("tokens changed:\n%q\n%q", text, got)
		}
	})
}
