package pipeline_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// boundPrograms bind textures, samplers and surfaces by name, behind
// parameters of several lengths.
var boundPrograms = [...]struct{ name, target, decls, body string }{
	{"texture", "", ".global .texref ta;", "tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [ta, {%f1,%f2}];"},
	{"surface", "", ".global .surfref su;", "suld.b.1d.b32.trap {%f3}, [su, {%r1}];"},
	{
		"both, and tables", "", ".global .texref ta; .global .surfref su;",
		"tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [ta, {%f1,%f2}]; sust.b.1d.b32.trap [su, {%r1}], {%r1}; txq.filter_mode.b32 %r2, [ta]; st.global.u32 [%o+32], %r2;",
	},
	{
		"samplers", ", texmode_independent",
		".global .texref ta; .global .texref tb; .global .samplerref sa = { addr_mode_0 = wrap, filter_mode = linear }; .global .samplerref sb = { force_unnormalized_coords = 1 };",
		"tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [ta, sa, {%f1,%f2}]; tex.2d.v4.f32.f32 {%f7,%f4,%f5,%f6}, [ta, sb, {%f1,%f2}];" +
			" tex.2d.v4.f32.f32 {%f8,%f4,%f5,%f6}, [tb, sa, {%f1,%f2}]; add.f32 %f3, %f3, %f7; add.f32 %f3, %f3, %f8; txq.filter_mode.b32 %r2, [sb]; st.global.u32 [%o+32], %r2;",
	},
}

// TestTextureFacts compares what the files of both compilers say about
// textures, samplers and surfaces bound by name: attributes, symbols, words of
// bank 0 with their relocations, and its size.
func TestTextureFacts(t *testing.T) {
	x := oracle.Find(t)
	dir := t.TempDir()
	src, out := filepath.Join(dir, "k.ptx"), filepath.Join(dir, "k.cubin")
	for _, arch := range [...]string{"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"} {
		files, facts := 0, 0
		for _, p := range boundPrograms {
			for _, more := range [...]string{"", ", .param .u8 b", ", .param .u64 b, .param .u32 c"} {
				text := fmt.Sprintf(`.version 8.1
.target sm_75%s
.address_size 64
%s
.visible .entry k(.param .u64 o%s)
{ .reg .b64 %%o; .reg .f32 %%f<9>; .reg .b32 %%r<9>;
ld.param.u64 %%o, [o]; ld.global.v2.f32 {%%f1,%%f2}, [%%o]; mov.b32 %%r1, %%f1;
%s
st.global.f32 [%%o], %%f3;
ret; }
`, p.target, p.decls, more, p.body)
				if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				if r := x.Ptxas("-arch="+arch, src, "-o", out); r.Exit != 0 {
					t.Fatalf("%s: %s", p.name, r.Stderr)
				}
				theirs, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				ours, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(text)}}, goptxas.Options{Arch: arch})
				if err != nil {
					t.Errorf("%s %s: %v", arch, p.name, err)
					continue
				}
				got, want := textureFacts(t, ours.Cubin), textureFacts(t, theirs)
				if !slices.Equal(got, want) || len(want) < 3 {
					t.Errorf("%s %s:\nours      %v\nreference %v", arch, p.name, got, want)
					continue
				}
				files++
				facts += len(want)
			}
		}
		t.Logf("%s: %d facts of %d files alike", arch, facts, files)
	}
}

func textureFacts(t *testing.T, file []byte) (facts []string) {
	t.Helper()
	f, err := cubin.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range f.Sections {
		if strings.HasPrefix(s.Name, ".nv.merc") { // copies in capsules, which we leave out
			continue
		}
		switch c := s.Content.(type) {
		case *cubin.Info:
			for _, a := range c.Attrs {
				if c.Compat {
					continue
				}
				switch a.ID {
				case cubin.AttrTextureBank, cubin.AttrSurfaceBank, cubin.AttrSamplerInit, cubin.AttrSamplerForce, cubin.AttrTexmodeIndep:
					facts = append(facts, fmt.Sprint(s.Name, " ", a.ID, " ", a.Value, " ", a.Words))
					for _, x := range a.Syms {
						facts = append(facts, fmt.Sprint(a.ID, " of ", x.Name))
					}
				}
			}
		case *cubin.Relocs:
			if strings.HasSuffix(s.Name, ".nv.constant0.k") {
				for _, r := range c.List {
					facts = append(facts, fmt.Sprintf("%#x %v %s %v %d", r.Off, r.Type, r.Sym.Name, r.Sym.Type, r.Sym.Bind))
				}
			}
		case cubin.Bytes:
			if s.Name == ".nv.constant0.k" {
				facts = append(facts, fmt.Sprint(s.Name, " ", len(c)))
			}
		}
	}
	slices.Sort(facts)
	return facts
}
