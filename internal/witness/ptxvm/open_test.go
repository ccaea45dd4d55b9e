package ptxvm

import (
	"bytes"
	"strings"
	"testing"
)

// TestGarbage checks what Garbage and Schedule change: only results that
// depend on what nobody wrote, or on the order of threads.
func TestGarbage(t *testing.T) {
	const store = "\nmul.wide.u32 %d1, %r0, 4;\nadd.u64 %d1, %d1, %d0;\nst.global.u32 [%d1], %r1;"
	for _, c := range []struct {
		name, body string
		same       bool
	}{
		{"written", "mov.u32 %r1, %r0;", true},
		{"register", "mov.u32 %r1, %r9;", false},
		{"shared", "ld.shared.u32 %r1, [s+8];", false},
		{"clock", "mov.u32 %r1, %clock;", false},
		{"order", "atom.global.add.u32 %r1, [%d0+512], 1;", false},
		{"counted", "atom.global.add.u32 %r1, [%d0+512], 1;\nmov.u32 %r1, 0;", true},
	} {
		text := kernel(c.body + store)
		a, err := runKernel(t, text, 96, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		b, err := runKernel(t, text, 96, Options{Garbage: 0x7E7E7E7E7E7E7E7E, Schedule: 5})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if bytes.Equal(a, b) != c.same {
			t.Errorf("%s: the same is %v, want %v", c.name, !c.same, c.same)
		}
	}
}

// TestHeap lets each thread ask for memory, use it and give it back.
func TestHeap(t *testing.T) {
	text := kernel(`{
	.param .b64 n; .param .b64 p;
	st.param.b64 [n], 16;
	call.uni (p), malloc, (n);
	ld.param.b64 %d1, [p];
	st.u32 [%d1+12], %r0;
	ld.u32 %r1, [%d1+12];
	.param .b64 q;
	st.param.b64 [q], %d1;
	call.uni free, (q);
	}
	mul.wide.u32 %d2, %r0, 4;
	add.u64 %d2, %d2, %d0;
	st.global.u32 [%d2], %r1;`)
	text = strings.Replace(text, ".visible", ".extern .func (.param .b64 p) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n.visible", 1)
	out, err := runKernel(t, text, 40, Options{Garbage: 1, Undefined: true})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 40 {
		if out[4*n] != byte(n) {
			t.Fatalf("thread %d got %d", n, out[4*n])
		}
	}
	if _, err := runKernel(t, strings.ReplaceAll(text, "%d1+12", "%d1+16"), 40, Options{}); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("behind the memory: %v", err)
	}
}
