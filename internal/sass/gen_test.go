package sass

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGenerated checks that the generated files are what the description
// compiles to; if not, run go generate.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("go", "run", "./_gen", "-o", dir, "-op", dir, "-emit", dir, "-sim", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{
		"ops_gen.go", "forms_gen.go", "index_gen.go",
		filepath.Join("..", "ori", "op", "tables_gen.go"), filepath.Join("..", "codegen", "emit", "bridge_gen.go"),
		filepath.Join("..", "witness", "sim", "meaning", "meanings_gen.go"),
	} {
		want, err := os.ReadFile(filepath.Join(dir, filepath.Base(name)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what desc/ compiles to: run go generate", name)
		}
	}
}

// TestForms checks what must hold of every form: fields do not overlap
// fixed bits that would contradict them, the default word decodes to the
// form itself or to a form that is tried before it, and every form has an
// architecture.
func TestForms(t *testing.T) {
	shadowed, operands := 0, 0
	for id := 1; id < len(forms); id++ {
		f := &forms[id]
		if f.sms == 0 || f.op == OpUnknown {
			t.Errorf("form %d of %s: sms %x", id, f.op, f.sms)
		}
		if f.def.And(f.mask) != f.match {
			t.Errorf("form %d of %s: the default word contradicts the fixed bits", id, f.op)
		}
		if f.narg > 16 {
			t.Errorf("form %d of %s has %d operands, a Sig holds 16", id, f.op, f.narg)
		}
		operands += int(f.narg)
		a := archOf(f)
		i := New(FormID(id))
		if back := Decode(a, i.w); back.form != FormID(id) {
			shadowed++
		}
	}
	t.Logf("%d operations, %d forms, %d operands, %d modifiers; %d default words belong to a more special form",
		len(opNames)-1, len(forms)-1, operands, len(modNames)-1, shadowed)
}
