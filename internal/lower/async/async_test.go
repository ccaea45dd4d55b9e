package async_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/witness/lowered"
)

// TestAsynchronous: copies, their groups and barriers in memory.
func TestAsynchronous(t *testing.T) {
	lowered.Check(t, [][3]string{
		{"sm_80", "cp.async.ca.shared.global [%r1], [%rd1], 16;", "LDGSTS.E.128"},
		{"sm_80", "cp.async.commit_group;", "LDGDEPBAR"},
		{"sm_80", "cp.async.wait_group 2;", "DEPBAR.LE ; 0x2"},
		{"sm_90", "mbarrier.init.shared.b64 [%r1], 4;", "SYNCS.EXCH.64"},
		{"sm_90", "mbarrier.arrive.shared.b64 %rd1, [%r1];", "SYNCS.ARRIVE.TRANS64"},
		{"sm_80", "mbarrier.arrive.shared.b64 %rd1, [%r1];", "ATOMS ; !SYNCS"},
		{"sm_90", "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2;", "SYNCS.PHASECHK"},
		{"sm_90", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, [%r3];", "UBLKCP"},
		{"sm_90", "cp.async.bulk.commit_group;", "UTMACMDFLUSH"},
		{"sm_90", "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {%r2}], %r1;", "UTMASTG.1D"},
		{"sm_90", "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes %r1, [%rd1, {%r2}], %r3;", "UTMALDG.1D"},
	})
}

// TestOneThread: an order is given once where one thread of a warp comes at
// most; elsewhere threads take turns.
func TestOneThread(t *testing.T) {
	const (
		lane   = "mov.u32 %r1, %laneid; "
		reduce = "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r3], 128;"
	)
	lowered.Check(t, [][3]string{
		{"sm_90", reduce, "UBLKRED ; BRA"},
		{"sm_90", "elect.sync _|%p1, -1; @%p1 " + reduce, "UBLKRED ; !BRA"},
		{"sm_90", lane + "setp.eq.u32 %p1, %r1, 3; @%p1 " + reduce, "UBLKRED ; !BRA"},
		{"sm_90", lane + "setp.ne.u32 %p1, %r1, 3; @!%p1 " + reduce, "UBLKRED ; !BRA"},
		{"sm_90", lane + "setp.ne.u32 %p1, %r1, 3; @%p1 " + reduce, "UBLKRED ; BRA"},
		{"sm_90", lane + "setp.eq.u32 %p1, %r1, %r2; @%p1 " + reduce, "UBLKRED ; BRA"},
		{"sm_90", "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 3; @%p1 " + reduce, "UBLKRED ; BRA"},
		{"sm_90", lane + "add.u32 %r1, %r1, %r2; setp.eq.u32 %p1, %r1, 3; @%p1 " + reduce, "UBLKRED ; BRA"},
		{"sm_90", lane + "setp.eq.u32 %p1, %r1, 3; and.pred %p2, %p1, %p3; @%p2 " + reduce, "UBLKRED ; !BRA"},
		{"sm_90", lane + "setp.eq.u32 %p1, %r1, 3; setp.eq.u32 %p3, %r1, 4; or.pred %p2, %p1, %p3; @%p2 " + reduce, "UBLKRED ; BRA"},
		{"sm_90", lane + "setp.eq.u32 %p1, %r1, 3; @%p4 setp.eq.u32 %p1, %r1, 4; @%p1 " + reduce, "UBLKRED ; BRA"},
	})
}
