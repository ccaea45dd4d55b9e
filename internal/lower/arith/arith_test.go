package arith_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/witness/lowered"
)

// TestSetHalves: the machine compares halves to words of ones and to the
// number one of their own type; others are chosen.
func TestSetHalves(t *testing.T) {
	lowered.Check(t, [][3]string{
		{"sm_90", "set.lt.u32.f16 %r1, %h1, %h2;", "HSET2.LT.AND ; !HSETP2 ; !SEL"},
		{"sm_90", "set.leu.ftz.u32.f16x2 %r1, %r2, %r3;", "HSET2.LEU.FTZ.AND ; !HSETP2 ; !SEL"},
		{"sm_90", "set.gt.bf16x2.bf16x2 %r1, %r2, %r3;", "HSET2.BF16_V2.BF.GT.AND ; !HSETP2 ; !SEL"},
		{"sm_90", "set.gt.or.f16x2.f16x2 %r1, %r2, %r3, %p1;", "HSET2.BF.GT.OR ; !HSETP2 ; !SEL"},
		{"sm_90", "set.gt.f32.f32 %f1, %f2, %f3;", "FSETP ; SEL"},
	})
}

// TestFiniteHalf: sm_75 has no conversion to halves that saturates; the reference
// makes no code there.
func TestFiniteHalf(t *testing.T) {
	lowered.Check(t, [][3]string{
		{"sm_75", "cvt.rz.satfinite.f16.f32 %h1, %f1;", "FMNMX ; FMNMX ; FSETP.NAN.AND ; SEL ; F2F.F16.F32.RZ"},
		{"sm_80", "cvt.rz.satfinite.f16.f32 %h1, %f1;", "!FMNMX ; F2FP"},
	})
}
