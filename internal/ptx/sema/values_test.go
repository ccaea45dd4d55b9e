package sema_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/bodies"
	"github.com/goptxas/goptxas/internal/ptx/sema/declare"
	"github.com/goptxas/goptxas/internal/ptx/sema/whole"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
	"github.com/goptxas/goptxas/internal/target"
)

// module checks a text that must be right and returns the module.
func module(t *testing.T, text string) *sema.Module {
	t.Helper()
	var out bytes.Buffer
	sink := diag.NewSink(&out, diag.Options{})
	file := &src.File{Name: "in.ptx", Text: []byte(".version 9.0\n.target sm_90\n.address_size 64\n" + text)}
	m := declare.Module([]*syntax.Tree{syntax.Scan(file)}, sema.Options{Arch: target.Find("sm_90")}, sink)
	if sink.Errors() > 0 || len(m.Vars)+len(m.Funcs) == 0 {
		t.Fatalf("%s\n%s", text, out.String())
	}
	return m
}

// TestInitialSize refuses initial values that no file can hold, one alone or
// several together, however their sizes overflow.
func TestInitialSize(t *testing.T) {
	for text, whole := range map[string]bool{
		".global .b8 a[1048576000] = {1};":                                      true,
		".global .b8 a[1048576001] = {1};":                                      false,
		".global .f64 a[2305843009213693952] = {1.0};":                          false,
		".global .b32 a[][4611686018427387904] = {{1}};":                        false,
		".global .b8 a[600000000] = {1};\n.const .b8 b[600000000] = {1};":       false,
		".global .b8 a[600000000] = {1};\n.global .b8 b[18446744073709551615];": true,
	} {
		got := check([]byte(".version 9.0\n.target sm_90\n.address_size 64\n"+text), []string{"-arch=sm_90"})
		if whole != (got.exit == 0) || !whole && !strings.Contains(got.stderr, "Initial values of more than 1048576000 bytes") {
			t.Errorf("%s: exit %d\n%s", text, got.exit, got.stderr)
		}
	}
}

// TestConstants computes constant expressions. The values are those that
// the reference puts into initialised data.
func TestConstants(t *testing.T) {
	u := func(v int64) uint64 { return uint64(v) }
	f := math.Float64bits
	for _, c := range []struct {
		expr string
		want uint64
	}{
		{"010", 8},
		{"0b101", 5},
		{"0x1F", 31},
		{"18446744073709551616", 0},
		{"0xffffffffffffffff", math.MaxUint64},
		{"-7 % 4", 1},
		{"-7 / 2", u(-3)},
		{"7U / 2", 3},
		{"-8 >> 1", u(-4)},
		{"0xfffffffffffffff8 >> 1", 0x7ffffffffffffffc},
		{"1 << 64", 1},
		{"1 << 40", 1 << 40},
		{"-1 < 0", 1},
		{"-1 < 0U", 0},
		{"1 + 2 * 3", 7},
		{"(1 + 2) * 3", 9},
		{"10 - 4 - 3", 3},
		{"1 ? 2 : 3", 2},
		{"0 ? 2 : 0 ? 4 : 5", 5},
		{"!5 + ~0", u(-1)},
		{"6 & 3 | 8 ^ 1", 11},
		{"1 && 0 || 1", 1},
		{"(.s64)0xffffffffffffffff < 0", 1},
		{"(.u64)-1 < 0", 0},
		{"WARP_SZ * 2", 64},
		{"1 == 1 != 0", 1},
		{"9223372036854775807 + 1", 1 << 63},
		{"-9223372036854775808 / -1", 0},
		{"(.s64)9223372036854775808 / -1", 1 << 63},
	} {
		m := module(t, ".global .u64 g = "+c.expr+";")
		if got := le(m.Vars[0].Init); got != c.want {
			t.Errorf("%s = %#x, want %#x", c.expr, got, c.want)
		}
	}
	for _, c := range []struct {
		expr string
		want uint64
	}{
		{"1.5", f(1.5)},
		{".5", f(.5)},
		{"1.e-3", f(1e-3)},
		{"1.0 + 2.0 * 3.0", f(7)},
		{"-1.0 / 4.0", f(-.25)},
		{"0d3FF0000000000000 + 1.0", f(2)},
		{"1e308 * 10.0", f(math.Inf(1))},
		{"0f3F800000", 0x3f800000},
	} {
		m := module(t, ".global .f64 g = "+c.expr+";")
		if got := le(m.Vars[0].Init); got != c.want {
			t.Errorf("%s = %#x, want %#x", c.expr, got, c.want)
		}
	}
	for _, c := range []struct {
		expr string
		want uint64
	}{
		{"1.0", 0x3f800000},
		{"0.1", 0x3dcccccd},
		{"1e40", 0x7f800000},
		{"1e-40", 0x000116c2},
		{"0d7FF8000000000001", 0x7fc00000},
		{"0f7FC00001", 0x7fc00001},
	} {
		m := module(t, ".global .f32 g = "+c.expr+";")
		if got := le(m.Vars[0].Init); got != c.want {
			t.Errorf("%s as f32 = %#x, want %#x", c.expr, got, c.want)
		}
	}
}

func le(b []byte) uint64 {
	var buf [8]byte
	copy(buf[:], b)
	return binary.LittleEndian.Uint64(buf[:])
}

// TestInitialBytes lays out arrays and vectors, with short rows filled with
// zeroes and literals cut to their width.
func TestInitialBytes(t *testing.T) {
	for _, c := range []struct {
		decl string
		want []byte
		size uint64
	}{
		{".u16 g[3][2] = {{1},{3,4}}", []byte{1, 0, 0, 0, 3, 0, 4}, 12},
		{".v2 .u16 g[2] = {{1,2},{3,4}}", []byte{1, 0, 2, 0, 3, 0, 4}, 8},
		{".u8 g[4] = {300, -1, 2, 0}", []byte{44, 255, 2}, 4},
		{".b32 g = 1.0", []byte{0, 0, 0x80, 0x3f}, 4},
		{".b16 g = 0f3f8012ab", []byte{0xab, 0x12}, 2},
		{".b128 g = -1", []byte{255, 255, 255, 255, 255, 255, 255, 255}, 16},
		{".u32 g[] = {1,2,3}", []byte{1, 0, 0, 0, 2, 0, 0, 0, 3}, 12},
		{".u32 g[2] = {}", []byte{}, 8},
	} {
		v := &module(t, ".global "+c.decl+";").Vars[0]
		if diff := cmp.Diff(c.want, v.Init); diff != "" || v.Shape.Size() != c.size {
			t.Errorf("%s: %d bytes %s", c.decl, v.Shape.Size(), diff)
		}
	}
}

// TestRelocations reads addresses in initial values.
func TestRelocations(t *testing.T) {
	m := module(t, ".global .u32 a[4]; .func f() { ret; }\n.global .u64 g[3] = { a+8, generic(a), f };\n.global .u8 h[2] = { 0xff00(a), 0xff(generic(a)+1) };")
	want := []sema.Reloc{
		{Offset: 0, Sym: 0, Addend: 8, Width: 8},
		{Offset: 8, Sym: 0, Width: 8, Generic: true},
		{Offset: 16, Sym: 1, Width: 8},
	}
	if diff := cmp.Diff(want, m.Vars[1].Relocs); diff != "" {
		t.Error(diff)
	}
	want = []sema.Reloc{
		{Offset: 0, Sym: 0, Width: 1, Shift: 1},
		{Offset: 1, Sym: 0, Width: 1, Addend: 1, Generic: true},
	}
	if diff := cmp.Diff(want, m.Vars[2].Relocs); diff != "" {
		t.Error(diff)
	}
}

// TestParameterLayout is the example of offsets that the reference gives.
func TestParameterLayout(t *testing.T) {
	m := module(t, ".entry k(.param .u8 a, .param .u16 b, .param .u8 c, .param .u64 d, .param .u32 e, .param .align 16 .b8 f[3],"+
		".param .u8 g, .param .b8 h[5], .param .f64 i, .param .b8 j[3], .param .u32 k[2]) { ret; }")
	var got []string
	for _, p := range m.Funcs[0].Params {
		got = append(got, fmt.Sprintf("%s:%x", p.Name, p.Offset))
	}
	want := []string{"a:0", "b:2", "c:4", "d:8", "e:10", "f:20", "g:23", "h:24", "i:30", "j:38", "k:3c"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if m.Funcs[0].ParamLen != 0x44 {
		t.Errorf("%#x bytes of parameters", m.Funcs[0].ParamLen)
	}
}

// TestBody reads a body back: registers, labels, lines, calls, operands.
func TestBody(t *testing.T) {
	m := module(t, `.global .align 16 .b32 g[8];
.func (.param .b32 r) f(.param .b32 a) { ret; }
.visible .entry k(.param .u64 p) .maxntid 128 {
  .reg .b32 %r<4>; .reg .b64 %rd<2>; .reg .pred q; .reg .v2 .f32 v; .local .b8 l[4];
  .param .b32 x;
  .loc 1 7 3
  ld.param.u64 %rd1, [p];
  @!q bra DONE;
  add.u32 %r1, %r01, -2;
  mov.f32 v.y, 0f3F800000;
  st.param.b32 [x], %r1;
  call (x), f, (x);
  ld.global.v2.u32 {%r2, %r3}, [g+8];
DONE:
  ret;
}
.file 1 "a.cu"`)
	var s bodies.Scratch
	var b *sema.Body
	for _, f := range m.Bodies() {
		b = bodies.Check(m, f, &s)
	}
	var ops []string
	for i := range b.Instrs {
		ops = append(ops, b.Instrs[i].Op.String())
	}
	if diff := cmp.Diff([]string{"ld", "bra", "add", "mov", "st", "call", "ld", "ret"}, ops); diff != "" {
		t.Error(diff)
	}
	add := b.Of(b.Instrs[2].Args)
	if add[0].Ref != add[1].Ref || int64(add[2].Value) != -2 {
		t.Errorf("add: %+v", add)
	}
	if bra := &b.Instrs[1]; b.Labels[b.Of(bra.Args)[0].Ref].At != 7 || !bra.GuardNot || bra.Guard < 0 {
		t.Errorf("bra: %+v", bra)
	}
	if c := b.Calls[b.Instrs[5].Call]; c.Func != 0 || c.Rets.Len != 1 || b.Operands[c.Actuals.First].Local() != 1 {
		t.Errorf("call: %+v", c)
	}
	if v := b.Of(b.Instrs[3].Args)[0]; b.Regs[v.Ref].Elem != 1 {
		t.Errorf("v.y: %+v", v)
	}
	ld := b.Of(b.Instrs[6].Args)
	if ld[0].Elems.Len != 2 || ld[1].Value != 8 || m.Syms[ld[1].Ref].Name != "g" || b.Instrs[6].Vec != 2 {
		t.Errorf("ld: %+v", ld)
	}
	if p := b.Of(b.Instrs[0].Args)[1]; p.Formal() != 0 {
		t.Errorf("[p]: %+v", p)
	}
	if len(b.Lines) != 1 || b.Lines[0].Line != 7 || b.Lines[0].At != 0 {
		t.Errorf("lines: %+v", b.Lines)
	}
	if m.Funcs[1].Launch.MaxNTid != [3]uint32{128, 1, 1} {
		t.Errorf("launch: %+v", m.Funcs[1].Launch)
	}
	if !whole.Module(m, diag.NewSink(io.Discard, diag.Options{})) {
		t.Error("the module is not finished")
	}
}
