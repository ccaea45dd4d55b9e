package opgen

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
)

var forLine = regexp.MustCompile(`(?m)^// for (.*)$`)

// meant is what the interpreter leaves for the launches of a text.
func meant(text, arch string) ([][]byte, error) {
	p, err := ptxvm.Load("op.ptx", text, arch)
	if err != nil {
		return nil, err
	}
	launches, err := launch.Parse(text)
	if err != nil {
		return nil, err
	}
	var all [][]byte
	for n := range launches {
		b, err := p.Run(&launches[n], ptxvm.Options{})
		if err != nil {
			return nil, err
		}
		all = append(all, b...)
	}
	return all, nil
}

// TestArchKernels runs kernels for architectures that do something in their
// own way: our code, the reference's and the interpreter leave the same.
func TestArchKernels(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "arches", "*.ptx"))
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels")
	}
	var tools *oracle.Tools
	if oracle.Available() {
		tools = oracle.Find(t)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		arches := strings.Fields(forLine.FindStringSubmatch(string(data))[1])
		equal, with := 0, 0
		for _, arch := range arches {
			text := targetLine.ReplaceAllString(string(data), ".target "+arch)
			want, err := meant(text, arch)
			if err != nil {
				t.Errorf("%s for %s: %v", name, arch, err)
				continue
			}
			msg, code := compileFile(text, arch)
			if msg != "" {
				t.Errorf("%s for %s: %s", name, arch, msg)
				continue
			}
			got, err := results(code, text)
			if err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
				t.Errorf("%s for %s: our code leaves something else than the interpreter (%v) at byte %v", name, arch, err, firstByte(got, want))
				continue
			}
			equal++
			if tools == nil {
				continue
			}
			ref, err := tools.CubinOf([]byte(text), "-arch="+arch)
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := results(ref, text)
			if err != nil || !slices.EqualFunc(theirs, want, bytes.Equal) {
				t.Errorf("%s for %s: the reference's code leaves something else than the interpreter (%v) at byte %v", name, arch, err, firstByte(theirs, want))
				continue
			}
			with++
		}
		t.Logf("%s: %d architectures, our code as the interpreter on %d, the reference's on %d", name, len(arches), equal, with)
	}
}

// firstByte finds the first difference: buffer and byte.
func firstByte(a, b [][]byte) [2]int {
	for n := range min(len(a), len(b)) {
		for k := range min(len(a[n]), len(b[n])) {
			if a[n][k] != b[n][k] {
				return [2]int{n, k}
			}
		}
	}
	return [2]int{-1, -1}
}
