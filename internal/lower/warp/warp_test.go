package warp_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/witness/lowered"
)

// TestTogether: threads of a mask are brought together before they exchange,
// unless the mask is the warp.
func TestTogether(t *testing.T) {
	lowered.Check(t, [][3]string{
		{"sm_90", "shfl.sync.bfly.b32 %r1, %r2, 1, 31, 0xffffffff;", "WARPSYNC.ALL ; SHFL.BFLY"},
		{"sm_90", "shfl.sync.bfly.b32 %r1, %r2, 1, 31, %r3;", "WARPSYNC ; SHFL.BFLY"},
		{"sm_90", "vote.sync.ballot.b32 %r1, %p1, %r3;", "WARPSYNC ; VOTE.ANY"},
		{"sm_90", "redux.sync.add.s32 %r1, %r2, 0xffffffff;", "REDUX.SUM.S32"},
		{"sm_90", "bar.sync 0;", "BAR.SYNC"},
		{"sm_90", "bar.arrive 1, 64;", "BAR.ARV"},
		{"sm_90", "mov.u32 %r1, 1; mov.u32 %r2, 64; bar.sync %r1, %r2;", "BAR.SYNC ; !LOP3"},
		{"sm_90", "barrier.cluster.arrive;", "UCGABAR_ARV"},
		{"sm_90", "membar.gl;", "MEMBAR ; !BAR.SYNC"},
		{"sm_90", "fence.proxy.async;", "FENCE.VIEW.ASYNC"},
	})
}
