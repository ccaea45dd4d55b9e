package gosass

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/gosass/dis"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// big builds a cubin of about 10 MB: the code of real kernels, repeated.
func big(b *testing.B) []byte {
	var code []byte
	for _, s := range cases.Cubins(b) {
		_, config, _ := bytes.Cut([]byte(s.Name), []byte("."))
		if string(config) != "sm_90a" {
			continue
		}
		for _, k := range read(b, s.Data).Functions() {
			code = append(code, k.Code...)
		}
	}
	const kernels, size = 20, 500_000
	var text []byte
	for len(text) < size {
		text = append(text, code...)
	}
	m := &cubin.Module{Arch: target.Find("sm_90a"), PTXSM: 90}
	for i := range kernels {
		m.Kernels = append(m.Kernels, cubin.Kernel{Name: "k" + strconv.Itoa(i), Bind: cubin.BindGlobal, Code: text, Regs: 32})
	}
	f, err := cubin.Build(m)
	if err != nil {
		b.Fatal(err)
	}
	w, err := f.Write()
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// BenchmarkDis lists a file of 10 MB; BenchmarkNvdisasm does it with the
// reference tool.
func BenchmarkDis(b *testing.B) {
	data := big(b)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Disassemble(data, &dis.Options{Code: true}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSource(b *testing.B) {
	data := big(b)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Disassemble(data, &dis.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNvdisasm(b *testing.B) {
	tools := oracle.Find(b)
	data := big(b)
	path := filepath.Join(b.TempDir(), "big.cubin")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if r := tools.Run("", "nvdisasm", "-c", path); r.Exit != 0 {
			b.Fatal(r.Stderr)
		}
	}
}
