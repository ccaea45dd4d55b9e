package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/sim"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// textureArchs are those that textures are compiled for in tests: every way
// to say a handle, and every family.
var textureArchs = [...]string{"sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_103a", "sm_110a", "sm_120a", "sm_121a"}

var (
	paramLoad = regexp.MustCompile(`ld\.param\.u64 (%d\d+), \[\w+\];`)
	handleUse = regexp.MustCompile(`\[(%d\d+)(, \{|\];)`)
)

// apart makes the handles of the kernels of a file differ between threads:
// what stands above the number of the texture is the thread's own.
func apart(text string) (string, int) {
	parts := strings.SplitAfter(text, "\n}\n")
	all := 0
	for k := range parts {
		n := 0
		parts[k], n = apartInside(parts[k])
		all += n
	}
	return strings.Join(parts, ""), all
}

func apartInside(text string) (string, int) {
	used := map[string]bool{}
	for _, line := range strings.Split(text, "\n") {
		op := strings.TrimSpace(line)
		for _, w := range [...]string{"tex", "tld4", "txq", "suld", "sust", "sured", "suq"} {
			if m := handleUse.FindStringSubmatch(op); m != nil && strings.HasPrefix(op, w+".") {
				used[m[1]] = true
			}
		}
	}
	n := 0
	return paramLoad.ReplaceAllStringFunc(text, func(s string) string {
		d := paramLoad.FindStringSubmatch(s)[1]
		if !used[d] {
			return s
		}
		n++
		return s + fmt.Sprintf(" { .reg .b32 %%own; .reg .b64 %%high; mov.u32 %%own, %%tid.x; and.b32 %%own, %%own, 3;"+
			" cvt.u64.u32 %%high, %%own; shl.b64 %%high, %%high, 20; or.b64 %s, %s, %%high; }", d, d)
	}), n
}

// TestTextures runs our code for the kernels with textures and surfaces on
// every family, at once and timed, with handles that the compiler knows to
// be parameters and with handles that differ between threads: every byte as
// on the H200. None may be refused.
func TestTextures(t *testing.T) {
	for _, arch := range textureArchs {
		var f figures
		apartHandles := 0
		list := zoo.Textures(t)
		for _, k := range list {
			f.texture(t, &k, arch)
			n := 0
			k.Text, n = apart(k.Text)
			if apartHandles += n; n > 0 {
				k.File += " with handles apart"
				f.texture(t, &k, arch)
			}
		}
		if apartHandles == 0 {
			t.Error("no handle differs between threads")
		}
		t.Logf("%s: %d of %d kernels as on the H200, %d handles apart, %d early reads, %d refused", arch, f.right, f.kernels, apartHandles, f.reports, f.refused)
	}
}

func (f *figures) texture(t *testing.T, k *zoo.Kernel, arch string) {
	before := f.refused
	if f.kernel(t, k, arch); f.refused != before {
		t.Errorf("%s: %s is not compiled", arch, k.File)
	}
}

// TestTexturesApartReference runs the reference's code for the kernels whose
// handles differ between threads: the simulator reads them where the
// machines do.
func TestTexturesApartReference(t *testing.T) {
	x := oracle.Find(t)
	dir := t.TempDir()
	src, out := filepath.Join(dir, "k.ptx"), filepath.Join(dir, "k.cubin")
	for _, arch := range textureArchs {
		var f figures
		for _, k := range zoo.Textures(t) {
			text, n := apart(k.Text)
			if n == 0 {
				continue
			}
			text = strings.Replace(text, ".target sm_90", ".target sm_75", 1)
			if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if r := x.Ptxas("-arch="+arch, src, "-o", out); r.Exit != 0 {
				t.Fatalf("%s: %s", k.File, r.Stderr)
			}
			b, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			m, err := sim.Load(b)
			if err != nil {
				t.Fatalf("%s: %v", k.File, err)
			}
			f.kernels++
			ok := true
			for n := range k.Launches {
				ok = f.launch(t, m, &k, n, false) && ok
			}
			if ok {
				f.right++
			}
		}
		t.Logf("%s: %d of %d kernels of the reference as on the H200", arch, f.right, f.kernels)
	}
}

// texturePrograms are kernels beside the zoo's: samplers that the program
// names or passes, halves, references by name in several kernels, handles
// taken from names. The interpreter knows no samplers and no halves.
var texturePrograms = [...]struct {
	name, text string
	both       bool // only the two compilers can be compared
}{
	{"pairs", `//: run k block=64
//: buf 2048
//: tex 2d 9x6 f32x4 whole 1 linear ref=ta
//: tex 2d 7x5 f32x4 whole 3 ref=tb
.version 8.0
.target sm_75, texmode_independent
.address_size 64
.global .texref ta;
.global .texref tb;
.global .samplerref sa = { addr_mode_0 = wrap, filter_mode = linear };
.global .samplerref sb;
.visible .entry k(.param .u64 out)
{
	.reg .b64 %d<4>; .reg .f32 %f<20>; .reg .b32 %r<9>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	cvt.rn.f32.u32 %f1, %r1;
	mul.f32 %f2, %f1, 0f3D3A2E8C;
	mul.f32 %f1, %f1, 0f3DB60B61;
	tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [ta, sa, {%f1,%f2}];
	tex.2d.v4.f32.f32 {%f7,%f8,%f9,%f10}, [ta, sb, {%f2,%f1}];
	tex.2d.v4.f32.f32 {%f11,%f12,%f13,%f14}, [tb, sa, {%f1,%f1}];
	tex.level.2d.v4.f32.f32 {%f15,%f16,%f17,%f18}, [ta, sa, {%f2,%f2}], 0f00000000;
	add.f32 %f3, %f3, %f7;
	add.f32 %f4, %f4, %f12;
	add.f32 %f5, %f5, %f17;
	txq.width.b32 %r2, [tb];
	mul.wide.u32 %d2, %r1, 16;
	add.u64 %d1, %d1, %d2;
	mov.b32 %f6, %r2;
	st.global.v4.f32 [%d1], {%f3,%f4,%f5,%f6};
	ret;
}
`, true},
	{"passed", `//: run k block=64
//: tex 2d 9x6 f32x4 whole 1 linear
//: buf 2048
.version 8.0
.target sm_75, texmode_independent
.address_size 64
.visible .entry k(.param .u64 tex, .param .u64 out)
{
	.reg .b64 %d<6>; .reg .f32 %f<20>; .reg .b32 %r<9>;
	ld.param.u64 %d0, [tex];
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	cvt.rn.f32.u32 %f1, %r1;
	mul.f32 %f2, %f1, 0f3D3A2E8C;
	mul.f32 %f1, %f1, 0f3DB60B61;
	mov.u64 %d3, 5;
	tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%d0, %d3, {%f1,%f2}];
	and.b32 %r2, %r1, 1;
	cvt.u64.u32 %d4, %r2;
	tex.2d.v4.f32.f32 {%f7,%f8,%f9,%f10}, [%d0, %d4, {%f2,%f1}];
	add.f32 %f3, %f3, %f7;
	mul.wide.u32 %d2, %r1, 16;
	add.u64 %d1, %d1, %d2;
	st.global.v4.f32 [%d1], {%f3,%f4,%f5,%f6};
	ret;
}
`, true},
	{"halves", `//: run k block=64
//: tex 2d 9x6 f32x4 whole 1 linear
//: buf 2048
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 tex, .param .u64 out)
{
	.reg .b64 %d<6>; .reg .f32 %f<20>; .reg .b32 %r<20>;
	ld.param.u64 %d0, [tex];
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	cvt.rn.f32.u32 %f1, %r1;
	mul.f32 %f2, %f1, 0f3D3A2E8C;
	mul.f32 %f1, %f1, 0f3DB60B61;
	tex.2d.v2.f16x2.f32 {%r3,%r4}, [%d0, {%f1,%f2}];
	shr.u32 %r2, %r1, 3;
	tex.2d.v2.f16x2.s32 {%r7,%r8}, [%d0, {%r2,%r2}];
	mul.wide.u32 %d2, %r1, 16;
	add.u64 %d1, %d1, %d2;
	st.global.v4.b32 [%d1], {%r3,%r4,%r7,%r8};
	ret;
}
`, true},
	{"level zero", `//: run k block=64
//: tex 2d 9x6 u32x1 bits 1
//: buf 2048
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 tex, .param .u64 out)
{
	.reg .b64 %d<6>; .reg .b32 %r<20>;
	ld.param.u64 %d0, [tex];
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 7;
	sub.u32 %r2, %r2, 2;
	shr.u32 %r3, %r1, 2;
	tex.level.2d.v4.u32.s32 {%r7,%r8,%r9,%r10}, [%d0, {%r2,%r3}], 0;
	tex.2d.v4.u32.s32 {%r11,%r12,%r13,%r14}, [%d0, {%r2,%r3}];
	mul.wide.u32 %d2, %r1, 16;
	add.u64 %d1, %d1, %d2;
	st.global.v4.b32 [%d1], {%r7,%r8,%r11,%r12};
	ret;
}
`, false},
	{"names in registers", `//: run k block=64
//: buf 2048
//: tex 2d 9x6 f32x4 whole 1 ref=ta
//: tex 2d 7x5 f32x4 whole 3 ref=tb
//: surf 2d 16x8 u32x1 bits 4 ref=su
.version 8.0
.target sm_75
.address_size 64
.global .texref ta;
.global .texref tb;
.global .surfref su;
.visible .entry k(.param .u64 out)
{
	.reg .b64 %d<8>; .reg .f32 %f<20>; .reg .b32 %r<9>; .reg .pred %p<4>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 1;
	setp.eq.u32 %p1, %r2, 0;
	mov.u64 %d3, ta;
	mov.u64 %d4, tb;
	mov.u64 %d6, su;
	selp.b64 %d5, %d3, %d4, %p1;
	cvt.rn.f32.u32 %f1, %r1;
	mul.f32 %f2, %f1, 0f3D3A2E8C;
	mul.f32 %f1, %f1, 0f3DB60B61;
	tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [%d5, {%f1,%f2}];
	txq.height.b32 %r3, [%d5];
	shl.b32 %r4, %r2, 2;
	suld.b.2d.b32.trap {%r5}, [%d6, {%r4,%r2}];
	istypep.texref %p2, %d5;
	selp.b32 %r6, 100, 0, %p2;
	add.u32 %r3, %r3, %r6;
	mov.b32 %f5, %r3;
	mov.b32 %f6, %r5;
	mul.wide.u32 %d2, %r1, 16;
	add.u64 %d1, %d1, %d2;
	st.global.v4.f32 [%d1], {%f3,%f4,%f5,%f6};
	ret;
}
`, true},
}

// TestTexturePrograms runs our code and the reference's for the programs
// above on every family, and the interpreter where it can: all leave the
// same bytes.
func TestTexturePrograms(t *testing.T) {
	x := oracle.Find(t)
	dir := t.TempDir()
	src, out := filepath.Join(dir, "k.ptx"), filepath.Join(dir, "k.cubin")
	for _, arch := range textureArchs {
		good := 0
		for _, p := range texturePrograms {
			if err := os.WriteFile(src, []byte(p.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if r := x.Ptxas("-arch="+arch, src, "-o", out); r.Exit != 0 {
				t.Fatalf("%s: %s", p.name, r.Stderr)
			}
			ref, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: p.name, Text: []byte(p.text)}}, goptxas.Options{Arch: arch})
			if err != nil {
				t.Errorf("%s %s: %v", arch, p.name, err)
				continue
			}
			list, err := launch.Parse(p.text)
			if err != nil {
				t.Fatal(err)
			}
			got, want := ran(t, p.name, ours.Cubin, &list[0]), ran(t, p.name, ref, &list[0])
			if !p.both {
				want = meant(t, p.name, p.text, &list[0])
			}
			if !bytes.Equal(got, want) || !bytes.Equal(want, ran(t, p.name, ref, &list[0])) {
				t.Errorf("%s %s: our code leaves\n%x, others\n%x", arch, p.name, got, want)
				continue
			}
			good++
		}
		t.Logf("%s: %d of %d programs as the reference's", arch, good, len(texturePrograms))
	}
}

// ran runs a cubin and returns the bytes of its buffers.
func ran(t *testing.T, name string, cubin []byte, l *launch.Launch) []byte {
	t.Helper()
	m, err := sim.Load(cubin)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	p, err := m.Kernel(l.Kernel)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	c, err := p.Prepare(l, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	st, err := p.Run(&c.Launch)
	if err != nil {
		t.Errorf("%s %s: %v", m.Arch.Name, name, err)
	} else if len(st.Reports) > 0 {
		t.Errorf("%s %s: %v", m.Arch.Name, name, st.Reports[0])
	}
	return bytes.Join(c.Buffers, nil)
}

func meant(t *testing.T, name, text string, l *launch.Launch) []byte {
	t.Helper()
	p, err := ptxvm.Load(name, text, "sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Run(l, ptxvm.Options{Undefined: true})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return bytes.Join(out, nil)
}
