package driver

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/goptxas/goptxas/internal/driver/cli"
)

// BenchmarkStartUp measures a whole process that only answers a question:
// what every compile pays before it begins.
func BenchmarkStartUp(b *testing.B) {
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		cmd := exec.Command(exe, "--version")
		cmd.Env = append(os.Environ(), asCommand+"=1")
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCommandLine measures reading and judging a usual command line.
func BenchmarkCommandLine(b *testing.B) {
	args := []string{"-arch=sm_90a", "-v", "-O3", "-lineinfo", "--maxrregcount=128", "-o", "k.cubin", "k.ptx"}
	b.ReportAllocs()
	for b.Loop() {
		l, _, f := cli.Parse(args)
		if f == nil {
			_, f = cli.Check(l, newSink(l, os.Stderr).Say)
		}
		if f != nil {
			b.Fatal(f)
		}
	}
}

// BenchmarkCheckExample measures reading and checking the example.
func BenchmarkCheckExample(b *testing.B) {
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "saxpy.ptx"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var log bytes.Buffer
		if _, ok := CompileTexts(b.Context(), []string{"-arch=compute_90"}, []Text{{"saxpy.ptx", text}}, &log); !ok {
			b.Fatal(log.String())
		}
	}
}
