// Package versus compares this compiler with the reference: how long each
// takes, how many registers the code uses and how much it spills.
package versus

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// buckets are the sizes, in PTX instructions, by which the sample of the
// comparison is chosen, and how many files each gives.
var buckets = [...]struct{ upTo, files int }{
	{100, 12}, {400, 12}, {1600, 10}, {6400, 6}, {25600, 2}, {1 << 30, 1},
}

// sample picks the files of the comparison: of every size the same number,
// spread evenly over the bucket, whatever is in them.
func sample(c *corpus.Corpus) (list [][]corpus.File) {
	files := slices.Clone(c.Files)
	slices.SortStableFunc(files, func(a, b corpus.File) int {
		return cmp.Or(cmp.Compare(a.Instrs, b.Instrs), cmp.Compare(a.Name, b.Name))
	})
	for _, b := range buckets {
		n := 0
		for n < len(files) && files[n].Instrs <= b.upTo {
			n++
		}
		in := files[:n]
		files = files[n:]
		k := min(b.files, len(in))
		var chosen []corpus.File
		for i := range k {
			chosen = append(chosen, in[(2*i+1)*len(in)/(2*k)])
		}
		list = append(list, chosen)
	}
	return list
}

// outcome is what one compiler did with one file.
type outcome struct {
	ok           bool
	wall, cpu    time.Duration // the best of the runs
	regs, spills int           // sums over the kernels; spills in bytes
	log          string        // what it said, where it failed
}

var (
	regsLine  = regexp.MustCompile(`Used (\d+) registers`)
	spillLine = regexp.MustCompile(`(\d+) bytes spill stores, (\d+) bytes spill loads`)
)

// timed runs a compiler as a process, again while that is quick.
func timed(b *testing.B, exe string, f *corpus.File, env ...string) outcome {
	return runs(b, exe, f, 300*time.Millisecond, env...)
}

// once runs a compiler as a process a single time.
func once(b *testing.B, exe string, f *corpus.File, env ...string) outcome {
	return runs(b, exe, f, 1, env...)
}

func runs(b *testing.B, exe string, f *corpus.File, least time.Duration, env ...string) outcome {
	o := outcome{wall: math.MaxInt64, cpu: math.MaxInt64}
	out := filepath.Join(b.TempDir(), "out.cubin")
	for spent := time.Duration(0); spent < least; {
		cmd := exec.Command(exe, "-v", "-arch="+f.Target, f.Path, "-o", out)
		cmd.Env = append(os.Environ(), env...)
		var log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &log, &log
		start := time.Now()
		err := cmd.Run()
		wall := time.Since(start)
		spent += wall
		if o.ok = err == nil; !o.ok {
			o.log = fmt.Sprintf("%v: %s", err, log.String())
			return o
		}
		o.wall = min(o.wall, wall)
		o.cpu = min(o.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		o.regs, o.spills = 0, 0
		for _, m := range regsLine.FindAllStringSubmatch(log.String(), -1) {
			n, _ := strconv.Atoi(m[1])
			o.regs += n
		}
		for _, m := range spillLine.FindAllStringSubmatch(log.String(), -1) {
			x, _ := strconv.Atoi(m[1])
			y, _ := strconv.Atoi(m[2])
			o.spills += x + y
		}
	}
	return o
}

// score sums up files: logarithms of ratios, the reference's first.
type score struct {
	files, done          int
	wall, cpu, regs      float64
	refWall, ourWall     time.Duration
	refSpills, ourSpills int
	worst                float64 // least ratio of wall time
}

func (s *score) add(ref, our outcome) {
	s.files++
	if !ref.ok || !our.ok {
		return
	}
	s.done++
	ratio := float64(ref.wall) / float64(our.wall)
	s.wall += math.Log(ratio)
	s.cpu += math.Log(float64(ref.cpu) / float64(our.cpu))
	s.regs += math.Log(float64(our.regs) / float64(ref.regs))
	s.refWall, s.ourWall = s.refWall+ref.wall, s.ourWall+our.wall
	s.refSpills, s.ourSpills = s.refSpills+ref.spills, s.ourSpills+our.spills
	if s.worst == 0 || ratio < s.worst {
		s.worst = ratio
	}
}

func (s *score) row(name string) string {
	mean := func(sum float64) float64 { return math.Exp(sum / float64(max(1, s.done))) }
	return fmt.Sprintf("%-14s %4d %4d %9.1f %9.1f %7.2f %7.2f %7.2f %7.3f %8d %8d\n", name, s.files, s.done,
		float64(s.refWall.Microseconds())/1e3, float64(s.ourWall.Microseconds())/1e3, mean(s.wall), mean(s.cpu), s.worst, mean(s.regs), s.refSpills, s.ourSpills)
}

// installed builds the compiler as released, and copies it as installing does:
// the pages of a file that the linker has just written lie apart in memory, and
// every start of the program pays for that.
func installed(b *testing.B) string {
	built, exe := filepath.Join(b.TempDir(), "built"), filepath.Join(b.TempDir(), "goptxas")
	if out, err := exec.Command("go", "build", "-pgo=../../../cmd/goptxas/release.pgo", "-o", built, "github.com/goptxas/goptxas/cmd/goptxas").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(built)
	if err == nil {
		err = os.WriteFile(exe, text, 0o755)
	}
	if err != nil {
		b.Fatal(err)
	}
	return exe
}

// failed reports a file that a compiler could not compile.
func failed(b *testing.B, who string, f *corpus.File, o outcome) {
	if !o.ok {
		b.Errorf("%s fails: %s: %s", who, f.Name, o.log)
	}
}

// BenchmarkVersus compiles a sample of the corpus with the reference and
// with this compiler, one thread each, and prints how they compare: times
// in milliseconds, the geometric mean of how many times faster this one is
// (by the clock and by processor time) and of its registers, and bytes of
// spill code. A file that one of the two cannot compile is a failure.
func BenchmarkVersus(b *testing.B) {
	tools, c := oracle.Find(b), corpus.Find(b)
	exe := installed(b)
	for b.Loop() {
		var all score
		var t strings.Builder
		fmt.Fprintf(&t, "\n%-14s %4s %4s %9s %9s %7s %7s %7s %7s %8s %8s\n", "instructions", "all", "done", "ref ms", "our ms", "faster", "by cpu", "worst", "regs", "refspill", "ourspill")
		for n, files := range sample(c) {
			var s score
			for k := range files {
				ref := timed(b, tools.Path("ptxas"), &files[k])
				our := timed(b, exe, &files[k], "GOMAXPROCS=1")
				failed(b, "the reference", &files[k], ref)
				failed(b, "this compiler", &files[k], our)
				s.add(ref, our)
				all.add(ref, our)
			}
			name := "more"
			if n < len(buckets)-1 {
				name = fmt.Sprintf("up to %d", buckets[n].upTo)
			}
			t.WriteString(s.row(name))
		}
		t.WriteString(all.row("all"))
		b.Log(t.String())
		b.ReportMetric(math.Exp(all.wall/float64(max(1, all.done))), "x-faster")
		b.ReportMetric(math.Exp(all.regs/float64(max(1, all.done))), "x-registers")
	}
}
