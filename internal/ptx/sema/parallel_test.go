package sema_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/bodies"
	"github.com/goptxas/goptxas/internal/ptx/sema/declare"
	"github.com/goptxas/goptxas/internal/ptx/sema/whole"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
	"github.com/goptxas/goptxas/internal/target"
)

// manyKernels is a module with a fault of its own in every third kernel.
func manyKernels(n int) []byte {
	var b bytes.Buffer
	b.WriteString(".version 9.0\n.target sm_90\n.address_size 64\n.global .u32 g[4];\n.func f(.param .b32 a) { ret; }\n")
	for i := range n {
		fmt.Fprintf(&b, ".visible .entry k%d(.param .u64 p) {\n .reg .b32 %%r<9>; .reg .b64 %%rd<3>; .param .b32 x;\n", i)
		b.WriteString(" ld.param.u64 %rd1, [p];\n ld.global.u32 %r1, [%rd1+4];\n st.param.b32 [x], %r1;\n call f, (x);\n")
		if i%3 == 0 {
			fmt.Fprintf(&b, " add.u32 %%r1, %%r2, nosuch%d;\n bra L%d;\n", i, i)
		}
		b.WriteString(" ret;\n}\n")
	}
	return b.Bytes()
}

func run(text []byte, workers int) string {
	var out bytes.Buffer
	sink := diag.NewSink(&out, diag.Options{})
	t := syntax.Scan(&src.File{Name: "in.ptx", Text: text})
	m := declare.Module([]*syntax.Tree{t}, sema.Options{Arch: target.Find("sm_90")}, sink)
	work := make(chan int32)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			var s bodies.Scratch
			for f := range work {
				bodies.Check(m, f, &s)
			}
		})
	}
	for _, f := range m.Bodies() {
		work <- f
	}
	close(work)
	wg.Wait()
	if sink.Errors() == 0 {
		whole.Module(m, sink)
	}
	return out.String()
}

// TestParallel: the messages are the same whatever the number of workers.
func TestParallel(t *testing.T) {
	text := manyKernels(300)
	want := run(text, 1)
	if n := strings.Count(want, "\n"); n != 300 {
		t.Fatalf("%d lines:\n%.500s", n, want)
	}
	for _, workers := range []int{2, 4, 8} {
		if got := run(text, workers); got != want {
			t.Errorf("%d workers: messages differ", workers)
		}
	}
}

// TestLinear: many faults, deep blocks, long names and large families cost
// time in proportion to the text.
func TestLinear(t *testing.T) {
	head := ".version 9.0\n.target sm_90\n.address_size 64\n"
	for name, text := range map[string]string{
		"faults":   head + ".entry k() {\n" + strings.Repeat("foo;\n", 200_000) + "}\n",
		"unknowns": head + ".entry k() {\n" + strings.Repeat("bra nosuch;\n", 200_000) + "}\n",
		"names":    head + ".entry k() { .reg .b32 " + strings.Repeat("a", 4<<20) + "; ret; }\n",
		"families": head + ".entry k() { " + strings.Repeat("{ .reg .b32 %r<2000000000>; mov.u32 %r1999999999, 1; }\n", 20_000) + "}\n",
		"blocks":   head + ".entry k() { " + strings.Repeat("{ bra L; ", 1600) + strings.Repeat("}", 1600) + " L: ret; }\n",
		"labels":   head + ".entry k() {\n" + manyLabels(100_000) + "}\n",
		"globals":  head + manyGlobals(100_000),
		"values":   head + ".global .u32 g[500000] = {" + strings.Repeat("1,", 499_999) + "1};\n",
		"garbage":  head + strings.Repeat("\x01", 16<<20),
	} {
		start := time.Now()
		got := check([]byte(text), []string{"-arch=sm_90"})
		t.Logf("%-9s %9d bytes %8d bytes of messages, exit %3d, %v", name, len(text), len(got.stderr), got.exit,
			time.Since(start).Round(time.Millisecond))
	}
}

func manyLabels(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "bra L%d; L%d:\n", (i*7919)%n, i)
	}
	return b.String()
}

func manyGlobals(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ".global .u64 g%d = 0x%x;\n", i, i)
	}
	return b.String()
}
