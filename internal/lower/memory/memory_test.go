package memory_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/witness/lowered"
)

// TestAccesses: the space chooses the operation, ordering its modifiers and
// the fences around it.
func TestAccesses(t *testing.T) {
	lowered.Check(t, [][3]string{
		{"sm_90", "ld.global.u32 %r1, [%rd1+8];", "LDG.E ; !STRONG"},
		{"sm_90", "ld.shared.v2.u32 {%r1, %r2}, [%r3];", "LDS.64"},
		{"sm_90", "ld.local.u8 %r1, [%r3];", "LDL.U8"},
		{"sm_90", "ld.u64 %rd1, [%rd2];", "LD.E.64"},
		{"sm_90", "st.release.gpu.global.u32 [%rd1], %r1;", "MEMBAR.ALL.GPU ; STG.E.STRONG.GPU"},
		{"sm_90", "ld.acquire.gpu.global.u32 %r1, [%rd1];", "LDG.E.STRONG.GPU ; CCTL.IVALL"},
		{"sm_90", "ld.param.u32 %r1, [pp];", "c[0x0][0x210]"},
		{"sm_80", "ld.param.u32 %r1, [pp];", "c[0x0][0x160]"},
		{"sm_90", "atom.shared.add.u32 %r1, [%r2], %r3;", "ATOMS"},
		{"sm_90", "atom.global.add.u32 %r1, [%rd1], %r3;", "ATOMG"},
		{"sm_90", "cvta.to.shared.u64 %rd1, %rd2;", "!LDS ; !STS"},
	})
}
