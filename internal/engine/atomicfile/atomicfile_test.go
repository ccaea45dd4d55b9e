//go:build unix

package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// names returns what is in the folder.
func names(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestCommitAndAbort(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "k.cubin")
	for _, text := range []string{"first", "second"} {
		w, err := Create(out)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if text == "first" {
			if _, err := os.Stat(out); err == nil {
				t.Error("the file is there before Commit")
			}
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		if content(t, out) != text {
			t.Error("wrong bytes")
		}
		if w.Abort() != nil || !errors.Is(w.Commit(), fs.ErrClosed) {
			t.Error("Abort and Commit after Commit")
		}
	}
	w, err := Create(out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	if content(t, out) != "second" || names(t, dir) != "k.cubin" {
		t.Errorf("after Abort: %s", names(t, dir))
	}
	if _, err := w.Write(nil); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Write after Abort: %v", err)
	}
}

// TestNamed takes the way of systems without unnamed files.
func TestNamed(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "o")
	start := func() *File {
		name := tempName(out)
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		return &File{target: out, f: f, named: name}
	}
	w := start()
	if _, err := w.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil || content(t, out) != "x" {
		t.Fatal(err)
	}
	if err := start().Abort(); err != nil || names(t, dir) != "o" {
		t.Errorf("%v: %s", err, names(t, dir))
	}
}

func TestModesAndLinks(t *testing.T) {
	dir := t.TempDir()
	real, link, dangling := filepath.Join(dir, "real"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
	if err := errors.Join(os.WriteFile(real, []byte("old"), 0o640), os.Symlink("real", link), os.Symlink("later", dangling)); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if err := errors.Join(writeFile(ctx, link, []byte("new")), writeFile(ctx, dangling, []byte("made"))); err != nil {
		t.Fatal(err)
	}
	st, err := os.Lstat(real)
	if err != nil || st.Mode() != 0o640 || content(t, real) != "new" {
		t.Errorf("%v: mode %v", err, st.Mode())
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if content(t, filepath.Join(dir, "later")) != "made" {
		t.Error("a dangling link")
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(ctx, loop, nil); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("loop: %v", err)
	}
}

func TestDevices(t *testing.T) {
	ctx := context.Background()
	if err := writeFile(ctx, "/dev/null", []byte("x")); err != nil {
		t.Error(err)
	}
	if st, err := os.Stat("/dev/null"); err != nil || st.Mode().IsRegular() {
		t.Fatal("/dev/null was replaced")
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		if err := writeFile(ctx, "/dev/full", []byte("x")); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("/dev/full: %v", err)
		}
	}
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan []byte)
	go func() { b, _ := os.ReadFile(fifo); got <- b }()
	if err := writeFile(ctx, fifo, []byte("through")); err != nil {
		t.Error(err)
	}
	if b := <-got; !bytes.Equal(b, []byte("through")) {
		t.Errorf("fifo got %q", b)
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		want error
	}{
		{"", fs.ErrNotExist},
		{filepath.Join(dir, "no", "x"), fs.ErrNotExist},
		{filepath.Join(plain, "x"), syscall.ENOTDIR},
		{dir, syscall.EISDIR},
	} {
		if _, err := Create(c.path); !errors.Is(err, c.want) {
			t.Errorf("%q: %v, want %v", c.path, err, c.want)
		}
	}
	if names(t, dir) != "plain" {
		t.Errorf("left: %s", names(t, dir))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := writeFile(ctx, plain, []byte("new")); !errors.Is(err, context.Canceled) || content(t, plain) != "old" || names(t, dir) != "plain" {
		t.Errorf("ended context: %v, %s", err, names(t, dir))
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "k[1].cubin")
	old := time.Now().Add(-48 * time.Hour)
	here := machine()
	// Process 2147483646 cannot exist; this one does.
	self := strconv.Itoa(os.Getpid())
	for _, c := range []struct {
		name string
		old  bool
	}{
		{".k[1].cubin." + here + ".2147483646.a.tmp", false}, // dead
		{".k[1].cubin." + here + "." + self + ".b.tmp", false},
		{".k[1].cubin.elsewhere.2147483646.c.tmp", false},
		{".k[1].cubin.elsewhere.2147483646.d.tmp", true}, // forgotten
		{".k[1].cubin.mine.tmp", true},
		{".other." + here + ".2147483646.e.tmp", true},
	} {
		p := filepath.Join(dir, c.name)
		if err := os.WriteFile(p, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if c.old {
			if err := os.Chtimes(p, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 2 { // names are needed where a file is replaced
		if err := writeFile(context.Background(), out, nil); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		".k[1].cubin." + here + "." + self + ".b.tmp", ".k[1].cubin.elsewhere.2147483646.c.tmp",
		".k[1].cubin.mine.tmp", ".other." + here + ".2147483646.e.tmp", "k[1].cubin",
	}
	slices.Sort(want)
	if got := names(t, dir); got != strings.Join(want, " ") {
		t.Errorf("left %s, want %s", got, want)
	}
}

func BenchmarkWriteFile(b *testing.B) {
	out := filepath.Join(b.TempDir(), "k.cubin")
	data := make([]byte, 64<<10)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if err := writeFile(context.Background(), out, data); err != nil {
			b.Fatal(err)
		}
	}
}

// chunk is how much writeFile writes between looks at its context.
const chunk = 256 << 10

// writeFile makes data the contents of the file at path, unless ctx ends before
// it is all written.
func writeFile(ctx context.Context, path string, data []byte) error {
	w, err := Create(path)
	if err != nil {
		return err
	}
	for len(data) > 0 && ctx.Err() == nil {
		n := min(chunk, len(data))
		if _, err := w.Write(data[:n]); err != nil {
			return errors.Join(err, w.Abort())
		}
		data = data[n:]
	}
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), w.Abort())
	}
	return w.Commit()
}
