package driver

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// TestUnknownFields: an unknown name with a field counts as an integer, and an
// address that is no integer is refused once; the rest is judged all the same.
func TestUnknownFields(t *testing.T) {
	const (
		field   = "error   : Unknown field '.x'\n"
		name    = "error   : Unknown symbol '%a'\n"
		integer = "error   : Integer constant expression expected\n"
	)
	for in, want := range map[string]string{
		"mov.u32 %r1, %a.x;":                   field + name,
		"mov.u32 %a.x;":                        field + "error   : Arguments mismatch for instruction 'mov'\n" + name,
		"mov.f32 %f1, %a.x;":                   field + "error   : Arguments mismatch for instruction 'mov'\n" + name,
		"mov.u32 %a.x, %r1;":                   field + "error   : Result register required for instruction 'mov'\n" + name,
		"mov.b16.u32 %r1, %a.x;":               field + "error   : Unexpected instruction types specified for 'mov'\n" + name,
		"ld.global.u32 %r1, [0f3F800000];":     integer,
		"ld.global.u64 %r1, [1.5];":            integer + "error   : Arguments mismatch for instruction 'ld'\n",
		"atom.global.add.u32 %r1, [1.5], %r2;": integer,
		"ld.global.u32 %r1, [16];":             "error   : Immediate addresses allowed only for .local state space\n",
	} {
		text := ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>; .reg .f32 %f<4>;\n" + in + "\nret;\n}\n"
		dir := folder(t, []cases.File{{Name: "k.ptx", Data: []byte(text)}})
		want = strings.ReplaceAll(want, "error   :", "ptxas k.ptx, line 7; error   :") + "ptxas fatal   : Ptx assembly aborted due to errors\n"
		args := []string{"k.ptx", "-arch=sm_90", "-o", "k.cubin"}
		if got := runSelf(t, dir, args...); got.Stderr != want {
			t.Errorf("%s: %q, want %q", in, got.Stderr, want)
		}
		if oracle.Available() {
			if ref := oracle.Find(t).Run(dir, "ptxas", args...); ref.Stderr != want {
				t.Errorf("%s: the reference says %q, want %q", in, ref.Stderr, want)
			}
		}
	}
}

// TestMapConstants: fields of tensor maps that are constants are refused as
// registers. The reference then also judges a number that it has not read.
func TestMapConstants(t *testing.T) {
	for _, in := range []string{"elemtype.shared::cta.b1024.b32 [%r1], %r2", "swizzle_mode.shared::cta.b1024.b32 [%r1], %r2"} {
		text := ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>;\ntensormap.replace.tile." + in + ";\nret;\n}\n"
		dir := folder(t, []cases.File{{Name: "k.ptx", Data: []byte(text)}})
		const want = "ptxas k.ptx, line 7; error   : Integer constant expression expected\n"
		args := []string{"k.ptx", "-arch=sm_100a", "-o", "k.cubin"}
		if got := runSelf(t, dir, args...); !strings.HasPrefix(got.Stderr, want) {
			t.Errorf("%s: %q, want %q", in, got.Stderr, want)
		}
		if oracle.Available() {
			if ref := oracle.Find(t).Run(dir, "ptxas", args...); !strings.HasPrefix(ref.Stderr, want) {
				t.Errorf("%s: the reference says %q, want %q", in, ref.Stderr, want)
			}
		}
	}
}
