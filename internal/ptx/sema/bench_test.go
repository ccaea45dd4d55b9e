package sema_test

import (
	"io"
	"runtime"
	"testing"

	"goptxas/internal/engine/diag"
	"goptxas/internal/engine/src"
	"goptxas/internal/ptx/sema"
	"goptxas/internal/ptx/syntax"
	"goptxas/internal/target"
	"goptxas/internal/witness/corpus"
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
	b.ResetTimer()
	var s sema.Scratch
	for b.Loop() {
		for i, text := range texts {
			sink := diag.NewSink(io.Discard, diag.Options{})
			t := syntax.Scan(&src.File{Name: "in.ptx", Text: text})
			m := sema.CheckModule([]*syntax.Tree{t}, sema.Options{Arch: archs[i]}, sink)
			for _, f := range m.Bodies() {
				m.CheckBody(f, &s)
			}
		}
	}
	b.StopTimer()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/float64(size), "allocB/inB")
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc)-float64(size), "keptB")
}
