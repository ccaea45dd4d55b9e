package lower

import (
	"strings"
	"testing"
)

// inOrder reports whether the words of want, between semicolons, stand in
// text in that order.
func inOrder(text, want string) string {
	for _, w := range strings.Split(want, " ; ") {
		at := strings.Index(text, w)
		if at < 0 {
			return w
		}
		text = text[at+len(w):]
	}
	return ""
}

// TestHopper lowers the asynchronous instructions of sm_90 one at a time. The
// facts come from the reference's code for the same text.
func TestHopper(t *testing.T) {
	const acc = "{%f0,%f1,%f2,%f3}"
	const elect = "elect.sync _|%p1, 0xffffffff; "
	n := 0
	for _, c := range []struct{ text, want string }{
		{"wgmma.fence.sync.aligned;", "WARPGROUP.ARRIVE"},
		{"wgmma.commit_group.sync.aligned;", "HGMMA.64x8x16.F16 rz = gdesc[urz], rz, ~upt, gsb0"},
		{"wgmma.wait_group.sync.aligned 9;", "WARPGROUP.DEPBAR.LE gsb0, 0x7"},
		{"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " + acc + ", %rd1, %rd2, 1, 1, -1, 1, 0; wgmma.commit_group.sync.aligned;", "R2UR ; R2UR ; R2UR ; R2UR ; HGMMA.64x8x16.F32 ; +0x6 ; gsb0"},
		{"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 " + acc + ", {%r1,%r2,%r3,%r4}, %rd2, %p1, -1, 1, 1;", "UNDEF ; VOTEU.ANY ; HGMMA.64x8x16.F32.BF16 ; = -r ; +0x8"},
		{"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 " + acc + ", %rd1, %rd2, 0, 1, 1;", "HGMMA.64x8x8.F32.TF32 ; rz, ~upt"},
		{"wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 " + acc + ", %rd1, %rd2, %p1, 1, 1;", "QGMMA.64x8x32.F32.E4M3.E5M2"},
		{"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8.satfinite {%r1,%r2,%r3,%r4}, %rd1, %rd2, %p1;", "IGMMA.64x8x32.S8.U8.SAT"},
		{"wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {%r1,%r2,%r3,%r4}, %rd1, %rd2, %p1;", "BGMMA.64x8x256.AND.POPC"},
		{"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 " + acc + ", %rd1, %rd2, %r9, 1, %p1, 1, 1, 0, 0;", "HGMMA.SP.64x8x32.F32 ; 0x1"},
		{"wgmma.mma_async.sp.sync.aligned.m64n24k64.f32.e4m3.e4m3 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8,%f9,%f10,%f11}, %rd1, %rd2, %r9, 0, %p1, 1, 1;", "QGMMA.SP.64x24x64.F32.E4M3.E4M3"},
		{"cp.async.bulk.commit_group;", "UTMACMDFLUSH"},
		{"@%p1 cp.async.bulk.commit_group;", "VOTEU.ANY ; UTMACMDFLUSH"},
		{"cp.async.bulk.wait_group 3;", "DEPBAR.LE SB0, 0x3 ; CCTL.IVALL"},
		{"cp.async.bulk.wait_group.read 100;", "DEPBAR.LE SB0, 0x3f"},
		{elect + "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 512, [%r2];", "ELECT ; R2UR ; R2UR ; R2UR ; UMOV ; 0x20 ; VOTEU.ANY ; UBLKCP.S.G"},
		{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r3, [%r2];", "S2R ; SR_LANEID ; R2UR ; ISETP.EQ ; UBLKCP.S.G ; BRA"},
		{"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 32;", "R2UR ; ISETP.EQ ; UBLKCP.G.S ; BRA"},
		{elect + "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], 32, [%r3];", "UBLKCP.S.S"},
		{elect + "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%r1], [%rd1], %r3, [%r2], %h1, %rd2;", "PRMT ; UBLKCP.S.G.MULTICAST ; desc["},
		{"cp.async.bulk.prefetch.L2.global [%rd1], 64;", "UBLKPF.L2"},
		{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%rd1], [%r1], 32;", "UBLKRED.G.S.ADD.BF16.RN"},
		{"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.s32 [%r1], [%r2], 32, [%r3];", "UBLKRED.S.S.MIN.S32"},
		{elect + "@%p1 cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r3,%r4,%r5,%r6,%r7}], [%r2];", "VOTEU.ANY ; UTMALDG.5D"},
		{elect + "@%p1 cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1, {%r3,%r4,%r5,%r6}], [%r2], {%h1,%h2}, %h3;", "SHF ; PRMT ; UTMALDG.4D.IM2COL.MULTICAST"},
		{elect + "@%p1 cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {%r3}], [%r1];", "UTMASTG.1D"},
		{elect + "@%p1 cp.reduce.async.bulk.tensor.3d.global.shared::cta.xor.bulk_group [%rd1, {%r3,%r4,%r5}], [%r1];", "UTMAREDG.3D.XOR"},
		{"cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1, {%r3,%r4}];", "UTMAPF.L2.2D"},
		{"tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2;", "STG.E ; STG.E"},
		{"tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r1], 2, %r2;", "LDS ; +0x38] ; LOP3.LUT ; STS"},
		{"tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r1], 12;", "0x10000 ; 0x400"},
		{"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.sys.sync.aligned [%rd1], [%r1], 128;", "LDS ; ATOMG.E.EXCH.STRONG.SYS"},
		{"@%p1 mbarrier.init.shared::cta.b64 [sm], 4;", "UMOV ; UMOV ; VOTEU.ANY ; SYNCS.EXCH.64"},
		{"mbarrier.init.shared::cta.b64 [%r1], %r2;", "ISETP.EQ ; SYNCS.EXCH.64 ; BRA"},
	} {
		got, err := lowered(kernel("", c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if w := inOrder(got, c.want); w != "" {
			t.Errorf("%s: no %q in\n%s", c.text, w, got)
		}
		n++
	}
	t.Logf("%d instructions", n)
}

// TestCancel lowers what sm_100 adds for the next work of a cluster, and how
// caches forget a tensor map.
func TestCancel(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r1], [%r2];", "SR_LANEID ; UGETNEXTWORKID.SELFCAST ; BRA"},
		{"elect.sync _|%p1, 0xffffffff; @%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%r1], [%r2];", "VOTEU.ANY ; UGETNEXTWORKID.BROADCAST"},
		{"fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;", "CCTL.E.C.LDCU.IV.DEEP ; UTMACCTL.IV"},
		{"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %q1;", "LOP3.LUT ; [2] ; ISETP.NE"},
		{"clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1,%r2,%r3,_}, %q1;", "LOP3.LUT ; SHF.R.U32.HI"},
		{"clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %r1, %q1;", "SHF.R.U32.HI"},
	} {
		got, err := loweredFor("sm_100a", strings.Replace(kernel("", c.text), "sm_90a", "sm_100a", 1))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if w := inOrder(got, c.want); w != "" {
			t.Errorf("%s: no %q in\n%s", c.text, w, got)
		}
	}
}

// TestElected checks where one thread of a warp at most is known to come: no
// loop over the threads is made there.
func TestElected(t *testing.T) {
	const copyTo = " cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 512, [%r2];"
	const number = "mov.u32 %r5, 0; mov.u32 %r6, -1; mov.u32 %r4, %r5; elect.sync _|%p1, %r6; @%p1 mov.s32 %r4, 1; "
	for _, c := range []struct {
		text string
		once bool
	}{
		{"elect.sync _|%p1, 0xffffffff; @%p1" + copyTo, true},
		{"elect.sync _|%p1, 0xffff; @%p1" + copyTo, false},
		{"elect.sync _|%p1, 0xffffffff; @!%p1" + copyTo, false},
		{"elect.sync _|%p1, 0xffffffff; setp.eq.u32 %p2, %r3, 0; and.pred %p3, %p2, %p1; @%p3" + copyTo, true},
		{"elect.sync _|%p1, 0xffffffff; setp.eq.u32 %p2, %r3, 0; or.pred %p3, %p2, %p1; @%p3" + copyTo, false},
		{"elect.sync _|%p1, 0xffffffff; elect.sync _|%p1, 0xffff; @%p1" + copyTo, false},
		{"elect.sync _|%p1, 0xffffffff; @!%p1 bra L;" + copyTo + " L:", true},
		{"elect.sync _|%p1, 0xffffffff; setp.eq.u32 %p2, %r3, 0; @%p2 bra M; @!%p1 bra L; M:" + copyTo + " L:", false},
		{"setp.eq.u32 %p1, %r3, 0; @%p1" + copyTo, false},
		// through branches and loops behind the election, past a place where others come
		{"setp.lt.u32 %p2, %r3, 128; @%p2 bra C; elect.sync _|%p1, -1; @!%p1 bra L; setp.eq.u32 %p3, %r3, 2; @%p3 bra B;" + copyTo + " bra L; B: add.u32 %r3, %r3, 1; bra L; C: add.u32 %r3, %r3, 2; L:", true},
		{"setp.lt.u32 %p2, %r3, 128; @%p2 bra C; elect.sync _|%p1, -1; @!%p1 bra L; setp.eq.u32 %p3, %r3, 2; @%p3 bra C; add.u32 %r3, %r3, 1; bra L; C:" + copyTo + " L:", false},
		{"elect.sync _|%p1, -1; @%p1 bra B; bra L; B: add.u32 %r3, %r3, 1;" + copyTo + " setp.lt.u32 %p2, %r3, 9; @%p2 bra B; L:", true},
		{"elect.sync _|%p1, -1; @!%p1 exit;" + copyTo, true},
		{"elect.sync _|%p1, -1; @%p1 exit;" + copyTo, false},
		{"elect.sync _|%p1, -1; @%p1 bra B; elect.sync _|%p2, -1; @%p2 bra B; bra L; B:" + copyTo + " L:", true},
		{"mov.u32 %r4, %laneid; setp.eq.u32 %p1, %r4, 3; @%p1 bra B; bra L; B:" + copyTo + " L:", true},
		{"mov.u32 %r4, %laneid; setp.eq.u32 %p1, %r4, 3; setp.eq.u32 %p2, %r4, 5; @%p1 bra B; @%p2 bra B; bra L; B:" + copyTo + " L:", false},
		{number + "setp.eq.s32 %p2, %r4, 0; @%p2 bra L;" + copyTo + " L:", true},
		{number + "setp.ne.s32 %p2, %r4, 0; @%p2 bra L;" + copyTo + " L:", false},
		{number + "setp.ne.s32 %p2, %r4, 0; @%p2" + copyTo, true},
		{number + "setp.ne.s32 %p2, %r4, 0; @!%p2" + copyTo, false},
		{number + "setp.eq.s32 %p2, %r4, 1; @!%p2 bra L;" + copyTo + " L:", false},
		{number + "setp.eq.s32 %p2, %r4, 0; setp.eq.u32 %p3, %r3, 0; or.pred %p4, %p2, %p3; @%p4 bra L;" + copyTo + " L:", true},
		{number + "setp.eq.s32 %p2, %r4, 0; setp.eq.u32 %p3, %r3, 0; and.pred %p4, %p2, %p3; @%p4 bra L;" + copyTo + " L:", false},
		{number + "setp.eq.s32 %p2, %r4, 0; not.pred %p3, %p2; @%p3" + copyTo, true},
		{number + "add.u32 %r4, %r4, 1; setp.eq.s32 %p2, %r4, 0; @%p2 bra L;" + copyTo + " L:", false},
		{"mov.u32 %r5, 7; mov.u32 %r4, %r5; elect.sync _|%p1, -1; @%p1 mov.u32 %r4, 1; setp.eq.s32 %p2, %r4, 0; @%p2 bra L;" + copyTo + " L:", false},
		{"mov.u32 %r5, 0; mov.u32 %r4, %r5; elect.sync %r5|%p1, -1; @%p1 mov.u32 %r4, 1; setp.eq.s32 %p2, %r4, 0; @%p2 bra L;" + copyTo + " L:", true},
		{"mov.u32 %r5, 0; M: mov.u32 %r4, %r5; elect.sync %r5|%p1, -1; @%p1 mov.u32 %r4, 1; setp.eq.s32 %p2, %r4, 0; @%p2 bra L;" + copyTo + " L: @%p3 bra M;", false},
		// zero on all ways to a label
		{"mov.u32 %r5, 0; @%p4 bra M; add.u32 %r3, %r3, 1; M: mov.u32 %r4, %r5; elect.sync %r5|%p1, -1; @%p1 mov.u32 %r4, 1; setp.eq.s32 %p2, %r4, 0; @%p2 bra L;" + copyTo + " L:", true},
		{"mov.u32 %r5, 0; @%p4 bra M; mov.u32 %r5, 1; M: mov.u32 %r4, %r5; elect.sync %r5|%p1, -1; @%p1 mov.u32 %r4, 1; setp.eq.s32 %p2, %r4, 0; @%p2 bra L;" + copyTo + " L:", false},
		{"mov.u32 %r5, 0; @%p4 bra M; @%p3 mov.u32 %r5, %r3; M: mov.u32 %r4, %r5; elect.sync %r5|%p1, -1; @%p1 mov.u32 %r4, 1; setp.eq.s32 %p2, %r4, 0; @%p2 bra L;" + copyTo + " L:", false},
		{"N: mov.u32 %r5, 0; @%p4 bra M; add.u32 %r3, %r3, 1; M: mov.u32 %r4, %r5; elect.sync %r5|%p1, -1; @%p1 mov.u32 %r4, 1; setp.eq.s32 %p2, %r4, 0; @%p2 bra L;" + copyTo + " L: @%p3 bra N;", true},
		{"@%p4 bra M; mov.u32 %r5, 0; M: mov.u32 %r4, %r5; elect.sync %r5|%p1, -1; @%p1 mov.u32 %r4, 1; setp.eq.s32 %p2, %r4, 0; @%p2 bra L;" + copyTo + " L:", false},
		{"elect.sync _|%p1, -1; selp.u32 %r4, 1, 0, %p1; setp.ne.s32 %p2, %r4, 0; @%p2" + copyTo, true},
		{"elect.sync _|%p1, -1; selp.u32 %r4, 0, 1, %p1; setp.ne.s32 %p2, %r4, 0; @%p2" + copyTo, false},
	} {
		got, err := lowered(kernel("", c.text))
		if err != nil {
			t.Fatal(err)
		}
		if once := strings.Count(got, "SR_LANEID") == strings.Count(c.text, "%laneid"); once != c.once {
			t.Errorf("%s: once is %v\n%s", c.text, once, got)
		}
	}
}

// TestNoRegisters: an order of one thread in a kernel without registers.
func TestNoRegisters(t *testing.T) {
	got, err := lowered(".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() { .shared .align 8 .b64 sm; mbarrier.init.shared.b64 [sm], 4; ret; }\n")
	if err != nil {
		t.Fatal(err)
	}
	if miss := inOrder(got, "SYNCS.EXCH.64"); miss != "" {
		t.Errorf("no %s in\n%s", miss, got)
	}
}
