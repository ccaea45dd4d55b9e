package driver

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// namedRefs bind textures, samplers and surfaces by name.
var namedRefs = [...]struct {
	name, text string
}{
	{"texture and surface", `.version 8.0
.target sm_75
.address_size 64
//: run k block=32
//: buf 256
//: tex 2d 9x6 f32x4 whole 1 ref=tx
//: surf 1d 16 u32x1 bits 4 ref=sf
.global .texref tx;
.global .surfref sf;
.visible .entry k(.param .u64 p)
{
.reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>;
ld.param.u64 %rd1,[p];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 8;
add.u64 %rd1, %rd1, %rd2;
cvt.rn.f32.u32 %f1, %r1;
tex.2d.v4.f32.f32 {%f2,%f3,%f4,%f5},[tx,{%f1,%f1}];
txq.width.b32 %r3, [tx];
cvt.rn.f32.u32 %f6, %r3;
add.f32 %f2, %f2, %f6;
st.global.f32 [%rd1],%f2;
and.b32 %r1, %r1, 7;
shl.b32 %r1, %r1, 2;
suld.b.1d.b32.trap %r2,[sf,{%r1}];
st.global.u32 [%rd1+4],%r2;
ret;
}
`},
	{"textures and samplers", `.version 8.0
.target sm_75, texmode_independent
.address_size 64
//: run k block=32
//: buf 256
//: tex 2d 9x6 f32x4 whole 1 ref=ta
//: tex 2d 7x5 f32x4 whole 3 ref=tb
.global .texref ta;
.global .texref tb;
.global .samplerref sa;
.global .samplerref sb;
.visible .entry k(.param .u64 p)
{
.reg .b32 %r<9>; .reg .f32 %f<20>; .reg .b64 %rd<9>;
ld.param.u64 %rd1,[p];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 8;
add.u64 %rd1, %rd1, %rd2;
cvt.rn.f32.u32 %f1, %r1;
tex.2d.v4.f32.f32 {%f2,%f3,%f4,%f5},[ta,sa,{%f1,%f1}];
tex.2d.v4.f32.f32 {%f6,%f7,%f8,%f9},[tb,sb,{%f1,%f1}];
tex.2d.v4.f32.f32 {%f10,%f11,%f12,%f13},[ta,sb,{%f1,%f1}];
add.f32 %f6, %f6, %f10;
st.global.v2.f32 [%rd1],{%f2,%f6};
ret;
}
`},
}

// TestLinkReferences: the linker gives the textures, samplers and surfaces
// that an object of ours names as many words as those of the reference's
// object, and the linked program leaves the bytes of the reference's whole
// one. The reference's own objects do so too, but for samplers before sm_90:
// it adds the place of the words twice.
func TestLinkReferences(t *testing.T) {
	tools := oracle.Find(t)
	in := filepath.Join(t.TempDir(), "k.ptx")
	for _, arch := range [...]string{"sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120"} {
		for _, p := range namedRefs {
			if err := os.WriteFile(in, []byte(p.text), 0o644); err != nil {
				t.Fatal(err)
			}
			list, err := launch.Parse(p.text)
			if err != nil {
				t.Fatal(err)
			}
			ourObject(t, in, in+".ours.o", arch, "-c")
			if r := tools.Ptxas("-c", "-arch="+arch, "-o", in+".ref.o", in); r.Exit != 0 {
				t.Fatal(r.Stderr)
			}
			ours, n := linkedWords(t, tools, in+".ours.o", arch)
			refs, _ := linkedWords(t, tools, in+".ref.o", arch)
			if !maps.Equal(ours, refs) || len(ours) == 0 {
				t.Errorf("%s %s: linked words %v, from the reference's object %v", arch, p.name, ours, refs)
			}
			if r := tools.Ptxas("-arch="+arch, "-o", in+".cubin", in); r.Exit != 0 {
				t.Fatal(r.Stderr)
			}
			got, want := runLinked(t, in+".ours.o.cubin", list, arch+" ours"), runLinked(t, in+".cubin", list, arch+" reference")
			if !bytes.Equal(got[0][0], want[0][0]) {
				t.Errorf("%s %s: %x, the reference's %x", arch, p.name, got[0][0], want[0][0])
			}
			t.Logf("%s, %s: %d words linked, %d bytes alike", arch, p.name, n, len(got[0][0]))
			ourObject(t, in, in+".whole.cubin", arch, "-ewp") // has the words itself
			if whole, _ := linkedWords(t, tools, in+".whole.cubin", arch); len(whole) == 0 {
				t.Errorf("%s %s: no words in the whole program", arch, p.name)
			}
			if got := runLinked(t, in+".whole.cubin.cubin", list, arch+" -ewp"); !bytes.Equal(got[0][0], want[0][0]) {
				t.Errorf("%s %s -ewp: %x, the reference's %x", arch, p.name, got[0][0], want[0][0])
			}
		}
	}
}

// TestSamplerFunction: from sm_100 on the linker has no words of samplers for
// functions, so one that names a sampler is refused. What it names besides gets
// the linker's words, behind those that a kernel has itself.
func TestSamplerFunction(t *testing.T) {
	const head = ".version 8.7\n.target sm_100, texmode_independent\n.address_size 64\n.global .texref ta;\n.global .samplerref sa;\n.global .surfref sf;\n"
	function := func(body string) string {
		return head + ".visible .func (.param .b32 r) f()\n{ .reg .b32 %r<9>; .reg .f32 %f<9>; mov.f32 %f1, 0f3f000000; mov.u32 %r2, 0;\n" + body + " st.param.b32 [r], %r1; ret; }\n"
	}
	const sample = "tex.2d.v4.f32.f32 {%f2,%f3,%f4,%f5}, [ta, sa, {%f1,%f1}];"
	var log bytes.Buffer
	if _, ok := CompileTexts(context.Background(), []string{"-c", "-arch=sm_100"}, []Text{{Name: "f.ptx", Text: []byte(function(sample + " mov.b32 %r1, %f2;"))}}, &log); ok || !strings.Contains(log.String(), "sampler that a function") {
		t.Errorf("compiled, %s", log.String())
	}
	tools := oracle.Find(t)
	dir := t.TempDir()
	kernel := head + ".extern .func (.param .b32 r) f();\n.visible .entry k(.param .u64 p)\n{ .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<3>; ld.param.u64 %rd1, [p]; mov.f32 %f1, 0f3f000000;\n" + sample +
		" st.global.f32 [%rd1], %f2;\n{ .param .b32 o; call.uni (o), f, (); ld.param.b32 %r1, [o]; } st.global.u32 [%rd1+4], %r1; ret; }\n"
	for name, text := range map[string]string{"k": kernel, "f": function("suld.b.1d.b32.trap %r1, [sf, {%r2}];")} {
		in := filepath.Join(dir, name)
		if err := os.WriteFile(in+".ptx", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		ourObject(t, in+".ptx", in+".o", "sm_100", "-c")
	}
	words, _ := linkedWords(t, tools, filepath.Join(dir, "k.o"), "sm_100", filepath.Join(dir, "f.o"))
	for _, w := range [...]linkedWord{{cubin.RelTexHeader, "ta"}, {cubin.RelSampHeader0, "sa"}, {cubin.RelSurfHeader, "sf"}} {
		if words[w] == 0 {
			t.Errorf("no word of %s: %v", w.name, words)
		}
	}
}

// linkedWord is what the linker puts into bank 0.
type linkedWord struct {
	typ  cubin.RelocType
	name string
}

// linkedWords links objects and counts the words that references have, by
// what they receive.
func linkedWords(t *testing.T, tools *oracle.Tools, object, arch string, more ...string) (map[linkedWord]int, int) {
	t.Helper()
	out := object + ".cubin"
	if b, err := exec.Command(tools.Path("nvlink"), append([]string{"-arch=" + arch, "-o", out, object}, more...)...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v %s", object, err, b)
	}
	words, n := map[linkedWord]int{}, 0
	for _, name := range [...]string{".rel.nv.constant0.k", ".rela.nv.constant0.k"} {
		if s := readCubin(t, out).Find(name); s != nil {
			for _, r := range s.Content.(*cubin.Relocs).List {
				words[linkedWord{r.Type, r.Sym.Name}]++
				n++
			}
		}
	}
	return words, n
}
