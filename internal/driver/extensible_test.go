package driver

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// openProgram is a whole program but for one function: it uses variables of
// all kinds, of its own.
const openProgram = `.version 8.0
.target sm_75
.address_size 64
.extern .func (.param .b32 r) ext(.param .b32 a);
.global .u32 gv = 7;
.const .u32 c0 = 5;
.const .u32 cv = 9;
.shared .u32 sv;
.func (.param .b32 r) own(.param .b32 a) { .reg .b32 %r; ld.param.u32 %r,[a]; add.u32 %r,%r,3; st.param.b32 [r],%r; ret; }
.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<8>; .reg .b64 %rd;
	ld.param.u64 %rd,[p];
	ld.global.u32 %r1,[%rd];
	ld.global.u32 %r2,[gv];
	ld.const.u32 %r3,[c0];
	ld.const.u32 %r4,[cv];
	st.shared.u32 [sv],%r4;
	add.u32 %r1,%r1,%r2;
	add.u32 %r1,%r1,%r3;
	ld.shared.u32 %r4,[sv];
	add.u32 %r1,%r1,%r4;
	{ .param .b32 x; .param .b32 y; st.param.b32 [x],%r1; call (y),ext,(x); ld.param.b32 %r1,[y]; }
	{ .param .b32 x; .param .b32 y; st.param.b32 [x],%r1; call (y),own,(x); ld.param.b32 %r1,[y]; }
	st.global.u32 [%rd],%r1;
	ret;
}
`

const openFunction = `.version 8.0
.target sm_75
.address_size 64
.visible .func (.param .b32 r) ext(.param .b32 a) { .reg .b32 %r; ld.param.u32 %r,[a]; mul.lo.u32 %r,%r,5; st.param.b32 [r],%r; ret; }
`

// TestOpenProgram: -ewp makes a file of its own type, and the linker makes a
// program of it, as of an object of -c.
func TestOpenProgram(t *testing.T) {
	x := oracle.Find(t)
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"k.ptx": openProgram, "ext.ptx": openFunction} {
		if err := os.WriteFile(file(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, err := launch.Parse("//: run k grid=1 block=1\n//: buf 4 zero\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, arch := range []string{"sm_75", "sm_86", "sm_90", "sm_100", "sm_120"} {
		if r := x.Ptxas("-c", "-arch", arch, file("ext.ptx"), "-o", file("ext.cubin")); r.Exit != 0 {
			t.Fatal(r.Stderr)
		}
		for option, kind := range map[string]cubin.Kind{"-c": cubin.KindReloc, "-ewp": cubin.KindWholeProgram} {
			ourObject(t, file("k.ptx"), file("k.cubin"), arch, option)
			data, err := os.ReadFile(file("k.cubin"))
			if err != nil {
				t.Fatal(err)
			}
			if f, err := cubin.Read(data); err != nil || f.Kind != kind {
				t.Errorf("%s %s: %v, %v", arch, option, f, err)
			}
			if r := x.Run(dir, "nvlink", "-arch="+arch, "k.cubin", "ext.cubin", "-o", "out.cubin"); r.Exit != 0 {
				t.Errorf("%s %s: %s", arch, option, r.Stderr)
				continue
			}
			if got := runLinked(t, file("out.cubin"), list, arch+" "+option); len(got) != 1 || binary.LittleEndian.Uint32(got[0][0]) != (7+5+9)*5+3 {
				t.Errorf("%s %s: %v", arch, option, got)
			}
		}
	}
}
