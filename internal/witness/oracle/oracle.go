// Package oracle runs the reference tools (ptxas, nvdisasm, cuobjdump, …)
// where they are installed. `make oracle` installs them in the user's cache
// folder; GOPTXAS_ORACLE names another folder of the same shape. Tests that
// need them call Find and are skipped with one line when there are none.
package oracle

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
)

// binDir is where the packages put their programs, below the install folder.
var binDir = filepath.Join("nvidia", "cu13", "bin")

// Names lists the programs a complete installation holds.
var Names = [...]string{"ptxas", "nvdisasm", "cuobjdump", "nvlink", "fatbinary", "nvcc"}

// Tools is one installation of the reference tools.
type Tools struct {
	bin string
}

// Result is what a program left behind when it ended.
type Result struct {
	Exit   int // negative: ended by that signal
	Stdout string
	Stderr string
}

// Dir returns the folder that holds, or would hold, the installation.
func Dir() string {
	if d := os.Getenv("GOPTXAS_ORACLE"); d != "" {
		return d
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "goptxas", "oracle")
}

// Available reports whether every tool is installed.
func Available() bool {
	_, ok := Installed()
	return ok
}

// Installed returns the installed tools, if every one is there.
func Installed() (*Tools, bool) { return open(Dir()) }

// Find returns the installed tools, or skips the test with one line.
func Find(t testing.TB) *Tools {
	t.Helper()
	tools, ok := Installed()
	if !ok {
		t.Skip("reference tools not installed: run `make oracle` or set GOPTXAS_ORACLE")
	}
	return tools
}

// open looks for a complete installation below dir; dir may also be the bin
// folder itself.
func open(dir string) (*Tools, bool) {
	if dir == "" {
		return nil, false
	}
	for _, bin := range []string{filepath.Join(dir, binDir), dir} {
		if complete(bin) {
			return &Tools{bin}, true
		}
	}
	return nil, false
}

func complete(bin string) bool {
	for _, n := range Names {
		if st, err := os.Stat(filepath.Join(bin, n)); err != nil || st.IsDir() {
			return false
		}
	}
	return true
}

// Path returns the path of the named program.
func (x *Tools) Path(name string) string { return filepath.Join(x.bin, name) }

// Ptxas runs the reference compiler in the current folder.
func (x *Tools) Ptxas(args ...string) Result { return x.Run("", "ptxas", args...) }

// Cubin compiles a file with the reference and returns what it wrote, or what
// it said.
func (x *Tools) Cubin(path string, args ...string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "oracle")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "out.cubin")
	if r := x.Ptxas(append(args, path, "-o", out)...); r.Exit != 0 {
		return nil, fmt.Errorf("the reference ends with %d: %s", r.Exit, r.Stderr)
	}
	return os.ReadFile(out)
}

// CubinOf does so for a text.
func (x *Tools) CubinOf(text []byte, args ...string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "oracle")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in := filepath.Join(dir, "in.ptx")
	if err := os.WriteFile(in, text, 0o644); err != nil {
		return nil, err
	}
	return x.Cubin(in, args...)
}

var targetLine = regexp.MustCompile(`(?m)^\s*\.target\s+sm_\w+`)

// Retarget returns a PTX text for another architecture.
func Retarget(text []byte, arch string) []byte {
	return targetLine.ReplaceAll(text, []byte(".target "+arch))
}

// Run runs a program in dir ("" is the current folder) and waits for it.
func (x *Tools) Run(dir, name string, args ...string) Result {
	return Run(dir, x.Path(name), args...)
}

// Run runs any program in dir and waits for it. A program that cannot be
// started gives exit 127 and the reason on Stderr, as a shell would.
func Run(dir, path string, args ...string) Result {
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	return RunCmd(cmd)
}

// RunCmd is Run for a command the caller prepared; its output streams are
// taken over.
func RunCmd(cmd *exec.Cmd) Result {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	r := Result{}
	err := cmd.Run()
	var ee *exec.ExitError
	switch {
	case errors.As(err, &ee):
		r.Exit = ee.ExitCode()
		if ws, ok := ee.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			r.Exit = -int(ws.Signal())
		}
	case err != nil:
		r.Exit = 127
		errs.WriteString(err.Error() + "\n")
	}
	r.Stdout, r.Stderr = out.String(), errs.String()
	return r
}
