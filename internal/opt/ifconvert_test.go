package opt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/opt/control"
	"github.com/goptxas/goptxas/internal/opt/ssa"
	"github.com/goptxas/goptxas/internal/ori"
)

func TestIfConvert(t *testing.T) {
	const defs = "S2R r0 = SR_TID.X\nISETP.LT.AND p3 = r0, 0x5, pt\nMOV r1 = 0x7\n"
	const regs = "reg r0 1/1\nreg r1 1/1\nreg r2 1/1\nreg p3 1/1\nreg p4 1/1\nb0: -> b2, b1\n" + defs
	const head = regs + "MOV r1 = rz\n@p3 BRA b2\n"
	const long = "LDS r1 = [r0+0x4]\nLDS r1 = [r1+0x4]\nLDS r1 = [r1+0x4]\nLDS r1 = [r1+0x4]\nLDS r1 = [r1+0x4]\n"
	const tail = "b2:\nSTS [r0+0x0], r1\nEXIT"
	for _, c := range []struct{ name, in, want string }{
		{"a load", head + "b1: -> b2\nIADD3 r2 = r0, 0x5, rz\nLDS r1 = [r2+0x4]\nBRA b2\n" + tail, `MOV r7 = rz
IADD3 r2 = r0, 0x5, rz
@~p3 LDS r7 = [r2+0x4]
STS [r0+0x0], r7
EXIT`},
		{"a store on the other side", regs + "@p3 BRA b2\nb1:\nEXIT\nb2: -> b1\nSTS [r0+0x0], r1\nBRA b1", `@p3 STS [r0+0x0], r1
EXIT`},
		{"both ways", regs + "@p3 BRA b2\nb1: -> b3\nLDS r1 = [r0+0x4]\nBRA b3\nb2: -> b3\nIADD3 r2 = r0, 0x5, rz\nLDS r1 = [r2+0x0]\nb3:\nSTS [r0+0x0], r1\nEXIT", `UNDEF r7 =
@~p3 LDS r7 = [r0+0x4]
IADD3 r2 = r0, 0x5, rz
@p3 LDS r7 = [r2+0x0]
STS [r0+0x0], r7
EXIT`},
		{"both ways, too long", regs + "@p3 BRA b2\nb1: -> b3\n" + long + "BRA b3\nb2: -> b3\n" + long + "b3:\nEXIT", `@p3 BRA b2
LDS r5 = [r0+0x4]
LDS r6 = [r5+0x4]
LDS r7 = [r6+0x4]
LDS r8 = [r7+0x4]
LDS r9 = [r8+0x4]
BRA b3
LDS r10 = [r0+0x4]
LDS r11 = [r10+0x4]
LDS r12 = [r11+0x4]
LDS r13 = [r12+0x4]
LDS r14 = [r13+0x4]
EXIT`},
		{"a warp operation stays", head + "b1: -> b2\nSHFL.BFLY p4, r1 = r0, 0x1, 0x1f\n" + tail, `MOV r7 = rz
@p3 BRA b2
SHFL.BFLY p4, r7 = r0, 0x1, 0x1f
STS [r0+0x0], r7
EXIT`},
		{"the condition changes", head + "b1: -> b2\nISETP.LT.AND p3 = r0, 0x1, pt\n@p3 MOV r1 = 0x1\n" + tail, `MOV r8 = rz
ISETP.LT.AND p6 = r0, 0x1, ~p3
@p6 MOV r8 = 0x1
STS [r0+0x0], r8
EXIT`},
	} {
		if got := run(t, c.in, func(f *ori.Func) bool {
			ssa.SSA(f)
			changed := control.IfConvert(f, control.ConvertCost{One: 6, Both: 8})
			ssa.LeaveSSA(f)
			return branch.BranchSimplify(f) || changed
		}); got != defs+c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestIfConvertClears: two words that are set to zero count as one instruction.
func TestIfConvertClears(t *testing.T) {
	for _, c := range []struct {
		n    int
		want bool
	}{{12, true}, {13, false}} {
		var in, regs strings.Builder
		for k := range c.n {
			fmt.Fprintf(&regs, "reg r%d 1/1\n", k+2)
			fmt.Fprintf(&in, "MOV r%d = rz\n", k+2)
		}
		text := "reg r0 1/1\nreg p1 1/1\n" + regs.String() + "b0: -> b2, b1\n@p1 BRA b2\nb1: -> b2\n" + in.String() + "b2:\n"
		for k := range c.n {
			text += fmt.Sprintf("STS [r0+0x0], r%d\n", k+2)
		}
		got := run(t, text+"EXIT", func(f *ori.Func) bool {
			ssa.SSA(f)
			return control.IfConvert(f, control.ConvertCost{One: 6, Both: 8})
		})
		if strings.Contains(got, "BRA") == c.want {
			t.Errorf("%d words: converted %v:\n%s", c.n, !c.want, got)
		}
	}
}
