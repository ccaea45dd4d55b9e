package zoo

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

var (
	entryRE = regexp.MustCompile(`(?s)\.entry\s+(\w+)\s*\((.*?)\)`)
	paramRE = regexp.MustCompile(`\.param\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+(\w+)(?:\[(\d+)\])?`)
	numRE   = regexp.MustCompile(`\d+$`)
)

// entries lists the kernels of a text with the sizes of their parameters.
func entries(t *testing.T, text string) map[string][]int {
	t.Helper()
	out := map[string][]int{}
	for _, m := range entryRE.FindAllStringSubmatch(text, -1) {
		sizes := []int{}
		for _, p := range paramRE.FindAllStringSubmatch(m[2], -1) {
			bits, err := strconv.Atoi(numRE.FindString(p[2]))
			if err != nil {
				t.Fatalf("parameter %q", p[0])
			}
			size := bits / 8
			if p[4] != "" {
				n, _ := strconv.Atoi(p[4])
				size *= n
			}
			sizes = append(sizes, size)
		}
		out[m[1]] = sizes
	}
	return out
}

func argSize(a launch.Arg) int {
	if a.Buf > 0 {
		return 8
	}
	return len(a.Bytes)
}

func TestStructure(t *testing.T) {
	list := List(t)
	if len(list) < 90 {
		t.Errorf("%d files; the zoo has at least 90", len(list))
	}
	owner := map[string]string{}
	files, kernels, launches, lines := 0, 0, 0, 0
	for _, k := range list {
		files++
		n := strings.Count(k.Text, "\n")
		lines += n
		if n >= 150 {
			t.Errorf("%s: %d lines, want fewer than 150", k.File, n)
		}
		if !strings.HasPrefix(k.Text, "// ") || len(k.About) < 10 {
			t.Errorf("%s: the first line does not say what it exercises", k.File)
		}
		ents := entries(t, k.Text)
		if len(ents) == 0 {
			t.Errorf("%s: no kernel", k.File)
		}
		run := map[string]bool{}
		for _, l := range k.Launches {
			launches++
			run[l.Kernel] = true
			checkLaunch(t, k.File, l, ents)
		}
		for name := range ents {
			kernels++
			if !run[name] {
				t.Errorf("%s: %s is never run", k.File, name)
			}
			if owner[name] != "" {
				t.Errorf("%s: kernel %s is in %s too", k.File, name, owner[name])
			}
			owner[name] = k.File
		}
	}
	t.Logf("%d files, %d kernels, %d launches, %d lines", files, kernels, launches, lines)
}

func checkLaunch(t *testing.T, file string, l launch.Launch, ents map[string][]int) {
	t.Helper()
	sizes, ok := ents[l.Kernel]
	if !ok {
		t.Errorf("%s: run of %s, which is not there", file, l.Kernel)
		return
	}
	if len(sizes) != len(l.Args) {
		t.Errorf("%s: %s takes %d arguments, has %d", file, l.Kernel, len(sizes), len(l.Args))
		return
	}
	bufs := 0
	for n, a := range l.Args {
		if argSize(a) != sizes[n] {
			t.Errorf("%s: %s argument %d has %d bytes, want %d", file, l.Kernel, n, argSize(a), sizes[n])
		}
		if a.Buf > 0 {
			bufs++
		}
	}
	if bufs == 0 {
		t.Errorf("%s: %s has no buffer for its results", file, l.Kernel)
	}
	if n := l.Threads(); n > 1024 {
		t.Errorf("%s: %s has %d threads in a block", file, l.Kernel, n)
	}
}

// TestPlain keeps tensor and bulk instructions out: the zoo is for the
// scalar language, which every witness runs.
func TestPlain(t *testing.T) {
	for _, k := range List(t) {
		for _, word := range []string{"mma.", "wgmma", "cp.async.bulk", "ldmatrix", "tcgen05", "%clock", "%smid", "%warpid", "globaltimer"} {
			if strings.Contains(k.Text, word) {
				t.Errorf("%s uses %s", k.File, word)
			}
		}
	}
}

func TestReferenceCompiles(t *testing.T) {
	x := oracle.Find(t)
	dir := t.TempDir()
	list := List(t)
	for _, k := range list {
		r := x.Ptxas("-arch=sm_90a", k.Path, "-o", filepath.Join(dir, "out.cubin"))
		if r.Exit != 0 || r.Stdout != "" || r.Stderr != "" {
			t.Errorf("%s: exit %d\n%s%s", k.File, r.Exit, r.Stdout, r.Stderr)
		}
	}
	t.Logf("%d files compiled without a word", len(list))
}
