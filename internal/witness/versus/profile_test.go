package versus

import (
	"io"
	"os"
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/driver"
	"github.com/goptxas/goptxas/internal/witness/corpus"
)

// How many files of the corpus the profile is of, and how long each is
// compiled: small ones count as much as large ones.
const (
	profiled     = 200
	profiledTime = 150 * time.Millisecond
)

// BenchmarkProfile compiles files of all parts of the corpus in this process,
// on one worker. A profile of it (make pgo) tells the Go compiler what is worth
// its while.
func BenchmarkProfile(b *testing.B) {
	if _, err := os.Stat(corpus.Dir()); err != nil {
		b.Fatal("a profile without the corpus would be empty: ", err)
	}
	c := corpus.Find(b)
	for b.Loop() {
		for _, f := range c.Every(profiled) {
			text, err := f.Read()
			if err != nil {
				b.Fatal(err)
			}
			args := []string{"-arch=" + f.Target, "--split-compile=1"}
			for begun := time.Now(); time.Since(begun) < profiledTime; {
				driver.CompileTexts(b.Context(), args, []driver.Text{{Name: "k.ptx", Text: text}}, io.Discard)
			}
		}
	}
}
