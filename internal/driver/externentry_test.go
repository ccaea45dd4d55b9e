package driver

import (
	"bytes"
	"debug/elf"
	"os"
	"path/filepath"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// externEntry names a kernel and a function of otherEntry.
const externEntry = `.version 8.0
.target sm_90
.address_size 64
.extern .entry foo(.param .u64 x);
.extern .func (.param .b32 r) bar(.param .b32 x);
.visible .entry k(.param .u64 a)
{
	.reg .b32 %r<4>;
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [a];
	mov.u64 %d2, foo;
	st.global.u64 [%d1], %d2;
	{
	.param .b32 x;
	.param .b32 r;
	st.param.b32 [x], 5;
	call (r), bar, (x);
	ld.param.b32 %r1, [r];
	}
	st.global.u32 [%d1+8], %r1;
	ret;
}
`

const otherEntry = `.version 8.0
.target sm_90
.address_size 64
.visible .entry foo(.param .u64 x)
{
	ret;
}
.visible .func (.param .b32 r) bar(.param .b32 x)
{
	.reg .b32 %r1;
	ld.param.b32 %r1, [x];
	st.param.b32 [r], %r1;
	ret;
}
`

// TestExternEntry: a kernel of another object is known as one, has no
// prototype, and is linked where the linker is installed.
func TestExternEntry(t *testing.T) {
	dir := t.TempDir()
	object := func(name, text string) string {
		in, out := filepath.Join(dir, name+".ptx"), filepath.Join(dir, name+".o")
		if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		ourObject(t, in, out, "sm_90", "-c")
		return out
	}
	a, b := object("a", externEntry), object("b", otherEntry)
	data, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	syms, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, s := range syms {
		switch s.Name {
		case "foo":
			found++
			if s.Other&cubin.OtherEntry == 0 {
				t.Errorf("foo is no kernel: other is %#x", s.Other)
			}
		case "bar":
			found++
			if s.Other != 0 {
				t.Errorf("bar is a function: other is %#x", s.Other)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d of the two symbols", found)
	}
	x := oracle.Find(t)
	if r := x.Run(dir, "nvlink", "-arch=sm_90", "-o", filepath.Join(dir, "l.cubin"), a, b); r.Exit != 0 {
		t.Errorf("nvlink: %s%s", r.Stdout, r.Stderr)
	}
}
