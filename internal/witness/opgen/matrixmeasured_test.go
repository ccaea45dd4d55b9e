package opgen

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
)

// matrixResults holds, for each form of mma that sm_90a has and each of its
// inputs, the hash of what an H200 left: with the reference's code and ours
// alike.
var matrixResults = filepath.Join("..", "..", "..", "testdata", "ops", "matrix.tsv.gz")

// measuredForms are those of mma that sm_90a has.
func measuredForms() []Matrix {
	var out []Matrix
	for _, f := range MmaForms() {
		if frontEndTakes(MatrixFile([]Matrix{f}, "sm_90a", 1), "sm_90a") {
			out = append(out, f)
		}
	}
	return out
}

func digest(b []byte) string {
	h := sha256.Sum256(b)
	return fmt.Sprintf("%x", h[:6])
}

// TestMatrixMeasured compares the interpreter with the H200, bit by bit.
func TestMatrixMeasured(t *testing.T) {
	forms := measuredForms()
	if raw := os.Getenv("OPGEN_MEASURED"); raw != "" {
		keepMeasured(t, raw, forms)
	}
	want := readMeasured(t)
	if len(want) != len(forms) {
		t.Fatalf("%d forms were measured, there are %d", len(want), len(forms))
	}
	equal, all := 0, 0
	for n := range forms {
		if os.Getenv("GOPTXAS_FULL") == "" && n%13 != 0 {
			continue
		}
		for k, h := range want[n] {
			all++
			if got := digest(interpret(t, &forms[n], n, k)); got == h {
				equal++
			} else {
				t.Errorf("%s, selector %d, input %d: not what the H200 left", forms[n].Text, forms[n].Selector, k)
			}
		}
	}
	t.Logf("%d of %d results are the H200's", equal, all)
}

// interpret runs input k of a form.
func interpret(t *testing.T, f *Matrix, n, k int) []byte {
	text := MatrixFile([]Matrix{*f}, "sm_90a", 1)
	p, err := ptxvm.Load("k.ptx", text, "sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	l, err := launch.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		fill, seed := matrixFillOf(f, i, k), uint64(1000*n+10*k+i)
		l[0].Args[i] = launch.Arg{Buf: 2048, Fill: fill, Seed: seed}
	}
	out, err := p.Run(&l[0], ptxvm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out[3]
}

// readMeasured reads the hashes of each form's results.
func readMeasured(t *testing.T) [][]string {
	var out [][]string
	for line := range strings.Lines(string(cases.Unzip(t, matrixResults))) {
		out = append(out, strings.Split(strings.TrimSuffix(line, "\n"), "\t")[1:])
	}
	return out
}

// keepMeasured makes the file of hashes from what a GPU left: 2048 bytes for
// each input of each form.
func keepMeasured(t *testing.T, raw string, forms []Matrix) {
	out, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	for n := range forms {
		fmt.Fprintf(z, "%s", forms[n].Text)
		for k := range matrixSets {
			fmt.Fprintf(z, "\t%s", digest(out[(n*matrixSets+k)*2048:][:2048]))
		}
		fmt.Fprintln(z)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(matrixResults, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
