//go:build unix

package atomicfile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestKillCompile kills the real compiler at 50 random moments of a compile of
// 40 kernels.
func TestKillCompile(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "goptxas")
	root := filepath.Join("..", "..", "..")
	if text, err := exec.Command("go", "build", "-buildvcs=false", "-o", bin, filepath.Join(root, "cmd", "goptxas")).CombinedOutput(); err != nil {
		first, _, _ := bytes.Cut(text, []byte("\n"))
		t.Fatalf("the compiler cannot be built: %v, %s", err, first)
	}
	example, err := os.ReadFile(filepath.Join(root, "examples", "saxpy.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	head, body, ok := bytes.Cut(example, []byte(".visible"))
	if !ok {
		t.Fatal("the example has no visible entry")
	}
	text := head
	for i := range 40 {
		text = append(text, ".visible"...)
		text = append(text, bytes.ReplaceAll(body, []byte("saxpy"), fmt.Appendf(nil, "saxpy%d", i))...)
	}
	work := t.TempDir()
	in, out := filepath.Join(dir, "in.ptx"), filepath.Join(work, "out.cubin")
	if err := os.WriteFile(in, text, 0o666); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if text, err := exec.Command(bin, "-arch=sm_90", in, "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("the compiler refuses the example: %v\n%s", err, text)
	}
	whole := time.Since(start)
	want, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	old := []byte("the old file")
	var olds, news, left int
	for range 50 {
		if err := os.WriteFile(out, old, 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(bin, "-arch=sm_90", in, "-o", out)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.Int64N(int64(whole + whole/4))))
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // killed, or well
		got, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case bytes.Equal(got, old):
			olds++
		case bytes.Equal(got, want):
			news++
		default:
			t.Fatalf("the file is neither the old one nor the new one: %d bytes", len(got))
		}
		if names(t, work) != "out.cubin" {
			left++
		}
	}
	// What a kill between naming and renaming left, the next compile removes.
	if err := exec.Command(bin, "-arch=sm_90", in, "-o", out).Run(); err != nil || names(t, work) != "out.cubin" {
		t.Errorf("%v: the folder holds %s", err, names(t, work))
	}
	t.Logf("50 kills within %v of a compile of %d bytes of PTX: %d times the old file, %d times the new one, %d times a hidden name until the next compile",
		whole, len(text), olds, news, left)
}
