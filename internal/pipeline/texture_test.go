package pipeline_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// shapes are the geometries: coordinates, whether a layer or a sample number
// stands first.
var shapes = [...]struct {
	name       string
	n          int
	layer, ms  bool
	cube, surf bool
}{
	{"1d", 1, false, false, false, true},
	{"2d", 2, false, false, false, true},
	{"3d", 3, false, false, false, true},
	{"a1d", 1, true, false, false, true},
	{"a2d", 2, true, false, false, true},
	{"cube", 3, false, false, true, false},
	{"acube", 3, true, false, true, false},
	{"2dms", 2, false, true, false, false},
	{"a2dms", 2, true, true, false, false},
}

// list writes registers as a vector of a length that PTX has.
func list(regs ...string) string {
	if len(regs) == 3 {
		regs = append(regs, regs[2])
	}
	return "{" + strings.Join(regs, ", ") + "}"
}

// some are n registers from the given one on.
func some(prefix string, first, n int) (r []string) {
	for k := range n {
		r = append(r, fmt.Sprint(prefix, first+k))
	}
	return r
}

// textureForms spells accesses of a texture: %H is what names it.
func textureForms() []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, g := range shapes {
		for _, c := range [...]string{"s32", "f32"} {
			whole := c == "s32"
			if g.ms && !whole || g.cube && whole {
				continue
			}
			pre, lod, zero := "%f", "%f20", "0f00000000"
			if whole {
				pre, lod, zero = "%r", "%r20", "0"
			}
			var at []string
			if g.ms {
				at = append(at, "%r16")
			}
			if g.layer {
				at = append(at, "%r10")
			}
			a := "[%H, " + list(append(at, some(pre, 11, g.n)...)...) + "]"
			to := "v4.f32." + c + " {%r0, %r1, %r2, %r3}"
			add("tex.%s.%s, %s;", g.name, to, a)
			if g.ms {
				continue
			}
			add("tex.level.%s.%s, %s, %s;", g.name, to, a, lod)
			add("tex.level.%s.%s, %s, %s;", g.name, to, a, zero)
			if g.name == "2d" {
				add("tex.2d.v2.f16x2.%s {%%r0, %%r1}, %s;", c, a)
			}
			offsets := list(some("%r", 10, g.n)...)
			if g.n > 1 && !g.cube {
				add("tex.%s.%s, %s, %s;", g.name, to, a, offsets)
				add("tex.level.%s.%s, %s, %s, %s;", g.name, to, a, lod, offsets)
			}
			if whole {
				continue
			}
			if g.n < 3 {
				add("tex.grad.%s.%s, %s, %s, %s;", g.name, to, a, list(some("%f", 14, g.n)...), list(some("%f", 20, g.n)...))
			}
			if g.n == 1 || g.name == "3d" {
				continue
			}
			add("tex.%s.%s, %s, %%f23;", g.name, to, a)
			add("tex.level.%s.%s, %s, %s, %%f23;", g.name, to, a, lod)
			add("tld4.g.%s.%s, %s, %%f23;", g.name, to, a)
			for _, part := range "rgba" {
				add("tld4.%c.%s.%s, %s;", part, g.name, to, a)
			}
			if g.n == 2 {
				add("tex.%s.%s, %s, %s, %%f23;", g.name, to, a, offsets)
				add("tex.grad.%s.%s, %s, %s, %s, %s;", g.name, to, a, list(some("%f", 14, 2)...), list(some("%f", 20, 2)...), offsets)
				add("tld4.b.%s.%s, %s, %s;", g.name, to, a, offsets)
				add("tld4.r.%s.%s, %s, %s, %%f23;", g.name, to, a, offsets)
			}
		}
	}
	return out
}

// surfaceForms spells accesses of a surface and queries: %S is its name, %Q
// that of a texture that is asked about.
func surfaceForms() []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, g := range shapes {
		if !g.surf {
			continue
		}
		var at []string
		if g.layer {
			at = append(at, "%r10")
		}
		a := "[%S, " + list(append(at, some("%r", 11, g.n)...)...) + "]"
		for _, end := range [...]string{"trap", "clamp", "zero"} {
			add("suld.b.%s.b32.%s {%%r0}, %s;", g.name, end, a)
			add("suld.b.%s.v4.b32.%s {%%r0, %%r1, %%r2, %%r3}, %s;", g.name, end, a)
			add("sust.b.%s.v2.b32.%s %s, {%%r14, %%r15};", g.name, end, a)
			add("sust.p.%s.v4.b32.%s %s, {%%r14, %%r15, %%r16, %%r17};", g.name, end, a)
		}
		for _, cache := range [...]string{"ca", "cg", "cs", "cv"} {
			add("suld.b.%s.%s.b32.trap {%%r0}, %s;", g.name, cache, a)
		}
		if !g.layer && g.n > 1 {
			add("sured.b.add.%s.u32.trap %s, %%r14;", g.name, a)
			add("sured.b.min.%s.s32.clamp %s, %%r14;", g.name, a)
			add("sured.p.min.%s.b32.zero %s, %%r14;", g.name, a)
		}
	}
	for _, q := range [...]string{"width", "height", "depth"} {
		add("suq.%s.b32 %%r0, [%%S];", q)
		add("txq.%s.b32 %%r0, [%%Q];", q)
	}
	add("txq.level.width.b32 %%r0, [%%Q], %%r10;")
	return out
}

// handleWays are the ways in which a program names a texture.
var handleWays = [...]struct {
	name, target, decls, before, texture, surface string
}{
	{"parameter", "", "", "", "%h", "%h"},
	{"apart", "", "", "mov.u32 %r30, %tid.x; cvt.u64.u32 %d, %r30; add.u64 %h, %h, %d;", "%h", "%h"},
	{"named", "", ".global .texref tx; .global .surfref su;", "", "tx", "su"},
	{"named with sampler", ", texmode_independent", ".global .texref tx; .global .samplerref sa;", "", "tx, sa", ""},
	{"apart with sampler", ", texmode_independent", "", "mov.u32 %r30, %tid.x; cvt.u64.u32 %d, %r30; add.u64 %h, %h, %d; add.u64 %s, %s, %d;", "%h, %s", ""},
}

// TestTextureForms compiles every kind of access to textures and surfaces,
// named in every way, by both compilers for each family: the instructions of
// the units for textures are the same but for their registers. A sixth of
// the forms are tried unless GOPTXAS_FULL is set.
func TestTextureForms(t *testing.T) {
	x := oracle.Find(t)
	dir := t.TempDir()
	step := 6
	if os.Getenv("GOPTXAS_FULL") != "" {
		step = 1
	}
	for n, way := range handleWays {
		forms := textureForms()
		if way.surface != "" {
			forms = append(forms, surfaceForms()...)
		}
		var b strings.Builder
		count := 0
		fmt.Fprintf(&b, ".version 8.1\n.target sm_75%s\n.address_size 64\n%s\n", way.target, way.decls)
		for k := n % step; k < len(forms); k += step {
			text := strings.NewReplacer("%H", way.texture, "%S", way.surface, "%Q", way.texture).Replace(forms[k])
			fmt.Fprintf(&b, textureKernel, k, way.before, text)
			count++
		}
		src := filepath.Join(dir, "k.ptx")
		if err := os.WriteFile(src, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, arch := range [...]string{"sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120"} {
			out := filepath.Join(dir, "ref.cubin")
			if r := x.Ptxas("-arch="+arch, src, "-o", out); r.Exit != 0 {
				t.Fatal(r.Stderr)
			}
			theirs, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(b.String())}}, goptxas.Options{Arch: arch})
			if err != nil {
				t.Errorf("%s, %s: %v", arch, way.name, err)
				continue
			}
			got, want := unitCode(t, ours.Cubin, arch), unitCode(t, theirs, arch)
			same := 0
			for name, w := range want {
				if g := got[name]; len(w) == 0 || !slices.Equal(g, w) {
					var k int
					fmt.Sscanf(name, "k%d", &k)
					t.Errorf("%s, %s: %s\nours %q\nreference %q", arch, way.name, forms[k], g, w)
					continue
				}
				same++
			}
			t.Logf("%s, %s: %d of %d forms alike", arch, way.name, same, count)
		}
	}
}

const textureKernel = `.visible .entry k%d(.param .u64 h, .param .u64 o, .param .u64 s)
{
.reg .b64 %%h, %%o, %%s, %%d; .reg .f32 %%f<40>; .reg .b32 %%r<40>;
ld.param.u64 %%h, [h]; ld.param.u64 %%o, [o]; ld.param.u64 %%s, [s];
ld.global.v4.u32 {%%r10,%%r11,%%r12,%%r13}, [%%o];
ld.global.v4.u32 {%%r14,%%r15,%%r16,%%r17}, [%%o+16];
ld.global.v4.f32 {%%f10,%%f11,%%f12,%%f13}, [%%o+32];
ld.global.v4.f32 {%%f14,%%f15,%%f16,%%f17}, [%%o+48];
ld.global.v4.f32 {%%f20,%%f21,%%f22,%%f23}, [%%o+64];
mov.b32 %%r20, %%f20;
%s
%s
st.global.v4.b32 [%%o+128], {%%r0,%%r1,%%r2,%%r3};
ret;
}
`

var (
	anyRegister = regexp.MustCompile(`\b(U?R)(\d+|Z)\b`)
	guards      = regexp.MustCompile(`^@\S+ `)
)

// unitCode lists the different texture and surface instructions of each
// kernel, without the numbers of registers.
func unitCode(t *testing.T, file []byte, arch string) map[string][]string {
	t.Helper()
	a := target.Find(arch)
	all := map[string][]string{}
	instructions(t, arch, file, func(fn *cubin.Function, i *sass.Inst) {
		list := all[fn.Name]
		switch i.Op() {
		case sass.OpTEX, sass.OpTLD, sass.OpTLD4, sass.OpTXD, sass.OpTXQ, sass.OpSULD, sass.OpSUST, sass.OpSURED:
			text := anyRegister.ReplaceAllString(guards.ReplaceAllString(i.Text(a, 0), ""), "$1")
			if s := strings.ReplaceAll(text, ".reuse", ""); !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
		all[fn.Name] = list
	})
	for _, list := range all {
		slices.Sort(list)
	}
	return all
}
