package pipeline_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas"
	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// compareArch is what code is compared for.
const compareArch = "sm_90a"

// size is what one function costs: instructions without padding, registers.
type size struct {
	instrs, regs int
	mix          map[string]int // instructions by mnemonic
}

// pair is one function compiled by both.
type pair struct {
	name      string
	ours, ref size
}

// TestCompare lists how long our code is beside the reference's: geometric
// means, the worst functions, and which operations we have more or fewer of.
// GOPTXAS_COMPARE=n runs it on the zoo and about n files of the corpus.
func TestCompare(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("GOPTXAS_COMPARE"))
	if err != nil {
		t.Skip("GOPTXAS_COMPARE says no number of corpus files")
	}
	x := oracle.Find(t)
	groups := map[string][]pair{}
	for _, k := range zoo.List(t) {
		groups["zoo"] = append(groups["zoo"], comparePair(t, x, k.Path)...)
	}
	if n > 0 {
		for _, f := range corpus.Find(t).Every(n) {
			if strings.HasPrefix(f.Target, compareArch[:5]) && !strings.Contains(f.Target, "debug") && f.Instrs < 4000 {
				g := filepath.Dir(f.Name)
				groups[g] = append(groups[g], comparePair(t, x, f.Path)...)
			}
		}
	}
	for _, g := range [...]string{"zoo", "cudapy", "inductor", "jax"} {
		report(t, g, groups[g])
	}
}

// comparePair compiles a file both ways and pairs the functions.
func comparePair(t *testing.T, x *oracle.Tools, path string) []pair {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: filepath.Base(path), Text: text}}, goptxas.Options{Arch: compareArch})
	if err != nil {
		t.Logf("%s: %v", filepath.Base(path), err)
		return nil
	}
	theirs, err := x.Cubin(path, "-arch="+compareArch)
	if err != nil {
		return nil
	}
	a, b := sizes(t, out.Cubin), sizes(t, theirs)
	var list []pair
	for name, s := range a {
		if r, ok := b[name]; ok {
			list = append(list, pair{filepath.Base(path) + ":" + name, s, r})
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].name < list[j].name })
	return list
}

// sizes reads the functions of a cubin.
func sizes(t *testing.T, file []byte) map[string]size {
	t.Helper()
	all, ops := map[string]size{}, map[string][]string{}
	instructions(t, compareArch, file, func(fn *cubin.Function, i *sass.Inst) {
		ops[fn.Name] = append(ops[fn.Name], i.Op().String())
		all[fn.Name] = size{regs: fn.Regs}
	})
	for name, list := range ops {
		for len(list) > 0 && list[len(list)-1] == "NOP" {
			list = list[:len(list)-1]
		}
		s := size{instrs: max(1, len(list)), regs: all[name].regs, mix: map[string]int{}}
		for _, o := range list {
			s.mix[o]++
		}
		all[name] = s
	}
	return all
}

// report logs a group of pairs.
func report(t *testing.T, name string, list []pair) {
	t.Helper()
	if len(list) == 0 {
		return
	}
	var b strings.Builder
	var instrs, regs float64
	our, their := 0, 0
	diff := map[string]int{}
	for _, p := range list {
		instrs += math.Log(float64(p.ours.instrs) / float64(p.ref.instrs))
		regs += math.Log(float64(max(1, p.ours.regs)) / float64(max(1, p.ref.regs)))
		our += p.ours.instrs
		their += p.ref.instrs
		for o, n := range p.ours.mix {
			diff[o] += n
		}
		for o, n := range p.ref.mix {
			diff[o] -= n
		}
	}
	n := float64(len(list))
	fmt.Fprintf(&b, "%s: %d functions, instructions x%.3f (%d to %d), registers x%.3f\n", name, len(list), math.Exp(instrs/n), our, their, math.Exp(regs/n))
	sort.SliceStable(list, func(i, j int) bool {
		return list[i].ours.instrs*list[j].ref.instrs > list[j].ours.instrs*list[i].ref.instrs
	})
	for _, p := range list[:min(10, len(list))] {
		fmt.Fprintf(&b, "  %-60s instructions %5d to %5d, registers %3d to %3d\n", p.name, p.ours.instrs, p.ref.instrs, p.ours.regs, p.ref.regs)
	}
	var ops []string
	for o, n := range diff {
		if n != 0 {
			ops = append(ops, o)
		}
	}
	sort.Slice(ops, func(i, j int) bool {
		return diff[ops[i]] > diff[ops[j]] || diff[ops[i]] == diff[ops[j]] && ops[i] < ops[j]
	})
	b.WriteString("  operations, ours less the reference's:")
	for k, o := range ops {
		if k < 16 || k >= len(ops)-10 {
			fmt.Fprintf(&b, " %s%+d", o, diff[o])
		}
	}
	t.Log(b.String())
}
