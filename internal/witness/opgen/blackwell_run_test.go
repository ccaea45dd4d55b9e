package opgen

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
	"github.com/goptxas/goptxas/internal/witness/tensor"
)

// blackwellKernel is a kernel of one warp around a body: its words of `in`
// stand in %r10 to %r13 and 2,048 bytes of it in shared memory; what the
// registers and shared memory hold at the end goes to `out`.
func blackwellKernel(arch, body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version 9.0\n.target %s\n.address_size 64\n", arch)
	b.WriteString(`.visible .entry k(.param .u64 out, .param .u64 in, .param .align 64 .b8 map[128])
{ .reg .b32 %r<40>; .reg .b16 %h<4>; .reg .b64 %rd<20>; .reg .pred %p<4>; .reg .b128 %q1;
.shared .align 1024 .b8 sm[4096]; .shared .align 8 .b64 bar;
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; mov.u32 %r1, %tid.x; mov.u32 %r2, sm; mov.u32 %r3, bar; mov.b64 %rd10, map;
cvta.param.u64 %rd10, %rd10; setp.eq.u32 %p1, %r1, 0; mul.wide.u32 %rd3, %r1, 16; add.u64 %rd4, %rd2, %rd3; add.u64 %rd5, %rd1, %rd3;
mad.lo.u32 %r4, %r1, 16, %r2;
`)
	for k := range 4 {
		fmt.Fprintf(&b, "ld.global.v4.b32 {%%r10,%%r11,%%r12,%%r13}, [%%rd4+%d]; st.shared.v4.b32 [%%r4+%d], {%%r10,%%r11,%%r12,%%r13};\n", 512*k, 512*k)
	}
	b.WriteString("@%p1 mbarrier.init.shared.b64 [%r3], 1; fence.mbarrier_init.release.cluster; fence.proxy.async; bar.sync 0;\n")
	b.WriteString(body)
	b.WriteString("\nbar.sync 0; st.global.v4.b32 [%rd5], {%r10,%r11,%r12,%r13};\n")
	for k := range 4 {
		fmt.Fprintf(&b, "ld.shared.v4.b32 {%%r10,%%r11,%%r12,%%r13}, [%%r4+%d]; st.global.v4.b32 [%%rd5+%d], {%%r10,%%r11,%%r12,%%r13};\n", 512*k, 512+512*k)
	}
	b.WriteString("ret; }\n")
	return b.String()
}

// Parts of bodies: an address for each lane, and waiting for the barrier.
const (
	rowsInDisorder = "mul.lo.u32 %r5, %r1, 7; and.b32 %r5, %r5, 31; shl.b32 %r5, %r5, 4; add.u32 %r5, %r5, %r2;\n"
	untilTold      = "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0; @!%p2 bra W;\n"
	bulkDone       = "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0;\n"
)

// extremeBody and halfExtremes are extremes of extremes and of sums, with zero as
// the least, of words and of halves.
const (
	extremeBody = `add.u32 %r20, %r10, %r11; max.s32 %r20, %r20, %r12; max.s32 %r20, %r20, 0; sub.u32 %r21, %r11, %r13; min.u32 %r21, %r21, 77777;
max.s32 %r22, %r12, %r13; max.s32 %r22, %r22, %r10; min.s32 %r22, %r22, 1000; min.s32 %r22, %r22, %r11; max.relu.s32 %r23, %r13, %r10; max.s32 %r23, %r23, %r11;
min.relu.s32 %r24, %r10, %r12; min.s32 %r24, %r24, %r13; add.u32 %r25, %r10, -9; max.u32 %r25, %r25, %r11; min.s16x2 %r26, %r10, %r11; mov.b32 %r31, 0; max.s16x2 %r26, %r26, %r31; min.s16x2 %r27, %r10, %r12; min.s16x2 %r27, %r27, %r13;
max.u16x2 %r28, %r10, %r12; max.u16x2 %r28, %r28, %r11; add.u16x2 %r29, %r11, %r12; max.u16x2 %r29, %r29, %r13; add.s16x2 %r30, %r13, %r12; min.relu.s16x2 %r30, %r30, %r11;
setp.lt.s32 %p3, %r10, %r13; @%p3 max.s32 %r5, %r10, %r11; @%p3 max.s32 %r29, %r5, %r12; @!%p3 add.u32 %r5, %r11, %r13; @!%p3 min.s32 %r28, %r5, %r10; @%p3 max.f32 %r5, %r21, %r22; @%p3 max.f32 %r24, %r5, %r20;
xor.b32 %r10, %r20, %r21; xor.b32 %r10, %r10, %r22; xor.b32 %r11, %r23, %r24; xor.b32 %r11, %r11, %r25; xor.b32 %r12, %r26, %r27; xor.b32 %r13, %r28, %r29; xor.b32 %r13, %r13, %r30;`
	halfExtremes = `mov.b32 %r30, 0x3c00c400; max.f16x2 %r20, %r10, %r11; max.f16x2 %r20, %r20, %r12; min.NaN.f16x2 %r21, %r11, %r13; min.NaN.f16x2 %r21, %r21, %r10; min.bf16x2 %r22, %r10, %r12; min.bf16x2 %r22, %r22, %r13;
max.NaN.bf16x2 %r23, %r13, %r30; max.NaN.bf16x2 %r23, %r23, %r11; min.f16x2 %r24, %r12, %r30; min.f16x2 %r24, %r13, %r24; mov.b32 {%h1, %h2}, %r10; mov.b32 {%h3, _}, %r11; max.f16 %h1, %h1, %h2; max.f16 %h1, %h1, %h3; cvt.u32.u16 %r25, %h1;
xor.b32 %r10, %r20, %r24; mov.b32 %r11, %r21; xor.b32 %r12, %r22, %r25; mov.b32 %r13, %r23;`
)

// blackwellBodies are instructions that came with sm_100 and sm_120 beside
// tensor memory.
var blackwellBodies = []struct{ name, arch, body string }{
	{"ldmatrix b8", "sm_100a", rowsInDisorder + "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r10,%r11}, [%r5];"},
	{"ldmatrix b8 x2", "sm_120a", rowsInDisorder + "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%r10,%r11,%r12,%r13}, [%r5];"},
	{"ldmatrix b6", "sm_100a", rowsInDisorder + "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8x16.b6x16_p32 {%r10,%r11,%r12,%r13}, [%r5];"},
	{"ldmatrix b4", "sm_120a", rowsInDisorder + "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8x16.b4x16_p64 {%r10,%r11}, [%r5];"},
	{"ldmatrix b6 m8n16", "sm_120a", rowsInDisorder + "ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b6x16_p32 {%r10,%r11,%r12,%r13}, [%r5];"},
	{"ldmatrix b4 m8n16", "sm_100a", rowsInDisorder + "ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b4x16_p64 {%r10,%r11}, [%r5];"},
	{"stmatrix b8", "sm_100a", rowsInDisorder + "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r5], {%r10};"},
	{"stmatrix b8 x4", "sm_120a", rowsInDisorder + "stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [%r5], {%r10,%r11,%r12,%r13};"},
	{"cp_mask", "sm_100a", "mov.b16 %h1, 0x5a93; mov.u32 %r20, 256; @%p1 cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1+4096], [%r2+64], %r20, %h1;\n" + bulkDone},
	{"st.async.mmio", "sm_100a", "add.u64 %rd6, %rd5, 4096; st.async.mmio.release.sys.global.b32 [%rd6], %r11;"},
	{"st.async.mmio 64", "sm_120a", "mov.b64 %rd7, {%r10,%r11}; add.u64 %rd6, %rd5, 4096; st.async.mmio.release.sys.global.b64 [%rd6], %rd7;"},
	{"red.async.mmio", "sm_100a", "mov.b64 %rd7, {%r10,%r11}; red.async.mmio.release.sys.global.add.u64 [%rd1+4096], %rd7;"},
	{"red.async.mmio 32", "sm_100a", "red.async.mmio.release.sys.global.add.u32 [%rd1+4100], %r10; red.async.mmio.release.sys.add.s32 [%rd1+4104], %r11;"},
	{"red.async.mmio 32", "sm_120a", "red.async.mmio.release.sys.global.add.u32 [%rd1+4100], %r10; red.async.mmio.release.sys.add.s32 [%rd1+4104], %r11;"},
	{"e2m1x2 of halves", "sm_100a", "{ .reg .b8 %b<4>; cvt.rn.satfinite.e2m1x2.f16x2 %b0, %r10; cvt.rn.satfinite.relu.e2m1x2.f16x2 %b1, %r11; cvt.rn.satfinite.e2m1x2.f16x2 %b2, %r12; cvt.rn.satfinite.e2m1x2.f16x2 %b3, %r13; mov.b32 %r10, {%b0, %b1, %b2, %b3}; }"},
	{"cvt.rs f16x2", "sm_100a", "cvt.rs.f16x2.f32 %r10, %r10, %r11, %r12; cvt.rs.relu.satfinite.bf16x2.f32 %r11, %r11, %r12, %r13;"},
	{"cvt.rs of one number for all", "sm_100a", "mov.b32 %r20, 0x1234567; ld.param.u32 %r21, [map+8]; cvt.rs.f16x2.f32 %r10, %r10, %r11, %r20; cvt.rs.bf16x2.f32 %r11, %r11, %r12, %r21; cvt.rs.satfinite.e4m3x4.f32 %r12, {%r12,%r13,%r11,%r10}, %r20; cvt.rs.satfinite.e2m3x4.f32 %r13, {%r13,%r11,%r10,%r11}, %r21;"},
	{"cvt.rs e4m3x4", "sm_100a", "cvt.rs.satfinite.e4m3x4.f32 %r10, {%r10,%r11,%r12,%r13}, %r11; cvt.rs.relu.satfinite.e5m2x4.f32 %r12, {%r13,%r12,%r10,%r11}, %r12;"},
	{"cvt.rs e2m1x4", "sm_103a", "cvt.rs.satfinite.e2m1x4.f32 %h1, {%r10,%r11,%r12,%r13}, %r11; cvt.u32.u16 %r12, %h1; cvt.rs.satfinite.e2m3x4.f32 %r10, {%r10,%r11,%r11,%r13}, %r13;"},
	{"extremes of three", "sm_90", extremeBody},
	{"extremes of three", "sm_100a", extremeBody},
	{"extremes of three", "sm_120a", extremeBody},
	{"extremes of three halves", "sm_90", halfExtremes},
	{"extremes of three halves", "sm_103a", halfExtremes},
	{"extremes of three halves", "sm_120a", halfExtremes},
	{"ex2 of pairs", "sm_103a", "ex2.approx.f16x2 %r10, %r10; neg.f16x2 %r20, %r11; ex2.approx.f16x2 %r11, %r20; neg.f32 %r21, %r12; ex2.approx.ftz.bf16x2 %r12, %r21; abs.bf16x2 %r22, %r13; ex2.approx.ftz.bf16x2 %r13, %r22;"},
	{"four bytes of e2m1x2", "sm_100a", "{ .reg .b8 %b<4>; cvt.rn.satfinite.e2m1x2.f32 %b0, %r10, %r11; cvt.rn.satfinite.e2m1x2.f32 %b1, %r11, %r12; cvt.rn.relu.satfinite.e2m1x2.f32 %b2, %r12, %r13; cvt.rn.satfinite.e2m1x2.f32 %b3, %r13, %r10; mov.b32 %r10, {%b0, %b1, %b2, %b3}; }"},
	{"fma.oob", "sm_100a", "mov.b32 %r20, 0x7ff73c00; mov.b32 %r21, 0x4000fff7; fma.rn.oob.f16x2 %r10, %r20, %r10, %r11; fma.rn.oob.relu.f16x2 %r11, %r21, %r11, %r12; fma.rn.oob.bf16x2 %r12, %r12, %r20, %r13; fma.rn.oob.bf16x2 %r13, %r13, %r10, %r21;"},
	{"multimem", "sm_100a", "multimem.ld_reduce.global.add.f32 %r10, [%rd4]; multimem.st.global.b32 [%rd5+4096], %r10; multimem.red.global.add.u32 [%rd5+8192], %r11;"},
	{"multimem e4m3", "sm_100a", "multimem.ld_reduce.global.add.v4.e4m3x4 {%r10,%r11,%r12,%r13}, [%rd4+512];"},
	{"gather4", "sm_100a", `mov.u32 %r20, 16; mov.u32 %r21, 3; mov.u32 %r22, 9; mov.u32 %r23, 1; mov.u32 %r24, 70;
@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 256;
@%p1 cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r2+1024], [%rd10, {%r20,%r21,%r22,%r23,%r24}], [%r3];
` + untilTold},
	{"scatter4", "sm_100a", `mov.u32 %r20, 16; mov.u32 %r21, 3; mov.u32 %r22, 9; mov.u32 %r23, 1; mov.u32 %r24, 30;
@%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd10, {%r20,%r21,%r22,%r23,%r24}], [%r2+1024];
` + bulkDone + `@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 256;
@%p1 cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r2], [%rd10, {%r20,%r24,%r23,%r22,%r21}], [%r3];
` + untilTold},
	{"unaligned box", "sm_100a", `mov.u32 %r20, 7; mov.u32 %r21, 5; @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 64;
@%p1 cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd10, {%r20,%r21}], [%r3];
` + untilTold},
	{"cta_group", "sm_100a", `mov.u32 %r20, 0; mov.u32 %r21, 5; @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 64;
@%p1 cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.cta_group::1 [%r2], [%rd10, {%r20,%r21}], [%r3];
` + untilTold},
	{"mma.sp scaled", "sm_120a", `ld.global.v4.b32 {%r20,%r21,%r22,%r23}, [%rd4]; ld.global.v4.b32 {%r24,%r25,%r26,%r27}, [%rd4+512]; mov.b32 %r30, 0x44444444; mov.b32 %r31, 0x38393a3b; mov.b32 %r32, 0x383c3830;
mov.b32 %r10, 0; mov.b32 %r11, 0; mov.b32 %r12, 0; mov.b32 %r13, 0;
mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 {%r10,%r11,%r12,%r13},{%r20,%r21,%r22,%r23},{%r24,%r25,%r26,%r27},{%r10,%r11,%r12,%r13},%r30,0,%r31,{0,0},%r32,{0,0};`},
}

// TestBlackwellRun runs them: interpreter, our code and the reference's leave
// the same at all times of asynchronous work.
func TestBlackwellRun(t *testing.T) {
	x := oracle.Find(t)
	m := tensor.Map{Rank: 2, Type: tensor.F32, Dim: [5]uint64{64, 64}, Stride: [5]uint64{4, 256}, Box: [5]uint32{16, 1}, Step: [5]uint32{1, 1}}
	enc := m.Encode()
	for _, c := range blackwellBodies {
		t.Run(c.name, func(t *testing.T) {
			text := blackwellKernel(c.arch, c.body)
			l := launch.Launch{Kernel: "k", Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Args: []launch.Arg{
				{Buf: 16384, Fill: "ones"}, {Buf: 16384, Fill: "f32", Seed: 3}, {Bytes: enc[:], Ptrs: []launch.Ptr{{Buf: 64 * 256, Fill: "f32", Seed: 5}}},
			}}
			agreeAll(t, x, text, c.arch, &l)
		})
	}
}

// TestMapFields replaces every field of a tensor map that takes a constant by
// each of its values, in maps of random words; types in empty ones, for both
// compilers' code leaves the bit of tf32 where another type comes.
func TestMapFields(t *testing.T) {
	x := oracle.Find(t)
	for _, arch := range []string{"sm_100a", "sm_103a", "sm_120a"} {
		modes := 4
		if arch == "sm_103a" {
			modes = 5
		}
		for _, f := range []struct {
			name string
			most int
		}{{"elemtype", 16}, {"swizzle_mode", modes}, {"swizzle_atomicity", 4}, {"interleave_layout", 3}, {"fill_mode", 2}} {
			var b strings.Builder
			for n := range f.most {
				fmt.Fprintf(&b, "@%%p1 tensormap.replace.tile.%s.shared::cta.b1024.b32 [sm+%d], %d;\n", f.name, n*tensor.Size, n)
			}
			fill := "f32"
			if f.name == "elemtype" {
				fill = "zero"
			}
			l := launch.Launch{Kernel: "k", Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Args: []launch.Arg{
				{Buf: 16384, Fill: "ones"}, {Buf: 16384, Fill: fill, Seed: 3}, {Bytes: make([]byte, tensor.Size)},
			}}
			t.Run(arch+" "+f.name, func(t *testing.T) { agreeAll(t, x, blackwellKernel(arch, b.String()), arch, &l) })
		}
	}
}

// TestAsyncOfGPU: stores and sums for a device in the scope of the GPU, of which
// the reference makes no code, do what the interpreter does.
func TestAsyncOfGPU(t *testing.T) {
	for _, body := range []string{
		"add.u64 %rd6, %rd5, 4096; st.async.mmio.release.gpu.global.b64 [%rd6], %rd7;",
		"red.async.mmio.release.gpu.global.add.u64 [%rd1+4096], %rd7;",
		"red.async.mmio.release.gpu.add.u64 [%rd1+4096], %rd7;",
	} {
		for _, arch := range []string{"sm_100a", "sm_120a"} {
			text := blackwellKernel(arch, "mov.b64 %rd7, {%r10,%r11}; "+body)
			l := &launch.Launch{Kernel: "k", Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Args: []launch.Arg{
				{Buf: 16384, Fill: "zero"}, {Buf: 16384, Fill: "f32", Seed: 3}, {Bytes: make([]byte, 128)},
			}}
			_, want := interpretedText(t, text, arch, l)
			if n := bytes.Count(want[0][4096:], []byte{0}); n == len(want[0])-4096 {
				t.Errorf("%s: the interpreter leaves nothing behind %s", arch, body)
			}
			msg, ours := compileFile(text, arch)
			if msg != "" {
				t.Fatal(msg)
			}
			tensorAgrees(t, body, ours, l, want)
		}
	}
}

// interpretedText runs a text in the interpreter.
func interpretedText(t *testing.T, text, arch string, l *launch.Launch) (*ptxvm.Program, [][]byte) {
	t.Helper()
	p, err := ptxvm.Load("t.ptx", text, arch)
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.Run(l, ptxvm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p, want
}

// agreeAll asks the interpreter and the simulator, with both codes.
func agreeAll(t *testing.T, x *oracle.Tools, text, arch string, l *launch.Launch) {
	t.Helper()
	p, want := interpretedText(t, text, arch, l)
	late, err := p.Run(l, ptxvm.Options{Late: true})
	if err != nil {
		t.Fatal(err)
	}
	for n := range want {
		if string(want[n]) != string(late[n]) {
			t.Fatalf("the interpreter leaves something else in buffer %d when copies are late", n)
		}
	}
	msg, ours := compileFile(text, arch)
	if msg != "" {
		t.Fatal(msg)
	}
	ref, err := x.CubinOf([]byte(text), "-arch="+arch)
	if err != nil {
		t.Fatal(err)
	}
	tensorAgrees(t, "ours", ours, l, want)
	tensorAgrees(t, "reference", ref, l, want)
}

// TestTakeOver: blocks take over others until there are none, and each block
// of the grid is done once.
func TestTakeOver(t *testing.T) {
	x := oracle.Find(t)
	const arch = "sm_100a"
	const text = `.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out)
{ .reg .b32 %r<20>; .reg .b64 %rd<6>; .reg .pred %p<6>; .reg .b128 %q1; .shared .align 16 .b8 answer[16]; .shared .align 8 .b64 bar;
ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, answer; mov.u32 %r3, bar; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ctaid.y; mov.u32 %r12, 0;
setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared.b64 [%r3], 1; fence.proxy.async; bar.sync 0;
L: @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 16;
@%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r2], [%r3];
mad.lo.u32 %r6, %r5, 5, %r4; mad.lo.u32 %r6, %r6, 32, %r1; mul.wide.u32 %rd2, %r6, 4; add.u64 %rd2, %rd1, %rd2; red.global.add.u32 [%rd2], %r6;
W: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], %r12; @!%p2 bra W;
ld.shared.b128 %q1, [%r2]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q1; @!%p3 bra E;
clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r4, %q1; clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {_, %r5, _, _}, %q1;
xor.b32 %r12, %r12, 1; fence.proxy.async; bar.sync 0; bra L;
E: ret; }
`
	l := launch.Launch{Kernel: "k", Grid: [3]uint32{5, 3, 1}, Block: [3]uint32{32, 1, 1}, Args: []launch.Arg{{Buf: 4 * 32 * 15, Fill: "zero"}}}
	agreeAll(t, x, text, arch, &l)
}

// TestAccountPlace: tensor memory is asked for and given back where the system
// keeps other things in the same part of shared memory too.
func TestAccountPlace(t *testing.T) {
	x := oracle.Find(t)
	for _, arch := range []string{"sm_100a", "sm_110a"} {
		text := blackwellKernel(arch, "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], 64; bar.sync 0; ld.shared.b32 %r6, [%r2]; tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"+
			"tcgen05.st.sync.aligned.32x32b.x2.b32 [%r6], {%r10,%r11}; tcgen05.wait::st.sync.aligned; tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r12,%r13}, [%r6]; tcgen05.wait::ld.sync.aligned; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r6, 64;")
		l := launch.Launch{Kernel: "k", Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Args: []launch.Arg{{Buf: 4096, Fill: "zero"}, {Buf: 4096, Fill: "u8", Seed: 3}, {Bytes: make([]byte, 128)}}}
		agreeAll(t, x, text, arch, &l)
	}
}

// TestTensorLeast runs tcgen05.ld.red.
func TestTensorLeast(t *testing.T) {
	x := oracle.Find(t)
	const arch = "sm_103a"
	for _, how := range []string{"max.abs.f32", "min.f32", "max.NaN.f32", "min.u32", "max.s32"} {
		for _, shape := range []string{"32x32b.x4.%s {%%r10,%%r11,%%r12,%%r13},%%r14,[%%r6]", "16x32bx2.x4.%s {%%r10,%%r11,%%r12,%%r13},%%r14,[%%r6],8"} {
			body := "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r2], 32; bar.sync 0; ld.shared.b32 %r6, [%r2];\n" +
				"ld.global.v4.b32 {%r20,%r21,%r22,%r23}, [%rd4]; ld.global.v4.b32 {%r24,%r25,%r26,%r27}, [%rd4+512]; ld.global.v4.b32 {%r28,%r29,%r30,%r31}, [%rd4+1024]; ld.global.v4.b32 {%r32,%r33,%r34,%r35}, [%rd4+1536];\n" +
				"tcgen05.st.sync.aligned.32x32b.x16.b32 [%r6], {%r20,%r21,%r22,%r23,%r24,%r25,%r26,%r27,%r28,%r29,%r30,%r31,%r32,%r33,%r34,%r35}; tcgen05.wait::st.sync.aligned;\n" +
				"tcgen05.ld.red.sync.aligned." + fmt.Sprintf(shape, how) + "; tcgen05.wait::ld.sync.aligned; st.global.b32 [%rd5+4096], %r14;\n" +
				"tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r6, 32;"
			l := launch.Launch{Kernel: "k", Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1}, Args: []launch.Arg{
				{Buf: 16384, Fill: "ones"}, {Buf: 16384, Fill: "f32", Seed: 3}, {Bytes: make([]byte, 128)},
			}}
			agreeAll(t, x, blackwellKernel(arch, body), arch, &l)
		}
	}
}
