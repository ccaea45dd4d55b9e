package versus

import (
	"io"
	"os"
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/driver"
	"github.com/goptxas/goptxas/internal/engine/stats"
	"github.com/goptxas/goptxas/internal/witness/corpus"
)

// How many files of the corpus the profile is of, and how much processor time each
// takes, again and again: small ones count as much as large ones. Less leaves a sample
// or two of many calls, by which none is told from another.
const (
	profiled     = 200
	profiledTime = 500 * time.Millisecond
)

// BenchmarkProfile compiles files of all parts of the corpus in this process,
// on one worker. A profile of it (make pgo) tells the Go compiler what is worth
// its while.
func BenchmarkProfile(b *testing.B) {
	if _, err := os.Stat(corpus.Dir()); err != nil {
		b.Fatal("a profile without the corpus would be empty: ", err)
	}
	if stats.CPUTime() == 0 {
		b.Skip("nothing tells processor time here")
	}
	c := corpus.Find(b)
	for b.Loop() {
		for _, f := range c.Every(profiled) {
			text, err := f.Read()
			if err != nil {
				b.Fatal(err)
			}
			args := []string{"-arch=" + f.Target, "--split-compile=1"}
			for begun := stats.CPUTime(); stats.CPUTime()-begun < profiledTime; {
				driver.CompileTexts(b.Context(), args, []driver.Text{{Name: "k.ptx", Text: text}}, io.Discard)
			}
		}
	}
}
