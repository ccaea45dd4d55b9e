//go:build linux

package syntax

import (
	"bytes"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/witness/corpus"
)

// cpuRate reports megabytes for each second of processor time since the
// call, which a busy machine disturbs less than the wall clock.
func cpuRate(b *testing.B, size int) func() {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	start := used()
	return func() {
		b.ReportMetric(float64(size)*float64(b.N)/1e6/(used()-start).Seconds(), "cpu-MB/s")
	}
}

// BenchmarkScan measures the first scan over the corpus, byte checks and
// module level included.
func BenchmarkScan(b *testing.B) {
	texts := corpus.Find(b).Texts(b)
	size := 0
	for _, t := range texts {
		size += len(t)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	defer cpuRate(b, size)()
	for b.Loop() {
		for _, t := range texts {
			if m := Scan(&src.File{Name: "in.ptx", Text: t}); m.Err != nil {
				b.Fatal(m.Err)
			}
		}
	}
}

// BenchmarkParseBodies measures the bodies alone, one parser for all.
func BenchmarkParseBodies(b *testing.B) {
	texts := corpus.Find(b).Texts(b)
	var mods []*Tree
	size := 0
	for _, t := range texts {
		m := Scan(&src.File{Name: "in.ptx", Text: t})
		mods = append(mods, m)
		for i := range m.Funcs {
			if f := &m.Funcs[i]; f.HasBody {
				size += int(f.BodyEnd - f.Body)
			}
		}
	}
	ps := new(Parser)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	defer cpuRate(b, size)()
	for b.Loop() {
		for _, m := range mods {
			for i := range m.Funcs {
				if f := &m.Funcs[i]; f.HasBody {
					if t := ps.ParseBody(m, f); t.Err != nil {
						b.Fatal(t.Err)
					}
				}
			}
		}
	}
}

// synthetic builds one module of about size bytes with n kernels, from the
// largest bodies of the corpus under new names.
func synthetic(b testing.TB, size, n int) []byte {
	var bodies [][]byte
	for _, t := range corpus.Find(b).Texts(b) {
		m := Scan(&src.File{Name: "in.ptx", Text: t})
		for i := range m.Funcs {
			if f := &m.Funcs[i]; f.HasBody && f.BodyEnd-f.Body > 20000 {
				bodies = append(bodies, t[f.Body:f.BodyEnd+1])
			}
		}
	}
	var out bytes.Buffer
	out.WriteString(".version 9.0\n.target sm_90a\n.address_size 64\n")
	for k := range n {
		out.WriteString(".visible .entry k")
		out.WriteString(itoa(k))
		out.WriteString("()\n{\n")
		for i := k; out.Len() < size/n*(k+1); i++ {
			out.Write(bodies[i%len(bodies)])
		}
		out.WriteString("}\n")
	}
	return out.Bytes()
}

// BenchmarkScanHuge scans one module of 361 MB and 320 kernels and reports
// the heap beside the text.
func BenchmarkScanHuge(b *testing.B) {
	text := synthetic(b, 361<<20, 320)
	b.SetBytes(int64(len(text)))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n := 0
	defer cpuRate(b, len(text))()
	for b.Loop() {
		m := Scan(&src.File{Name: "in.ptx", Text: text})
		if m.Err != nil || len(m.Funcs) != 320 {
			b.Fatal(m.Err, len(m.Funcs))
		}
		n++
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(n), "heap-B/op")
	b.ReportMetric(float64(after.HeapSys)/(1<<20), "heap-MB")
}

// BenchmarkBodyHeap parses every body with a fresh parser and reports the
// heap this takes for each byte of the body: over all of them, and at worst
// among those of at least 64 KB.
func BenchmarkBodyHeap(b *testing.B) {
	var total, worst float64
	for b.Loop() {
		var heap, size uint64
		worst = 0
		for _, t := range corpus.Find(b).Texts(b) {
			m := Scan(&src.File{Name: "in.ptx", Text: t})
			for i := range m.Funcs {
				f := &m.Funcs[i]
				if !f.HasBody || f.BodyEnd-f.Body < 4096 {
					continue
				}
				ps := new(Parser)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				ps.ParseBody(m, f)
				runtime.ReadMemStats(&after)
				used, n := after.TotalAlloc-before.TotalAlloc, uint64(f.BodyEnd-f.Body)
				heap, size = heap+used, size+n
				if n >= 64<<10 {
					worst = max(worst, float64(used)/float64(n))
				}
			}
		}
		total = float64(heap) / float64(size)
	}
	b.ReportMetric(total, "heap-B/byte")
	b.ReportMetric(worst, "worst-B/byte")
}
