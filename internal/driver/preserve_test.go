package driver

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

const preserveText = `.version 9.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	st.global.u32 [%rd1], %r1;
	ret;
}
.visible .entry j()
{
	ret;
}
`

// keptParts tells of a file what --preserve-relocs adds: symbols of parameter
// banks, and entries of tables of what was relocated.
func keptParts(t *testing.T, file []byte) (parts []string) {
	f, err := cubin.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range f.Symtab() {
		if s.Name == "_param" || s.Name == "_SREG" {
			parts = append(parts, fmt.Sprintf("%s %s %#x %d %d %d", s.Name, s.Section.Name, s.Value, s.Size, s.Type, s.Other))
		}
	}
	for _, s := range f.Sections {
		if s.Type != cubin.TypeResolvedRela {
			continue
		}
		for _, r := range s.Content.(*cubin.Relocs).List {
			parts = append(parts, fmt.Sprintf("%s %#x %d %s %#x", s.Name, r.Off, r.Type, r.Sym.Section.Name, r.Addend))
		}
	}
	return parts
}

// TestPreserveRelocs: files of code without variables say what was relocated,
// as the reference's do.
func TestPreserveRelocs(t *testing.T) {
	compile := func(text string, args ...string) ([]byte, string) {
		var log bytes.Buffer
		b, _ := CompileTexts(context.Background(), append(args, "--preserve-relocs"), []Text{{Name: "k.ptx", Text: []byte(text)}}, &log)
		return b, log.String()
	}
	for _, arch := range []string{"sm_75", "sm_86"} {
		b, log := compile(preserveText, "-arch", arch)
		if log != "" {
			t.Fatal(log)
		}
		got := keptParts(t, b)
		if len(got) != 4 || !strings.HasPrefix(got[2], ".nv.resolvedrela.debug_frame") {
			t.Errorf("%s: %q", arch, got)
		}
		if oracle.Available() {
			want, err := oracle.Find(t).CubinOf([]byte(preserveText), "-arch="+arch, "--preserve-relocs")
			if err != nil {
				t.Fatal(err)
			}
			if want := keptParts(t, want); !slices.Equal(got, want) {
				t.Errorf("%s: %q, the reference has %q", arch, got, want)
			}
		}
	}
}

const preserveVariables = `.version 9.0
.target sm_75
.address_size 64
.visible .global .u32 gv[4];
.global .u32 gw[4] = {1, 2, 3, 4};
.const .u32 cu[3] = {7, 7, 7};
.const .u32 cv[16] = {1, 2, 3, 4, 5, 6};
.shared .align 16 .b8 sa[64];
.shared .align 16 .b8 sb[64];
.visible .entry k(.param .u64 p, .param .u32 i)
{
	.reg .b32 %r<9>;
	.reg .b64 %rd<9>;
	.shared .b32 own[7];
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r8, [i];
	ld.const.u32 %r1, [cv+8];
	mul.wide.u32 %rd3, %r8, 4;
	mov.u64 %rd4, cv;
	add.u64 %rd4, %rd4, %rd3;
	ld.const.u32 %r2, [%rd4+4];
	add.u32 %r1, %r1, %r2;
	st.shared.u32 [sa], %r1;
	st.shared.u32 [sb+12], %r2;
	st.shared.u32 [own+4], %r2;
	bar.sync 0;
	mov.u32 %r3, sb;
	add.u32 %r3, %r3, %r8;
	ld.shared.u32 %r4, [%r3];
	add.u32 %r1, %r1, %r4;
	mov.u64 %rd5, gv;
	add.u64 %rd5, %rd5, %rd3;
	st.global.u32 [%rd5], %r1;
	st.global.u32 [gw+8], %r2;
	ret;
}
`

// TestPreserveVariables: the file says which words name variables, and these
// have their numbers; symbols are the reference's.
func TestPreserveVariables(t *testing.T) {
	symbols := func(file []byte) (list []string) {
		f, err := cubin.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range f.Symtab() {
			if s.Type == cubin.SymObject {
				list = append(list, fmt.Sprintf("%s %s %#x %d %d %d", s.Name, s.Section.Name, s.Value, s.Size, s.Bind, s.Other))
			}
		}
		return list
	}
	for _, arch := range []string{"sm_75", "sm_86", "sm_89"} {
		var log bytes.Buffer
		b, ok := CompileTexts(context.Background(), []string{"-arch", arch, "--preserve-relocs"}, []Text{{Name: "k.ptx", Text: []byte(preserveVariables)}}, &log)
		if !ok {
			t.Fatal(log.String())
		}
		f, err := cubin.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		for _, s := range f.Sections {
			if s.Name != ".nv.resolvedrela.text.k" {
				continue
			}
			text := s.Info.Section.Content.(cubin.Bytes)
			for _, r := range s.Content.(*cubin.Relocs).List {
				w := binary.LittleEndian.Uint64(text[r.Off:])
				got := w >> 32
				if r.Type == cubin.RelConst21at38 {
					got = w >> 38 & 0xffff
					if bank := w >> 54 & 0x1f; fmt.Sprintf(".nv.constant%d", bank) != r.Sym.Section.Name {
						t.Errorf("%s: %s is read from bank %d", arch, r.Sym.Name, bank)
					}
				}
				if got != r.Sym.Value+uint64(r.Addend) {
					t.Errorf("%s: the word at %#x names %s+%#x at %#x and has %#x", arch, r.Off, r.Sym.Name, r.Addend, r.Sym.Value, got)
				}
				named[r.Sym.Name] = true
			}
		}
		for _, name := range []string{"$ADDRESS$gv", "$ADDRESS$gw", "cv", "sa", "sb", "$__own__14"} {
			if !named[name] {
				t.Errorf("%s: no word names %s", arch, name)
			}
		}
		if oracle.Available() {
			want, err := oracle.Find(t).CubinOf([]byte(preserveVariables), "-arch="+arch, "--preserve-relocs")
			if err != nil {
				t.Fatal(err)
			}
			if got, want := symbols(b), symbols(want); !slices.Equal(got, want) {
				t.Errorf("%s: %q, the reference has %q", arch, got, want)
			}
		}
	}
}
