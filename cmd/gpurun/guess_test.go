package main

import (
	"strings"
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/witness/front"
	"github.com/goptxas/goptxas/internal/witness/gpu"
)

// text has a kernel of every kind of parameter: a pointer that is said to be
// one, one that is used as one, one inside a structure, numbers, a float.
const text = `.version 9.0
.target sm_90a
.address_size 64
.extern .shared .b8 s[];
.visible .entry k(.param .u64 .ptr .global .align 1 a, .param .u32 n, .param .f32 x, .param .align 8 .b8 st[24], .param .u64 q)
.reqntid 64, 2
{
	.reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .pred %p<2>;
	ld.param.u64 %rd1, [st+8];
	cvta.to.global.u64 %rd2, %rd1;
	ld.param.u64 %rd3, [q];
	ld.param.u32 %r2, [n];
	mov.u32 %r1, %tid.x;
	mov.u32 %r3, %ctaid.y;
	setp.ge.u32 %p1, %r1, %r2;
	@%p1 bra DONE;
	mul.wide.u32 %rd4, %r1, 4;
	add.u64 %rd5, %rd3, %rd4;
	ld.global.b32 %r4, [%rd5];
	mov.b32 %f1, %r4;
	add.rn.f32 %f2, %f1, %f1;
	add.u64 %rd6, %rd2, %rd4;
	st.global.f32 [%rd6], %f2;
DONE:
	ret;
}
`

func TestFacts(t *testing.T) {
	m, err := front.Check("k.ptx", text, "sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	ks := kernels(m)
	if len(ks) != 1 {
		t.Fatal(ks)
	}
	k := ks[0]
	want := []pointer{{0, 0, "ones"}, {3, 8, "ones"}, {4, 0, "f32"}}
	if len(k.ptrs) != len(want) {
		t.Fatalf("pointers %+v", k.ptrs)
	}
	for n := range want {
		if k.ptrs[n] != want[n] {
			t.Errorf("pointer %d: %+v, want %+v", n, k.ptrs[n], want[n])
		}
	}
	l := k.launchOf(&attempts[0], 4096, 1)
	if l.Block != [3]uint32{64, 2, 1} || l.Grid[1] != 2 || l.Smem == 0 || len(l.Args) != 5 {
		t.Errorf("launch %+v", l)
	}
	if l.Args[0].Buf != 4096 || len(l.Args[1].Bytes) != 4 || len(l.Args[2].Bytes) != 4 || len(l.Args[3].Ptrs) != 1 || l.Args[4].Fill != "f32" {
		t.Errorf("arguments %+v", l.Args)
	}
}

// TestPick tries the launches of a kernel that races where its threads are
// many, and of one that does not.
func TestPick(t *testing.T) {
	list, err := planFile("k.ptx", text, 2, time.Minute, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].Note != "" || list[0].Launch.Args[4].Buf != 256 {
		t.Errorf("%+v", list)
	}
	racy := strings.ReplaceAll(text, "add.u64 %rd6, %rd2, %rd4", "mov.u64 %rd6, %rd2")
	racy = strings.ReplaceAll(racy, ".reqntid 64, 2", "")
	if list, err = planFile("r.ptx", racy, 1, time.Minute, nil); err != nil {
		t.Fatal(err)
	}
	if n := list[0].Launch.Args[1].Bytes[0]; len(list) != 1 || list[0].Note != "" || n != 1 && list[0].Launch.Threads() != 1 {
		t.Errorf("%+v", list)
	}
	if list, err = planFile("a.ptx", strings.ReplaceAll(text, "[%rd5]", "[%rd5+2]"), 1, time.Minute, nil); err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || reason(list[0].Note) != "not aligned" {
		t.Errorf("%+v", list)
	}
}

// openText has statements in a kernel with one buffer: every thread updates
// the first word or stores a word of its own.
func openText(body string) string {
	return `.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 .ptr .global .align 4 a)
.reqntid 96
{
	.reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .pred %p<2>;
	.local .align 8 .b8 l[16];
	.shared .align 4 .b8 s[512];
	ld.param.u64 %rd1, [a];
	mov.u32 %r1, %tid.x;
	mov.u32 %r5, %ctaid.x;
	mad.lo.u32 %r5, %r5, 96, %r1;
	mul.wide.u32 %rd2, %r5, 4;
	add.u64 %rd2, %rd1, %rd2;
	mul.lo.u32 %r6, %r1, 4;
	mov.u32 %r7, s;
	add.u32 %r6, %r6, %r7;
	cvt.rn.f32.u32 %f1, %r5;
	add.f32 %f1, %f1, 0f3dcccccd;
` + body + "\n\tret;\n}\n"
}

// TestOpen checks which launches are found to depend on what PTX leaves open.
func TestOpen(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"a word each", "st.global.f32 [%rd2], %f1;", ""},
		{"sums of integers", "red.global.add.u32 [%rd1], %r5;", ""},
		{"sums of floats", "red.global.add.f32 [%rd1], %f1;", "open"},
		{"results of atomics", "atom.global.add.u32 %r2, [%rd1], 1;\nst.global.u32 [%rd2+4], %r2;", "open"},
		{"a result that is not used", "atom.global.add.u32 %r2, [%rd1], 1;", ""},
		{"one word for all", "st.global.u32 [%rd1], %r5;", "open"},
		{"the same for all", "st.global.u32 [%rd1], 5;", ""},
		{"store and update", "setp.eq.u32 %p1, %r5, 0;\n@%p1 st.global.u32 [%rd1], 0;\nred.global.add.u32 [%rd1], 1;", "open"},
		{"local memory", "ld.local.u32 %r2, [l+4];\nst.global.u32 [%rd2], %r2;", "open"},
		{"written local memory", "st.local.u32 [l+4], %r1;\nld.local.u32 %r2, [l+4];\nst.global.u32 [%rd2], %r2;", ""},
		{"a register", "add.u32 %r2, %r2, %r1;\nst.global.u32 [%rd2], %r2;", "open"},
		{"a register nobody needs", "sub.u32 %r2, %r2, %r2;\nst.global.u32 [%rd2], %r2;", ""},
		{"shared memory", "ld.shared.u32 %r2, [%r6];\nst.global.u32 [%rd2], %r2;", "open"},
		{"exchange with a barrier", "st.shared.u32 [%r6], %r1;\nbar.sync 0;\nxor.b32 %r6, %r6, 64;\nld.shared.u32 %r2, [%r6];\nst.global.u32 [%rd2], %r2;", ""},
		{"exchange without", "st.shared.u32 [%r6], 0;\nbar.sync 0;\nst.shared.u32 [%r6], %r5;\nxor.b32 %r6, %r6, 128;\nld.shared.u32 %r2, [%r6];\nst.global.u32 [%rd2], %r2;", "open"},
		{"a clock", "mov.u32 %r2, %clock;\nst.global.u32 [%rd2], %r2;", "open"},
	} {
		list, err := planFile("k.ptx", openText(c.body), 1, time.Minute, nil)
		if err != nil || len(list) != 1 {
			t.Errorf("%s: %v %v", c.name, list, err)
			continue
		}
		if list[0].Note != c.want {
			t.Errorf("%s: note %q, want %q", c.name, list[0].Note, c.want)
		}
		if kept, _ := planFile("k.ptx", openText(c.body), 1, time.Minute, list); c.want == "" && (len(kept) != 1 || !sameShape(&kept[0].Launch, &list[0].Launch)) {
			t.Errorf("%s: a good launch is not kept: %+v", c.name, kept)
		}
	}
}

func TestJudge(t *testing.T) {
	done := func(h uint64, changed bool) *gpu.Result {
		return &gpu.Result{Stage: "done", Hash: []uint64{h}, Changed: changed}
	}
	fault := &gpu.Result{Stage: "run", Err: "x"}
	for _, c := range []struct {
		ref  []*gpu.Result
		our  *gpu.Result
		want string
		note string
	}{
		{[]*gpu.Result{done(1, true), done(1, true)}, done(1, true), "equal", ""},
		{[]*gpu.Result{done(1, true), done(1, true)}, done(2, true), "differ", ""},
		{[]*gpu.Result{done(1, true), done(1, true)}, done(2, true), "open", "open"},
		{[]*gpu.Result{done(1, true), done(1, true)}, done(2, true), "differ", "racy"},
		{[]*gpu.Result{done(1, true), done(2, true)}, done(1, true), "nondet", ""},
		{[]*gpu.Result{done(1, false)}, done(1, false), "silent", ""},
		{[]*gpu.Result{fault}, done(1, true), "reffault", ""},
		{[]*gpu.Result{done(1, true)}, fault, "fault", ""},
	} {
		var r row
		r.Note = c.note
		r.judge(c.ref, c.our)
		if r.Outcome != c.want {
			t.Errorf("%s, want %s", r.Outcome, c.want)
		}
	}
	rows := merge([]*row{{File: "a", Kernel: "k", Outcome: "silent"}, {File: "a", Kernel: "k", Outcome: "differ"}, {File: "b", Kernel: "k", Outcome: "compile"}})
	if len(rows) != 2 || rows[0].Outcome != "differ" {
		t.Errorf("merge: %+v", rows)
	}
}
