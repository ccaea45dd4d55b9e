package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt/control"
	"github.com/goptxas/goptxas/internal/ori"
)

func TestSelects(t *testing.T) {
	runCases(t, []phaseCase{
		{"a move over a move", `MOV r0 = r1
@p7 MOV r0 = r2
STS [0x0], r0`, "SEL r0 = r2, r1, p7\nSTS [0x0], r0", []func(*ori.Func) bool{control.Selects}},
		{"two sides", `@~p7 COPY r0 = r1
@p7 MOV r0 = 0x5
STS [0x0], r0`, "SEL r0 = r1, 0x5, ~p7\nSTS [0x0], r0", []func(*ori.Func) bool{control.Selects}},
		{"the source changes between", `MOV r0 = r1
MOV r1 = 0x5
@p7 MOV r0 = r2
STS [r1+0x0], r0`, "MOV r0 = r1\nMOV r1 = 0x5\n@p7 MOV r0 = r2\nSTS [r1+0x0], r0", []func(*ori.Func) bool{control.Selects}},
		{"somebody looks", `MOV r0 = r1
STS [0x4], r0
@p7 MOV r0 = r2
STS [0x0], r0`, "MOV r0 = r1\nSTS [0x4], r0\n@p7 MOV r0 = r2\nSTS [0x0], r0", []func(*ori.Func) bool{control.Selects}},
		{"the guard is made between", `MOV r0 = r1
ISETP.LT.AND p7 = r1, r2, pt
@p7 MOV r0 = r2
STS [0x0], r0`, "ISETP.LT.AND p7 = r1, r2, pt\nSEL r0 = r2, r1, p7\nSTS [0x0], r0", []func(*ori.Func) bool{control.Selects}},
		{"the guard changes between", `@~p7 MOV r0 = r1
ISETP.LT.AND p7 = r1, r2, pt
@p7 MOV r0 = r2
STS [0x0], r0`, "@~p7 MOV r0 = r1\nISETP.LT.AND p7 = r1, r2, pt\n@p7 MOV r0 = r2\nSTS [0x0], r0", []func(*ori.Func) bool{control.Selects}},
		{"guards that are no opposites", `@p7 MOV r0 = r1
@p7 MOV r0 = r2
STS [0x0], r0`, "@p7 MOV r0 = r1\n@p7 MOV r0 = r2\nSTS [0x0], r0", []func(*ori.Func) bool{control.Selects}},
	})
}
