//go:build unix

package jobserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		in   string
		want auth
		err  error
	}{
		{"", auth{}, ErrAbsent},
		{" -j3", auth{}, ErrAbsent},
		{"kn -j", auth{}, ErrAbsent},
		{" -j3 --jobserver-auth=3,4", auth{r: 3, w: 4}, nil},
		{" --jobserver-fds=5,6 -j", auth{r: 5, w: 6}, nil},
		{" --jobserver-fds=5,6 --jobserver-auth=7,8", auth{r: 7, w: 8}, nil},
		{" -j8 --jobserver-auth=fifo:/tmp/GMfifo12", auth{fifo: "/tmp/GMfifo12"}, nil},
		{` --jobserver-auth=fifo:/tmp/a\ b/c`, auth{fifo: "/tmp/a b/c"}, nil},
		{" --jobserver-auth=3,4 -- X=--jobserver-auth=9,9", auth{r: 3, w: 4}, nil},
		{" --jobserver-auth=-2,-2", auth{}, ErrUnusable},
		{" --jobserver-auth=3", auth{}, ErrUnusable},
		{" --jobserver-auth=3,", auth{}, ErrUnusable},
		{" --jobserver-auth=3,4,5", auth{}, ErrUnusable},
		{" --jobserver-auth=fifo:", auth{}, ErrUnusable},
		{" --jobserver-auth=gmake_semaphore_1234", auth{}, ErrUnusable},
		{" --jobserver-auth=99999999999,4", auth{}, ErrUnusable},
	} {
		got, err := parse(c.in)
		if !errors.Is(err, c.err) || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, %v; want %+v, %v", c.in, got, err, c.want, c.err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(" -j8 --jobserver-auth=fifo:/tmp/x --jobserver-fds=3,4 -- A=b")
	f.Fuzz(func(_ *testing.T, s string) { _, _ = parse(s) })
}

// server is a jobserver made by the test, in both forms.
type server struct {
	flags string
	r, w  *os.File // pipe
	fifo  *os.File
	n     int
}

func newServer(t *testing.T, form string, tokens int) *server {
	t.Helper()
	s := &server{n: tokens}
	bytes := []byte("abcdefghijklmnop")[:tokens] // different, so that mixing them up shows
	var err error
	if form == "fifo" {
		path := filepath.Join(t.TempDir(), "job server") // with a blank
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		if s.fifo, err = os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.fifo.Close() })
		s.r, s.w = s.fifo, s.fifo
		s.flags = " -j --jobserver-auth=fifo:" + strings.ReplaceAll(path, " ", `\ `)
	} else {
		if s.r, s.w, err = os.Pipe(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.r.Close(); s.w.Close() })
		s.flags = fmt.Sprintf(" -j --jobserver-%s=%d,%d", form, rawFD(t, s.r), rawFD(t, s.w))
	}
	if _, err := s.w.Write(bytes); err != nil {
		t.Fatal(err)
	}
	return s
}

func rawFD(t *testing.T, f *os.File) (fd int) {
	t.Helper()
	c, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Control(func(n uintptr) { fd = int(n) }); err != nil {
		t.Fatal(err)
	}
	return fd
}

// drain checks that exactly the tokens that were there are there again.
func (s *server) drain(t *testing.T) {
	t.Helper()
	if err := s.r.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	seen := map[byte]bool{}
	n := 0
	for {
		var b [1]byte
		k, err := s.r.Read(b[:])
		if k == 0 || err != nil {
			break
		}
		n++
		seen[b[0]] = true
	}
	if n != s.n || len(seen) != s.n {
		t.Errorf("%d tokens came back (%d different), want %d", n, len(seen), s.n)
	}
}

var forms = []string{"fifo", "auth", "fds"}

func TestTokens(t *testing.T) {
	for _, form := range forms {
		t.Run(form, func(t *testing.T) {
			s := newServer(t, form, 3)
			c, err := Open(s.flags)
			if err != nil {
				t.Fatal(err)
			}
			ctx := context.Background()
			var running, most atomic.Int32
			var wg sync.WaitGroup
			for range 12 {
				wg.Go(func() {
					for i := range 40 {
						if err := c.Acquire(ctx); err != nil {
							t.Error(err)
							return
						}
						n := running.Add(1)
						for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
						}
						if c.Held() > 3 {
							t.Error("more tokens held than there are")
						}
						time.Sleep(time.Duration(i%3) * 100 * time.Microsecond)
						running.Add(-1)
						c.Release()
					}
				})
			}
			wg.Wait()
			if most.Load() > 4 || most.Load() < 2 {
				t.Errorf("at most %d tasks at once with 3 tokens and the implicit one", most.Load())
			}
			if c.Held() != 0 {
				t.Errorf("%d tokens held while idle", c.Held())
			}
			s.drain(t)
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if err := c.Acquire(ctx); !errors.Is(err, ErrClosed) {
				t.Errorf("Acquire after Close: %v", err)
			}
			t.Logf("%s: 480 tasks, at most %d at once", c.Kind(), most.Load())
		})
	}
}

// TestNotHeldIdle: a waiter that gives up leaves no reader that keeps a token.
func TestNotHeldIdle(t *testing.T) {
	for _, form := range forms {
		s := newServer(t, form, 0)
		s.n = 1
		c, err := Open(s.flags)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Acquire(context.Background()); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			if err := c.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("Acquire with no token: %v", err)
			}
			cancel()
		}
		// The implicit token goes straight to a waiter.
		got := make(chan error)
		go func() { got <- c.Acquire(context.Background()) }()
		time.Sleep(5 * time.Millisecond)
		c.Release()
		if err := <-got; err != nil {
			t.Fatal(err)
		}
		c.Release()
		if _, err := s.w.Write([]byte("a")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
		s.drain(t)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCloseWhileRunning: the way out on a signal.
func TestCloseWhileRunning(t *testing.T) {
	for _, form := range forms {
		s := newServer(t, form, 2)
		c, err := Open(s.flags)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := c.Acquire(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		waiting := make(chan error)
		go func() { waiting <- c.Acquire(context.Background()) }()
		time.Sleep(2 * time.Millisecond)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := <-waiting; !errors.Is(err, ErrClosed) {
			t.Errorf("waiter: %v", err)
		}
		c.Release() // of a task that ends late
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		s.drain(t)
	}
}

func TestUnusable(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("tokens?"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(plain, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r1, w1, _ := os.Pipe()
	r2, w2, _ := os.Pipe()
	defer func() { r1.Close(); w1.Close(); r2.Close(); w2.Close() }()
	fd := rawFD(t, f)
	for _, flags := range []string{
		" --jobserver-auth=fifo:" + plain,
		" --jobserver-auth=fifo:" + filepath.Join(dir, "absent"),
		" --jobserver-auth=fifo:" + dir,
		fmt.Sprintf(" --jobserver-auth=%d,%d", fd, fd), // the trap: numbers of ordinary files
		fmt.Sprintf(" --jobserver-auth=%d,%d", rawFD(t, r1), fd),
		fmt.Sprintf(" --jobserver-auth=%d,%d", rawFD(t, r1), rawFD(t, w2)),
		" --jobserver-auth=998,999",
		" --jobserver-auth=-2,-2",
	} {
		if c, err := Open(flags); c != nil || !errors.Is(err, ErrUnusable) {
			t.Errorf("%s: %v", flags, err)
		}
	}
	if off, err := f.Seek(0, 1); err != nil || off != 0 {
		t.Errorf("an ordinary file was read to offset %d", off)
	}
	if c, err := Open("k -j4"); c != nil || !errors.Is(err, ErrAbsent) {
		t.Errorf("no server: %v", err)
	}
	s := newServer(t, "fifo", 1)
	c, err := Open(s.flags)
	if err != nil {
		t.Fatalf("a good server: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestServerDies: everything goes on with the implicit token.
func TestServerDies(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Open(fmt.Sprintf(" --jobserver-auth=%d,%d", rawFD(t, r), rawFD(t, w)))
	if err != nil {
		t.Fatal(err)
	}
	warned := make(chan error, 1)
	c.Warn = func(err error) { warned <- err }
	if err := c.Acquire(context.Background()); err != nil {
		t.Fatal(err)
	}
	// No writer is left but our own; closing that one too is the end of the file.
	r.Close()
	w.Close()
	c.out.Close()
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if err := c.Acquire(context.Background()); err != nil {
				t.Error(err)
			}
			c.Release()
		})
	}
	if err := <-warned; err == nil || !strings.Contains(err.Error(), "the server has gone") {
		t.Errorf("warning %v", err)
	}
	c.Release()
	wg.Wait()
	if err := c.Close(); err == nil {
		t.Error("Close hides that the server broke")
	}
}
