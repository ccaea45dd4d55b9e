package driver

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// doubles are instructions and how often the reference warns of each.
var doubles = [...]struct {
	text  string
	times int
}{
	{"add.f64 %d1, %d2, %d3", 1},
	{"cvt.f64.f32 %d1, %f1", 2},
	{"cvt.rzi.s32.f64 %r1, %d1", 2},
	{"testp.finite.f64 %p1, %d1", 2},
	{"copysign.f64 %d1, %d2, %d3", 3},
	{"div.rn.f64 %d1, %d2, %d3", 19},
	{"div.rz.f64 %d1, %d2, %d3", 1},
	{"rcp.rn.f64 %d1, %d2", 14},
	{"rcp.approx.ftz.f64 %d1, %d2", 2},
	{"sqrt.rn.f64 %d1, %d2", 20},
	{"sqrt.rp.f64 %d1, %d2", 1},
	{"rsqrt.approx.f64 %d1, %d2", 16},
	{"rsqrt.approx.ftz.f64 %d1, %d2", 2},
	{"set.lt.f32.f64 %f1, %d1, %d2", 1},
	{"ld.global.b64 %d1, [%rd1]", 0},
	{"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1,%d2}, {%d3}, {%d4}, {%d5,%d6}", 2},
	{"wmma.load.a.sync.aligned.row.m8n8k4.f64 {%d1}, [%rd1]", 3},
	{"wmma.load.c.sync.aligned.row.m8n8k4.f64 {%d1,%d2}, [%rd1]", 4},
	{"wmma.store.d.sync.aligned.row.m8n8k4.f64 [%rd1], {%d1,%d2}", 4},
}

// TestDoubleWarnings: -warn-double-usage speaks as often as the reference
// about the program's own lines.
func TestDoubleWarnings(t *testing.T) {
	const head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .f64 %d<9>; .reg .b64 %rd<2>; .reg .f32 %f<2>; .reg .pred %p<2>; .reg .b32 %r<2>;\n"
	const warning = "k.ptx, line 7; warning : Program is doing double precision computations.\n"
	for _, d := range doubles {
		text := []byte(head + d.text + ";\nret;\n}\n")
		var log bytes.Buffer
		if _, ok := CompileTexts(t.Context(), []string{"-arch", "sm_80", "-warn-double-usage"}, []Text{{Name: "k.ptx", Text: text}}, &log); !ok {
			t.Fatalf("%s: %s", d.text, log.String())
		}
		if n := strings.Count(log.String(), warning); n != d.times {
			t.Errorf("%s: %d warnings, want %d", d.text, n, d.times)
		}
		if !oracle.Available() {
			continue
		}
		x := oracle.Find(t)
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "k.ptx"), text, 0o644); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(x.Run(dir, "ptxas", "-arch", "sm_80", "-warn-double-usage", "k.ptx").Stderr, warning); n != d.times {
			t.Errorf("%s: the reference warns %d times, not %d", d.text, n, d.times)
		}
	}
}

// TestDoubleRoutines: the warnings of routines that instructions call, and how
// often lines are repeated where there are errors, are the reference's.
func TestDoubleRoutines(t *testing.T) {
	const all = "rcp.rn.f64 %d1, %d2; div.rm.f64 %d1, %d2, %d3; sqrt.rz.f64 %d1, %d2;\nrcp.rp.f64 %d1, %d2; div.rp.f64 %d1, %d2, %d3; sqrt.rm.f64 %d1, %d2; rcp.rz.f64 %d1, %d2;" +
		"div.rn.f64 %d1, %d2, %d3; sqrt.rn.f64 %d1, %d2; rsqrt.approx.f64 %d1, %d2; div.rz.f64 %d1, %d2, %d3; rcp.rm.f64 %d1, %d2; sqrt.rp.f64 %d1, %d2;"
	const kernel = ".visible .entry %s()\n{\n.reg .f64 %%d<9>; .reg .f32 %%f<2>;\n%s\nret;\n}\n"
	const wrong = "add.f32 %f1, %f1, %d1;"
	const head = ".version 8.0\n.target sm_75\n.address_size 64\n"
	x := oracle.Find(t)
	for _, c := range []struct {
		bodies  []string
		options string
	}{
		{[]string{all}, ""},
		{[]string{"div.rn.f64 %d1, %d2, %d3;\nrcp.rp.f64 %d1, %d2;", "rcp.rm.f64 %d1, %d2;"}, "-c"},
		{[]string{all}, "-Werror"},
		{[]string{all}, "-w"},
		{[]string{all + wrong}, ""},
		{[]string{wrong + all}, ""},
		{[]string{"rcp.rn.f64 %d1, %d2;" + wrong, all}, ""},
	} {
		dir, text := t.TempDir(), head
		for n, body := range c.bodies {
			text += fmt.Sprintf(kernel, "k"+strconv.Itoa(n), body)
		}
		if err := os.WriteFile(filepath.Join(dir, "k.ptx"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		args := append(strings.Fields(c.options), "-warn-double-usage", "k.ptx")
		if got, want := runSelf(t, dir, args...), x.Run(dir, "ptxas", args...); got.Stderr != want.Stderr || got.Exit != want.Exit {
			t.Errorf("%s %s:\n%swant\n%s", c.options, text, got.Stderr, want.Stderr)
		}
	}
}
