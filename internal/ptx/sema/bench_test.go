package sema_test

import (
	"io"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/bodies"
	"github.com/goptxas/goptxas/internal/ptx/sema/declare"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// corpusTexts loads every file of the corpus.
func corpusTexts(b *testing.B) (texts [][]byte, archs []*target.Arch, size int64) {
	c := corpus.Find(b)
	for i := range c.Files {
		text, err := c.Files[i].Read()
		if err != nil {
			b.Fatal(err)
		}
		o, _ := options(c.Files[i].Args)
		texts, archs = append(texts, text), append(archs, o.Arch)
		size += int64(len(text))
	}
	return texts, archs, size
}

// BenchmarkFrontEnd scans, parses and checks the whole corpus on one thread,
// one body at a time.
func BenchmarkFrontEnd(b *testing.B) {
	texts, archs, size := corpusTexts(b)
	b.SetBytes(size)
	b.ReportAllocs()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu := cpuSeconds()
	b.ResetTimer()
	var s bodies.Scratch
	for b.Loop() {
		for i, text := range texts {
			checkOne(text, archs[i], &s)
		}
	}
	b.StopTimer()
	// On a busy machine the time on the processor tells more than the clock.
	b.ReportMetric(float64(size)*float64(b.N)/1e6/(cpuSeconds()-cpu), "MB/cpu-s")
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/float64(size), "allocB/inB")
}

// BenchmarkPeak reports the most heap in use at any time for each byte of
// input, the text not counted: for the corpus as a whole, bodies done one at
// a time with one scratch, and for the worst large file by itself, which is
// mostly one body.
func BenchmarkPeak(b *testing.B) {
	texts, archs, size := corpusTexts(b)
	var peak, worst float64
	for b.Loop() {
		var base, now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&base)
		var s bodies.Scratch
		for i, text := range texts {
			checkOne(text, archs[i], &s)
			if i%16 == 0 {
				runtime.ReadMemStats(&now)
				peak = max(peak, (float64(now.HeapAlloc)-float64(base.HeapAlloc))/float64(size))
			}
		}
		s = bodies.Scratch{}
		for i, text := range texts {
			if len(text) < 1<<20 {
				continue
			}
			runtime.GC()
			runtime.ReadMemStats(&base)
			var s bodies.Scratch
			m := checkOne(text, archs[i], &s)
			runtime.ReadMemStats(&now)
			worst = max(worst, (float64(now.HeapAlloc)-float64(base.HeapAlloc))/float64(len(text)))
			runtime.KeepAlive(m)
		}
	}
	b.ReportMetric(peak, "corpus-heapB/inB")
	b.ReportMetric(worst, "one-file-heapB/inB")
}

func checkOne(text []byte, arch *target.Arch, s *bodies.Scratch) *sema.Module {
	sink := diag.NewSink(io.Discard, diag.Options{})
	t := syntax.Scan(&src.File{Name: "in.ptx", Text: text})
	m := declare.Module([]*syntax.Tree{t}, sema.Options{Arch: arch}, sink)
	for _, f := range m.Bodies() {
		bodies.Check(m, f, s)
	}
	return m
}

// BenchmarkReference reports how fast the reference parses, by its own
// statistics, over some middle-sized files: compiling large ones takes
// minutes. The same files go through our front end beside it.
func BenchmarkReference(b *testing.B) {
	tools := oracle.Find(b)
	c := corpus.Find(b)
	dir := b.TempDir()
	var files []corpus.File
	for _, f := range c.Files {
		if f.Bytes > 100<<10 && f.Bytes < 200<<10 && len(files) < 6 {
			files = append(files, f)
		}
	}
	var theirs, ours, bytes float64
	for b.Loop() {
		theirs, ours, bytes = 0, 0, 0
		for _, f := range files {
			args := append([]string{"--compiler-stats=time,phase-wise", "-O0", "-o", filepath.Join(dir, "out.cubin")}, arch(f.Args)...)
			theirs += parseSeconds(tools.Ptxas(append(args, f.Path)...))
			text, err := f.Read()
			if err != nil {
				b.Fatal(err)
			}
			start := cpuSeconds()
			check(text, f.Args)
			ours += cpuSeconds() - start
			bytes += float64(f.Bytes)
		}
	}
	b.ReportMetric(bytes/1e6/theirs, "reference-MB/s")
	b.ReportMetric(bytes/1e6/ours, "ours-MB/s")
}

// parseSeconds reads the parse time out of the reference's statistics.
func parseSeconds(r oracle.Result) (s float64) {
	for line := range strings.Lines(r.Stdout + r.Stderr) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.HasPrefix(k, "Parse-time") {
			t, _ := strconv.ParseFloat(strings.Fields(v)[0], 64)
			s += t / 1e3
		}
	}
	return s
}

// arch returns the option that names the architecture.
func arch(args []string) []string {
	for _, a := range args {
		if strings.Contains(a, "gpu-name") || strings.Contains(a, "arch") {
			return []string{a}
		}
	}
	return nil
}
