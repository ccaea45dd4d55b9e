package opgen

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/front"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
)

// matrixForms are all spellings of mma and wmma.
func matrixForms() []Matrix { return append(MmaForms(), WmmaForms()...) }

// matrixArchs are the architectures whose matrix instructions differ.
var matrixArchs = [...]string{"sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"}

// TestMatrixCompiles: what the front end takes of mma and wmma compiles.
func TestMatrixCompiles(t *testing.T) {
	all := matrixForms()
	for k, arch := range matrixArchs {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			var forms []Matrix
			refused := 0
			for n := range all {
				switch {
				case os.Getenv("GOPTXAS_FULL") == "" && (n+k)%41 != 0:
				case frontEndTakes(MatrixFile(all[n:n+1], arch, 1), arch):
					forms = append(forms, all[n])
				default:
					refused++
				}
			}
			taken := 0
			for at := 0; at < len(forms); at += matrixChunk {
				part := forms[at:min(at+matrixChunk, len(forms))]
				if msg, _ := compileFile(MatrixFile(part, arch, 1), arch); msg != "" {
					t.Errorf("%s to %s: %s", part[0].Text, part[len(part)-1].Text, msg)
					continue
				}
				taken += len(part)
			}
			t.Logf("%d spellings: %d compiled, %d are none on %s", taken+refused, taken, refused, arch)
		})
	}
}

// frontEndTakes reports whether the front end takes a text.
func frontEndTakes(text, arch string) bool {
	_, err := front.Check("op.ptx", text, arch)
	return err == nil
}

// runAll simulates every launch of a text with the code of a file.
func runAll(file []byte, text string) ([][][]byte, error) {
	launches, err := launch.Parse(text)
	if err != nil {
		return nil, err
	}
	var out [][][]byte
	for n := range launches {
		b, err := simulate(file, &launches[n])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", launches[n].Kernel, err)
		}
		out = append(out, b)
	}
	return out, nil
}

// matrixChunk is how many forms a file holds.
const matrixChunk = 32

// TestMatrixVersus runs our code and the reference's for every spelling.
func TestMatrixVersus(t *testing.T) {
	tools := oracle.Find(t)
	for k, arch := range [...]string{"sm_90a", "sm_80"} {
		if only := os.Getenv("GOPTXAS_MATRIX"); only != "" && only != arch {
			continue
		}
		var forms []Matrix
		for n, f := range matrixForms() {
			if os.Getenv("GOPTXAS_FULL") == "" && (n+k)%61 != 0 {
				continue
			}
			if frontEndTakes(MatrixFile([]Matrix{f}, arch, 1), arch) {
				forms = append(forms, f)
			}
		}
		equal := 0
		for at := 0; at < len(forms); at += matrixChunk {
			part := forms[at:min(at+matrixChunk, len(forms))]
			equal += matrixVersus(t, tools, part, arch, at)
		}
		t.Logf("%s: %d of %d spellings leave the same bytes", arch, equal, len(forms))
	}
}

func matrixVersus(t *testing.T, tools *oracle.Tools, forms []Matrix, arch string, seed int) int {
	text := MatrixFile(forms, arch, seed)
	msg, file := compileFile(text, arch)
	if msg != "" {
		t.Error(msg)
		return 0
	}
	ref, err := tools.CubinOf([]byte(text), "-arch="+arch)
	if err != nil {
		t.Error(err)
		return 0
	}
	theirs, err := runAll(ref, text)
	if err != nil {
		t.Errorf("reference's code: %v", err)
		return 0
	}
	ours, err := runAll(file, text)
	if err != nil {
		t.Errorf("our code: %v", err)
		return 0
	}
	equal := 0
	for n := range forms {
		if slices.EqualFunc(ours[n], theirs[n], bytes.Equal) {
			equal++
			continue
		}
		t.Errorf("%s %s %d: results differ", forms[n].Text, forms[n].Stride, forms[n].Selector)
	}
	return equal
}

// TestMatrixMeaning runs the interpreter and, in the simulator, our code.
func TestMatrixMeaning(t *testing.T) {
	for k, arch := range [...]string{"sm_90a", "sm_80", "sm_100a", "sm_75", "sm_89"} {
		if only := os.Getenv("GOPTXAS_MATRIX"); only != "" && only != arch {
			continue
		}
		equal, all := 0, 0
		for n, f := range matrixForms() {
			step := 97
			if os.Getenv("GOPTXAS_FULL") != "" {
				step = 1
			}
			if (n+k)%step != 0 {
				continue
			}
			text := MatrixFile([]Matrix{f}, arch, n)
			if !frontEndTakes(text, arch) {
				continue
			}
			all++
			if matrixMeaning(t, &f, text, arch) {
				equal++
			}
		}
		t.Logf("%s: %d of %d spellings leave the same bytes", arch, equal, all)
	}
}

// TestMatrixSorted: metadata in any order, which sm_100 and later sort.
func TestMatrixSorted(t *testing.T) {
	for _, arch := range [...]string{"sm_100a", "sm_90a"} {
		equal, all := 0, 0
		for n, f := range MmaForms() {
			if !strings.Contains(f.Text, "mma.sp.") || f.Meta != "pairs" || strings.Contains(f.Text, "4.s32") {
				continue
			}
			f.Meta = "mixed"
			if os.Getenv("GOPTXAS_FULL") == "" && n%5 != 0 {
				continue
			}
			if text := MatrixFile([]Matrix{f}, arch, n); frontEndTakes(text, arch) {
				all++
				if matrixMeaning(t, &f, text, arch) {
					equal++
				}
			}
		}
		t.Logf("%s: %d of %d spellings leave the same bytes", arch, equal, all)
	}
}

func matrixMeaning(t *testing.T, f *Matrix, text, arch string) bool {
	msg, file := compileFile(text, arch)
	if msg != "" {
		t.Errorf("%s: %s", f.Text, msg)
		return false
	}
	ours, err := runAll(file, text)
	if err != nil {
		t.Errorf("%s: %v", f.Text, err)
		return false
	}
	p, err := ptxvm.Load("k.ptx", text, arch)
	if err != nil {
		t.Errorf("%s: %v", f.Text, err)
		return false
	}
	launches, err := launch.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.Run(&launches[0], ptxvm.Options{})
	if err != nil {
		t.Errorf("%s: %v", f.Text, err)
		return false
	}
	if !slices.EqualFunc(ours[0], want, bytes.Equal) {
		t.Errorf("%s, stride %q, selector %d: interpreter and simulator differ", f.Text, f.Stride, f.Selector)
		return false
	}
	return true
}
