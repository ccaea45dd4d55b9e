package opgen

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/front"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// tensorKernels puts each form into a kernel of its own.
func tensorKernels(forms []TensorForm, arch string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version 9.0\n.target %s\n.address_size 64\n", arch)
	for n, f := range forms {
		fmt.Fprintf(&b, `.visible .entry k%d(.param .u64 p, .param .b32 a, .param .b32 b, .param .b64 c, .param .b64 d)
{ .reg .b32 %%r<140>; .reg .b64 %%rd<5>; .reg .pred %%p<2>; .reg .b16 %%h<2>; .shared .align 16 .b8 sm[64];
ld.param.b64 %%rd4, [p]; ld.param.b32 %%r1, [a]; ld.param.b32 %%r2, [b]; ld.param.b64 %%rd1, [c]; ld.param.b64 %%rd2, [d]; add.s64 %%rd3, %%rd1, %%rd2;
mov.u32 %%r3, sm; add.u32 %%r5, %%r1, 5; add.u32 %%r6, %%r1, 6; add.u32 %%r7, %%r2, 7; add.u32 %%r4, %%r2, 4; add.u32 %%r8, %%r2, 8;
setp.ne.u32 %%p1, %%r2, 9; cvt.u16.u32 %%h1, %%r2;
%s
`, n, f.Before)
		if strings.Contains(f.Text, ".st.sync") {
			for k := 10; k < 138; k++ {
				fmt.Fprintf(&b, "add.u32 %%r%d, %%r1, %d;\n", k, k)
			}
		}
		fmt.Fprintf(&b, "%s\n%s\nret; }\n", f.Text, f.After)
	}
	return b.String()
}

var (
	tensorText = regexp.MustCompile(`\b((?:UTC|LDTM|STTM|UVIRTCOUNT|FENCE\.VIEW\.ASYNC\.T|UBLK|UTMA|UMEMSETS|USTGR|UREDGR|UGETNEXT|LDSM|STSM|LDGMC|REDG|STG\.E\S*\.MMIO)\S*) ?([^;]*);`)
	// what the assembler writes about operands that is no register
	tensorMarks = regexp.MustCompile(`\bUR\d+|\bR\d+|\bUP[0-6]\b`)
	tensorPlace = regexp.MustCompile(`\[[^]]*\]`) // an address, but of tensor memory
	kernelHead  = regexp.MustCompile(`^\s*\.text\.k(\d+):`)
)

// disassembled returns the lines that the reference disassembler prints for
// each of the kernels k0, k1, … of a cubin.
func disassembled(t *testing.T, x *oracle.Tools, cubin []byte, n int) [][]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "k.cubin")
	if err := os.WriteFile(file, cubin, 0o644); err != nil {
		t.Fatal(err)
	}
	r := x.Run("", "nvdisasm", "-c", file)
	if r.Exit != 0 {
		t.Fatalf("nvdisasm: %s", r.Stderr)
	}
	out := make([][]string, n)
	at := -1
	for line := range strings.Lines(r.Stdout) {
		if m := kernelHead.FindStringSubmatch(line); m != nil {
			fmt.Sscan(m[1], &at)
		}
		if at >= 0 {
			out[at] = append(out[at], line)
		}
	}
	return out
}

// tensorMix lists the operations on tensor memory of each kernel of a cubin,
// as the reference disassembler spells them, without the numbers of
// registers. The reference unrolls the wait for free columns once.
func tensorMix(t *testing.T, x *oracle.Tools, cubin []byte, n int) [][]string {
	t.Helper()
	out := make([][]string, n)
	for at, lines := range disassembled(t, x, cubin, n) {
		for _, line := range lines {
			m := tensorText.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			s := m[1] + " " + tensorMarks.ReplaceAllString(m[2], "x")
			if !strings.Contains(s, "tmem") {
				s = tensorPlace.ReplaceAllString(strings.ReplaceAll(s, "desc[x][", "["), "[]")
			}
			if !strings.Contains(s, "FIND_AND_SET") || !slices.Contains(out[at], s) {
				out[at] = append(out[at], s)
			}
		}
	}
	return out
}

// TestTensorMix compiles every form of instruction on tensor memory with both
// compilers: the operations must be the same, with all their modifiers.
func TestTensorMix(t *testing.T) {
	x := oracle.Find(t)
	arches := []string{"sm_100a", "sm_120a"}
	if os.Getenv("GOPTXAS_FULL") != "" {
		arches = []string{"sm_100a", "sm_103a", "sm_110a", "sm_100f", "sm_103f", "sm_110f", "sm_120a", "sm_121a", "sm_120f"}
	}
	all := copyForms()
	for n, f := range TensorForms() {
		if os.Getenv("GOPTXAS_FULL") != "" || n%7 == 0 {
			all = append(all, f)
		}
	}
	for _, arch := range arches {
		var taken []TensorForm
		for _, f := range all {
			if _, err := front.Check("t.ptx", tensorKernels([]TensorForm{f}, arch), arch); err == nil {
				taken = append(taken, f)
			}
		}
		t.Logf("%s: %d forms, %d are instructions", arch, len(all), len(taken))
		for len(taken) > 0 {
			part := taken[:min(200, len(taken))]
			taken = taken[len(part):]
			text := tensorKernels(part, arch)
			msg, ours := compileFile(text, arch)
			if msg != "" {
				t.Fatal(msg)
			}
			ref, err := x.CubinOf([]byte(text), "-arch="+arch)
			if err != nil {
				t.Fatal(err)
			}
			a, b := tensorMix(t, x, ours, len(part)), tensorMix(t, x, ref, len(part))
			for n := range part {
				if !slices.Equal(a[n], b[n]) || len(a[n]) == 0 {
					t.Errorf("%s: %s\n\tours      %q\n\treference %q", arch, part[n].Text, a[n], b[n])
				}
			}
		}
	}
}
