package sass

import (
	"testing"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/target"
)

// benchWords are the golden words of sm_90a, the mix a real compiler emits.
func benchWords(b *testing.B) (*target.Arch, []bits.Word) {
	b.Helper()
	var ws []bits.Word
	for _, l := range readGolden(b) {
		if l.archs>>7&1 != 0 {
			ws = append(ws, l.w)
		}
	}
	return target.Find("sm_90a"), ws
}

// perSecond starts a measurement of processor time, which on a busy machine
// says more than the clock on the wall; call the result when the loop ends.
func perSecond(b *testing.B) func() {
	b.ReportAllocs()
	start := cpuTime()
	return func() {
		b.ReportMetric(float64(b.N)/(cpuTime()-start).Seconds()/1e6, "Minst/cpu-s")
	}
}

func BenchmarkDecode(b *testing.B) {
	a, ws := benchWords(b)
	known := 0
	n := 0
	done := perSecond(b)
	for b.Loop() {
		i := Decode(a, ws[n])
		if i.Known() {
			known++
		}
		if n++; n == len(ws) {
			n = 0
		}
	}
	done()
}

func BenchmarkEncode(b *testing.B) {
	a, ws := benchWords(b)
	insts := make([]Inst, len(ws))
	for n, w := range ws {
		insts[n] = Decode(a, w)
	}
	n := 0
	done := perSecond(b)
	for b.Loop() {
		if _, err := insts[n].Encode(a); err != nil {
			b.Fatal(err)
		}
		if n++; n == len(insts) {
			n = 0
		}
	}
	done()
}

func BenchmarkPrint(b *testing.B) {
	a, ws := benchWords(b)
	insts := make([]Inst, len(ws))
	for n, w := range ws {
		insts[n] = Decode(a, w)
	}
	buf := make([]byte, 0, 256)
	n := 0
	done := perSecond(b)
	for b.Loop() {
		buf = insts[n].AppendText(buf[:0], a, 0)
		if n++; n == len(insts) {
			n = 0
		}
	}
	done()
}

func BenchmarkParse(b *testing.B) {
	a, ws := benchWords(b)
	texts := make([]string, len(ws))
	for n, w := range ws {
		i := Decode(a, w)
		texts[n] = i.Text(a, 0)
	}
	n := 0
	done := perSecond(b)
	for b.Loop() {
		if _, err := Parse(a, texts[n], 0); err != nil {
			b.Fatal(err)
		}
		if n++; n == len(texts) {
			n = 0
		}
	}
	done()
}
