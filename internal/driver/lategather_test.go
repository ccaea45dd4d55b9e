package driver

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
)

// TestLateGathering compiles a kernel of CUTLASS (example 72a) in which phases
// bring an elect.sync to where threads gather from several places: it is
// lowered again with calls.
func TestLateGathering(t *testing.T) {
	text := cases.Unzip(t, filepath.Join("..", "..", "testdata", "blackwell", "cutlass_72a_sm100.ptx.gz"))
	var log bytes.Buffer
	if b, ok := CompileTexts(context.Background(), []string{"-arch", "sm_100a"}, []Text{{Name: "k.ptx", Text: text}}, &log); !ok || len(b) == 0 {
		t.Fatal(log.String())
	}
}
