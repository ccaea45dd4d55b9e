package driver

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// TestMutants: what is said of small mistakes in a text is what the reference
// says: words in the wrong place, negated operands, data of debug sections.
func TestMutants(t *testing.T) {
	x := oracle.Find(t)
	const head = ".version 8.0\n.target sm_52\n.address_size 64\n.global .b32 g;\n.visible .entry k(.param .u64 p)\n{ .reg .b64 %d<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b16 %h<3>; .reg .pred %p<3>; .reg .v4 .b32 %v<3>; .local .b32 l;\n"
	const section = "ret; }\n.section .debug_abbrev { .b8 1\n}\n.section .debug_info {\na: .b8 1\nb: .b8 2\n"
	for _, text := range []string{
		"mov.b32 %r1,%r2,\nmov.b32 %r3,%r4; ret; }",
		"mov.u32 %r1,%tid.x0\nmov.u32 %r2,%r3; ret; }",
		"mov.u64 %d1,%d2.pred\nret; }",
		"mov.u32 %r1,%r2.q\nret; }",
		"mov.u32 %r1,%v1.xy\nret; }",
		"mov.u32 %r1,\n%tid.q; ret; }",
		"add.u32 %r1,\n%nos.x,\n%r3; ret; }",
		"add.f32 %f1,%f2,-%f3; ret; }",
		"add.s32 %r1,%r2,-%r3; ret; }",
		"add.s32 %r1,%r2,\n-nos; ret; }",
		"add.s32 %r1,%r2,-%h1; ret; }",
		"add.s32 %r1,%r2,-%v1; ret; }",
		"add.s32 %r1,%r2,-g; ret; }",
		"add.s32 %r1,%r2,-p; ret; }",
		"selp.u32 %r1,%r2,%r3,-%p1; ret; }",
		"atom.relaxed.sys.global.add.u32 %r1,[%d1],%r2; ret; }",
		"red.relaxed.cluster.global.add.u32 [%d1],%r2; ret; }",
		"atom.gpu.global.add.u32 %r1,[%d1],%r2; ret; }",
		section + ".f16 144\n.b8 2 }",
		section + ".b128 0\n.b8 2 }",
		section + ".b8 a\n.b8 2 }",
		section + ".b16 a-b\n.b8 2 }",
		section + ".b8 300\n.b8 2 }",
		section + ".b64 a+5\n.b8 2 }",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "k.ptx"), []byte(head+text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, want := runSelf(t, dir, "-arch=sm_80", "k.ptx"), x.Run(dir, "ptxas", "-arch=sm_80", "k.ptx"); got.Stderr != want.Stderr || got.Exit != want.Exit {
			t.Errorf("%s:\n%sthe reference says\n%s", text, got.Stderr, want.Stderr)
		}
	}
}
