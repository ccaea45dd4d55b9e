package gen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// perFile is how many programs one file of a batch holds: starting a compiler
// costs more than compiling them.
const perFile = 10

// Style makes the program of a seed: New or NewWide.
type Style func(seed uint64) *Prog

// WriteBatch writes n programs of a style, from seed on, to a folder as files
// with launch descriptions, several kernels to a file.
func WriteBatch(dir string, style Style, n int, seed uint64) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for first := 0; first < n; first += perFile {
		var list []*Prog
		for k := first; k < min(first+perFile, n); k++ {
			list = append(list, style(seed+uint64(k)))
		}
		name := filepath.Join(dir, fmt.Sprintf("%s-%05d.ptx", list[0].Name, first/perFile))
		if err := os.WriteFile(name, []byte(Join(list)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Join prints several programs as one file.
func Join(list []*Prog) string {
	var runs, code strings.Builder
	for _, p := range list {
		runs.WriteString(p.launch())
		code.WriteString(p.kernel())
	}
	return fmt.Sprintf("// Random programs %d and following.\n", list[0].Seed) + runs.String() + Header + code.String()
}
