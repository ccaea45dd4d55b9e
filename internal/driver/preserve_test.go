package driver

import (
	"bytes"
	"context"
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
// as the reference's do; others are refused.
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
	variable := strings.Replace(preserveText, ".visible", ".global .u32 x;\n.visible", 1)
	if _, log := compile(variable, "-arch", "sm_75"); !strings.Contains(log, "does not know option '--preserve-relocs'") {
		t.Errorf("with a variable: %q", log)
	}
	if _, log := compile(variable, "-arch", "sm_75", "-c"); log != "" {
		t.Errorf("an object: %q", log)
	}
}
