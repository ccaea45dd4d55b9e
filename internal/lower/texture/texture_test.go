package texture_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/witness/lowered"
)

// TestTextures: the geometry and the level choose the operation.
func TestTextures(t *testing.T) {
	lowered.Check(t, [][3]string{
		{"sm_90", "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}];", "TEX ; 2D"},
		{"sm_90", "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r5}];", "TLD ; 1D"},
		{"sm_90", "tex.level.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}], %f7;", "TEX ; 2D"},
		{"sm_90", "tld4.r.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5,%f6}];", "TLD4.R"},
		{"sm_90", "suld.b.2d.b32.trap %r1, [%rd1, {%r2,%r3}];", "SULD.D"},
		{"sm_90", "sust.b.1d.b32.clamp [%rd1, {%r2}], %r3;", "SUST.D"},
	})
}
