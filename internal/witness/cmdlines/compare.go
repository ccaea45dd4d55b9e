package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// answer is what a compiler did.
type answer struct {
	exit     int
	out, err string
	files    []string // written
}

// pair is two compilers and a folder to run them in.
type pair struct{ ref, ours, dir string }

// run asks both.
func (p *pair) run(c *testCase) (a, b answer, err error) {
	if a, err = ask(p.ref, filepath.Join(p.dir, "a"), c); err != nil {
		return a, b, err
	}
	b, err = ask(p.ours, filepath.Join(p.dir, "b"), c)
	return a, b, err
}

// ask runs a compiler in a fresh folder that has the files of a case.
func ask(path, dir string, c *testCase) (answer, error) {
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return answer{}, err
	}
	for name, text := range c.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return answer{}, err
		}
	}
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	var out, msg strings.Builder
	cmd := exec.CommandContext(ctx, path, c.args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &msg
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return answer{}, err
	}
	a := answer{exit: cmd.ProcessState.ExitCode(), out: out.String(), err: msg.String()}
	list, err := os.ReadDir(dir)
	for _, f := range list {
		if _, given := c.files[f.Name()]; !given {
			a.files = append(a.files, f.Name())
		}
	}
	return a, err
}

// What is not compared. The reference is killed by a signal now and then (an
// exit below zero); usage texts are each compiler's own.
var (
	spills  = regexp.MustCompile(`, [1-9]\d* bytes spill stores`)
	masks   = []mask{{regexp.MustCompile(`Compile time = .*`), "Compile time"}, {regexp.MustCompile(`Used \d+ registers`), "Used # registers"}, {regexp.MustCompile(`\d+( bytes stack frame, [1-9]\d* bytes spill stores)`), "#$1"}}
	spilled = []mask{{regexp.MustCompile(`\d+ bytes cumulative`), "# bytes cumulative"}, {regexp.MustCompile(`size of stack frame: \d+`), "size of stack frame: #"}}
	always  = []mask{{regexp.MustCompile(`\d+ bytes spill stores, \d+ bytes spill loads`), "# spill"}, {regexp.MustCompile(`tmpxft_\w+-\d+_stdin`), "tmpxft_stdin"}, {regexp.MustCompile(`goptxas`), "ptxas"}}
)

// mask is what stands in place of a text that is not compared.
type mask struct {
	what *regexp.Regexp
	with string
}

// masked takes out of a report what the code decides.
func masked(t string) string {
	list := masks
	if spills.MatchString(t) {
		list = slices.Concat(masks, spilled)
	}
	for _, m := range slices.Concat(list, always) {
		t = m.what.ReplaceAllString(t, m.with)
	}
	return t
}

// What a compiler says of functions that spill.
var (
	properties = regexp.MustCompile(`(Function properties for (\S+)\n) +\d+ bytes stack frame, (\d+) bytes spill stores, .*`)
	warned     = regexp.MustCompile(`.*Registers are spilled to local memory in function '(.*)', .*\n`)
	used       = regexp.MustCompile(`.*Local memory used for function '(.*)', size of stack frame: .*\n`)
)

// spillers are the functions that spill by a report.
func spillers(t string) map[string]bool {
	list := map[string]bool{}
	for _, m := range properties.FindAllStringSubmatch(t, -1) {
		list[m[2]] = list[m[2]] || m[3] != "0"
	}
	for _, m := range warned.FindAllStringSubmatch(t, -1) {
		list[m[1]] = true
	}
	return list
}

// fewer takes out of both reports the frames of functions that spill with the
// reference and not with us: that is no difference to mend. The opposite is.
func fewer(a, b string) (x, y string) {
	theirs, ours := spillers(a), spillers(b)
	without := func(t string) string {
		t = properties.ReplaceAllStringFunc(t, func(s string) string {
			if m := properties.FindStringSubmatch(s); theirs[m[2]] && !ours[m[2]] {
				return m[1] + "    # bytes stack frame"
			}
			return s
		})
		for _, w := range [...]*regexp.Regexp{warned, used} {
			t = w.ReplaceAllStringFunc(t, func(s string) string {
				if f := w.FindStringSubmatch(s)[1]; theirs[f] && !ours[f] {
					return ""
				}
				return s
			})
		}
		return t
	}
	return without(a), without(b)
}

// differ says what differs, or nothing.
func differ(args []string, a, b answer) string {
	a.err, b.err = fewer(a.err, b.err)
	var list []string
	if a.exit != b.exit && (a.exit >= 0 || b.exit == 0) {
		list = append(list, fmt.Sprintf("exit %d, ours %d", a.exit, b.exit))
	}
	if masked(a.out) != masked(b.out) && !strings.Contains(a.out, "Usage") && !slices.Contains(args, "-V") && !slices.Contains(args, "--version") {
		list = append(list, "output")
	}
	if masked(a.err) != masked(b.err) {
		list = append(list, "messages: "+firstDifference(masked(a.err), masked(b.err)))
	}
	if !slices.Equal(a.files, b.files) {
		list = append(list, fmt.Sprintf("files %v, ours %v", a.files, b.files))
	}
	return strings.Join(list, "; ")
}

var (
	digits = regexp.MustCompile(`\d+`)
	names  = regexp.MustCompile(`'[^']*'`)
)

// firstDifference is the first line of each that the other has not there,
// without names and numbers.
func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	n := 0
	for n < len(x)-1 && n < len(y)-1 && x[n] == y[n] {
		n++
	}
	short := func(s string) string {
		return strings.TrimPrefix(digits.ReplaceAllString(names.ReplaceAllString(s, "'…'"), "N"), "ptxas info    : ")
	}
	return fmt.Sprintf("%q, ours %q", short(x[n]), short(y[n]))
}
