package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/cse"
	"github.com/goptxas/goptxas/internal/opt/dead"
	"github.com/goptxas/goptxas/internal/ori"
)

func TestLocalCSE(t *testing.T) {
	clean := []func(*ori.Func) bool{cse.LocalCSE, opt.CopyProp, dead.DeadCode}
	runCases(t, []phaseCase{
		{"an exchange again", `S2R r0 = SR_TID.X
WARPSYNC.ALL ; pos=1
SHFL.BFLY pt, r1 = r0, 0x1, 0x1f ; pos=1
WARPSYNC.ALL ; pos=2
SHFL.BFLY pt, r2 = r0, 0x1, 0x1f ; pos=2
WARPSYNC.ALL ; pos=3
STS [r1+0x0], r2`, `S2R r0 = SR_TID.X
WARPSYNC.ALL ; pos=1
SHFL.BFLY pt, r1 = r0, 0x1, 0x1f ; pos=1
WARPSYNC.ALL ; pos=3
STS [r1+0x0], r1`, clean},
		{"guarded steps of equal values", `S2R r0 = SR_TID.X
MOV r1 = r0
@p7 FMUL r1 = r1, 0x3e800000
MUFU.RCP r2 = r1
MOV r1 = r0
@p7 FMUL r1 = r1, 0x3e800000
MUFU.RCP r3 = r1
STS [r2+0x0], r3`, `S2R r0 = SR_TID.X
MOV r1 = r0
@p7 FMUL r1 = r1, 0x3e800000
MUFU.RCP r2 = r1
MOV r1 = r0
@p7 FMUL r1 = r1, 0x3e800000
STS [r2+0x0], r2`, clean},
		{"under another guard", `S2R r0 = SR_TID.X
MOV r1 = r0
@p7 FMUL r1 = r1, 0x3e800000
MUFU.RCP r2 = r1
MOV r1 = r0
@~p7 FMUL r1 = r1, 0x3e800000
MUFU.RCP r3 = r1
STS [r2+0x0], r3`, `S2R r0 = SR_TID.X
MOV r1 = r0
@p7 FMUL r1 = r1, 0x3e800000
MUFU.RCP r2 = r1
MOV r1 = r0
@~p7 FMUL r1 = r1, 0x3e800000
MUFU.RCP r3 = r1
STS [r2+0x0], r3`, clean},
		{"the first result is gone", `S2R r0 = SR_TID.X
IADD3 r1 = r0, 0x5, rz
STS [0x0], r1
S2R r1 = SR_TID.Y
IADD3 r2 = r0, 0x5, rz
STS [r1+0x0], r2`, `S2R r0 = SR_TID.X
IADD3 r1 = r0, 0x5, rz
STS [0x0], r1
S2R r1 = SR_TID.Y
IADD3 r2 = r0, 0x5, rz
STS [r1+0x0], r2`, clean},
		{"an exchange between threads", `S2R r0 = SR_TID.X
SHFL.BFLY p7, r1 = r0, 0x1, 0x1f
SHFL.BFLY pt, r2 = r0, 0x1, 0x1f
STS [r1+0x0], r2`, `S2R r0 = SR_TID.X
SHFL.BFLY p7, r1 = r0, 0x1, 0x1f
STS [r1+0x0], r1`, clean},
		{"memory may change", `LDS r1 = [0x0]
LDS r2 = [0x0]
STS [r1+0x0], r2`, "LDS r1 = [0x0]\nLDS r2 = [0x0]\nSTS [r1+0x0], r2", clean},
		{"the same words of global memory", `LDG.E r1 = [r4+0x10]
STS [0x0], r1
LDG.E r2 = [r4+0x10]
STS [r1+0x0], r2`, `LDG.E r1 = [r4+0x10]
STS [0x0], r1
STS [r1+0x0], r1`, clean},
		{"under one guard, over the same words", `MOV r0 = 0x0
@p7 LDG.E r1 = [r4+0x10] else r0
MOV r3 = 0x0
@p7 LDG.E r2 = [r4+0x10] else r3
STS [r1+0x0], r2`, `MOV r0 = 0x0
@p7 LDG.E r1 = [r4+0x10] else r0
STS [r1+0x0], r1`, append(clean, opt.CopyProp, dead.DeadCode)},
		{"under one guard, over copies of zero", `COPY r0 = rz
@p7 LDG.E r1 = [r4+0x10] else r0
COPY r3 = rz
@p7 LDG.E r2 = [r4+0x10] else r3
STS [r1+0x0], r2`, `COPY r0 = rz
@p7 LDG.E r1 = [r4+0x10] else r0
STS [r1+0x0], r1`, append(clean, opt.CopyProp, dead.DeadCode)},
		{"over other words", `MOV r1 = 0x0
@p7 LDG.E r1 = [r4+0x10]
MOV r2 = 0x1
@p7 LDG.E r2 = [r4+0x10]
STS [r1+0x0], r2`, `MOV r1 = 0x0
@p7 LDG.E r1 = [r4+0x10]
MOV r2 = 0x1
@p7 LDG.E r2 = [r4+0x10]
STS [r1+0x0], r2`, clean},
	})
	for _, between := range []string{
		"STG.E [r5+0x0], r1", "ST.E [r5+0x0], r1", "BAR.SYNC 0x0", "MEMBAR.SC.GPU", "LDG.E.STRONG.GPU r3 = [r5+0x0]\nSTS [0x4], r3",
		"REDG.E.ADD.STRONG.GPU [r5+0x0], r1", "IADD3 r4 = r4, 0x4, rz",
	} {
		code := "LDG.E r1 = [r4+0x10]\n" + between + "\nLDG.E r2 = [r4+0x10]\nSTS [r1+0x0], r2"
		runCases(t, []phaseCase{{between, code, code, clean}})
	}
	code := "LDG.E.STRONG.SYS r1 = [r4+0x10]\nLDG.E.STRONG.SYS r2 = [r4+0x10]\nSTS [r1+0x0], r2"
	runCases(t, []phaseCase{{"volatile", code, code, clean}})
}

func TestSum3(t *testing.T) {
	const head = `reg r0 2/2
reg r1 2/2
reg r2 2/2
reg r3 2/2
reg r4 2/2
reg p5 1/1
reg p6 1/1
b0:
LDS.64 r0 = [0x0]
LDS.64 r1 = [0x8]
LDS.64 r2 = [0x10]
`
	got := run(t, head+`IADD3 r3[0], p5 = r0[0], r1[0], rz
IADD3.X r3[1] = r0[1], r1[1], rz, p5, ~pt
IADD3 r4[0], p6 = r2[0], r3[0], rz
IADD3.X r4[1] = r2[1], r3[1], rz, p6, ~pt
STS.64 [0x0], r4`, opt.Combine)
	want := `LDS.64 r0 = [0x0]
LDS.64 r1 = [0x8]
LDS.64 r2 = [0x10]
IADD3 r4[0], p5, p6 = r0[0], r1[0], r2[0]
IADD3.X r4[1] = r0[1], r1[1], r2[1], p5, p6
STS.64 [0x0], r4`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestDeadCycle: a value that only makes its own next one is not needed.
func TestDeadCycle(t *testing.T) {
	got := run(t, regs[:len(regs)-4]+`b0: -> b1
MOV r0 = rz
MOV r1 = rz
b1: -> b1, b2
IADD3 r0 = r0, 0x1, rz
IADD3 r1 = r1, 0x2, rz
ISETP.LT.AND p7 = r1, 0x10, pt
@p7 BRA b1
b2:
EXIT`, dead.DeadCode)
	want := "MOV r1 = rz\nIADD3 r1 = r1, 0x2, rz\nISETP.LT.AND p7 = r1, 0x10, pt\n@p7 BRA b1\nEXIT"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
