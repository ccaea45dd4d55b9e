package opgen

import (
	"os"
	"strings"
	"testing"
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
			taken, refused := 0, 0
			for n := range all {
				if os.Getenv("GOPTXAS_FULL") == "" && (n+k)%17 != 0 {
					continue
				}
				msg, _ := compileFile(MatrixFile(all[n:n+1], arch, 1), arch)
				switch {
				case msg == "":
					taken++
				case strings.HasPrefix(msg, "front end"):
					refused++
				default:
					t.Errorf("%s (stride %q): %s", all[n].Text, all[n].Stride, msg)
				}
			}
			t.Logf("%d spellings: %d compiled, %d are none on %s", taken+refused, taken, refused, arch)
		})
	}
}
