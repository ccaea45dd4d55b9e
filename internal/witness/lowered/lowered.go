// Package lowered shows what single PTX instructions become in Ori: the tests
// of each package of lowering ask it.
package lowered

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/lower"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/front"
)

// Check lowers every case: an architecture, an instruction or several, and the
// operations that must stand in its code in this order, separated by " ; ". An
// operation after "!" must not stand there.
func Check(t *testing.T, list [][3]string) {
	t.Helper()
	for _, c := range list {
		arch, text, want := c[0], c[1], c[2]
		code, err := kernel(arch, text)
		if err != nil {
			t.Errorf("%s %s: %v", arch, text, err)
			continue
		}
		rest := code
		for word := range strings.SplitSeq(want, " ; ") {
			if no, ok := strings.CutPrefix(word, "!"); ok {
				if strings.Contains(code, no) {
					t.Errorf("%s %s: %s in\n%s", arch, text, no, code)
				}
				continue
			}
			_, after, ok := strings.Cut(rest, word)
			if !ok {
				t.Errorf("%s %s: no %s in\n%s", arch, text, word, code)
				break
			}
			rest = after
		}
	}
}

// kernel puts instructions into a kernel with registers for all and lowers it.
func kernel(arch, body string) (string, error) {
	text := fmt.Sprintf(`.version 8.8
.target %s
.address_size 64
.global .texref tx;
.visible .entry k(.param .u64 pp, .param .align 4 .b8 st[12])
{
.reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<40>; .reg .b64 %%rd<9>; .reg .f32 %%f<40>; .reg .f64 %%fd<9>;
.shared .align 16 .b8 sm[64];
.local .align 16 .b8 lm[64];
%s
ret;
}
`, arch, body)
	x, err := front.Check("t.ptx", text, arch)
	if err != nil {
		return "", fmt.Errorf("front end: %w", err)
	}
	layout := &build.Layout{Shared: map[string]int64{}, Dynamic: map[string]int64{}, Const: map[string]int64{}}
	d, err := lower.New(&ori.Module{}, x.Module, x.Bodies[x.Module.Kernels()[0]], target.Find(arch), layout, build.Options{})
	if err != nil {
		return "", err
	}
	d.Finish()
	return d.F.String(), nil
}
