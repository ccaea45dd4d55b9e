package opgen

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// TestBlackwellKernels runs whole kernels of testdata/blackwell, which Triton
// made of the sources beside them: interpreter, our code and the reference's
// leave the same at all times of asynchronous work.
func TestBlackwellKernels(t *testing.T) {
	x := oracle.Find(t)
	dir := filepath.Join("..", "..", "..", "testdata", "blackwell")
	b, err := os.ReadFile(filepath.Join(dir, "launches.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		File   string
		Launch launch.Launch
	}
	if err := json.Unmarshal(b, &list); err != nil || len(list) == 0 {
		t.Fatal(len(list), err)
	}
	target := regexp.MustCompile(`(?m)^\.target (sm_\w+)`)
	for n, c := range list {
		if testing.Short() && n > 0 && c.Launch.Block[0] > 64 {
			continue
		}
		t.Run(c.File, func(t *testing.T) {
			text := cases.Unzip(t, filepath.Join(dir, c.File+".gz"))
			arch := string(target.FindSubmatch(text)[1])
			agreeAll(t, x, string(text), arch, &c.Launch)
			readable(t, x, string(text), arch)
		})
	}
}

// TestProductsReadable: the reference's disassembler reads products that
// share the first or the second factor.
func TestProductsReadable(t *testing.T) {
	x := oracle.Find(t)
	for _, arch := range []string{"sm_90", "sm_100", "sm_120"} {
		for _, kind := range []string{"m16n8k16.row.col.f32.f16.f16.f32", "m16n8k32.row.col.s32.s8.s8.s32"} {
			var b strings.Builder
			fmt.Fprintf(&b, ".version 9.0\n.target %s\n.address_size 64\n.visible .entry k(.param .u64 p)\n{ .reg .b32 %%r<80>; .reg .b64 %%rd<2>;\nld.param.u64 %%rd1, [p];\n", arch)
			for n := range 8 {
				fmt.Fprintf(&b, "ld.global.v4.b32 {%%r%d,%%r%d,%%r%d,%%r%d}, [%%rd1+%d];\n", 4*n, 4*n+1, 4*n+2, 4*n+3, 16*n)
			}
			for n := range 8 { // four products of each first factor, two of each second one
				c := 32 + 4*n
				fmt.Fprintf(&b, "mma.sync.aligned.%s {%%r%d,%%r%d,%%r%d,%%r%d}, {%%r%[6]d,%%r%[7]d,%%r%[8]d,%%r%[9]d}, {%%r%[10]d,%%r%[11]d}, {%%r0,%%r1,%%r2,%%r3};\n",
					kind, c, c+1, c+2, c+3, n/4*4, n/4*4+1, n/4*4+2, n/4*4+3, 8+n%4*2, 9+n%4*2)
			}
			for n := range 8 {
				c := 32 + 4*n
				fmt.Fprintf(&b, "st.global.v4.b32 [%%rd1+%d], {%%r%d,%%r%d,%%r%d,%%r%d};\n", 16*n, c, c+1, c+2, c+3)
			}
			b.WriteString("ret; }\n")
			readable(t, x, b.String(), arch)
		}
	}
}

// readable has the reference's disassembler read what we make of a text.
func readable(t *testing.T, x *oracle.Tools, text, arch string) {
	t.Helper()
	msg, file := compileFile(text, arch)
	if msg != "" {
		t.Fatal(msg)
	}
	path := filepath.Join(t.TempDir(), "k.cubin")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := x.Run("", "nvdisasm", "-c", path); r.Exit != 0 || strings.Contains(r.Stderr, "error") {
		t.Errorf("%s: nvdisasm: %s", arch, r.Stderr[:min(300, len(r.Stderr))])
	}
}
