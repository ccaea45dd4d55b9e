package remote

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// bazelRemote starts a bazel-remote of the release that bazelremote/go.mod
// pins and returns its address.
func bazelRemote(t *testing.T) (address string, kill func()) {
	t.Helper()
	if testing.Short() {
		t.Skip("bazel-remote is built and run")
	}
	dir := t.TempDir()
	exe := os.Getenv("GOPTXAS_BAZEL_REMOTE")
	if exe == "" {
		exe = filepath.Join(dir, "bazel-remote")
		build := exec.Command("go", "build", "-o", exe, "github.com/buchgr/bazel-remote/v2")
		build.Dir = "bazelremote"
		build.Env = append(os.Environ(), "GONOSUMDB=*", "GOFLAGS=-mod=mod")
		if out, err := build.CombinedOutput(); err != nil {
			t.Skipf("bazel-remote cannot be built: %v\n%s", err, out)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().String()
	l.Close()
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "--dir", filepath.Join(dir, "data"), "--max_size", "1", "--grpc_address", port, "--http_address", "127.0.0.1:0")
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
	t.Cleanup(kill)
	for range 200 {
		if c, err := net.DialTimeout("tcp", port, time.Second); err == nil {
			c.Close()
			return "grpc://" + port, kill
		}
		time.Sleep(50 * time.Millisecond)
	}
	text, _ := os.ReadFile(log.Name())
	t.Fatalf("bazel-remote does not listen: %s", text)
	return "", nil
}

// TestBazelRemote shares kernels through a real server, from small ones to one
// above the size of a batch, and goes on without it.
func TestBazelRemote(t *testing.T) {
	address, kill := bazelRemote(t)
	var long strings.Builder
	long.WriteString(".visible .entry long(.param .u64 p)\n{\n.reg .b64 %a;\n.reg .f32 %f<40>;\nld.param.u64 %a, [p];\n")
	for i := range 40 {
		fmt.Fprintf(&long, "ld.global.f32 %%f%d, [%%a+%d];\n", i, 4*i)
	}
	for i := range 20000 {
		fmt.Fprintf(&long, "fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", i%40, (i*7+1)%40, (i*13+5)%40, (i*29+3)%40)
	}
	long.WriteString("st.global.f32 [%a], %f0;\nret;\n}\n")
	text := module(40) + long.String()
	want := here(t, text)
	args := []string{"-arch=sm_90", "--remote=" + address, "--remote-verbose", "--remote-timeout=2s"}
	for _, says := range []string{"0 kernels found, 41 not, 41 sent; 0 errors", "41 kernels found, 0 not, 0 sent; 0 errors"} {
		begun := time.Now()
		code, cubin, log := compile(t, text, append(args, "--remote-fallback=fail")...)
		if code != 0 || cubin != want || !strings.Contains(log, says) {
			t.Errorf("%d, same bytes %v: %s; want %s", code, cubin == want, log, says)
		}
		t.Logf("%v: %s", time.Since(begun), strings.TrimSpace(log))
	}
	kill()
	if code, cubin, log := compile(t, text, args...); code != 0 || cubin != want {
		t.Errorf("without the server: %d, same bytes %v: %s", code, cubin == want, log)
	}
}
