//go:build unix

package jobserver

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goptxas/goptxas/internal/engine/par"
)

// The test binary is also the compiler that make runs: roleEnv says so.
const (
	roleEnv  = "JOBSERVER_TEST_ROLE"
	logEnv   = "JOBSERVER_TEST_LOG"
	binEnv   = "JOBSERVER_TEST_BIN"
	wantEnv  = "JOBSERVER_TEST_WANT"
	kernels  = 12
	maxSleep = 4 // milliseconds a toy kernel takes
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "compile":
		os.Exit(compileRole())
	case "count":
		os.Exit(countRole())
	}
	os.Exit(m.Run())
}

// compileRole is a toy compiler: kernels on workers that ask the jobserver. Its
// argument is what goes wrong.
func compileRole() int {
	fault := os.Args[1]
	n := 8
	c, err := Open(os.Getenv("MAKEFLAGS"))
	if err != nil { // nobody promised more than one
		n = 1
		fmt.Fprintln(os.Stderr, "warning:", err)
	}
	ctx, stop := par.Interruptible(context.Background(), 0)
	defer stop()
	opt := par.Options[int]{N: n, Context: ctx}
	if c != nil {
		opt.Limiter = c
		defer c.Close()
	}
	w := par.New(opt)
	log, err := os.OpenFile(os.Getenv(logEnv), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	jobs := make([]*par.Job, kernels)
	for i := range jobs {
		jobs[i] = w.Submit(par.Task[int]{Name: strconv.Itoa(i), Priority: int64(i), Run: func(ctx context.Context, _ int) error {
			fmt.Fprintln(log, "+")
			defer fmt.Fprintln(log, "-")
			time.Sleep(time.Duration(1+rand.IntN(maxSleep)) * time.Millisecond)
			switch {
			case fault == "error" && i%3 == 0:
				return errors.New("refused")
			case fault == "panic" && i%3 == 0:
				panic("broken")
			case fault == "signal" && i == 6:
				if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
					return err
				}
				<-ctx.Done()
			}
			return nil
		}})
	}
	errs := make([]error, kernels)
	for i, j := range jobs {
		errs[i] = j.Wait()
	}
	var in *par.Interrupted
	if errors.As(context.Cause(ctx), &in) {
		if c != nil {
			c.Close()
		}
		return in.ExitCode()
	}
	w.Stop()
	if err := errors.Join(errs...); err != nil {
		return 1
	}
	return 0
}

// countRole says how many tokens make has now, with the implicit one. It waits
// long for those that should be there, and a moment for one too many.
func countRole() int {
	want, err := strconv.Atoi(os.Getenv(wantEnv))
	if err != nil {
		return 2
	}
	c, err := Open(os.Getenv("MAKEFLAGS"))
	if err != nil {
		c = nil
	}
	n := 1
	if c != nil {
		n = 0
		for {
			wait := 20 * time.Second
			if n >= want {
				wait = 100 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(context.Background(), wait)
			err := c.Acquire(ctx)
			cancel()
			if err != nil {
				break
			}
			n++
		}
		c.Close()
	}
	fmt.Println("tokens", n)
	return 0
}

const makefile = `
# The recipes ignore failure: what goes wrong in one compiler must not stop the rest.
COMPILERS = ok1 ok2 ok3 error1 panic1 signal1
final: $(COMPILERS)
	+@JOBSERVER_TEST_ROLE=count $(JOBSERVER_TEST_BIN)
$(COMPILERS):
	PLUS@JOBSERVER_TEST_ROLE=compile $(JOBSERVER_TEST_BIN) $(basename $(subst 1,,$(subst 2,,$(subst 3,,$@)))) || true
.PHONY: final $(COMPILERS)
`

// makes returns the GNU makes of this machine: those named in GOPTXAS_MAKE, the
// one in PATH, and one kept in the cache folder for its version.
func makes(t *testing.T) (out [][2]string) {
	cand := filepath.SplitList(os.Getenv("GOPTXAS_MAKE"))
	cand = append(cand, "make", "gmake")
	if dir, err := os.UserCacheDir(); err == nil {
		cand = append(cand, filepath.Join(dir, "goptxas", "make", "make-4.4"))
	}
	seen := map[string]bool{}
	for _, name := range cand {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		text, err := exec.Command(path, "--version").Output()
		line, _, _ := strings.Cut(string(text), "\n")
		version, ok := strings.CutPrefix(line, "GNU Make ")
		if err != nil || !ok || seen[version] {
			continue
		}
		seen[version] = true
		out = append(out, [2]string{path, version})
	}
	if len(out) == 0 {
		t.Skip("no GNU make on this machine: install make")
	}
	return out
}

// running replays the log: the most tasks that ran at once, and their number.
func running(t *testing.T, log string) (most, total int) {
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		if line == "+\n" {
			n++
			total++
			most = max(most, n)
		} else {
			n--
		}
	}
	return most, total
}

func TestRealMake(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range makes(t) {
		styles := []string{""}
		if m[1] >= "4.4" {
			styles = []string{"--jobserver-style=fifo", "--jobserver-style=pipe"}
		}
		for _, style := range styles {
			for _, j := range []int{1, 3, 8} {
				for _, plus := range []string{"+", ""} {
					name := fmt.Sprintf("make-%s%s/-j%d%s", m[1], strings.TrimPrefix(style, "--jobserver-style="), j, plus)
					t.Run(name, func(t *testing.T) { realMake(t, self, m[0], style, j, plus) })
				}
			}
		}
	}
}

func realMake(t *testing.T, self, mk, style string, j int, plus string) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	file := filepath.Join(dir, "Makefile")
	for p, text := range map[string]string{log: "", file: strings.ReplaceAll(makefile, "PLUS", plus)} {
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"-f", file, fmt.Sprintf("-j%d", j)}
	if style != "" {
		args = append(args, style)
	}
	cmd := exec.Command(mk, args...)
	cmd.Env = append(os.Environ(), binEnv+"="+self, logEnv+"="+log, fmt.Sprintf("%s=%d", wantEnv, j), "MAKEFLAGS=", "MAKELEVEL=", "TMPDIR="+dir, "GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("make: %v\n%s", err, out)
	}
	text := string(out)
	most, total := running(t, log)
	if most > j {
		t.Errorf("%d tasks ran at once under -j%d", most, j)
	}
	if want := fmt.Sprintf("tokens %d\n", j); !strings.Contains(text, want) {
		t.Errorf("tokens were lost: want %q in\n%s", want, text)
	}
	if strings.Contains(text, "INTERNAL") {
		t.Errorf("make complains:\n%s", text)
	}
	warnings := strings.Count(text, "warning:")
	usable := j > 1 && (plus == "+" || style == "--jobserver-style=fifo")
	if usable != (warnings == 0) {
		t.Errorf("%d warnings, server usable: %v\n%s", warnings, usable, text)
	}
	if usable && most < 2 {
		t.Errorf("only %d task at once: the tokens are not used", most)
	}
	if total < 5*kernels {
		t.Errorf("%d tasks ran", total)
	}
	t.Logf("-j%d, 6 compilers, recipes marked %q: %d tasks, at most %d running, all %d tokens back, %d warnings",
		j, plus, total, most, j, warnings)
}
