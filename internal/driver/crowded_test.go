package driver

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// crowd is a text with n global variables, of which a kernel uses three.
func crowd(n int) []byte {
	var s strings.Builder
	s.WriteString(".version 8.0\n.target sm_75\n.address_size 64\n")
	for i := range n {
		fmt.Fprintf(&s, ".global .u32 v%d;\n", i)
	}
	fmt.Fprintf(&s, `.visible .entry k(.param .u32 i)
{
	.reg .b32 %%r<3>;
	.reg .b64 %%rd<4>;
	ld.param.u32 %%r1, [i];
	st.global.u32 [v0], %%r1;
	mul.wide.u32 %%rd1, %%r1, 4;
	mov.u64 %%rd2, v1;
	add.u64 %%rd3, %%rd2, %%rd1;
	st.global.u32 [%%rd3+4], %%r1;
	st.global.u32 [v%d], %%r1;
	ret;
}
`, n-1)
	return []byte(s.String())
}

// TestCrowded: where constant bank 4 has no room for the addresses of all global
// variables, code has them itself and leaves them to the driver, with a message.
func TestCrowded(t *testing.T) {
	for _, n := range []int{8191, 8192, 9000} {
		text := crowd(n)
		dir := folder(t, []cases.File{{Name: "k.ptx", Data: text}})
		for _, arch := range []string{"sm_75", "sm_90", "sm_120"} {
			args := []string{"k.ptx", "-arch=" + arch, "-o", "k.cubin"}
			got := runSelf(t, dir, args...)
			if got.Exit != 0 || strings.Contains(got.Stderr, "(pic)") != (n >= 8192) {
				t.Errorf("%d variables on %s: exit %d, %q", n, arch, got.Exit, got.Stderr)
				continue
			}
			f := readCubin(t, filepath.Join(dir, "k.cubin"))
			var named []string
			bank := false
			for _, s := range f.Sections {
				bank = bank || s.Name == ".nv.constant4"
				if list, ok := s.Content.(*cubin.Relocs); ok && s.Info.Section != nil && s.Info.Section.Name == ".text.k" {
					for _, r := range list.List {
						named = append(named, fmt.Sprintf("%s %s", r.Type, r.Sym.Name))
					}
				}
			}
			if bank != (n < 8192) {
				t.Errorf("%d variables on %s: bank 4 %t", n, arch, bank)
			}
			for _, v := range []string{"v0", "v1", fmt.Sprintf("v%d", n-1)} {
				if has := slices.Contains(named, "R_CUDA_ABS32_LO_32 "+v) && slices.Contains(named, "R_CUDA_ABS32_HI_32 "+v); has != (n >= 8192) {
					t.Errorf("%d variables on %s: relocations %q", n, arch, named)
				}
			}
			if oracle.Available() {
				if want := oracle.Find(t).Run(dir, "ptxas", args...); want.Exit != got.Exit || want.Stderr != got.Stderr {
					t.Errorf("%d variables on %s: %q, the reference says %q", n, arch, got.Stderr, want.Stderr)
				}
			}
		}
	}
}
