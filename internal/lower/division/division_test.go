package division_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/witness/lowered"
)

// TestDivision: constants divide by products, words by an estimate in place;
// pairs and floats have a quick way in place and a slow one aside, and pairs of
// which the program asks itself whether they are short have only the slow one.
func TestDivision(t *testing.T) {
	lowered.Check(t, [][3]string{
		{"sm_90", "div.u32 %r1, %r2, 7;", "IMAD ; !MUFU"},
		{"sm_90", "div.u32 %r1, %r2, 8;", "!IMAD ; !MUFU"},
		{"sm_90", "div.s32 %r1, %r2, %r3;", "MUFU.RCP ; !CALL"},
		{"sm_90", "div.u64 %rd1, %rd2, %rd3;", "I2FP.F32.U32 ; I2F.U64"},
		{"sm_90", "or.b64 %rd4, %rd2, %rd3; div.u64 %rd1, %rd2, %rd3;", "!I2FP.F32.U32 ; I2F.U64"},
		{"sm_90", "or.b64 %rd4, %rd3, %rd2; rem.s64 %rd1, %rd2, %rd3;", "!I2FP.F32.U32 ; I2F.U64"},
		{"sm_90", "or.b64 %rd4, %rd2, %rd4; div.u64 %rd1, %rd2, %rd3;", "I2FP.F32.U32 ; I2F.U64"},
		{"sm_90", "div.approx.f32 %f1, %f2, %f3;", "MUFU.RCP ; !BRA"},
		{"sm_90", "div.rn.f32 %f1, %f2, %f3;", "MUFU.RCP ; FCHK"},
		{"sm_90", "div.rn.f64 %fd1, %fd2, %fd3;", "MUFU.RCP64H ; DFMA"},
		{"sm_90", "sqrt.rn.f32 %f1, %f2;", "MUFU.RSQ"},
	})
}
