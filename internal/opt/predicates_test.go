package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/dead"
	"github.com/goptxas/goptxas/internal/opt/uniform"
	"github.com/goptxas/goptxas/internal/ori"
)

const predRegs = `reg r0 1/1
reg r1 1/1
reg r2 1/1
reg p3 1/1
reg p4 1/1
reg p5 1/1
reg p6 1/1
reg r7 4/4
reg r8 2/2
reg u9 2/2
b0:
`

func TestPredicates(t *testing.T) {
	for _, c := range []struct {
		name     string
		in, want string
		phases   []func(*ori.Func) bool
	}{
		{"a guard that always holds", `PLOP3.LUT p3 = pt, pt, pt, 0xf0, 0x0
@p3 STS [r0+0x0], r1
@~p3 STS [r0+0x4], r1`, `STS [r0+0x0], r1`, []func(*ori.Func) bool{opt.Predicates, dead.DeadCode}},
		{"a guard that nobody wrote", `UNDEF p3 =
@p3 STS [r2+0x0], r1
@~p3 STS [r0+0x4], r1`, `STS [r0+0x4], r1`, []func(*ori.Func) bool{opt.Predicates, dead.DeadCode}},
		{"the opposite of a predicate", `ISETP.LT.AND p3 = r0, r1, pt
PLOP3.LUT p4 = p3, pt, pt, 0xf, 0x0
@p4 STS [r0+0x0], r1
SEL r2 = r0, r1, ~p4
STS [r0+0x4], r2`, `ISETP.LT.AND p3 = r0, r1, pt
@~p3 STS [r0+0x0], r1
SEL r2 = r0, r1, p3
STS [r0+0x4], r2`, []func(*ori.Func) bool{opt.Predicates, dead.DeadCode}},
		{"a predicate that changes is left alone", `ISETP.LT.AND p3 = r0, r1, pt
PLOP3.LUT p4 = p3, pt, pt, 0xf, 0x0
ISETP.GT.AND p3 = r0, r1, pt
@p4 STS [r0+0x0], r1
@p3 STS [r0+0x0], r1`, `ISETP.LT.AND p3 = r0, r1, pt
PLOP3.LUT p4 = p3, pt, pt, 0xf, 0x0
ISETP.GT.AND p3 = r0, r1, pt
@p4 STS [r0+0x0], r1
@p3 STS [r0+0x0], r1`, []func(*ori.Func) bool{opt.Predicates, dead.DeadCode}},
		{"both comparisons in one", `S2R r0 = SR_TID.X
S2R r1 = SR_TID.Y
ISETP.LT.AND p3 = r0, 0x5, pt
FSETP.GT.AND p4 = r1, 0x7, pt
PLOP3.LUT p5 = p3, p4, pt, 0xfc, 0x0
@p5 STS [r0+0x0], r1`, `S2R r0 = SR_TID.X
S2R r1 = SR_TID.Y
FSETP.GT.AND p4 = r1, 0x7, pt
ISETP.LT.OR p5 = r0, 0x5, p4
@p5 STS [r0+0x0], r1`, []func(*ori.Func) bool{opt.Combine}},
		{"a comparison others want stays", `S2R r0 = SR_TID.X
ISETP.LT.AND p3 = r0, 0x5, pt
PLOP3.LUT p5 = p3, p4, pt, 0xc0, 0x0
@p5 STS [r0+0x0], r0
@p3 STS [r0+0x4], r0`, `S2R r0 = SR_TID.X
ISETP.LT.AND p3 = r0, 0x5, pt
PLOP3.LUT p5 = p3, p4, pt, 0xc0, 0x0
@p5 STS [r0+0x0], r0
@p3 STS [r0+0x4], r0`, []func(*ori.Func) bool{opt.Combine}},
		{"uniform constants", `MOV r1 = rz
MOV r2 = 0x14f00000
R2UR u9[0] = r1
R2UR u9[1] = r2
STG.E desc[u9], [r8.64+0x0], r0`, `UMOV u9[0] = urz
UMOV u9[1] = 0x14f00000
STG.E desc[u9], [r8.64+0x0], r0`, []func(*ori.Func) bool{uniform.UniformConstants, dead.DeadCode}},
	} {
		if got := run(t, predRegs+c.in, c.phases...); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
