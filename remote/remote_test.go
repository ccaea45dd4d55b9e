package remote

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/driver"
	"github.com/goptxas/goptxas/internal/engine/store"
)

// asCommand makes this test program behave as the compiler, for actions.
const asCommand = "GOPTXAS_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(driver.Main(context.Background(), driver.Env{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}))
	}
	os.Exit(m.Run())
}

// module is a text of n kernels that share a variable and a function; two of
// them name each other's shared data only through those.
func module(n int) string {
	var s strings.Builder
	s.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 counter;\n.const .f32 half = 0f3F000000;\n.func (.reg .u32 %out) twice(.reg .u32 %in)\n{\nadd.u32 %out, %in, %in;\nret;\n}\n")
	for k := range n {
		fmt.Fprintf(&s, ".visible .entry k%d(.param .u64 p)\n{\n.reg .b64 %%a;\n.reg .b32 %%r;\n.reg .f32 %%f;\nld.param.u64 %%a, [p];\nld.global.u32 %%r, [%%a];\n", k)
		for i := range k%7*5 + 1 {
			fmt.Fprintf(&s, "mad.lo.u32 %%r, %%r, %%r, %d;\n", i+k)
		}
		s.WriteString("call (%r), twice, (%r);\nld.const.f32 %f, [half];\nst.global.f32 [%a+4], %f;\nst.global.u32 [%a], %r;\natom.global.add.u32 %r, [counter], 1;\nret;\n}\n")
	}
	return s.String()
}

// compile runs a command line over a text and returns the cubin.
func compile(t *testing.T, text string, args ...string) (code int, cubin, log string) {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "m.ptx"), filepath.Join(dir, "m.cubin")
	if err := os.WriteFile(in, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	code = Main(context.Background(), driver.Env{Args: append(args, in, "-o", out), Stdout: &b, Stderr: &b}, func(string) string { return "" })
	data, err := os.ReadFile(out)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return code, string(data), b.String()
}

// here compiles without servers.
func here(t *testing.T, text string) string {
	t.Helper()
	code, cubin, log := compile(t, text, "-arch=sm_90")
	if code != 0 || cubin == "" {
		t.Fatalf("%d %s", code, log)
	}
	return cubin
}

// TestSharedKernels compiles with an empty cache, a full one and one kernel
// changed: the bytes are those of a compilation here, and only what is missing
// is compiled and sent.
func TestSharedKernels(t *testing.T) {
	f := &fake{batch: 4 << 10}
	address, _ := f.serve(t)
	text := module(20)
	want := here(t, text)
	changed := strings.Replace(text, "mad.lo.u32 %r, %r, %r, 7;", "mad.lo.u32 %r, %r, %r, 1007;", 1)
	if changed == text {
		t.Fatal("nothing changed")
	}
	for _, x := range []struct{ text, want, says string }{
		{text, want, "0 kernels found, 20 not, 20 sent; 0 errors"},
		{text, want, "20 kernels found, 0 not, 0 sent; 0 errors"},
		{changed, here(t, changed), "19 kernels found, 1 not, 1 sent; 0 errors"},
	} {
		code, cubin, log := compile(t, x.text, "-arch=sm_90", "--remote="+address, "--remote-verbose", "--remote-header=X-Test=yes", "--remote-instance=main")
		if code != 0 || cubin != x.want || !strings.Contains(log, x.says) {
			t.Errorf("%d, same bytes %v: %s; want %s", code, cubin == x.want, log, x.says)
		}
	}
	if len(f.headers) != 1 || f.headers[0] != "yes" {
		t.Errorf("headers are %q", f.headers)
	}
}

// TestExecute compiles a module apart by actions.
func TestExecute(t *testing.T) {
	f := &fake{}
	address, _ := f.serve(t)
	text := module(24)
	want := here(t, text)
	for _, says := range []string{"6 actions (0 failed, 0 known) made 24 kernels; 0 kernels found, 0 not", "6 actions (0 failed, 6 known) made 24 kernels"} {
		code, cubin, log := compile(t, text, "-arch=sm_90", "--remote="+address, "--remote-execute", "--remote-verbose", "--remote-least=10", "--remote-groups=6", "--remote-fallback=fail")
		if code != 0 || cubin != want || !strings.Contains(log, says) {
			t.Errorf("%d, same bytes %v: %s; want %s", code, cubin == want, log, says)
		}
	}
}

// TestFaults orders faults of a server: the bytes are right, or with the
// policy to fail there is an error and no file.
func TestFaults(t *testing.T) {
	text := module(12)
	want := here(t, text)
	for _, x := range []struct {
		name   string
		f      *fake
		before func(*fake) // a good run comes first where set
		fails  bool        // by the policy to fail
		args   []string
	}{
		{name: "wrong bytes", f: &fake{}, before: func(f *fake) { f.wrong = true }, fails: true},
		{name: "full disk", f: &fake{full: true}, fails: true},
		{name: "slow", f: &fake{}, before: func(f *fake) { f.slow = 5 * time.Second }, fails: true, args: []string{"--remote-timeout=100ms"}},
		{name: "lost once", f: &fake{lose: 1}, args: []string{"--remote-execute"}},
		{name: "lost for good", f: &fake{lose: 1000}, fails: true, args: []string{"--remote-execute"}},
		{name: "cut off", f: &fake{cutOff: 1000}, fails: true, args: []string{"--remote-execute"}},
		{name: "actions fail", f: &fake{exits: 1}, fails: true, args: []string{"--remote-execute"}},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			address, _ := x.f.serve(t)
			args := append([]string{"-arch=sm_90", "--remote=" + address, "--remote-least=10", "--remote-groups=3"}, x.args...)
			if x.before != nil {
				if code, cubin, log := compile(t, text, append(args, "--remote-timeout=10s")...); code != 0 || cubin != want {
					t.Fatalf("a good run ends with %d: %s", code, log)
				}
				x.f.mu.Lock()
				x.before(x.f)
				x.f.mu.Unlock()
			}
			code, cubin, log := compile(t, text, args...)
			if code != 0 || cubin != want {
				t.Errorf("%d, same bytes %v: %s", code, cubin == want, log)
			}
			code, cubin, log = compile(t, text, append(args, "--remote-fallback=fail")...)
			if x.fails && (code == 0 || log == "") || !x.fails && (code != 0 || cubin != want) || cubin != "" && cubin != want {
				t.Errorf("by the policy to fail: %d, same bytes %v: %s", code, cubin == want, log)
			}
		})
	}
}

// TestKilled stops the server in the middle of a compilation.
func TestKilled(t *testing.T) {
	f := &fake{slow: 20 * time.Millisecond}
	address, g := f.serve(t)
	text := module(30)
	want := here(t, text)
	go func() {
		time.Sleep(150 * time.Millisecond)
		g.Stop()
	}()
	if code, cubin, log := compile(t, text, "-arch=sm_90", "--remote="+address, "--remote-timeout=1s"); code != 0 || cubin != want {
		t.Errorf("%d, same bytes %v: %s", code, cubin == want, log)
	}
	if code, cubin, log := compile(t, text, "-arch=sm_90", "--remote="+address, "--remote-timeout=1s"); code != 0 || cubin != want {
		t.Errorf("without a server: %d, same bytes %v: %s", code, cubin == want, log)
	}
	if code, cubin, log := compile(t, text, "-arch=sm_90", "--remote="+address, "--remote-timeout=1s", "--remote-fallback=fail"); code == 0 || cubin != "" || log == "" {
		t.Errorf("without a server, by the policy to fail: %d %s", code, log)
	}
}

// TestCancel ends a compilation whose actions never do.
func TestCancel(t *testing.T) {
	f := &fake{hang: true}
	address, _ := f.serve(t)
	c, err := Dial(context.Background(), Options{Address: address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	into, err := store.Open(t.TempDir(), 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	begun := time.Now()
	out := c.Compile(ctx, []byte(module(8)), Work{Program: []byte("x"), Args: []string{"--gpu-name=sm_90"}, Least: 10}, into)
	if out.Kernels != 0 || out.Failed != out.Actions || out.Actions == 0 || time.Since(begun) > 5*time.Second {
		t.Errorf("%+v after %v", out, time.Since(begun))
	}
}

// TestCut cuts modules and looks at what the parts have.
func TestCut(t *testing.T) {
	text := module(10) + ".visible .entry last(.param .u64 p)\n{\n.reg .b64 %a;\nmov.u64 %a, k3;\nret;\n}\n"
	parts := cut([]byte(text), 4, 1)
	if len(parts) != 4 {
		t.Fatalf("%d parts", len(parts))
	}
	seen := map[string]int{}
	for _, p := range parts {
		names := map[string]bool{}
		for _, k := range kernelsOf(p) {
			seen[k.name]++
			names[k.name] = true
		}
		if names["last"] != names["k3"] {
			t.Error("kernels that name each other are apart")
		}
		for _, must := range []string{".global .u32 counter", ".const .f32 half", "twice(.reg"} {
			if strings.Count(string(p), must) != 1 {
				t.Errorf("%q is in a part %d times", must, strings.Count(string(p), must))
			}
		}
	}
	if len(seen) != 11 {
		t.Errorf("%d kernels", len(seen))
	}
	for name, n := range seen {
		if n != 1 {
			t.Errorf("%s is there %d times", name, n)
		}
	}
	for _, bad := range []string{"", ".version 8.0\n.target sm_80\n.visible .entry k(", module(1)} {
		if cut([]byte(bad), 4, 1) != nil {
			t.Errorf("%.20q was cut", bad)
		}
	}
}

// TestSplit reads options.
func TestSplit(t *testing.T) {
	s, rest, err := Split([]string{"-arch=sm_90", "--remote=grpc://a:1", "--remote-fallback=fail", "--remote-timeout=2s", "k.ptx"}, func(string) string { return "" })
	if err != nil || s.Address != "grpc://a:1" || !s.Fail || s.Timeout != 2*time.Second || strings.Join(rest, " ") != "-arch=sm_90 k.ptx" {
		t.Errorf("%+v %q %v", s, rest, err)
	}
	for _, bad := range []string{"--remote-fallback=maybe", "--remote-timeout=soon", "--remote-nosuch"} {
		if _, _, err := Split([]string{bad}, func(string) string { return "" }); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
	if _, err := Dial(context.Background(), Options{Address: "http://x"}); err == nil {
		t.Error("http was taken")
	}
}
