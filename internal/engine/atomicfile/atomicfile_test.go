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
	"strings"
	"sync"
	"syscall"
	"testing"
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
		w := &File{target: out}
		name, err := takeName(out, func(name string) error { return w.open(name, 0o666) })
		if err != nil {
			t.Fatal(err)
		}
		w.named = name
		return w
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

// TestAbandoned puts files under the hidden names of a target: one that nobody
// holds goes away, one that is held stays, and nothing else is looked at.
func TestAbandoned(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "k[1].cubin")
	leave := func(name string) *os.File {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	write := func(want ...string) {
		t.Helper()
		if err := writeFile(context.Background(), out, []byte("x")); err != nil {
			t.Fatal(err)
		}
		slices.Sort(want)
		if got := names(t, dir); got != strings.Join(want, " ") {
			t.Errorf("left %s, want %s", got, want)
		}
	}
	write("k[1].cubin")
	leave(".other.0.tmp").Close()
	leave(".k[1].cubin.0.tmp").Close()
	write(".other.0.tmp", "k[1].cubin")
	held := leave(".k[1].cubin.0.tmp")
	hold(held)
	leave(".k[1].cubin.1.tmp").Close()
	write(".k[1].cubin.0.tmp", ".other.0.tmp", "k[1].cubin")
	held.Close()
	write(".other.0.tmp", "k[1].cubin")
}

// TestManyWriters lets writers replace one file at once, with and without
// names, while a reader looks: each finds a name, and the file is whole.
func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "o")
	var group sync.WaitGroup
	for n := range 8 {
		group.Go(func() {
			data := bytes.Repeat([]byte{byte('a' + n)}, 5000)
			for k := range 40 {
				w, err := Create(out)
				if n%2 == 1 && err == nil && w.named == "" { // as where files cannot be without a name
					w.f.Close()
					w.named, err = takeName(out, func(name string) error { return w.open(name, 0o666) })
				}
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := w.Write(data); err != nil {
					t.Error(err)
				}
				if k%8 == 7 {
					err = w.Abort()
				} else {
					err = w.Commit()
				}
				if err != nil {
					t.Error(err)
				}
				if b, err := os.ReadFile(out); k%8 != 7 && (err != nil || len(b) != 5000 || bytes.Count(b, b[:1]) != 5000) {
					t.Errorf("%v: %d bytes", err, len(b))
				}
			}
		})
	}
	group.Wait()
	if got := names(t, dir); got != "o" {
		t.Errorf("left %s", got)
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
