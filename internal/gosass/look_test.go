package gosass

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/gosass/report"
	"github.com/goptxas/goptxas/internal/sass"
)

const example = "../../examples/saxpy.ptx"

func TestPTX(t *testing.T) {
	code, out, errs := run("dis", "-c", "-arch", "sm_90a", example)
	if code != 0 || !strings.Contains(out, "FFMA") || !strings.Contains(out, ".target\tsm_90a") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	if code, _, errs := run("dis", "-c", "../../examples/wrong.ptx"); code != exitFail || !strings.Contains(errs, "error   :") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// cubins compiles the example for two GPUs.
func cubins(t *testing.T) (string, string) {
	dir := t.TempDir()
	var names []string
	for _, gpu := range []string{"sm_80", "sm_90"} {
		text, err := os.ReadFile(example)
		if err != nil {
			t.Fatal(err)
		}
		arch, err := findArch(gpu)
		if err != nil {
			t.Fatal(err)
		}
		b, err := compiled(example, text, arch)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, gpu+".cubin")
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names[0], names[1]
}

// TestAlign: every instruction of both sides is shown once, in order.
func TestAlign(t *testing.T) {
	a, b := cubins(t)
	code, out, errs := run("diff", "-a", a, b)
	if code != exitDiff || errs != "" {
		t.Fatalf("exit %d, %s", code, errs)
	}
	_, rows, ok := strings.Cut(out, "\nsaxpy\n")
	if !ok {
		t.Fatalf("no rows in %s", out)
	}
	left, right := 0, 0
	for line := range strings.Lines(rows) {
		if !strings.HasPrefix(line, " ") {
			left++
		}
		if len(line) > 80 && strings.TrimSpace(line[74:]) != "" {
			right++
		}
	}
	for n, name := range []string{a, b} {
		f, err := (&command{}).open(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := []int{left, right}[n]; got != len(f.Functions()[0].Code)/sass.WordBytes {
			t.Errorf("%s: %d of %d instructions are shown\n%s", name, got, len(f.Functions()[0].Code)/sass.WordBytes, rows)
		}
	}
	if code, out, _ := run("diff", "-a", a, a); code != 0 || out != "" {
		t.Errorf("a file differs from itself: %s", out)
	}
}

func TestInfoJSON(t *testing.T) {
	_, b := cubins(t)
	code, out, errs := run("info", "-json", b)
	var f report.Facts
	if err := json.Unmarshal([]byte(out), &f); code != 0 || err != nil {
		t.Fatalf("exit %d, %v, %s", code, err, errs)
	}
	k := f.Functions[0]
	if f.Arch != "sm_90" || !k.Kernel || k.Name != "saxpy" || k.Registers < 8 || k.Mix["EXIT"] < 1 || k.Mix["LDG"] != 2 || len(k.Occupancy) != 6 || k.Occupancy[3].Warps != 64 || int(k.Alive[0]) > k.Registers {
		t.Errorf("%+v", f)
	}
}

// TestCompletion: bash takes the script and completes with it.
func TestCompletion(t *testing.T) {
	script, err := Completion("bash")
	if err != nil {
		t.Fatal(err)
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		for _, c := range []struct{ words, fn, want string }{
			{"goptxas --opt-l", "_goptxas", "--opt-level"},
			{"goptxas --gpu-name sm_121", "_goptxas", "sm_121 sm_121a sm_121f"},
			{"gosass inf", "_gosass", "info"},
			{"gosass dis -j", "_gosass", "-json"},
			{"gosass man gop", "_gosass", "goptxas"},
		} {
			n := len(strings.Fields(c.words)) - 1
			cmd := exec.Command(bash, "--norc", "-c", script+"\nCOMP_WORDS=("+c.words+"); COMP_CWORD="+string(rune('0'+n))+"; "+c.fn+"; echo \"${COMPREPLY[*]}\"")
			if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != c.want {
				t.Errorf("%s: %q, %v, want %s", c.words, out, err, c.want)
			}
		}
	} else {
		t.Log("no bash: its completion was not run")
	}
	for _, shell := range []string{"zsh", "fish"} {
		text, err := Completion(shell)
		if err != nil || !strings.Contains(text, "opt-level") || !strings.Contains(text, "info") {
			t.Errorf("%s: %v", shell, err)
		}
	}
	if _, err := Completion("csh"); err == nil {
		t.Error("csh is completed")
	}
}

// TestMan: every option and every flag has its place.
func TestMan(t *testing.T) {
	page, err := Man("goptxas")
	if err != nil {
		t.Fatal(err)
	}
	for i := range cli.Table {
		if name := strings.ReplaceAll("--"+cli.Table[i].Long, "-", `\-`); !strings.Contains(page, name) {
			t.Errorf("no %s", name)
		}
	}
	page, err = Man("gosass")
	if err != nil {
		t.Fatal(err)
	}
	for i := range Commands {
		if !strings.Contains(page, ".B gosass "+Commands[i].Name+"\n") {
			t.Errorf("no %s", Commands[i].Name)
		}
	}
}

// TestCommandTable: the commands take the flags that the table gives them.
func TestCommandTable(t *testing.T) {
	for _, c := range Commands {
		if c.Name == "run" || c.Name == "debug" || c.Name == "view" {
			continue // other packages
		}
		for _, f := range c.Flags {
			args := []string{c.Name, "-" + f.Name}
			if f.Arg != "" {
				args = append(args, "0")
			}
			if _, _, errs := run(args...); strings.Contains(errs, "not defined") {
				t.Errorf("%v: %s", args, errs)
			}
		}
	}
}
