package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/float"
	"github.com/goptxas/goptxas/internal/ori"
)

func TestUnpack(t *testing.T) {
	all := []func(*ori.Func) bool{func(f *ori.Func) bool { return float.UnpackHalves(f, func(*ori.Instr) bool { return true }) }, opt.DeadCode}
	none := []func(*ori.Func) bool{func(f *ori.Func) bool { return float.UnpackHalves(f, func(*ori.Instr) bool { return false }) }, opt.DeadCode}
	const load, store = "LDS r0 = [0x0]\n", "\nSTS [0x0], r2"
	cut := func(j string) string { return load + j + "\nF2FP.F16.E4M3.UNPACK_B r2 = r1" + store }
	runCases(t, []phaseCase{
		{"low", cut("PRMT r1 = r0, 0x7710, rz"), load + "F2FP.F16.E4M3.UNPACK_B r2 = r0" + store, all},
		{"high", cut("PRMT r1 = r0, 0x7732, rz"), load + "F2FP.F16.E4M3.UNPACK_B r2 = r0.H1" + store, all},
		{"a mask", cut("LOP3.LUT r1 = r0, 0xffff, rz, 0xc0"), load + "F2FP.F16.E4M3.UNPACK_B r2 = r0" + store, all},
		{"between the halves", cut("PRMT r1 = r0, 0x7721, rz"), cut("PRMT r1 = r0, 0x7721, rz"), all},
		{"no form", cut("PRMT r1 = r0, 0x7732, rz"), cut("PRMT r1 = r0, 0x7732, rz"), none},
	})
}
