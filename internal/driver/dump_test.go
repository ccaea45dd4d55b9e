package driver

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const dumped = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %a;\n.reg .b32 %r<3>;\nld.param.u64 %a, [p];\nmov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 77;\nst.global.u32 [%a], %r2;\nret;\n}\n"

// TestDumpIsInput dumps a kernel on the command line and compiles the dump.
func TestDumpIsInput(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (string, bool) {
		var errs bytes.Buffer
		code := Main(context.Background(), Env{Args: args, Stdout: &errs, Stderr: &errs})
		return errs.String(), code == 0
	}
	read := func(name string) string {
		t.Helper()
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	write("k.ptx", dumped)
	if out, ok := run("-arch=sm_90", "k.ptx", "-o", "k.cubin", "--phase", "Legalize/dump"); !ok {
		t.Fatal(out)
	}
	want := read("k.cubin")
	found, err := filepath.Glob("k_*_Legalize.ori")
	if err != nil || len(found) != 1 {
		t.Fatalf("dumps %v, %v", found, err)
	}
	dump := read(found[0])
	write("k.ori", dump)
	write("bare.ori", dump[strings.Index(dump, "\n")+1:])
	write("edited.ori", strings.Replace(dump, "0x4d", "0x4e", 1))
	write("other.ptx", strings.Replace(dumped, "77", "78", 1))
	write("away.ori", strings.Replace(dump, "text=k.ptx", "text=gone.ptx", 1))
	write("strange.ori", strings.Replace(dump, "func k ", "func q ", 1))
	for _, c := range []struct {
		name string
		args []string
		same bool
		why  string // "": it compiles
	}{
		{"alone", []string{"k.ori"}, true, ""},
		{"at the next phase", []string{"k.ori", "--start-at", "PreSchedule"}, true, ""},
		{"with its text", []string{"k.ptx", "k.ori"}, true, ""},
		{"without a head", []string{"-arch=sm_90", "k.ptx", "bare.ori", "--start-at=PreSchedule"}, true, ""},
		{"edited", []string{"edited.ori"}, false, ""},
		{"without a head or a phase", []string{"-arch=sm_90", "k.ptx", "bare.ori"}, false, "--start-at must name one"},
		{"without a head or a text", []string{"-arch=sm_90", "bare.ori", "--start-at=PreSchedule"}, false, "does not name the text"},
		{"another text", []string{"other.ptx", "k.ori"}, false, "is not the text that it was made of"},
		{"no text", []string{"away.ori"}, false, "could not be opened"},
		{"another function", []string{"strange.ori"}, false, "which the program does not have"},
		{"a phase that was", []string{"k.ori", "--start-at=CSE"}, false, `no phase "CSE" runs from step`},
		{"two dumps", []string{"k.ori", "edited.ori"}, false, "More than one dump"},
		{"no dump", []string{"k.ptx", "--start-at=CSE"}, false, "needs a dump"},
		{"before registers are there", []string{"k.ori", "--start-at=PostSchedule"}, false, "k: "},
	} {
		os.Remove("out.cubin")
		out, ok := run(append(c.args, "-o", "out.cubin")...)
		if ok != (c.why == "") || !strings.Contains(out, c.why) {
			t.Errorf("%s: %v, %s", c.name, ok, out)
			continue
		}
		if ok && (read("out.cubin") == want) != c.same {
			t.Errorf("%s: the same file: %v", c.name, !c.same)
		}
	}
}
