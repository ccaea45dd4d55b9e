package gosass

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goptxas/internal/cubin"
	"goptxas/internal/witness/oracle"
)

func TestListDir(t *testing.T) {
	dir := os.Getenv("CUBINDIR")
	if dir == "" {
		t.Skip()
	}
	tools := oracle.Find(t)
	files, _ := filepath.Glob(dir + "/*.cubin")
	ok := 0
	flags := strings.Fields(os.Getenv("NVFLAGS"))
	for _, p := range files {
		b, _ := os.ReadFile(p)
		f, err := cubin.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		got, err := List(f, &Options{Hex: len(flags) > 0})
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		want := tools.Run("", "nvdisasm", append(flags, "-c", p)...).Stdout
		if string(got) == want {
			ok++
			continue
		}
		g, w := strings.Split(string(got), "\n"), strings.Split(want, "\n")
		for i := range w {
			if i >= len(g) || g[i] != w[i] {
				gi := ""
				if i < len(g) {
					gi = g[i]
				}
				t.Logf("%s line %d:\n got %q\nwant %q", filepath.Base(p), i+1, gi, w[i])
				break
			}
		}
	}
	t.Logf("%d of %d", ok, len(files))
}
