package scoreboard

import (
	"fmt"
	"testing"

	"github.com/goptxas/goptxas/internal/target"
)

func BenchmarkAssign(b *testing.B) {
	for _, shape := range [][2]int{{1, 2000}, {1, 50000}, {400, 60}} {
		b.Run(fmt.Sprintf("%dx%d", shape[0], shape[1]), func(b *testing.B) {
			n := 0
			for b.Loop() {
				b.StopTimer()
				f := newMaker(1).function(shape[0], shape[1])
				n = f.NumInstrs()
				b.StartTimer()
				Assign(f, target.Find("sm_90a"), Sectors{4, 3})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/instr")
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, shape := range [][2]int{{1, 2000}, {1, 50000}, {400, 60}} {
		b.Run(fmt.Sprintf("%dx%d", shape[0], shape[1]), func(b *testing.B) {
			f := newMaker(1).function(shape[0], shape[1])
			n := f.NumInstrs()
			a := target.Find("sm_90a")
			Assign(f, a, Sectors{4, 3})
			for b.Loop() {
				if err := Check(f, a); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/instr")
		})
	}
}
