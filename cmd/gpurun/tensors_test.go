package main

import (
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/witness/front"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// tensorText adds two boxes, which one barrier waits for, and stores a third.
const tensorText = `.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .align 64 .b8 a[128], .param .align 64 .b8 b[128], .param .align 64 .b8 c[128])
.reqntid 32
{
	.reg .b64 %d<8>; .reg .b32 %r<12>; .reg .f32 %f<4>; .reg .pred %p<4>;
	.shared .align 128 .b8 s[3072];
	.shared .align 8 .b64 bar;
	mov.b64 %d1, a; mov.b64 %d2, b; mov.b64 %d3, c;
	cvta.param.u64 %d1, %d1; cvta.param.u64 %d2, %d2; cvta.param.u64 %d3, %d3;
	mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r3, bar; mov.u32 %r4, 0;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra W;
	mbarrier.init.shared.b64 [%r3], 1;
	mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 3072;
	cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r2], [%d1, {%r4, %r4}], [%r3];
	add.s32 %r5, %r2, 1024;
	cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r5], [%d2, {%r4, %r4}], [%r3];
W:
	bar.sync 0;
L:
	mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;
	@!%p2 bra L;
	@%p1 bra E;
	cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d3, {%r4, %r4}], [%r2];
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group 0;
E:
	ret;
}
`

// TestTensorMaps plans a launch with maps: both loads together bring what the
// barrier expects, and the launch ends.
func TestTensorMaps(t *testing.T) {
	x, err := front.Check("k.ptx", tensorText, "sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptxvm.New(x.Module, x.Bodies)
	if err != nil {
		t.Fatal(err)
	}
	k := kernels(x)[0]
	start := k.launchOf(&attempts[0], windows[0], 0)
	if x := probe(p, &start, time.Time{}); len(x.maps) != 3 || len(x.expects) == 0 || x.expects[0].bytes != 3072 || len(x.expects[0].count) != 2 {
		t.Fatalf("the probe found %+v", x)
	}
	good := k.pick(p, 1, time.Now().Add(time.Minute))
	if len(good) != 1 || good[0].level() != 0 {
		t.Fatalf("no good launch: %+v", good)
	}
	var bytes [3]uint32
	for n, a := range good[0].launch.Args {
		m, err := tensor.Decode(a.Bytes)
		if err != nil || m.Rank != 2 {
			t.Fatalf("argument %d: %+v %v", n, m, err)
		}
		bytes[n] = m.Bytes()
	}
	if bytes[0]+bytes[1] != 3072 || bytes[2] == 0 || bytes[2] > 3072 {
		t.Errorf("boxes of %d bytes", bytes)
	}
}
