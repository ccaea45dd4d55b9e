package opgen

import (
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/front"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
)

// noMeaning begins the forms of sm_100 that the interpreter refuses. One that
// gets a meaning must leave this list.
var noMeaning = []string{ // boxes of images
	"cp.async.bulk.tensor.3d",
	"cp.async.bulk.tensor.4d",
	"cp.async.bulk.tensor.5d",
}

// TestTensorMeaning asks the interpreter about every form of sm_100.
func TestTensorMeaning(t *testing.T) {
	const arch = "sm_100a"
	with, without := 0, map[string]bool{}
	for _, f := range append(copyForms(), TensorForms()...) {
		text := tensorKernels([]TensorForm{f}, arch)
		if _, err := front.Check("t.ptx", text, arch); err != nil {
			continue
		}
		_, err := ptxvm.Load("t.ptx", text, arch)
		if err == nil {
			with++
			continue
		}
		name := strings.TrimPrefix(f.Text, "@%p1 ")
		at := slices.IndexFunc(noMeaning, func(s string) bool { return strings.HasPrefix(name, s) })
		if at < 0 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		without[noMeaning[at]] = true
	}
	for _, s := range noMeaning {
		if !without[s] {
			t.Errorf("%s has a meaning: take it from the list", s)
		}
	}
	t.Logf("%d forms have a meaning, %d kinds have none", with, len(without))
}

// TestBulkStore runs st.bulk: interpreter, our code and the reference's leave
// the same.
func TestBulkStore(t *testing.T) {
	x := oracle.Find(t)
	const arch = "sm_100a"
	const text = `.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out)
{ .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p1; .shared .align 16 .b8 sm[512];
mov.u32 %r1, %tid.x; mov.u32 %r2, sm; mad.lo.u32 %r3, %r1, 4, %r2; st.shared.b32 [%r3], %r3; bar.sync 0;
setp.eq.u32 %p1, %r1, 0; mov.b64 %rd3, 96; @%p1 st.bulk.weak.shared::cta [%r2+16], %rd3, 0; bar.sync 0;
ld.shared.b32 %r2, [%r3]; setp.ne.u32 %p1, %r2, 0; selp.b32 %r2, 1, 2, %p1;
ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.b32 [%rd1], %r2; ret; }
`
	l := launch.Launch{Kernel: "k", Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{128, 1, 1}, Args: []launch.Arg{{Buf: 512, Fill: "ones"}}}
	p, err := ptxvm.Load("t.ptx", text, arch)
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.Run(&l, ptxvm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n, v := range want[0] {
		if zero := n/4 >= 4 && n/4 < 28; n%4 == 0 && (v == 2) != zero {
			t.Fatalf("word %d is %d", n/4, v)
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
	tensorAgrees(t, "ours", ours, &l, want)
	tensorAgrees(t, "reference", ref, &l, want)
}
