//go:build unix

package driver

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// manyKernels is a module of n small kernels of different lengths.
func manyKernels(n int) string {
	var s strings.Builder
	s.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n")
	for k := range n {
		fmt.Fprintf(&s, ".visible .entry k%d(.param .u64 p)\n{\n.reg .b64 %%a;\n.reg .b32 %%r;\nld.param.u64 %%a, [p];\nld.global.u32 %%r, [%%a];\n", k)
		for i := range k % 7 * 5 {
			fmt.Fprintf(&s, "mad.lo.u32 %%r, %%r, %%r, %d;\n", i+k)
		}
		s.WriteString("st.global.u32 [%a], %r;\nret;\n}\n")
	}
	return s.String()
}

// TestTokens compiles under jobservers with no token to spare, with two, and
// with one that is gone: the bytes are the same, and the tokens come back.
func TestTokens(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "k.ptx")
	if err := os.WriteFile(in, []byte(manyKernels(40)), 0o666); err != nil {
		t.Fatal(err)
	}
	compile := func(args ...string) []byte {
		t.Helper()
		out := filepath.Join(dir, "k.cubin")
		var log bytes.Buffer
		if rc := Main(context.Background(), Env{Args: append([]string{"-arch=sm_80", in, "-o", out}, args...), Stdout: &log, Stderr: &log}); rc != 0 {
			t.Fatalf("ended with %d: %s", rc, &log)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	want := compile()
	for _, tokens := range []int{0, 2} {
		fifo := filepath.Join(dir, fmt.Sprintf("fifo%d", tokens))
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(fifo, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(strings.Repeat("+", tokens)); err != nil {
			t.Fatal(err)
		}
		t.Setenv("MAKEFLAGS", "--jobserver-auth=fifo:"+fifo)
		if !bytes.Equal(compile("--jobserver", "-split-compile=4"), want) {
			t.Errorf("%d tokens: other bytes", tokens)
		}
		if err := f.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		back := make([]byte, tokens+1)
		n := 0
		for {
			k, err := f.Read(back[n:])
			if n += k; err != nil || n == len(back) {
				break
			}
		}
		if n != tokens {
			t.Errorf("%d of %d tokens came back", n, tokens)
		}
	}
	t.Setenv("MAKEFLAGS", "--jobserver-auth=fifo:"+filepath.Join(dir, "nowhere"))
	if !bytes.Equal(compile("--jobserver", "-split-compile=4"), want) {
		t.Error("without a jobserver: other bytes")
	}
}
