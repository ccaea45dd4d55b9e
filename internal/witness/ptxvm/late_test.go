package ptxvm

import (
	"bytes"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/launch"
)

// Copies of a block of 32 threads, each through a place of its own in shared
// memory, by cp.async and by bulk copies.
const lateText = `.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
	.reg .b64 %d<6>; .reg .b32 %r<8>; .reg .pred %p<3>;
	.shared .align 128 .b8 s[1024];
	.shared .align 8 .b64 bar;
	ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out];
	mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; cvt.u64.u32 %d3, %r2;
	add.s64 %d1, %d1, %d3; add.s64 %d2, %d2, %d3;
	mov.u32 %r3, s; add.s32 %r3, %r3, %r2;
	st.shared.u32 [%r3], %r1;
	cp.async.ca.shared.global [%r3], [%d1], 4;
	cp.async.commit_group;
	WAIT
	ld.shared.u32 %r4, [%r3];
	st.global.u32 [%d2], %r4;
	cp.async.wait_all;
	setp.ne.u32 %p1, %r1, 0;
	mov.u32 %r5, bar;
	@%p1 bra W;
	mbarrier.init.shared.b64 [%r5], 1;
	mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 128;
	mov.u32 %r6, s; add.s32 %r6, %r6, 512;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%d1], 128, [%r5];
W:
	bar.sync 0;
	TEST
	ld.shared.u32 %r4, [%r3+512];
	st.global.u32 [%d2+128], %r4;
L:
	mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;
	@!%p2 bra L;
	ret;
}
`

// TestLate runs a program with its waits, whose result no timing changes, and
// without one of them.
func TestLate(t *testing.T) {
	const wait, test = "cp.async.wait_group 0;", "T: mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0; @!%p2 bra T;"
	list, err := launch.Parse("//: run k grid=1 block=32\n//: buf 256 bits 1\n//: buf 256 zero\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		wait, test string
		same       bool
	}{{wait, test, true}, {"", test, false}, {wait, "", false}} {
		text := strings.Replace(strings.Replace(lateText, "WAIT", c.wait, 1), "TEST", c.test, 1)
		p, err := Load("late.ptx", text, "sm_90a")
		if err != nil {
			t.Fatal(err)
		}
		early, st, err := p.RunStats(&list[0], Options{})
		if err != nil || !st.Async {
			t.Fatal(err, st.Async)
		}
		late, err := p.Run(&list[0], Options{Late: true})
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(early[1], late[1]) != c.same {
			t.Errorf("with %q and %q early and late are the same: %v", c.wait, c.test, !c.same)
		}
	}
}
