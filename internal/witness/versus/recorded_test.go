package versus

import (
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

	"github.com/goptxas/goptxas/internal/codegen/sched/estimate"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/witness/corpus"
)

// products are the groups of files that BenchmarkRecorded tells apart: by the
// first of these instructions that a file uses, else it is among the others.
var products = [...]string{"wgmma", "mma.sync", "others"}

// recorded sums up the files of a group: registers as logarithms of ratios,
// spills in bytes stored and loaded.
type recorded struct {
	files                int
	regs                 float64
	refSpills, ourSpills int
	refFiles, ourFiles   int // files that spill
	alone, spared        int // only ours spills, only the reference's
	sized, fewer, more   int // files that tell their blocks' size; ours has fewer blocks on a multiprocessor by registers, or more
	lost                 int // of the fewer those that shared memory leaves room for
}

func (r *recorded) add(f *corpus.File, our outcome) {
	ref := f.SpillStores + f.SpillLoads
	r.files++
	r.regs += math.Log(float64(our.regs) / float64(f.Regs))
	r.refSpills, r.ourSpills = r.refSpills+ref, r.ourSpills+our.spills
	if ref > 0 {
		r.refFiles++
	}
	if our.spills > 0 {
		r.ourFiles++
	}
	switch {
	case our.spills > 0 && ref == 0:
		r.alone++
	case ref > 0 && our.spills == 0:
		r.spared++
	}
}

// launched is what a text says of the threads of a block.
var launched = regexp.MustCompile(`\.(?:reqntid|maxntid)\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?`)

// occupy adds how many blocks fit on a multiprocessor by their registers, if the text tells their size. Where ours
// are fewer, only blocks count that the copies of its loops leave shared memory for, as far as the code tells.
func (r *recorded) occupy(b *testing.B, exe string, file *corpus.File, text []byte, our int) {
	m := launched.FindSubmatch(text)
	if m == nil {
		return
	}
	f := &ori.Func{}
	for n := range f.Props.ReqNTid {
		x, _ := strconv.Atoi("0" + string(m[n+1]))
		f.Props.ReqNTid[n] = int32(x)
	}
	left, _ := estimate.Blocks(f, int32(our))
	right, _ := estimate.Blocks(f, int32(file.Regs))
	r.sized++
	switch {
	case left > right:
		r.more++
	case left < right:
		r.fewer++
		if whole := lowered(b, exe, file); whole != nil {
			left, _ = estimate.Blocks(whole, int32(our))
			right, _ = estimate.Blocks(whole, int32(file.Regs))
		}
		if left < right {
			r.lost++
		}
	}
}

// lowered is the kernel of a file as the scheduler gets it, nil if it cannot be had.
func lowered(b *testing.B, exe string, file *corpus.File) *ori.Func {
	dir := b.TempDir()
	cmd := exec.Command(exe, "-arch="+file.Target, file.Path, "--phase", "PreSchedule/dump", "-o", "out.cubin")
	cmd.Dir = dir
	if err := cmd.Run(); err != nil {
		return nil
	}
	list, _ := filepath.Glob(filepath.Join(dir, "*.ori"))
	for _, name := range list {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil
		}
		if m, err := ori.Parse(string(text)); err == nil && len(m.Funcs) == 1 && m.Funcs[0].Kernel {
			return m.Funcs[0]
		}
	}
	return nil
}

// BenchmarkRecorded compiles every file of the corpus with one kernel whose
// registers with the reference are on record, some two thousand, and prints
// registers, spills and how many have fewer or more blocks on a multiprocessor
// beside the record. The reference's tools are not needed.
func BenchmarkRecorded(b *testing.B) {
	c := corpus.Find(b)
	exe := filepath.Join(b.TempDir(), "goptxas")
	if out, err := exec.Command("go", "build", "-o", exe, "github.com/goptxas/goptxas/cmd/goptxas").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for b.Loop() {
		var groups [len(products)]recorded
		for _, f := range c.Files {
			if f.Regs == 0 || f.Entries != 1 || strings.Contains(f.Target, "debug") {
				continue
			}
			our := once(b, exe, &f, "GOMAXPROCS=1")
			if !our.ok {
				b.Errorf("%s: %s", f.Name, our.log)
				continue
			}
			n := slices.IndexFunc(products[:], func(p string) bool { return p == "others" || slices.Contains(f.Feats, p) })
			groups[n].add(&f, our)
			text, err := os.ReadFile(f.Path)
			if err != nil {
				b.Fatal(err)
			}
			groups[n].occupy(b, exe, &f, text, our.regs)
		}
		var t strings.Builder
		for n, g := range groups {
			fmt.Fprintf(&t, "\n%-9s %4d files, registers %.3f; spills %d bytes in %d files beside %d in %d, only ours in %d, only the reference's in %d; of %d with blocks of known size %d have fewer of them by registers, %d also by shared memory, and %d more",
				products[n], g.files, math.Exp(g.regs/float64(max(1, g.files))), g.ourSpills, g.ourFiles, g.refSpills, g.refFiles, g.alone, g.spared, g.sized, g.fewer, g.lost, g.more)
		}
		b.Log(t.String())
	}
}
