package opgen

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// TestBlackwellKernels runs whole kernels of testdata/blackwell, which Triton
// made of the sources beside them: interpreter, our code and the reference's
// leave the same at all times of asynchronous work.
func TestBlackwellKernels(t *testing.T) {
	x := oracle.Find(t)
	dir := filepath.Join("..", "..", "..", "testdata", "blackwell")
	b, err := os.ReadFile(filepath.Join(dir, "launches.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		File   string
		Launch launch.Launch
	}
	if err := json.Unmarshal(b, &list); err != nil || len(list) == 0 {
		t.Fatal(len(list), err)
	}
	target := regexp.MustCompile(`(?m)^\.target (sm_\w+)`)
	for n, c := range list {
		if testing.Short() && n > 0 && c.Launch.Block[0] > 64 {
			continue
		}
		t.Run(c.File, func(t *testing.T) {
			text := cases.Unzip(t, filepath.Join(dir, c.File+".gz"))
			agreeAll(t, x, string(text), string(target.FindSubmatch(text)[1]), &c.Launch)
		})
	}
}
