package pipeline

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/corpus"
	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// wholeZoo makes one module of the zoo's kernels: those that say nothing at
// module level but the usual three directives and entries.
func wholeZoo(t *testing.T) (text string, files int) {
	head := regexp.MustCompile(`(?m)^\s*\.(version|target|address_size)\b.*$`)
	entry := regexp.MustCompile(`\.entry\s+([\w$]+)`)
	outside := regexp.MustCompile(`(?m)^\s*\.(extern|global|const|shared|func|visible\s+\.(func|global|const)|weak)\b`)
	var all strings.Builder
	all.WriteString(".version 8.6\n.target sm_90a\n.address_size 64\n")
	seen := map[string]bool{}
	for _, k := range zoo.List(t) {
		names := entry.FindAllStringSubmatch(k.Text, -1)
		fresh := !outside.MatchString(k.Text)
		for _, n := range names {
			fresh = fresh && !seen[n[1]]
		}
		// what cannot be compiled by itself would hide the others
		if !fresh || !compiles(t, k.File, k.Text) {
			continue
		}
		for _, n := range names {
			seen[n[1]] = true
		}
		files++
		all.WriteString(head.ReplaceAllString(k.Text, ""))
		all.WriteString("\n")
	}
	return all.String(), files
}

func compiles(t *testing.T, name, text string) bool {
	a := target.Find("sm_90a")
	out, err := Module(check(t, name, text, a), Options{Arch: a, Level: 3}, 1, cubin.TKInfo{})
	return err == nil && len(out.Failures) == 0
}

// everyWay compiles a text with different numbers of workers, twice with the
// most, and reports how many kernels it has.
func everyWay(t *testing.T, name, text string, arch *target.Arch) (kernels int) {
	t.Helper()
	var first []byte
	for _, workers := range []int{1, 2, 8, 8} {
		out, err := Module(check(t, name, text, arch), Options{Arch: arch, Level: 3}, workers, cubin.TKInfo{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(out.Failures) > 0 {
			return 0
		}
		if first == nil {
			first = out.Cubin
		}
		if !bytes.Equal(first, out.Cubin) {
			t.Errorf("%s: %d workers give another file", name, workers)
		}
		kernels = len(out.Kernels)
	}
	return kernels
}

// TestSameBytes compiles the zoo as one module, and files of the corpus with
// several kernels, on 1, 2 and 8 workers: the files are the same byte for
// byte. Run under the race detector it also shows that kernels share nothing.
func TestSameBytes(t *testing.T) {
	text, files := wholeZoo(t)
	kernels := everyWay(t, "zoo.ptx", text, target.Find("sm_90a"))
	t.Logf("%d files of the zoo in one module: %d kernels", files, kernels)
	if kernels < 60 {
		t.Errorf("only %d kernels of the zoo compile together", kernels)
	}
	t.Run("corpus", func(t *testing.T) {
		modules, kernels := 0, 0
		for _, f := range corpus.Find(t).Files {
			arch := target.Find(f.Target)
			if f.Entries < 2 || f.Instrs > 2000 || arch == nil || modules == 12 {
				continue
			}
			text, err := f.Read()
			if err != nil {
				t.Fatal(err)
			}
			if n := everyWay(t, f.Name, string(text), arch); n > 0 {
				modules++
				kernels += n
			}
		}
		t.Logf("%d modules, %d kernels", modules, kernels)
	})
}

// TestStartOrder checks the order in which kernels are started: long ones
// first where there are several workers, else as the report names them.
func TestStartOrder(t *testing.T) {
	a := target.Find("sm_90")
	m := check(t, "three.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n"+
		".entry a() { ret; }\n.entry b() { .reg .b32 %r<9>; mov.u32 %r1, 1; mov.u32 %r2, 2; ret; }\n.entry c() { .reg .b32 %r<9>; ret; }\n", a)
	size := lengths(m)
	for workers, want := range map[int]string{1: "cba", 2: "bca"} {
		list := []int32{0, 1, 2}
		var names []string
		for _, n := range startOrder(m, list, size, workers) {
			names = append(names, m.Funcs[list[n]].Name)
		}
		if got := strings.Join(names, ""); got != want {
			t.Errorf("order %s of lengths %v with %d workers, want %s", got, size, workers, want)
		}
	}
}
