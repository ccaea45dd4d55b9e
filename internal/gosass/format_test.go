package gosass

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFormat(t *testing.T) {
	name := filepath.Join(t.TempDir(), "k.ptx")
	if err := os.WriteFile(name, []byte(".version 8.0\n.target sm_80\n.entry k() { ret ; } // end"), 0o644); err != nil {
		t.Fatal(err)
	}
	const want = ".version 8.0\n.target sm_80\n.entry k()\n{\n\tret;\n} // end\n"
	if code, out, errs := run("fmt", name); code != 0 || out != want || errs != "" {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	if code, out, _ := run("fmt", "-l", "-w", name); code != 0 || out != name+"\n" {
		t.Errorf("exit %d, %q", code, out)
	}
	if code, out, _ := run("fmt", "-l", name); code != 0 || out != "" {
		t.Errorf("a formatted file is listed: exit %d, %q", code, out)
	}
}
