package opgen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/sim"
	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// clusterCopy is a kernel of two blocks in a cluster whose first threads copy
// at once; what came to each block's shared memory goes to `out`. In the copy
// %r4 and %r5 are the buffer and the barrier of the other block, %r2 and %r3
// those of the block itself, %r6 is 4 in the first and 8 in the second, and
// the bytes that come to each are told beside it.
func clusterCopy(arch, copies string, bytes int) string {
	return fmt.Sprintf(`.version 9.0
.target %s
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in, .param .align 64 .b8 map[128]) .reqnctapercluster 2, 1, 1
{ .reg .b32 %%r<24>; .reg .b16 %%h<4>; .reg .b64 %%rd<12>; .reg .pred %%p<4>;
.shared .align 1024 .b8 sm[4096]; .shared .align 8 .b64 bar;
ld.param.u64 %%rd1, [out]; ld.param.u64 %%rd2, [in]; mov.b64 %%rd10, map; cvta.param.u64 %%rd10, %%rd10; cvta.to.global.u64 %%rd1, %%rd1; cvta.to.global.u64 %%rd2, %%rd2;
mov.u32 %%r1, %%tid.x; mov.u32 %%r2, sm; mov.u32 %%r3, bar; mov.u32 %%r7, %%cluster_ctarank; xor.b32 %%r8, %%r7, 1; mad.lo.u32 %%r6, %%r7, 4, 4; setp.eq.u32 %%p1, %%r1, 0;
mul.wide.u32 %%rd5, %%r7, 512; add.u64 %%rd2, %%rd2, %%rd5;
mapa.shared::cluster.u32 %%r4, %%r2, %%r8; mapa.shared::cluster.u32 %%r5, %%r3, %%r8; mov.b16 %%h1, 3; shl.b32 %%r11, %%r7, 10; add.u32 %%r12, %%r2, %%r11;
@%%p1 mbarrier.init.shared.b64 [%%r3], 1; mad.lo.u32 %%r9, %%r1, 64, %%r2; mov.u32 %%r10, 0;
I: st.shared.b32 [%%r9], %%r10; add.u32 %%r9, %%r9, 4; add.u32 %%r10, %%r10, 1; setp.lt.u32 %%p2, %%r10, 16; @%%p2 bra I;
fence.mbarrier_init.release.cluster; fence.proxy.async; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
@%%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%%r3], %d;
%s
W: mbarrier.try_wait.parity.shared.b64 %%p3, [%%r3], 0; @!%%p3 bra W;
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
mad.lo.u32 %%r9, %%r1, 64, %%r2; mad.lo.u32 %%r10, %%r7, 4096, 0; mad.lo.u32 %%r10, %%r1, 64, %%r10; cvt.u64.u32 %%rd6, %%r10; add.u64 %%rd6, %%rd6, %%rd1; mov.u32 %%r10, 0;
O: ld.shared.b32 %%r11, [%%r9]; st.global.b32 [%%rd6], %%r11; add.u32 %%r9, %%r9, 4; add.u64 %%rd6, %%rd6, 4; add.u32 %%r10, %%r10, 1; setp.lt.u32 %%p2, %%r10, 16; @%%p2 bra O;
ret; }
`, arch, bytes, copies)
}

// clusterCopies are copies to another block, to both, and to the block itself,
// with the bytes that come to each block and where pixels are copied.
var clusterCopies = []struct {
	name, copies string
	bytes        int
	pixels       bool
}{
	{"bytes to the other", "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4+1024], [%rd2], 256, [%r5];", 256, false},
	{"bytes to the block itself", "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2+1024], [%rd2], 256, [%r3];", 256, false},
	{"bytes to both", "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r12], [%rd2], 128, [%r3], %h1;", 256, false},
	{"bytes to both from some threads", "setp.lt.u32 %p2, %r1, 4; shl.b32 %r13, %r1, 4; add.u32 %r12, %r12, %r13; @%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r12], [%rd2], 16, [%r3], %h1;", 128, false},
	{"bytes here and there", "setp.lt.u32 %p2, %r1, 6; and.b32 %r14, %r1, 1; setp.eq.u32 %p0, %r14, 0; shl.b32 %r13, %r1, 4; selp.b32 %r15, %r2, %r4, %p0; selp.b32 %r16, %r3, %r5, %p0; add.u32 %r15, %r15, %r13;\n@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r15], [%rd2], 16, [%r16];", 96, false},
	{"a tile to the other", "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r4], [%rd10, {%r6,%r6}], [%r5];", 512, false},
	{"a tile to both", "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r12], [%rd10, {%r6,%r6}], [%r3], %h1;", 1024, false},
	{"pixels to the other", "mov.b16 %h2, 1; @%p1 cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r4], [%rd10, {0,%r7,%r7,0}], [%r5], {%h2,%h1};", 512, true},
	{"pixels to both", "mov.b16 %h2, 1; @%p1 cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [%r12], [%rd10, {0,%r7,%r7,0}], [%r3], {%h2,%h2}, %h1;", 1024, true},
}

// TestClusterCopies: copies to other blocks of a cluster are instructions or
// routines of the driver; interpreter, our code and the reference's leave the same.
func TestClusterCopies(t *testing.T) {
	x := oracle.Find(t)
	tile := tensor.Map{Rank: 2, Type: tensor.F32, Dim: [5]uint64{64, 64}, Stride: [5]uint64{4, 256}, Box: [5]uint32{16, 8}, Step: [5]uint32{1, 1}}
	pixels := tensor.Map{Rank: 4, Type: tensor.F32, Im2col: true, Pixels: 16, Dim: [5]uint64{8, 16, 16, 2}, Stride: [5]uint64{4, 32, 512, 8192}, Box: [5]uint32{8}, Step: [5]uint32{1, 1, 1, 1}}
	for _, arch := range []string{"sm_90a", "sm_100a", "sm_120a"} {
		for _, c := range clusterCopies {
			t.Run(arch+" "+c.name, func(t *testing.T) {
				enc := tile.Encode()
				if c.pixels {
					enc = pixels.Encode()
				}
				l := launch.Launch{Kernel: "k", Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{64, 1, 1}, Cluster: [3]uint32{2, 1, 1}, Args: []launch.Arg{
					{Buf: 8192, Fill: "ones"}, {Buf: 4096, Fill: "f32", Seed: 3}, {Bytes: enc[:], Ptrs: []launch.Ptr{{Buf: 16384, Fill: "f32", Seed: 5}}},
				}}
				agreeAll(t, x, clusterCopy(arch, c.copies, c.bytes), arch, &l)
			})
		}
	}
}

// TestCopyAlone: from sm_120 on an instruction that copies to another block is
// told.
func TestCopyAlone(t *testing.T) {
	text := clusterCopy("sm_120a", clusterCopies[0].copies, clusterCopies[0].bytes)
	msg, code := compileFile(strings.Replace(text, "shared::cluster.global", "shared::cta.global", 1), "sm_120a")
	if msg != "" {
		t.Fatal(msg)
	}
	m, err := sim.Load(code)
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	l := launch.Launch{Kernel: "k", Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{64, 1, 1}, Cluster: [3]uint32{2, 1, 1}, Args: []launch.Arg{{Buf: 8192, Fill: "ones"}, {Buf: 4096, Fill: "f32", Seed: 3}, {Bytes: make([]byte, 128)}}}
	c, err := p.Prepare(&l, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = p.Run(&c.Launch); err == nil || !strings.Contains(err.Error(), "in another block") {
		t.Errorf("a copy to another block: %v", err)
	}
}
