//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goptxas/goptxas"
)

// asCommand makes this test binary behave as the compiler.
const asCommand = "GOPTXAS_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(run())
	}
	os.Exit(m.Run())
}

// long is a kernel that takes seconds to compile.
func long() string {
	var s strings.Builder
	s.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %a;\n.reg .f32 %f<1000>;\nld.param.u64 %a, [p];\n")
	for i := range 60000 {
		s.WriteString("fma.rn.f32 %f" + itoa(i%1000) + ", %f" + itoa((i*7+1)%1000) + ", %f" + itoa((i*13+5)%1000) + ", %f" + itoa((i*29+3)%1000) + ";\n")
	}
	s.WriteString("st.global.f32 [%a], %f0;\nret;\n}\n")
	return s.String()
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// TestInterrupt stops a long compilation with the signal of Ctrl-C: it dies of
// it at once and leaves no file, neither its output nor another.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "k.ptx"), []byte(long()), 0o644); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-arch=sm_90", "-o", "k.cubin", "k.ptx")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asCommand+"=1", "TMPDIR="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(600 * time.Millisecond)
	begun := time.Now()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	took := time.Since(begun)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !exit.Sys().(syscall.WaitStatus).Signaled() || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGINT {
		t.Errorf("ended with %v, not by the signal", err)
	}
	t.Logf("dead %v after the signal", took)
	if took > 2*time.Second { // 0.1 s on a machine with nothing else to do
		t.Errorf("it took %v to die", took)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("left behind: %v", list)
	}
}

// TestCancel ends a long compilation of the library.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	begun := time.Now()
	_, err := goptxas.Compile(ctx, []goptxas.Input{{Name: "k.ptx", Text: []byte(long())}}, goptxas.Options{Arch: "sm_90"})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a compilation out of time gave %v", err)
	}
	t.Logf("back %v after the start", time.Since(begun))
}
