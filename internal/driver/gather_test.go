package driver

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
)

// gathering are two modules in whose functions threads of one warp come to
// the same .sync instruction.
var gathering = [...]string{"gather", "gathered"}

// TestLinkGather links them and compares what the kernels leave with what the
// interpreter says. Before sm_90 threads gather from both compilers' objects
// too, where all name all threads.
func TestLinkGather(t *testing.T) {
	x := oracle.Find(t)
	dir := t.TempDir()
	launches := linkLaunches(t, gathering[0])
	want := interpreted(t, launches)
	for _, c := range []struct {
		arch  string
		mixes []int // which are ours, by bit
	}{{"sm_80", []int{1, 2, 3}}, {"sm_89", []int{3}}, {"sm_90a", []int{3}}, {"sm_100a", []int{3}}, {"sm_120a", []int{3}}} {
		for _, name := range gathering {
			file, out := filepath.Join("..", "..", "testdata", "link", name+".ptx"), filepath.Join(dir, name)
			if r := x.Ptxas("-c", "-arch", c.arch, file, "-o", out+"0.o"); r.Exit != 0 {
				t.Fatal(r.Stderr)
			}
			ourObject(t, file, out+"1.o", c.arch, "-c")
		}
		for _, mix := range c.mixes {
			out, what := filepath.Join(dir, "linked.cubin"), fmt.Sprintf("%s, mix %02b", c.arch, mix)
			args := []string{"-arch", c.arch, "-o", out}
			for k, name := range gathering {
				args = append(args, filepath.Join(dir, fmt.Sprintf("%s%d.o", name, mix>>k&1)))
			}
			if r := x.Run("", "nvlink", args...); r.Exit != 0 {
				t.Fatalf("%s: %s%s", what, r.Stdout, r.Stderr)
			}
			for n := range launches {
				if mix != 3 && !strings.HasSuffix(launches[n].Kernel, "_full") {
					continue
				}
				got := runLinked(t, out, launches[n:n+1], what)
				if len(got) == 0 || !bytes.Equal(got[0][0], want[n]) {
					t.Errorf("%s: %s leaves something else", what, launches[n].Kernel)
				}
			}
		}
	}
}

// interpreted is what the first buffer of each launch holds at its end, both
// modules read as one text.
func interpreted(t *testing.T, launches []launch.Launch) (want [][]byte) {
	var text []byte
	for n, name := range gathering {
		b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "link", name+".ptx"))
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			_, b, _ = bytes.Cut(b, []byte(".address_size 64\n"))
		}
		text = append(text, b...)
	}
	text = bytes.ReplaceAll(text, []byte(".extern .func"), []byte(".func"))
	text = bytes.ReplaceAll(text, []byte(".visible .func"), []byte(".func"))
	p, err := ptxvm.Load("gather.ptx", string(text), "sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	for n := range launches {
		out, err := p.Run(&launches[n], ptxvm.Options{Undefined: true})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, out[0])
	}
	return want
}
