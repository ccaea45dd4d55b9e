package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/zoo"
)

// TestCost: one line with cycles and a hash, the same for the same code; other
// memory has another hash.
func TestCost(t *testing.T) {
	for _, k := range zoo.List(t) {
		if k.File != "saxpy.ptx" {
			continue
		}
		file := filepath.Join(t.TempDir(), k.File)
		if err := os.WriteFile(file, []byte(k.Text), 0o644); err != nil {
			t.Fatal(err)
		}
		price := func(args ...string) (cycles uint64, hash string) {
			var out, errs bytes.Buffer
			if code := Main(append(args, file), nil, &out, &errs); code != exitOK {
				t.Fatalf("exit code %d: %s", code, errs.String())
			}
			if n, err := fmt.Sscanf(out.String(), "%d %s\n", &cycles, &hash); n != 2 || err != nil {
				t.Fatalf("%q: %v", out.String(), err)
			}
			return cycles, hash
		}
		c, h := price("run", "-cost", "-desc", file)
		again, same := price("run", "-cost", "-desc", file)
		if c == 0 || c != again || h != same {
			t.Errorf("%d %s, then %d %s", c, h, again, same)
		}
		return
	}
	t.Error("the kernel is not there")
}
