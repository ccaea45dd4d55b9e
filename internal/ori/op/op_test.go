package op

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestNames(t *testing.T) {
	for o := Op(1); o < numOps; o++ {
		if Find(o.String()) != o {
			t.Errorf("Find(%s)", o)
		}
	}
	for m := Mod(1); m < numMods; m++ {
		if FindMod(m.String()) != m {
			t.Errorf("FindMod(%s)", m)
		}
	}
	if Find("NOSUCH") != None || FindMod("NOSUCH") != NoMod || FindMod("") != NoMod {
		t.Error("found what does not exist")
	}
	if !IADD3.Has(Commutes) || !STG.Has(Writes) || BRA.Has(Reads|Writes) || !EXIT.Has(Terminator) {
		t.Error("properties")
	}
	m := M(ME, M64).With(MCONSTANT).Without(M64)
	if got := string(m.Append(nil)); got != ".E.CONSTANT" {
		t.Errorf("modifiers %q", got)
	}
	t.Logf("%d operations, %d modifiers", numOps-1, numMods-1)
}

// TestGenerated regenerates the tables into a copy and compares.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"ops.txt", "mods.txt"} {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	gen, err := filepath.Abs("_gen/main.go")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", "run", gen)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, _ := os.ReadFile(filepath.Join(dir, "tables_gen.go"))
	want, _ := os.ReadFile("tables_gen.go")
	if string(got) != string(want) {
		t.Error("tables_gen.go is stale: run go generate ./internal/ori/op")
	}
}
