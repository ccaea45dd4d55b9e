package lower_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/pipeline"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/front"
)

// TestSmoke compiles the smoke files of the corpus for sm_90a. The reference
// takes all of them, and so must we.
func TestSmoke(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the smoke files of the corpus")
	}
	files := corpus.Find(t).Smoke()
	for n := range files {
		text, err := files[n].Read()
		if err != nil {
			t.Fatal(err)
		}
		if reason := compile(files[n].Path, text); reason != "" {
			t.Errorf("%s: %s", files[n].Path, reason)
		}
	}
	t.Logf("%d smoke files", len(files))
}

// compile compiles a file and returns the first complaint.
func compile(name string, text []byte) string {
	x, err := front.Check(name, string(text), "sm_90a")
	if err != nil {
		return err.Error()
	}
	r, err := pipeline.Module(x.Module, pipeline.Options{Arch: target.Find("sm_90a"), Level: 3}, 2, cubin.TKInfo{})
	switch {
	case err != nil:
		return err.Error()
	case len(r.Failures) > 0:
		return r.Failures[0].Text
	}
	return ""
}

// TestSharedFunctions compiles kernels that call the same functions in every
// way, on one worker and on many: the file is the same.
func TestSharedFunctions(t *testing.T) {
	var text strings.Builder
	text.WriteString(`.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.func (.param .b32 rv) once(.param .b32 x) { .reg .b32 %r<3>; .shared .b32 s; ld.param.u32 %r1, [x]; st.shared.u32 [s], %r1; ld.shared.u32 %r2, [s]; st.param.b32 [rv], %r2; ret; }
.func (.param .b32 rv) again(.param .b32 x) { .reg .b32 %r<3>; .reg .pred %p<2>; ld.param.u32 %r1, [x]; setp.eq.u32 %p1, %r1, 0; @%p1 bra D;
 sub.u32 %r1, %r1, 1; { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), again, (p); ld.param.b32 %r1, [q]; } D: st.param.b32 [rv], %r1; ret; }
.global .u64 table[2] = {once, again};
`)
	for n := range 12 {
		fmt.Fprintf(&text, `.visible .entry k%d(.param .u64 o) { .reg .b32 %%r<9>; .reg .b64 %%rd<9>; ld.param.u64 %%rd1, [o]; mov.u32 %%r1, %%tid.x;
 { .param .b32 p; .param .b32 q; st.param.b32 [p], %%r1; call (q), once, (p); ld.param.b32 %%r2, [q]; }
 { .param .b32 p; .param .b32 q; st.param.b32 [p], %%r2; call (q), again, (p); ld.param.b32 %%r3, [q]; }
 ld.global.u64 %%rd2, [table+8];
 { .param .b32 p; .param .b32 q; st.param.b32 [p], %d; P: .callprototype (.param .b32 _) _ (.param .b32 _); call (q), %%rd2, (p), P; ld.param.b32 %%r4, [q]; }
 { .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], %%rd1; st.param.b64 [b], %%rd1; call (c), vprintf, (a, b); ld.param.b32 %%r5, [c]; }
 add.u32 %%r3, %%r3, %%r4; add.u32 %%r3, %%r3, %%r5; st.global.u32 [%%rd1], %%r3; ret; }
`, n, n)
	}
	a := target.Find("sm_90a")
	var first []byte
	for _, workers := range []int{1, 8} {
		x, err := front.Check("f.ptx", text.String(), a.Name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := pipeline.Module(x.Module, pipeline.Options{Arch: a, Level: 3}, workers, cubin.TKInfo{})
		if err != nil || len(r.Failures) > 0 {
			t.Fatal(err, r.Failures)
		}
		if first == nil {
			first = r.Cubin
		}
		if !bytes.Equal(first, r.Cubin) {
			t.Errorf("%d workers give another file", workers)
		}
	}
	t.Logf("12 kernels, %d bytes, equal at 1 and 8 workers", len(first))
}
