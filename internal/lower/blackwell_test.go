package lower

import (
	"strings"
	"testing"
)

// TestTensorMemory lowers instructions on tensor memory one at a time. The
// facts come from the reference's code for the same text; TestTensorMix of
// internal/witness/opgen compares all forms.
func TestTensorMemory(t *testing.T) {
	const elect = "elect.sync _|%p1, 0xffffffff; @%p1 "
	for _, c := range []struct{ text, want string }{
		{"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 128;", "LDS.U8 ; BPT.TRAP ; ELECT ; UTCATOMSWS.FIND_AND_SET.ALIGN ; NANOSLEEP ; ATOMS.OR ; ATOMS.OR ; STS ; WARPSYNC.ALL"},
		{"tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r1], %r2;", "SYNCS.PHASECHK.TRANS64.TRYWAIT ; SYNCS.ARRIVE.TRANS64.RED.A1T0 ; UTCATOMSWS.2CTA.FIND_AND_SET.ALIGN ; STAS"},
		{"tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 64;", "BPT.TRAP ; BPT.TRAP ; ELECT ; UTCATOMSWS.AND ; ATOMS.AND ; ATOMS.AND"},
		{"tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;", "ELECT ; UVIRTCOUNT.DEALLOC.SMPOOL 0x80 ; STS.U8"},
		{"tcgen05.ld.sync.aligned.16x64b.x4.pack::16b.b32 {%r1,%r2,%r3,%r4}, [%r5+64];", "R2UR ; LDTM.16dp64bit.x4.PACK16BIT ; +0x40"},
		{"@%p1 tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r5];", "BRA ; LDTM"},
		{"tcgen05.st.sync.aligned.16x32bx2.x2.b32 [%r5], 8, {%r1,%r2};", "STTM.16dp32bit_t0_t15.x2 ; STTM.16dp32bit_t16_t31.x2 ; +0x8"},
		{"mov.b32 %r6, 0; tcgen05.st.sync.aligned.32x32b.x2.b32 [%r5], {%r6,%r6};", "STTM.x2 ; , rz"},
		{"tcgen05.wait::st.sync.aligned;", "FENCE.VIEW.ASYNC.T"},
		{elect + "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, 1;", "VOTEU.ANY ; UTCHMMA gdesc[ ; gdesc[ ; tmem[ ; tmem[ ; , upt"},
		{elect + "tcgen05.mma.sp.cta_group::2.kind::mxf8f6f4.block_scale [%r1], [%r3+4], %rd2, [%r4], %r2, [%r5], [%r6], %p2;", "IADD3 ; VOTEU.ANY ; UTCQMMA.2CTA tmem["},
		{"tcgen05.mma.ws.cta_group::1.kind::i8.collector::b3::use [%r1], %rd1, %rd2, %r2, %p2;", "SEL ; UISETP.NE ; UTCIMMA.WS gdesc[ ; ]+0x3c0 ; BRA"},
		{elect + "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r1], %h1;", "UTCBAR.MULTICAST ; urz"},
		{elect + "tcgen05.cp.cta_group::1.4x256b.b8x16.b6x16_p32 [%r1], %rd1;", "UTCCP.T.S.4dp256bit.U6x16P32"},
		{elect + "tcgen05.shift.cta_group::2.down [%r1];", "UTCSHIFT.2CTA.DOWN"},
	} {
		text := strings.Replace(kernel("", c.text), "sm_90a", "sm_100a", 1)
		got, err := loweredFor("sm_100a", text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if w := inOrder(got, c.want); w != "" {
			t.Errorf("%s: no %q in\n%s", c.text, w, got)
		}
	}
}
