package opgen

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/launch"
)

// matrixSets is how many inputs the measured forms have: ordinary numbers,
// then ones at which arithmetic goes wrong.
const matrixSets = 8

// matrixFillOf is what operand i of set k of a form holds.
func matrixFillOf(f *Matrix, i, k int) string {
	if fill := f.Fills[i]; k < matrixSets-2 || fill == "f64" && i != 2 {
		return fill
	}
	return "edge"
}

// matrixInput makes A, B and C of set k of form n.
func matrixInput(f *Matrix, n, k int) []byte {
	var b []byte
	for i := range f.Fills {
		b = append(b, launch.Data(matrixFillOf(f, i, k), uint64(1000*n+10*k+i), 2048)...)
	}
	return b
}

// TestMatrixBatch writes, where OPGEN_MATRIX names a folder, kernels of all
// spellings for a machine with a GPU: batches for gpurun zoo, and measured
// forms with inputs.
func TestMatrixBatch(t *testing.T) {
	dir := os.Getenv("OPGEN_MATRIX")
	if dir == "" {
		t.Skip("OPGEN_MATRIX is not set")
	}
	write := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const arch = "sm_90a"
	var all []Matrix
	for _, f := range matrixForms() {
		if frontEndTakes(MatrixFile([]Matrix{f}, arch, 1), arch) {
			all = append(all, f)
		}
	}
	for at := 0; at < len(all); at += matrixChunk {
		write(fmt.Sprintf("m%04d.ptx", at), []byte(MatrixFile(all[at:min(at+matrixChunk, len(all))], arch, at)))
	}
	var fit []Matrix
	var in bytes.Buffer
	for n, f := range measuredForms() {
		for k := range matrixSets {
			in.Write(matrixInput(&f, n, k))
		}
		fit = append(fit, f)
	}
	write("fit.txt", []byte(MatrixFile(fit, arch, 1)))
	write("fit.in", in.Bytes())
	t.Logf("%d forms, %d measured with %d inputs each", len(all), len(fit), matrixSets)
}
