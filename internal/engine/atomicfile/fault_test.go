//go:build unix

package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/engine/par"
	"github.com/goptxas/goptxas/internal/engine/par/jobserver"
)

// The test binary is also a toy compile: it takes two tokens of a jobserver,
// writes a large file slowly through this package, and says so on both streams.
const (
	roleEnv  = "ATOMICFILE_TEST_ROLE"
	limitEnv = "ATOMICFILE_TEST_LIMIT"
	holdEnv  = "ATOMICFILE_TEST_HOLD" // stop before the end and wait for a signal
	fileSize = 2 << 20
	steps    = 16
)

func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) == "compile" {
		os.Exit(compileRole(os.Args[1]))
	}
	os.Exit(m.Run())
}

func compileRole(out string) int {
	ctx, stop := par.Interruptible(context.Background(), 0)
	defer stop()
	if c, err := jobserver.Open(os.Getenv("MAKEFLAGS")); err == nil {
		defer c.Close()
		for range 2 {
			if err := c.Acquire(ctx); err != nil {
				return 3
			}
		}
	}
	if os.Getenv(limitEnv) != "" {
		// A file may not grow past this: the write fails half-way, as on a full disk.
		lim := syscall.Rlimit{Cur: fileSize / 2, Max: fileSize / 2}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &lim); err != nil {
			return 4
		}
	}
	err := slowWrite(ctx, out)
	// The streams may be closed; that must not matter.
	fmt.Println("wrote", out, err)
	fmt.Fprintln(os.Stderr, "wrote", out, err)
	var in *par.Interrupted
	switch {
	case errors.As(err, &in):
		return in.ExitCode()
	case err != nil:
		return 1
	}
	return 0
}

func slowWrite(ctx context.Context, out string) error {
	w, err := Create(out)
	if err != nil {
		return err
	}
	defer w.Abort()
	fmt.Println("begun")
	hold := -1
	if os.Getenv(holdEnv) != "" {
		hold = rand.IntN(steps)
	}
	for i := range steps {
		if i == hold {
			<-ctx.Done()
		}
		if _, err := w.Write(bytes.Repeat([]byte{'N'}, fileSize/steps)); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Millisecond):
		}
	}
	return w.Commit()
}

// tokens is a jobserver of the test with two tokens.
type tokens struct {
	path string
	f    *os.File
}

func newTokens(t *testing.T) *tokens {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Chmod(0o666); err != nil { // whatever the umask
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Write([]byte("ab")); err != nil {
		t.Fatal(err)
	}
	return &tokens{path, f}
}

// check reads both tokens and puts them back.
func (k *tokens) check(t *testing.T) {
	t.Helper()
	if err := k.f.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	var b [2]byte
	if _, err := io.ReadFull(k.f, b[:]); err != nil {
		t.Errorf("a token was lost: %v", err)
		return
	}
	if _, err := k.f.Write(b[:]); err != nil {
		t.Fatal(err)
	}
}

func compileCmd(t *testing.T, k *tokens, out string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, out)
	cmd.Env = append(os.Environ(), roleEnv+"=compile", "GORACE=atexit_sleep_ms=0")
	if k != nil {
		cmd.Env = append(cmd.Env, "MAKEFLAGS= -j3 --jobserver-auth=fifo:"+k.path)
	}
	return cmd
}

func oldFile(t *testing.T) (dir, out string, old []byte) {
	t.Helper()
	dir = t.TempDir()
	out = filepath.Join(dir, "k.cubin")
	old = bytes.Repeat([]byte{'o'}, fileSize/3)
	if err := os.WriteFile(out, old, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir, out, old
}

// isOldOrNew reports which of the two the file is.
func isOldOrNew(t *testing.T, out string, old []byte) (isNew bool) {
	t.Helper()
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case bytes.Equal(got, old):
		return false
	case bytes.Equal(got, bytes.Repeat([]byte{'N'}, fileSize)):
		return true
	}
	t.Fatalf("the file is neither the old one nor the new one: %d bytes", len(got))
	return false
}

// TestKill kills a compile at 50 random moments.
func TestKill(t *testing.T) {
	dir, out, old := oldFile(t)
	start := time.Now()
	if err := compileCmd(t, nil, out).Run(); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(start)
	isOldOrNew(t, out, old)
	var olds, news, left int
	for range 50 {
		if err := os.WriteFile(out, old, 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := compileCmd(t, nil, out)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.Int64N(int64(whole + whole/4))))
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // killed, or well
		if isOldOrNew(t, out, old) {
			news++
		} else {
			olds++
		}
		if names(t, dir) != "k.cubin" {
			left++
		}
	}
	// What a kill between naming and renaming left, the next compile removes.
	if err := compileCmd(t, nil, out).Run(); err != nil || names(t, dir) != "k.cubin" {
		t.Errorf("%v: the folder holds %s", err, names(t, dir))
	}
	t.Logf("50 kills within %v: %d times the old file, %d times the new one, %d times a hidden name until the next compile", whole, olds, news, left)
}

func TestSignals(t *testing.T) {
	k := newTokens(t)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		for range 4 {
			dir, out, old := oldFile(t)
			cmd := compileCmd(t, k, out)
			cmd.Env = append(cmd.Env, holdEnv+"=1")
			r, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var b [6]byte
			if _, err := io.ReadFull(r, b[:]); err != nil { // "begun\n"
				t.Fatal(err)
			}
			time.Sleep(time.Duration(rand.IntN(8)) * time.Millisecond)
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, r)
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != 128+int(sig) {
				t.Errorf("%v: exit code %d", sig, got)
			}
			if isOldOrNew(t, out, old) || names(t, dir) != "k.cubin" {
				t.Errorf("%v: folder holds %s", sig, names(t, dir))
			}
			k.check(t)
		}
	}
	t.Log("12 signals: old file kept, no other file, all tokens back")
}

func TestFullDisk(t *testing.T) {
	k := newTokens(t)
	dir, out, old := oldFile(t)
	cmd := compileCmd(t, k, out)
	cmd.Env = append(cmd.Env, limitEnv+"=1")
	if text, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("a write past the limit went well: %s", text)
	}
	if isOldOrNew(t, out, old) || names(t, dir) != "k.cubin" {
		t.Errorf("folder holds %s", names(t, dir))
	}
	k.check(t)
}

// TestFullTmpfs uses a real full file system, where one may be mounted.
func TestFullTmpfs(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small tmpfs here: %s", bytes.TrimSpace(out))
	}
	defer func() {
		if err := exec.Command("umount", dir).Run(); err != nil {
			t.Error(err)
		}
	}()
	k := newTokens(t)
	out := filepath.Join(dir, "k.cubin")
	if err := os.WriteFile(out, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	text, err := compileCmd(t, k, out).CombinedOutput()
	if err == nil || !strings.Contains(string(text), "no space left") {
		t.Errorf("full disk: %v\n%s", err, text)
	}
	if content(t, out) != "old" || names(t, dir) != "k.cubin" {
		t.Errorf("folder holds %s", names(t, dir))
	}
	k.check(t)
}

// TestReadOnlyFolder runs the compile as a user who may not write the folder.
func TestReadOnlyFolder(t *testing.T) {
	k := newTokens(t)
	dir, out, old := oldFile(t)
	// The file itself may be written, so it is the folder that refuses.
	if err := errors.Join(os.Chmod(out, 0o666), os.Chmod(dir, 0o555)); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	cmd := compileCmd(t, k, out)
	if os.Getuid() == 0 {
		openPath(t, dir)
		openPath(t, filepath.Dir(k.path))
		openPath(t, filepath.Dir(cmd.Path))
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Skipf("cannot run as another user here: %v", err)
	}
	if err == nil || !strings.Contains(string(text), "permission denied") {
		t.Errorf("read-only folder: %v\n%s", err, text)
	}
	if isOldOrNew(t, out, old) || names(t, dir) != "k.cubin" {
		t.Errorf("folder holds %s", names(t, dir))
	}
	k.check(t)
	t.Logf("as another user: %s", bytes.TrimSpace(text))
}

// openPath lets every user pass the folders above and including path.
func openPath(t *testing.T, path string) {
	t.Helper()
	for p := path; strings.HasPrefix(p, os.TempDir()) && p != os.TempDir(); p = filepath.Dir(p) {
		st, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(p, st.Mode().Perm()|0o055); err != nil {
			t.Fatal(err)
		}
	}
}

// TestClosedStreams compiles with stdout and stderr closed, and with the reader
// of both gone.
func TestClosedStreams(t *testing.T) {
	k := newTokens(t)
	for _, how := range []string{"closed", "broken"} {
		dir, out, old := oldFile(t)
		cmd := compileCmd(t, k, out)
		if how == "closed" {
			cmd.Args = []string{"sh", "-c", `exec "$0" "$1" >&- 2>&-`, cmd.Path, out}
			sh, err := exec.LookPath("sh")
			if err != nil {
				t.Skip(err)
			}
			cmd.Path = sh
		} else {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			defer w.Close()
			cmd.Stdout, cmd.Stderr = w, w
		}
		if err := cmd.Run(); err != nil {
			t.Errorf("%s streams: %v", how, err)
		}
		if !isOldOrNew(t, out, old) || names(t, dir) != "k.cubin" {
			t.Errorf("%s streams: folder holds %s", how, names(t, dir))
		}
		k.check(t)
	}
}
