package versus

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/corpus"
)

// summary is the line with which the allocator's trace ends.
var summary = regexp.MustCompile(`(?m)^-REGALLOC \S+: (\d+) registers, (\d+) splits, (\d+) stores, (\d+) loads, weight (\d+), (\d+) moves$`)

// traffic is what an allocation costs.
type traffic struct {
	files, splits, stores, loads, weight, moves int
}

func (t *traffic) String() string {
	return fmt.Sprintf("%d files spill, %d splits, %d stores, %d loads, weight %d, %d moves", t.files, t.splits, t.stores, t.loads, t.weight, t.moves)
}

// spillsOf compiles a file with few registers and adds what that costs.
func spillsOf(b *testing.B, exe string, f *corpus.File, all *traffic, args ...string) (weight int, ok bool) {
	args = append([]string{"-arch=" + f.Target, "--knob", "RegAllocTrace=true", f.Path, "-o", filepath.Join(b.TempDir(), "x.cubin")}, args...)
	log, err := exec.Command(exe, args...).CombinedOutput()
	if err != nil {
		return 0, false
	}
	var one traffic
	for _, m := range summary.FindAllStringSubmatch(string(log), -1) {
		for k, to := range [...]*int{&one.splits, &one.stores, &one.loads, &one.weight, &one.moves} {
			n, _ := strconv.Atoi(m[k+2])
			*to += n
		}
	}
	if one.loads+one.stores > 0 {
		all.files++
	}
	all.splits += one.splits
	all.stores += one.stores
	all.loads += one.loads
	all.weight += one.weight
	all.moves += one.moves
	return one.weight, true
}

// BenchmarkSpills compiles a sample of the corpus with few registers and
// prints the words that go to memory and back, and how often that happens if
// every loop goes round eight times: with registers split at the borders of
// loops and blocks, and without.
func BenchmarkSpills(b *testing.B) {
	c := corpus.Find(b)
	exe := filepath.Join(b.TempDir(), "goptxas")
	if out, err := exec.Command("go", "build", "-o", exe, "github.com/goptxas/goptxas/cmd/goptxas").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for b.Loop() {
		for _, limit := range []int{24, 32, 40, 255} {
			var split, whole traffic
			var worse strings.Builder
			n := 0
			for k, f := range plain(c) {
				if k%3 != 0 || f.Instrs > 6000 {
					continue
				}
				most := fmt.Sprintf("--maxrregcount=%d", limit)
				x, ok := spillsOf(b, exe, &f, &split, most)
				if !ok {
					continue
				}
				y, _ := spillsOf(b, exe, &f, &whole, most, "--knob", "RegAllocSplit=false")
				n++
				if x > y+y/20 {
					fmt.Fprintf(&worse, "\n  weight %d beside %d  %s", x, y, f.Name)
				}
			}
			b.Logf("%d files, %d registers; split: %v", n, limit, &split)
			b.Logf("everywhere: %v%s", &whole, worse.String())
			b.ReportMetric(float64(split.weight)/float64(max(1, whole.weight)), fmt.Sprintf("x-weight-%d", limit))
		}
	}
}
