package pipeline_test

import (
	"compress/gzip"
	"context"
	"io"
	"os"
	"testing"

	"github.com/goptxas/goptxas"
)

// TestSpare: rows that live through the loop of attention for its stores are
// made again behind it, so that loads may be in flight together without memory.
// The product, of bytes with unknown strides, has none to spare, and keeps an
// order in which fewer loads are.
func TestSpare(t *testing.T) {
	for _, name := range []string{"attention_bf16_sm120", "product_i8_sm120"} {
		file, err := os.Open("../../testdata/blackwell/" + name + ".ptx.gz")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		z, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		out, err := goptxas.Compile(context.Background(), []goptxas.Input{{Name: "k.ptx", Text: text}}, goptxas.Options{Arch: "sm_120a"})
		if err != nil {
			t.Fatal(err)
		}
		if s := out.Kernels[0].Spills; s.Stores > 0 {
			t.Errorf("%s: %d bytes are stored", name, s.Stores)
		}
	}
}
