package main

import (
	"testing"

	"goptxas/internal/witness/gpu"
)

func TestGuess(t *testing.T) {
	list := guess(`.version 9.0
.target sm_90a
.extern .shared .b8 s[];
.visible .entry k(.param .u64 .ptr .global .align 1 a, .param .u32 n, .param .f32 x, .param .align 8 .b8 st[24], .param .u64 q)
.reqntid 64, 2
{
	ld.param.u64 %rd1, [st+8]; // comment [st+16]
	cvta.to.global.u64 %rd2, %rd1;
	ld.param.u64 %rd3, [q];
	st.global.u32 [%rd3+4], %r1;
}
`, 1)
	if len(list) != 1 {
		t.Fatal(list)
	}
	l := list[0]
	if l.Kernel != "k" || l.Block != [3]uint32{64, 2, 1} || l.Smem != gpu.AllShared || len(l.Args) != 5 {
		t.Fatalf("%+v", l)
	}
	if l.Args[0].Buf == 0 || l.Args[1].Buf != 0 || len(l.Args[1].Bytes) != 4 || l.Args[4].Buf == 0 {
		t.Errorf("arguments %+v", l.Args)
	}
	if st := l.Args[3]; len(st.Bytes) != 24 || len(st.Ptrs) != 1 || st.Ptrs[0].Offset != 8 {
		t.Errorf("structure %+v", st)
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
	}{
		{[]*gpu.Result{done(1, true), done(1, true)}, done(1, true), "equal"},
		{[]*gpu.Result{done(1, true), done(1, true)}, done(2, true), "differ"},
		{[]*gpu.Result{done(1, true), done(2, true)}, done(1, true), "nondet"},
		{[]*gpu.Result{done(1, false)}, done(1, false), "silent"},
		{[]*gpu.Result{fault}, done(1, true), "reffault"},
		{[]*gpu.Result{done(1, true)}, fault, "fault"},
	} {
		var r row
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
