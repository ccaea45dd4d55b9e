package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

const unseenText = `.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n)
{
	.reg .b64 %%rd<32>; .reg .b32 %%r<32>; .reg .pred %%p<8>; .reg .f32 %%f<8>;
	.shared .align 128 .b8 sm[4096];
	ld.param.b64 %%rd1, [p]; ld.param.b64 %%rd5, [q]; ld.param.u32 %%r9, [n];
	cvta.to.global.u64 %%rd1, %%rd1; cvta.to.global.u64 %%rd5, %%rd5;
	mov.u64 %%rd2, sm; cvt.u32.u64 %%r2, %%rd2; add.u32 %%r3, %%r2, 512;
	mov.u32 %%r4, %%tid.x; mul.wide.u32 %%rd10, %%r4, 16; add.u64 %%rd11, %%rd5, %%rd10;
	%s
	%s
	ret;
}
`

// unseen compiles two pieces of code, one behind the other, and returns
// whether the first instruction that begins with an opcode of to waits for a
// barrier that the last one before it of from sets.
func unseen(t *testing.T, first, second, from, to string) bool {
	t.Helper()
	text := fmt.Sprintf(unseenText, first, second)
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(text)}}, goptxas.Options{Arch: "sm_90a"})
	if err != nil {
		t.Fatalf("%s %s: %v", first, second, err)
	}
	a := target.Find("sm_90a")
	var pending, waited uint8
	found, result := false, false
	instructions(t, "sm_90a", out.Cubin, func(_ *cubin.Function, i *sass.Inst) {
		name := i.Text(a, 0)
		if strings.HasPrefix(name, "@") {
			_, name, _ = strings.Cut(name, " ")
		}
		q := i.Ctrl()
		waited |= q.Wait & pending
		if strings.HasPrefix(name, to) && found {
			result, found = pending != 0 && waited != 0, false
		}
		if strings.HasPrefix(name, from) {
			found, pending, waited = true, 0, 0
			for _, b := range [2]int8{q.WrBar, q.RdBar} {
				if b >= 0 {
					pending |= 1 << b
				}
			}
		}
	})
	return result
}

// TestUnseen: what goes on without a register to tell of it is over before
// others are told, and before a warp gives its registers away.
func TestUnseen(t *testing.T) {
	const copies = "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%rd2], 128;"
	for _, c := range []struct{ first, second, from, to string }{
		{copies, "bar.sync 0;", "ATOMG", "BAR"},
		{copies, "bar.arrive 1, 64;", "ATOMG", "BAR"},
		{copies, "mbarrier.arrive.shared.b64 %rd6, [%r3];", "ATOMG", "SYNCS"},
		{copies, "bar.warp.sync -1; st.global.u32 [%rd5], 1;", "ATOMG", "WARPSYNC"},
		{copies, "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;", "ATOMG", "UCGABAR_ARV"},
		{copies, "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;", "ATOMG", "DEPBAR"},
		{copies, "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1, {%r9}], [%r3];", "ATOMG", "UTMALDG"},
		{"mbarrier.init.shared.b64 [%r3], 32;", "bar.sync 0;", "SYNCS.EXCH", "BAR"},
		{"mbarrier.init.shared.b64 [%r3], 32;", "mbarrier.arrive.shared.b64 _, [%r3];", "SYNCS.EXCH", "SYNCS.ARRIVE"},
		{"mbarrier.init.shared.b64 [%r3], 32;", "fence.proxy.async.shared::cta;", "SYNCS.EXCH", "MEMBAR"},
		{"mbarrier.init.shared.b64 [%r3], 32;", "", "SYNCS.EXCH", "EXIT"},
		{"mbarrier.inval.shared.b64 [%r3];", "bar.sync 0;", "SYNCS.CCTL", "BAR"},
		{"cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%rd1, {%r9}], [%r2];", "", "UTMASTG", "EXIT"},
		{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], %r9, [%r3];", "", "UBLKCP", "EXIT"},
		{"prefetch.tensormap [%rd1];", "", "UTMACCTL", "EXIT"},
	} {
		if !unseen(t, c.first, c.second, c.from, c.to) {
			t.Errorf("%s; %s: %s does not wait for %s", c.first, c.second, c.to, c.from)
		}
	}
	for _, between := range []string{"", "add.u64 %rd5, %rd5, 128;"} {
		if unseen(t, copies, between+strings.Replace(copies, "%rd1", "%rd5", 1)+"bar.sync 0;", "ATOMG", "ATOMG") {
			t.Errorf("a copy of a tensor map waits for the one before it, %q between them", between)
		}
	}
	acquire := "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;"
	if !unseen(t, "ld.global.u32 %r20, [%rd11];", acquire+"st.global.u32 [%rd11], %r20;", "LDG", "UTMACCTL") {
		t.Error("an acquire of a tensor map does not wait for what is before it")
	}
}

// TestMapCopyGathers: no thread copies its part of a tensor map before one
// of them has waited for what still reads the old one. In the loop only one
// thread waits, and nothing but the copy itself brings it back to the others.
func TestMapCopyGathers(t *testing.T) {
	text := fmt.Sprintf(unseenText, "X:", `tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%rd2], 128;
	setp.eq.u32 %p2, %r9, 0;
	@%p2 ret;
	sub.u32 %r9, %r9, 1;
	elect.sync %r5|%p1, -1;
	@%p1 bra W;
	bra X;
W:	cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;
	bra X;`)
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(text)}}, goptxas.Options{Arch: "sm_90a"})
	if err != nil {
		t.Fatal(err)
	}
	a := target.Find("sm_90a")
	var list []sass.Inst
	instructions(t, "sm_90a", out.Cubin, func(_ *cubin.Function, i *sass.Inst) { list = append(list, *i) })
	labels := map[int]bool{}
	for n := range list {
		for k := range list[n].NArg() {
			if o := list[n].Arg(k); o.Kind == sass.KindLabel {
				labels[n+1+int(o.Imm)/16] = true
			}
		}
	}
	together, copied := false, false
	for n := range list {
		together = together && !labels[n]
		switch name := list[n].Text(a, 0); {
		case strings.HasPrefix(name, "BSYNC"), strings.HasPrefix(name, "WARPSYNC"):
			together = true
		case strings.HasPrefix(name, "LDS"), strings.HasPrefix(name, "ATOMG"):
			copied = true
			if !together {
				t.Errorf("%s before the threads are together", name)
			}
		}
	}
	if !copied {
		t.Error("nothing is copied")
	}
}

// TestArrivalWaits: before a warp group hands registers to a matrix
// operation, everything that still reads them has done so.
func TestArrivalWaits(t *testing.T) {
	const product = `wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd5, 0, 1, 1, 0, 0;
	wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;`
	for _, c := range []struct{ reader, name string }{
		{"st.global.v4.f32 [%rd11], {%f0,%f1,%f2,%f3};", "STG"},
		{"st.shared.v4.f32 [%r2], {%f0,%f1,%f2,%f3};", "STS"},
		{"red.global.add.f32 [%rd11], %f0;", "RED"},
		{"shfl.sync.bfly.b32 %f5, %f1, 1, 31, -1; mov.b32 %r20, %f5;", "SHFL"},
	} {
		tail := product + "add.f32 %f0, %f0, %f1; add.f32 %f2, %f2, %f3; mov.b32 %r21, %f0; xor.b32 %r21, %r21, %r20; st.global.f32 [%rd11+64], %f2; st.global.u32 [%rd11+68], %r21;"
		if !unseen(t, "mov.u32 %r20, 0;"+product+c.reader, tail, c.name, "WARPGROUP.ARRIVE") {
			t.Errorf("an arrival does not wait for %s", c.name)
		}
	}
}

// TestAssertGathersOnce: threads that fail an assertion never come back, so
// the others are together behind the first place where all wait, and need not
// wait for each other before every shuffle.
func TestAssertGathersOnce(t *testing.T) {
	const text = `.version 8.3
.target sm_90
.address_size 64
.extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.visible .entry k(.param .u64 p) {
	.reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd1, %rd1, %rd2;
	ld.global.u32 %r2, [%rd1];
	setp.lt.u32 %p1, %r2, 100;
	@%p1 bra OK;
	{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
	mov.u64 %rd3, 0;
	st.param.b64 [a], %rd3; st.param.b64 [b], %rd3; st.param.b32 [c], 1; st.param.b64 [d], %rd3; st.param.b64 [e], %rd3;
	call.uni __assertfail, (a, b, c, d, e); }
	trap;
OK:	bar.sync 0;
	shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;
	add.u32 %r2, %r2, %r3;
	shfl.sync.bfly.b32 %r4, %r2, 2, 31, -1;
	add.u32 %r2, %r2, %r4;
	shfl.sync.bfly.b32 %r5, %r2, 4, 31, -1;
	add.u32 %r2, %r2, %r5;
	st.global.u32 [%rd1], %r2;
	ret;
}`
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: []byte(text)}}, goptxas.Options{Arch: "sm_90"})
	if err != nil {
		t.Fatal(err)
	}
	a := target.Find("sm_90")
	gather := 0
	instructions(t, "sm_90", out.Cubin, func(_ *cubin.Function, i *sass.Inst) {
		if strings.HasPrefix(i.Text(a, 0), "WARPSYNC") {
			gather++
		}
	})
	if gather != 1 {
		t.Errorf("threads wait for each other %d times, once is enough", gather)
	}
}
