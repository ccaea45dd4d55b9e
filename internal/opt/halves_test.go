package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt/dead"
	"github.com/goptxas/goptxas/internal/opt/float"
	"github.com/goptxas/goptxas/internal/ori"
)

func TestHalves(t *testing.T) {
	all := func(f *ori.Func) bool { return float.HalfConstants(f, func(*ori.Instr) bool { return true }) }
	none := func(f *ori.Func) bool { return float.HalfConstants(f, func(*ori.Instr) bool { return false }) }
	runCases(t, []phaseCase{
		{"one half for both lanes", `LDS r0 = [0x0]
MOV r1 = 0x3c00
HMUL2 r2 = r1.H0, r0.H0
STS [0x0], r2`, "LDS r0 = [0x0]\nHMUL2 r2 = r0.H0, 0x3c00, 0x3c00\nSTS [0x0], r2", []func(*ori.Func) bool{all, dead.DeadCode}},
		{"two halves and a sign", `LDS r0 = [0x0]
MOV r1 = 0x3c004000
HADD2 r2 = r0, -r1
STS [0x0], r2`, "LDS r0 = [0x0]\nHADD2 r2 = r0, 0xbc00, 0xc000\nSTS [0x0], r2", []func(*ori.Func) bool{all, dead.DeadCode}},
		{"a summand", `LDS r0 = [0x0]
MOV r1 = 0x3c004000
HFMA2 r2 = r0, r0, r1
STS [0x0], r2`, "LDS r0 = [0x0]\nHFMA2 r2 = r0, r0, 0x3c00, 0x4000\nSTS [0x0], r2", []func(*ori.Func) bool{all, dead.DeadCode}},
		{"no form", `LDS r0 = [0x0]
MOV r1 = 0x3c00
HMUL2 r2 = r0.H0, r1.H0
STS [0x0], r2`, "LDS r0 = [0x0]\nMOV r1 = 0x3c00\nHMUL2 r2 = r0.H0, r1.H0\nSTS [0x0], r2", []func(*ori.Func) bool{none, dead.DeadCode}},
	})
}
