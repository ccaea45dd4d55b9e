package gosass

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/gosass/dis"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

const lined = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b64 %a;
	.reg .u32 %r<4>;
	.loc 1 3 1
	ld.param.u64 %a, [p];
	.loc 1 4 5
	ld.global.u32 %r0, [%a];
	.loc 1 5 3
	.loc 2 7 2, function_name Lf, inlined_at 1 5 3
	add.u32 %r1, %r0, 1;
	.loc 1 6 3
	st.global.u32 [%a], %r1;
	ret;
}
.file 1 "a.cu"
.file 2 "b.h"
.section .debug_str
{
Lf:
	.b8 102, 0
}
`

// TestLines prints source lines above the code, and where functions were
// inlined, as nvdisasm does where it is installed.
func TestLines(t *testing.T) {
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(lined)}}, goptxas.Options{Arch: "sm_90", LineInfo: true})
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Read(out.Cubin)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "k.cubin")
	if err := os.WriteFile(name, out.Cubin, 0o644); err != nil {
		t.Fatal(err)
	}
	for option, want := range map[string]string{
		"-g":  "\t//## File \"b.h\", line 7\n",
		"-gi": "\t//## File \"b.h\", line 7 inlined at \"a.cu\", line 5\n\t//## File \"a.cu\", line 5\n",
	} {
		got, err := dis.List(f, &dis.Options{Code: true, Lines: option == "-g", Inlined: option == "-gi"})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(got), want) || !strings.Contains(string(got), "\t//## File \"a.cu\", line 6\n") {
			t.Errorf("%s:\n%s", option, got)
		}
		if !oracle.Available() {
			t.Logf("nvdisasm is not installed: %s is not compared", option)
			continue
		}
		ref := oracle.Find(t).Run(filepath.Dir(name), "nvdisasm", "-c", option, filepath.Base(name))
		if ref.Exit != 0 || ref.Stdout != string(got) {
			t.Errorf("%s: not as nvdisasm prints:\n%s\nwant\n%s%s", option, got, ref.Stdout, ref.Stderr)
		}
	}
}
