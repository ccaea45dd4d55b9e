package versus

import (
	"cmp"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/tables"
)

// A guess of how long a kernel runs, from its machine code alone: one warp
// issues in order, results that barriers announce take a typical time, and
// loops run again and again. It sees what stalls, waits, serial loads and
// further instructions cost, in hundreds of kernels and without a GPU; it
// knows nothing of caches, banks and other warps.

// arrival is about how long operations of a class take until the barrier of
// their results is free.
func arrival(c target.Class) int {
	switch c {
	case target.ClassLdg, target.ClassTex:
		return 400
	case target.ClassLds:
		return 30
	case target.ClassLdc, target.ClassLdcu:
		return 40
	}
	return 22
}

// sourcesRead is about how long operations take to read their registers.
const sourcesRead = 14

// again is how often the inside of a loop is taken to run, and deepest the
// depth from which on loops count no more.
const (
	again   = 8
	deepest = 4
)

// guess is what one kernel costs.
type guess struct {
	latency float64 // cycles of a warp that runs alone
	issue   float64 // cycles in which it issues
	work    float64 // instructions of floating point
}

// scaled returns g for as much work as h does: loops that are unrolled more
// run less often.
func (g guess) scaled(h guess) guess {
	if x := h.work / g.work; g.work > 0 && h.work > 0 && (x > 1.4 || x < 0.7) {
		g.latency, g.issue = x*g.latency, x*g.issue
	}
	return g
}

// time is the cycles a scheduler spends on a warp's work when so many warps
// share it.
func (g guess) time(warps float64) float64 { return max(g.issue, g.latency/warps) }

// workers are the operations that show how often a loop was unrolled.
var workers = [...]string{"FFMA", "FADD", "FMUL", "DFMA", "DADD", "DMUL", "MUFU", "HMMA", "HGMMA", "IMMA", "DMMA"}

// guessOf walks the instructions of a kernel in the order of their
// addresses, and every loop twice: its second turn counts.
func guessOf(a *target.Arch, words []bits.Word) (g guess, ok bool) {
	n := len(words)
	events, back := make([]timing.Event, n), make([]int, n)
	preds := make([][]int, n+1)
	works := make([]bool, n)
	for k, w := range words {
		x := sass.Decode(a, w)
		if !x.Known() {
			return g, false
		}
		name := x.Op().String()
		events[k], back[k] = tables.Event(a, x), -1
		base, _, _ := strings.Cut(name, ".")
		works[k] = slices.Contains(workers[:], base)
		to := k
		for i := range x.NArg() {
			if o := x.Arg(i); o.Kind == sass.KindLabel && strings.HasPrefix(name, "BRA") {
				to = k + 1 + int(o.Imm)/16
			}
		}
		if to >= 0 && to < n && to != k {
			preds[to] = append(preds[to], k)
		}
		if to == k && !strings.HasPrefix(name, "BRA") && !strings.HasPrefix(name, "EXIT") && !strings.HasPrefix(name, "RET") || x.Guard() != sass.Always {
			preds[k+1] = append(preds[k+1], k)
		}
		if to < k && to >= 0 {
			back[k] = to
		}
	}
	depth := make([]int, n)
	for k, to := range back {
		if to >= 0 && !loop(preds, depth, k, to) {
			back[k] = -1
		}
	}
	cost := turns(events, back, n)
	for k := range n {
		weight := math.Pow(again, float64(min(depth[k], deepest)))
		g.latency += weight * float64(cost[k])
		g.issue += weight
		if works[k] {
			g.work += weight
		}
	}
	return g, true
}

// loop raises the depth of the instructions of the loop that the jump from k
// back to head closes, and reports whether there is one: code moved out of
// the way jumps back too.
func loop(preds [][]int, depth []int, k, head int) bool {
	in := map[int]bool{head: true}
	work := []int{k}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if in[at] {
			continue
		}
		if at == 0 {
			return false
		}
		in[at] = true
		work = append(work, preds[at]...)
	}
	for at := range in {
		depth[at]++
	}
	return true
}

// turns returns the cycles that pass before each instruction, at its last
// visit.
func turns(events []timing.Event, back []int, n int) []int {
	var done [timing.NumBarriers]int
	cost, taken := make([]int, n), make([]bool, n)
	now, steps := 0, 0
	for k := 0; k < n && steps < 100*n; steps++ {
		e := &events[k]
		at := now
		for b := range done {
			if e.Ctrl.Wait>>b&1 != 0 {
				at = max(at, done[b])
			}
		}
		cost[k] = at - now + max(1, int(e.Ctrl.Stall))
		if b := e.Ctrl.WrBar; b >= 0 && b < timing.NumBarriers {
			done[b] = max(done[b], at+arrival(e.Class))
		}
		if b := e.Ctrl.RdBar; b >= 0 && b < timing.NumBarriers {
			done[b] = max(done[b], at+sourcesRead)
		}
		now = at + max(1, int(e.Ctrl.Stall))
		if back[k] >= 0 && !taken[k] {
			taken[k] = true
			for i := back[k]; i < k; i++ {
				taken[i] = false // loops inside run again
			}
			k = back[k]
			continue
		}
		k++
	}
	return cost
}

// guesses returns those of the kernels of a cubin.
func guesses(b *testing.B, a *target.Arch, file string) map[string]guess {
	f, err := elf.Open(file)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	out := map[string]guess{}
	for _, s := range f.Sections {
		name, isText := strings.CutPrefix(s.Name, ".text.")
		if !isText {
			continue
		}
		data, err := s.Data()
		if err != nil {
			b.Fatal(err)
		}
		var words []bits.Word
		for ; len(data) >= 16; data = data[16:] {
			words = append(words, bits.Word{Lo: binary.LittleEndian.Uint64(data), Hi: binary.LittleEndian.Uint64(data[8:])})
		}
		for len(words) > 0 && words[len(words)-1].Lo&0xfff == 0x918 { // the NOPs behind the end
			words = words[:len(words)-1]
		}
		if g, ok := guessOf(a, words); ok {
			out[name] = g
		}
	}
	return out
}

// pair is one kernel from both compilers.
type pair struct {
	name     string
	ref, our guess
}

// few and many are how many warps share a scheduler in the two columns.
const few, many = 2, 8

// compare returns the geometric means of the reference's guess over ours,
// and a table of the worst kernels, or of all when most is 0.
func compare(list []pair, most int) (latency, issue, mixed float64, table string) {
	ratio := func(p pair) float64 {
		return math.Sqrt(p.ref.time(few) / p.our.time(few) * p.ref.time(many) / p.our.time(many))
	}
	slices.SortStableFunc(list, func(x, y pair) int { return cmp.Compare(ratio(x), ratio(y)) })
	var t strings.Builder
	for n, p := range list {
		latency += math.Log(p.ref.latency / p.our.latency)
		issue += math.Log(p.ref.issue / p.our.issue)
		mixed += math.Log(ratio(p))
		if n < most || most == 0 {
			fmt.Fprintf(&t, "\n%5.2f  latency %5.2f  instructions %5.2f  %s", ratio(p), p.ref.latency/p.our.latency, p.ref.issue/p.our.issue, p.name)
		}
	}
	n := float64(max(1, len(list)))
	return math.Exp(latency / n), math.Exp(issue / n), math.Exp(mixed / n), t.String()
}

// both compiles a file with both compilers and returns their kernels.
func both(b *testing.B, ref, our, arch, path string) (list []pair) {
	a := target.Find(arch)
	var found [2]map[string]guess
	for n, exe := range [...]string{ref, our} {
		out := filepath.Join(b.TempDir(), "out.cubin")
		if exec.Command(exe, "-arch="+arch, path, "-o", out).Run() != nil || a == nil {
			return nil
		}
		found[n] = guesses(b, a, out)
	}
	for name, g := range found[0] {
		if h, ok := found[1][name]; ok {
			list = append(list, pair{filepath.Base(path) + " " + name, g, h.scaled(g)})
		}
	}
	slices.SortFunc(list, func(x, y pair) int { return cmp.Compare(x.name, y.name) })
	return list
}

// BenchmarkCycles guesses how long the kernels of the speed table, the zoo
// and 300 files of the corpus run, as both compilers make them. Ratios above
// 1 favour this compiler. GOPTXAS_CYCLES=speed, zoo or corpus asks for one.
func BenchmarkCycles(b *testing.B) {
	tools := oracle.Find(b)
	exe := filepath.Join(b.TempDir(), "goptxas")
	if out, err := exec.Command("go", "build", "-o", exe, "github.com/goptxas/goptxas/cmd/goptxas").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	root := "../../../testdata/"
	for b.Loop() {
		for _, set := range [...]string{"speed", "zoo", "corpus"} {
			if only := os.Getenv("GOPTXAS_CYCLES"); only != "" && only != set {
				continue
			}
			var list []pair
			most := 25
			if set == "corpus" {
				for _, f := range corpus.Find(b).Every(300) {
					list = append(list, both(b, tools.Path("ptxas"), exe, f.Target, f.Path)...)
				}
			} else {
				paths, _ := filepath.Glob(root + set + "/*.ptx")
				for _, p := range paths {
					list = append(list, both(b, tools.Path("ptxas"), exe, "sm_90a", p)...)
				}
				if set == "speed" {
					most = 0
				}
			}
			latency, issue, mixed, table := compare(list, most)
			b.Logf("%s, %d kernels: %.3f; latency %.3f, instructions %.3f%s", set, len(list), mixed, latency, issue, table)
			b.ReportMetric(mixed, set)
		}
	}
}
