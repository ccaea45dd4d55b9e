package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/driver"
)

const good = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b64 %a;
	.reg .b32 %r;
	ld.param.u64 %a, [p];
	ld.global.u32 %r, [%a];
	add.u32 %r, %r, 1;
	st.global.u32 [%a], %r;
	ret;
}
`

// long is a kernel that takes seconds to compile.
func long() string {
	var s strings.Builder
	s.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %a;\n.reg .f32 %f<1000>;\nld.param.u64 %a, [p];\n")
	for i := range 60000 {
		fmt.Fprintf(&s, "fma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;\n", i%1000, (i*7+1)%1000, (i*13+5)%1000, (i*29+3)%1000)
	}
	s.WriteString("st.global.f32 [%a], %f0;\nret;\n}\n")
	return s.String()
}

func roomy() Limits {
	return Limits{Body: 32 << 20, Time: time.Minute, Memory: 4 << 30, Jobs: 2, Queue: 8}
}

// start runs a server at a Unix socket until the test ends.
func start(t *testing.T, token string, limits Limits) (address string, s *Server) {
	t.Helper()
	dir, err := os.MkdirTemp("", "gs") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	l, err := listen(place{path: path})
	if err != nil {
		t.Fatal(err)
	}
	s = New(token, limits)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "unix:" + path, s
}

// browser is a client of the standard library for a Unix socket.
func browser(address string) *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", strings.TrimPrefix(address, "unix:"))
	}}}
}

// ask posts an order with a client of the standard library.
func ask(t *testing.T, c *http.Client, token string, o any) (int, []byte) {
	t.Helper()
	body, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	q, err := http.NewRequest("POST", "http://server"+compilePath, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+token)
	q.Header.Set("Expect", "100-continue")
	r, err := c.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, data
}

// timeless cuts the times out of a report.
func timeless(log string) string {
	var s strings.Builder
	for line := range strings.Lines(log) {
		before, _, _ := strings.Cut(line, "Compile time = ")
		s.WriteString(before)
	}
	return s.String()
}

// TestSameBytes compiles with and without a server, good programs and bad
// ones: bytes and messages are the same.
func TestSameBytes(t *testing.T) {
	address, _ := start(t, "", roomy())
	for _, c := range []struct {
		name, text string
		args       []string
	}{
		{"good", good, []string{"--gpu-name=sm_90", "--verbose"}},
		{"bad", strings.Replace(good, "add.u32", "add.u33", 1), []string{"--gpu-name=sm_90"}},
		{"bytes", good + "// \xff\xfe\n", []string{"--gpu-name=sm_80", "--opt-level=1"}},
	} {
		texts := []driver.Text{{Name: "k.ptx", Text: []byte(c.text)}}
		var log bytes.Buffer
		want, wantOK := driver.CompileTexts(context.Background(), c.args, texts, &log)
		got, gotLog, ok, err := Compile(context.Background(), address, c.args, texts)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if ok != wantOK || timeless(gotLog) != timeless(log.String()) || !bytes.Equal(got, want) && ok {
			t.Errorf("%s: %v %q (%d bytes), here %v %q (%d bytes)", c.name, ok, gotLog, len(got), wantOK, log.String(), len(want))
		}
	}
}

// TestCommandLine runs whole command lines with a server and with one that is
// not there: files, messages and codes are the same.
func TestCommandLine(t *testing.T) {
	address, s := start(t, "", roomy())
	dir := t.TempDir()
	run := func(text string, args ...string) (int, string, string) {
		t.Helper()
		in, out := filepath.Join(dir, "k.ptx"), filepath.Join(dir, "k.cubin")
		os.Remove(out)
		if err := os.WriteFile(in, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		rc := driver.Main(context.Background(), driver.Env{Args: append(args, in, "-o", out), Stdout: &log, Stderr: &log, Remote: Compile})
		data, err := os.ReadFile(out)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return rc, timeless(log.String()), string(data)
	}
	for _, text := range []string{good, strings.Replace(good, "ld.global", "ld.golbal", 1)} {
		for _, args := range [][]string{{"-arch=sm_90", "-v"}, {"-arch", "sm_80", "-O1", "-maxrregcount=32", "-e", "k"}, {"-arch=sm_90", "--knob", "RegAllocSpread=false"}} {
			rc, log, cubin := run(text, args...)
			for _, server := range []string{address, "unix:/nowhere/at/all", "127.0.0.1:1"} {
				rc2, log2, cubin2 := run(text, append([]string{"--server=" + server}, args...)...)
				if rc != rc2 || log != log2 || cubin != cubin2 {
					t.Errorf("%v at %s: %d %q (%d bytes), here %d %q (%d bytes)", args, server, rc2, log2, len(cubin2), rc, log, len(cubin))
				}
			}
		}
	}
	s.metrics.mu.Lock()
	defer s.metrics.mu.Unlock()
	if s.metrics.outcomes[compiled] != 2 || s.metrics.outcomes[rejected] != 2 { // knobs stay here
		t.Errorf("the server compiled %v", s.metrics.outcomes)
	}
}

// TestRefusals asks for what is not given.
func TestRefusals(t *testing.T) {
	l := roomy()
	l.Body = 1 << 20
	address, _ := start(t, "secret", l)
	c := browser(address)
	text := []Input{{Name: "k.ptx", Text: good}}
	for _, x := range []struct {
		name, token string
		order       any
		status      int
		says        string
	}{
		{"good", "secret", Order{Args: []string{"--gpu-name=sm_90"}, Inputs: text}, 200, `"ok":true`},
		{"no token", "", Order{Inputs: text}, 401, "token"},
		{"wrong token", "secres", Order{Inputs: text}, 401, "token"},
		{"file", "secret", Order{Args: []string{"--options-file=/etc/passwd"}, Inputs: text}, 400, "options-file"},
		{"short name", "secret", Order{Args: []string{"-optf", "/etc/passwd"}, Inputs: text}, 400, "-optf"},
		{"output", "secret", Order{Args: []string{"--output-file=/tmp/x"}, Inputs: text}, 400, "output-file"},
		{"input", "secret", Order{Args: []string{"/etc/passwd"}, Inputs: text}, 400, "passwd"},
		{"cache", "secret", Order{Args: []string{"--cache=/tmp/x"}, Inputs: text}, 400, "cache"},
		{"nothing", "secret", Order{}, 400, "no inputs"},
		{"no JSON", "secret", []int{1}, 400, "cannot be read"},
		{"too large", "secret", Order{Inputs: []Input{{Text: strings.Repeat(" ", 2<<20)}}}, 413, "limit"},
		{"still there", "secret", Order{Args: []string{"--gpu-name=sm_90"}, Inputs: text}, 200, `"ok":true`},
	} {
		status, body := ask(t, c, x.token, x.order)
		if status != x.status || !strings.Contains(string(body), x.says) {
			t.Errorf("%s: %d %s, want %d with %q", x.name, status, body, x.status, x.says)
		}
	}
	r, err := c.Get("http://server" + healthPath)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != 200 {
		t.Errorf("health is %d", r.StatusCode)
	}
}

// TestLimits lets a compilation take too long, meet a full queue and lose its
// client; the counts tell.
func TestLimits(t *testing.T) {
	l := roomy()
	l.Jobs, l.Queue, l.Time = 1, 0, 300*time.Millisecond
	address, s := start(t, "", l)
	slow := Order{Args: []string{"--gpu-name=sm_90"}, Inputs: []Input{{Name: "k.ptx", Text: long()}}}
	first := make(chan int, 1)
	go func() {
		status, _ := ask(t, browser(address), "", slow)
		first <- status
	}()
	running := func(n int64) {
		t.Helper()
		for range 500 {
			s.metrics.mu.Lock()
			now := s.metrics.running
			s.metrics.mu.Unlock()
			if now == n {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		t.Fatalf("not %d compilations at once", n)
	}
	running(1)
	if status, body := ask(t, browser(address), "", slow); status != 429 && status != 504 {
		t.Errorf("a full server answers %d %s", status, body)
	}
	if status := <-first; status != 504 {
		t.Errorf("after its time a compilation gives %d", status)
	}
	running(0)
	s.limits.Time = time.Minute // no request is under way
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		running(1)
		cancel()
	}()
	if _, _, _, err := Compile(ctx, address, slow.Args, []driver.Text{{Name: "k.ptx", Text: []byte(slow.Inputs[0].Text)}}); err == nil {
		t.Error("a cancelled client has an answer")
	}
	running(0)
	r, err := browser(address).Get("http://server" + metricsPath)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`goptxas_orders_total{outcome="late"} 1`, `goptxas_orders_total{outcome="gone"} 1`, "goptxas_running 0", "# TYPE goptxas_compile_seconds histogram"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// TestGate fills the memory and the slots of a gate and lets those who wait
// give up.
func TestGate(t *testing.T) {
	g := gate{slots: 2, memory: 100, most: 100, places: 1}
	a, err := g.enter(context.Background(), 60)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	gaveUp := make(chan error, 1)
	go func() {
		_, err := g.enter(ctx, 60) // a slot is free, memory is not
		gaveUp <- err
	}()
	for g.queued() == 0 {
		time.Sleep(time.Millisecond)
	}
	if _, err := g.enter(context.Background(), 1); err != errBusy {
		t.Errorf("the second who waits gets %v", err)
	}
	cancel()
	if err := <-gaveUp; err != context.Canceled {
		t.Errorf("who gives up gets %v", err)
	}
	b, err := g.enter(context.Background(), 40)
	if err != nil {
		t.Fatal(err)
	}
	a()
	b()
	c, err := g.enter(context.Background(), 1000) // alone, all memory is enough
	if err != nil {
		t.Fatal(err)
	}
	c()
	if g.slots != 2 || g.memory != 100 || g.queued() != 0 {
		t.Errorf("left: %d slots, %d bytes, %d waiting", g.slots, g.memory, g.queued())
	}
}

// TestPort serves at a port and asks there, ours and a client of the standard
// library.
func TestPort(t *testing.T) {
	l, err := listen(place{ip: [4]byte{127, 0, 0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- New("secret", roomy()).serve(ctx, l) }()
	t.Setenv(TokenVariable, "secret")
	texts := []driver.Text{{Name: "k.ptx", Text: []byte(good)}}
	if _, log, ok, err := Compile(ctx, l.at.String(), []string{"--gpu-name=sm_90"}, texts); err != nil || !ok {
		t.Errorf("%v %s", err, log)
	}
	r, err := http.Get("http://" + l.at.String() + healthPath)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, _, _, err := Compile(context.Background(), l.at.String(), nil, texts); err == nil {
		t.Error("a server that has ended answers")
	}
	for _, bad := range []string{"", "unix:", "nosuchhost:1", "1.2.3:4", "1.2.3.256:4", "1.2.3.4:x", "1.2.3.4"} {
		if p, err := split(bad); err == nil {
			t.Errorf("%q is %v", bad, p)
		}
	}
}

// TestDial connects again and again: no connection that came about before the
// client waited for it is missed.
func TestDial(t *testing.T) {
	l, err := listen(place{ip: [4]byte{127, 0, 0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	for n := range 500 {
		c, err := dial(l.at, 20*time.Second)
		if err != nil {
			t.Fatalf("connection %d: %v", n, err)
		}
		taken, err := l.accept()
		if err != nil {
			t.Fatal(err)
		}
		taken.Close()
		c.Close()
	}
}

// TestCommand refuses to listen without a token at a port.
func TestCommand(t *testing.T) {
	t.Setenv(TokenVariable, "")
	for _, args := range [][]string{{}, {"-listen", "127.0.0.1:0"}, {"-listen", "unix:/tmp/x", "-jobs", "0"}, {"-listen", "unix:/nowhere/x/y"}, {"-nosuch"}} {
		var log bytes.Buffer
		if rc := Command(context.Background(), args, &log); rc == 0 || log.Len() == 0 {
			t.Errorf("%v: %d %s", args, rc, &log)
		}
	}
}
