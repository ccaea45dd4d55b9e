package versus

import (
	"cmp"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// plainSizes are the sizes by which the sample without tensor instructions
// is chosen; each gives the same number of files.
var plainSizes = [...]int{400, 1600, 1 << 30}

const plainEach = 50

// tensor begins the names of the instruction groups that such a sample
// leaves out.
var tensor = [...]string{"mma", "wgmma", "ldmatrix", "stmatrix", "cp.async.bulk", "mbarrier", "setmaxnreg"}

// plain picks files without tensor instructions, spread over each size.
func plain(c *corpus.Corpus) (list []corpus.File) {
	var files []corpus.File
	for _, f := range c.Files {
		uses := slices.ContainsFunc(f.Feats, func(s string) bool {
			return slices.ContainsFunc(tensor[:], func(t string) bool { return strings.HasPrefix(s, t) })
		})
		if !uses && !strings.Contains(f.Target, "debug") {
			files = append(files, f)
		}
	}
	slices.SortStableFunc(files, func(a, b corpus.File) int {
		return cmp.Or(cmp.Compare(a.Instrs, b.Instrs), cmp.Compare(a.Name, b.Name))
	})
	for _, size := range plainSizes {
		n := 0
		for n < len(files) && files[n].Instrs <= size {
			n++
		}
		in := files[:n]
		files = files[n:]
		k := min(plainEach, len(in))
		for i := range k {
			list = append(list, in[(2*i+1)*len(in)/(2*k)])
		}
	}
	return list
}

// BenchmarkRegisters compiles 150 files without tensor instructions with
// both compilers and prints the geometric mean of the registers' ratio, the
// ten files with the largest, and those where only this compiler spills.
func BenchmarkRegisters(b *testing.B) {
	tools, c := oracle.Find(b), corpus.Find(b)
	exe := filepath.Join(b.TempDir(), "goptxas")
	if out, err := exec.Command("go", "build", "-o", exe, "github.com/goptxas/goptxas/cmd/goptxas").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	type row struct {
		ratio    float64
		name     string
		ref, our outcome
	}
	for b.Loop() {
		var rows []row
		var all score
		for _, f := range plain(c) {
			ref, our := once(b, tools.Path("ptxas"), &f), once(b, exe, &f, "GOMAXPROCS=1")
			all.add(ref, our)
			if ref.ok && our.ok {
				rows = append(rows, row{float64(our.regs) / float64(ref.regs), f.Name, ref, our})
			}
		}
		slices.SortStableFunc(rows, func(x, y row) int { return cmp.Compare(y.ratio, x.ratio) })
		var t strings.Builder
		for _, r := range rows[:min(10, len(rows))] {
			fmt.Fprintf(&t, "\n%5.2f  %3d beside %3d  %s", r.ratio, r.our.regs, r.ref.regs, r.name)
		}
		only := 0
		for _, r := range rows {
			if r.our.spills > 0 && r.ref.spills == 0 {
				fmt.Fprintf(&t, "\n%d bytes of spills, none in the reference's  %s", r.our.spills, r.name)
				only++
			}
		}
		mean := func(sum float64) float64 { return math.Exp(sum / float64(max(1, all.done))) }
		b.Logf("%d of %d files; registers %.3f, spills %d beside %d, alone in %d files; %.2f times faster by processor time, %.2f in all%s",
			all.done, all.files, mean(all.regs), all.ourSpills, all.refSpills, only, mean(all.cpu), float64(all.refWall)/float64(max(1, all.ourWall)), t.String())
		b.ReportMetric(mean(all.regs), "x-registers")
		b.ReportMetric(mean(all.cpu), "x-faster")
	}
}
