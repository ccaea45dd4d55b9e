package matrix_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/witness/lowered"
)

// TestProducts: one instruction where the machine has it, others where not.
func TestProducts(t *testing.T) {
	const f16 = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f5,%f6,%f7,%f8};"
	const b1 = "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%r1,%r2,%r3,%r4}, {%r5,%r6,%r7,%r8}, {%r9,%r10}, {%r11,%r12,%r13,%r14};"
	lowered.Check(t, [][3]string{
		{"sm_80", f16, "HMMA.16816.F32"},
		{"sm_90", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1,%fd2}, {%fd3}, {%fd4}, {%fd5,%fd6};", "DMMA"},
		{"sm_80", b1, "BMMA.168256.AND.POPC"},
		{"sm_100", b1, "!BMMA ; IMMA"},
		{"sm_90", "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;", "MOVM.16.MT88"},
		{"sm_90", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1,%r2,%r3,%r4}, [%r5];", "LDSM.16.M88.4"},
		{"sm_90", "ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%r5];", "LDSM.16.M88"},
		{"sm_80", "ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%r5];", "c[0x0][0x18] ; IADD3 ; LDSM.16.M88"},
		{"sm_100", "stmatrix.sync.aligned.m8n8.x1.b16 [%r5], {%r1};", "STSM.16.M88"},
		{"sm_80", "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%r9];", "LD.E"},
		{"sm_90a", "wgmma.fence.sync.aligned;", "WARPGROUP.ARRIVE"},
	})
}
