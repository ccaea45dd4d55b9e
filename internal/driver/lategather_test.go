package driver

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestLateGathering compiles a kernel of CUTLASS (example 72a) in which phases
// bring an elect.sync to where threads gather from several places: it is
// lowered again with calls.
func TestLateGathering(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "testdata", "blackwell", "cutlass_72a_sm100.ptx.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	if b, ok := CompileTexts(context.Background(), []string{"-arch", "sm_100a"}, []Text{{Name: "k.ptx", Text: text}}, &log); !ok || len(b) == 0 {
		t.Fatal(log.String())
	}
}
