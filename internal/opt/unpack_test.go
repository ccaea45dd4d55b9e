package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt/dead"
	"github.com/goptxas/goptxas/internal/opt/float"
	"github.com/goptxas/goptxas/internal/ori"
)

func TestUnpack(t *testing.T) {
	all := []func(*ori.Func) bool{func(f *ori.Func) bool { return float.UnpackHalves(f, func(*ori.Instr) bool { return true }) }, dead.DeadCode}
	none := []func(*ori.Func) bool{func(f *ori.Func) bool { return float.UnpackHalves(f, func(*ori.Instr) bool { return false }) }, dead.DeadCode}
	const load, store = "LDS r0 = [0x0]\n", "\nSTS [0x0], r2"
	cut := func(j string) string { return load + j + "\nF2FP.F16.E4M3.UNPACK_B r2 = r1" + store }
	bite := func(j string) string { return load + j + "\nF2FP.F16.E2M1.UNPACK_B r2 = r1" + store }
	runCases(t, []phaseCase{
		{"low", cut("PRMT r1 = r0, 0x7710, rz"), load + "F2FP.F16.E4M3.UNPACK_B r2 = r0" + store, all},
		{"high", cut("PRMT r1 = r0, 0x7732, rz"), load + "F2FP.F16.E4M3.UNPACK_B r2 = r0.H1" + store, all},
		{"a mask", cut("LOP3.LUT r1 = r0, 0xffff, rz, 0xc0"), load + "F2FP.F16.E4M3.UNPACK_B r2 = r0" + store, all},
		{"between the halves", cut("PRMT r1 = r0, 0x7721, rz"), cut("PRMT r1 = r0, 0x7721, rz"), all},
		{"byte 0", bite("PRMT r1 = r0, 0x7770, rz"), load + "F2FP.F16.E2M1.UNPACK_B r2 = r0" + store, all},
		{"byte 1", bite("PRMT r1 = r0, 0x7771, rz"), load + "F2FP.F16.E2M1.UNPACK_B r2 = r0.B1" + store, all},
		{"byte 2", bite("SHF.R.U32.HI r1 = rz, 0x10, r0"), load + "F2FP.F16.E2M1.UNPACK_B r2 = r0.H1" + store, all},
		{"byte 3", bite("PRMT r1 = rz, 0x7, r0"), load + "F2FP.F16.E2M1.UNPACK_B r2 = r0.H1.B1" + store, all},
		{"a sign", bite("PRMT r1 = r0, 0x9, rz"), bite("PRMT r1 = r0, 0x9, rz"), all},
		{"parts of bytes", bite("SHF.R.U32.HI r1 = rz, 0x4, r0"), bite("SHF.R.U32.HI r1 = rz, 0x4, r0"), all},
		{"a half converted", load + "PRMT r1 = r0, 0x7732, rz\nF2F.BF16.F16 r2 = r1" + store, load + "F2F.BF16.F16 r2 = r0.H1" + store, all},
		{"the low half converted", load + "PRMT r1 = r0, 0x7710, rz\nF2I.F16 r2 = r1" + store, load + "F2I.F16 r2 = r0" + store, all},
		{"no form of a conversion", load + "PRMT r1 = r0, 0x7710, rz\nF2F.BF16.F32 r2 = r1" + store, load + "PRMT r1 = r0, 0x7710, rz\nF2F.BF16.F32 r2 = r1" + store, none},
		{"no form", cut("PRMT r1 = r0, 0x7732, rz"), cut("PRMT r1 = r0, 0x7732, rz"), none},
	})
}

func TestPack(t *testing.T) {
	all := []func(*ori.Func) bool{func(f *ori.Func) bool { return float.PackHalves(f, func(*ori.Instr) bool { return true }, 1000) }}
	none := []func(*ori.Func) bool{func(f *ori.Func) bool { return float.PackHalves(f, func(*ori.Instr) bool { return false }, 1000) }}
	const load, store = "LDS r0 = [0x0]\nLDS r1 = [0x4]\n", "\nSTS [0x0], r4"
	two := func(a, b string) string { return load + a + "\n" + b + "\nPRMT r4 = r2, 0x5410, r3" + store }
	one := func(s string) string { return load + s + store }
	fma := two("HFMA2 r2 = r0.H0, r1.H0, rz", "HFMA2 r3 = r0.H1, r1.H0, rz")
	same := func(s string) phaseCase { return phaseCase{"left: " + s, s, s, all} }
	runCases(t, []phaseCase{
		{"halves of a word and a half of both", fma, one("HFMA2 r4 = r0, r1.H0, rz"), all},
		{"high halves", two("HADD2 r2 = r0.H1, -r1.H0", "HADD2 r3 = r0.H1, -r1.H1"), one("HADD2 r4 = r0.H1, -r1"), all},
		{"may be fused", two("HMUL2.CONTRACT r2 = r0, r1.H1", "HMUL2.CONTRACT r3 = r0.H1, r1.H1"), one("HMUL2 r4 = r0, r1.H1"), all},
		{"no form", fma, fma, none},
		{"crossed", two("HMUL2 r2 = r0.H1, r1.H0", "HMUL2 r3 = r0.H0, r1.H0"), one("PRMT r9 = r0, 0x5432, r0\nHMUL2 r4 = r9, r1.H0"), all},
		{"another word", two("HMUL2 r2 = r0.H0, r1.H0", "HMUL2 r3 = r1.H1, r1.H0"), one("PRMT r9 = r0, 0x7610, r1\nHMUL2 r4 = r9, r1.H0"), all},
		same(two("HMUL2 r2 = r0.H0, r1.H0", "HADD2 r3 = r0.H1, r1.H0")),         // another operation
		same(two("HMUL2 r2 = r0.H0, r1.H0", "HMUL2 r3 = r0.H1, -r1.H0")),        // another sign
		same(two("HMUL2 r2 = r0.H0, r0.H1", "HMUL2 r3 = r1.H1, r1.H0")),         // two words that are not one
		same(two("HADD2.F32 r2 = r0.H0, r1.H0", "HADD2.F32 r3 = r0.H1, r1.H0")), // 32 bits come out
		same(fma + "\nSTS [0x4], r2"),                                                   // read elsewhere
		same(load + "HMUL2 r2 = r0.H0, r1.H0\nPRMT r4 = r2, 0x5410, r2" + store),        // one operation
		same(two("HMUL2 r2 = r0.H0, r1.H0", "LDS r0 = [0x8]\nHMUL2 r3 = r0.H1, r1.H0")), // the word changes between them
	})
}
