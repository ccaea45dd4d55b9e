//go:build unix

package driver

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shapes are kernels that can be made any size. Each writes instruction n
// of a body in which the last sixteen values are read again.
var shapes = [...]struct {
	name string
	step func(w *strings.Builder, r *rand.Rand, n int)
}{
	{"row", fma},
	{"branches", func(w *strings.Builder, r *rand.Rand, n int) {
		if n%10 != 0 {
			fma(w, r, n)
			return
		}
		fmt.Fprintf(w, "mov.f32 %%f%d, %%f%d; setp.gt.s32 %%p1, %%r1, %d; @%%p1 bra L%d; add.f32 %%f%d, %%f%d, %%f%d; st.global.f32 [%%rd4], %%f%d; L%d:\n", n, n-16, n, n, n, n-3, n-5, n, n)
	}},
	{"loops", func(w *strings.Builder, r *rand.Rand, n int) {
		switch (n - 16) % 20 {
		case 1:
			fmt.Fprintf(w, "mov.u32 %%r2, 0; mov.f32 %%f%d, %%f%d; L%d:\n", n, n-1, n)
		case 19:
			fmt.Fprintf(w, "add.f32 %%f%d, %%f%d, %%f%d; add.u32 %%r2, %%r2, 1; setp.lt.u32 %%p1, %%r2, %%r1; @%%p1 bra L%d; mov.f32 %%f%d, %%f%d;\n", n-18, n-18, n-1, n-18, n, n-1)
		default:
			fma(w, r, n)
		}
	}},
	{"memory", func(w *strings.Builder, r *rand.Rand, n int) {
		switch n % 4 {
		case 0:
			fmt.Fprintf(w, "ld.global.f32 %%f%d, [%%rd4+%d];\n", n, 4*r.IntN(1<<16))
		case 2:
			fmt.Fprintf(w, "mov.f32 %%f%d, %%f%d; st.global.f32 [%%rd4+%d], %%f%d;\n", n, n-1, 4*r.IntN(1<<16), n-2)
		default:
			fma(w, r, n)
		}
	}},
	{"pressure", func(w *strings.Builder, r *rand.Rand, n int) {
		fmt.Fprintf(w, "fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", n, n-1, r.IntN(n), max(0, n-400))
	}},
}

func fma(w *strings.Builder, r *rand.Rand, n int) {
	fmt.Fprintf(w, "fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", n, n-1-r.IntN(15), n-1-r.IntN(15), n-16)
}

// grown returns a kernel of about n instructions.
func grown(step func(w *strings.Builder, r *rand.Rand, n int), n int) []byte {
	var w strings.Builder
	r := rand.New(rand.NewPCG(1, 2))
	fmt.Fprintf(&w, ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p, .param .u32 q) {\n"+
		".reg .b64 %%rd<9>; .reg .pred %%p<2>; .reg .f32 %%f<%d>; .reg .b32 %%r<9>;\n"+
		"ld.param.u64 %%rd1, [p]; ld.param.u32 %%r1, [q]; mov.u32 %%r2, %%tid.x; mul.wide.u32 %%rd3, %%r2, 4; add.s64 %%rd4, %%rd1, %%rd3;\n", n+1)
	for k := range 16 {
		fmt.Fprintf(&w, "ld.global.f32 %%f%d, [%%rd4+%d];\n", k, 4096*k)
	}
	for k := 16; k < n; k++ {
		step(&w, r, k)
	}
	for k := range 16 {
		fmt.Fprintf(&w, "st.global.f32 [%%rd4+%d], %%f%d;\n", 4*k, n-1-k)
	}
	w.WriteString("ret; }\n")
	return []byte(w.String())
}

// processorTime is what the process has used so far: on a busy machine it
// tells more than the clock.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkGrowth compiles kernels of growing size: the time for one
// instruction should not grow with them.
func BenchmarkGrowth(b *testing.B) {
	for _, s := range shapes {
		for _, n := range [...]int{1000, 10000, 100000} {
			text := grown(s.step, n)
			b.Run(fmt.Sprintf("%s/%d", s.name, n), func(b *testing.B) {
				b.ReportAllocs()
				start := processorTime(b)
				for b.Loop() {
					var log bytes.Buffer
					if _, ok := CompileTexts(b.Context(), []string{"-arch=sm_90"}, []Text{{"k.ptx", text}}, &log); !ok {
						b.Fatal(log.String())
					}
				}
				b.ReportMetric(float64((processorTime(b)-start).Nanoseconds())/float64(b.N*n), "cpu-ns/instr")
			})
		}
	}
}
