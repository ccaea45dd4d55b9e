package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestZerosLeaveEarly: the quick steps of division and root are not good for
// zeros, which masks make common; their slow path, in its place or a routine,
// gives them back long before it has done what subnormal numbers need.
func TestZerosLeaveEarly(t *testing.T) {
	for _, in := range []string{
		"div.rn.f32 %f0, %f0, 0f40400000;", "div.rn.f64 %d0, %d0, %d1;", "sqrt.rn.f64 %d0, %d0;", "rsqrt.approx.f64 %d0, %d0;",
	} {
		for places := 1; places <= 2; places++ {
			zeros, others := steps(t, in, places, "zero"), steps(t, in, places, "iota")
			t.Logf("%s in %d places: %d instructions for zeros, %d for subnormal numbers", in, places, zeros, others)
			if 4*zeros > 3*others {
				t.Error("zeros take nearly as long")
			}
		}
	}
}

// steps is how many instructions a warp executes that does an operation on
// words of a buffer.
func steps(t *testing.T, in string, places int, fill string) (n int) {
	t.Helper()
	r, bytes := "f", 4
	if strings.Contains(in, "%d") {
		r, bytes = "d", 8
	}
	b := new(strings.Builder)
	fmt.Fprintf(b, ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b32 %%r;\n.reg .b64 %%a, %%t;\n.reg .f32 %%f<2>;\n.reg .f64 %%d<2>;\n")
	fmt.Fprintf(b, "ld.param.u64 %%a, [p];\nmov.u32 %%r, %%tid.x;\nmul.wide.u32 %%t, %%r, %d;\nadd.s64 %%a, %%a, %%t;\nld.global.f64 %%d1, [%%a+4096];\n", bytes)
	for k := range places {
		fmt.Fprintf(b, "ld.global.f%d %%%s0, [%%a+%d];\n%s\nst.global.f%d [%%a+%d], %%%s0;\n", 8*bytes, r, 1024*k, in, 8*bytes, 1024*k, r)
	}
	file := filepath.Join(t.TempDir(), "k.ptx")
	if err := os.WriteFile(file, []byte(b.String()+"ret;\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, errs := command(t, "", "run", "-quick", "-n", "0", "-grid", "1", "-block", "32", "-arg", "buf:8192:"+fill, file)
	if code != exitOK {
		t.Fatalf("%s: exit code %d: %s", in, code, errs)
	}
	for l := range strings.Lines(out) {
		if strings.Contains(l, "warp instructions") {
			if _, err := fmt.Sscan(l, &n); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n == 0 {
		t.Fatalf("%s: nothing was counted:\n%s", in, out)
	}
	return n
}
