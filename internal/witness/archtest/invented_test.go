package archtest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Instructions that no machine has: VGLUE takes the low half of its first
// source and the low half of the second as the high half, and adds the third;
// .HI takes high halves. UVGLUE does so on the uniform datapath, LDGLUE loads a
// word from shared memory and goes on behind that. This is all that has to be
// written to add them.
const (
	inventedEntry = `VGLUE imad .HI>imadhi commutes cached folds counterpart=UVGLUE does=int:arith.Vglue/arith.PrepGlue
  2fe 8fe @90 :: {.HI 72} =R16, R24, $b, $c

UVGLUE udp @UP commutes uniform does=unknown
  2fd @90 :: {.HI 72} =U16, U24, U32, U64

LDGLUE lds bars reads space=shared proxy=generic plain .HI:leaves=stored awaits=fetched does=shared:memory.Load/memory.PrepLoad(machine.SpaceShared)
  9fd @90 :: {.HI 72} =R16, [R24?+s40:24?]
`
	inventedMeaning = `package arith

import (
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// Vglue is VGLUE: two halves as one word, and a word more.
func Vglue(w *machine.Warp, i *machine.Inst, m uint32) {
	a, b, c, d := w.Row(i.S[0].Row), w.Row(i.S[1].Row), w.Row(i.S[2].Row), &w.R[i.D[0]]
	for ; m != 0; m &= m - 1 {
		l := machine.Lane(m)
		x, y := a[l]&0xffff, b[l]&0xffff
		if i.Sub != 0 {
			x, y = a[l]>>16, b[l]>>16
		}
		d[l] = x | y<<16 + c[l]
	}
}

// PrepGlue tells which halves.
func PrepGlue(i *machine.Inst, parts []string) error {
	for _, p := range parts {
		if p == "HI" {
			i.Sub = 1
		}
	}
	return nil
}
`
)

// inventedTest follows the instruction from Ori's text to its word, its text,
// its timing and its result.
const inventedTest = `package machine_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

func TestInvented(t *testing.T) {
	a := target.Find("sm_90a")
	m, err := ori.Parse("func f {\n  reg r0 1/1 phys=0\n  reg r1 1/1 phys=1\n  reg r2 1/1 phys=2\n  reg r3 1/1 phys=3\n  b0:\n    VGLUE.HI r0 = r1, r2, r3\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	i := f.Blocks[0].First()
	if i.Op != op.VGLUE || !i.Op.Has(op.Commutes) || !i.Op.Has(op.Cached) || i.Op.Has(op.Reads|op.Writes|op.Effect) ||
		i.Op.Counterpart() != op.UVGLUE || i.Op.Pipe() != target.PipeMultiply {
		t.Error("Ori's row")
	}
	if c := timing.NewDescriber(f, a).Class(i); c != target.ClassImadHi || i.Op.Class() != target.ClassImad {
		t.Errorf("the scheduler takes it for %s", c)
	}
	code, err := emit.Func(f, a, emit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := bits.Word{Lo: binary.LittleEndian.Uint64(code.Text), Hi: binary.LittleEndian.Uint64(code.Text[8:])}
	if w.Lo&0xfff != 0x2fe {
		t.Errorf("opcode %x", w.Lo&0xfff)
	}
	x := sass.Decode(a, w)
	text := strings.TrimSpace(strings.TrimRight(string(x.AppendText(nil, a, 0)), " ;"))
	if text != "VGLUE.HI R0, R1, R2, R3" || x.Class() != target.ClassImadHi {
		t.Errorf("%s, %s", text, x.Class())
	}
	if y := sass.Decode(target.Find("sm_80"), w); y.Op() == sass.OpVGLUE {
		t.Error("sm_80 has it")
	}
	for _, c := range []struct {
		text string
		want uint32
	}{{"VGLUE R0, R1, R2, R3 ;", 0x44442222 + 5}, {text + " ;", 0x33331111 + 5}, {"VGLUE R0, R1, 0x7777, R3 ;", 0x77772222 + 5}} {
		w, i := bench(t, c.text)
		w.R[1][3], w.R[2][3], w.R[3][3] = 0x11112222, 0x33334444, 5
		i.Run(w, i, ^uint32(0))
		if got := w.R[0][3]; got != c.want {
			t.Errorf("%s: %x, want %x", c.text, got, c.want)
		}
	}
}
`

// inventedUse asks for the columns of the other entries where the compiler
// does.
const inventedUse = `package machine_test

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/codegen/scoreboard"
	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/opt/uniform"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

func TestInventedMemory(t *testing.T) {
	a := target.Find("sm_90a")
	m, err := ori.Parse("func f {\n  reg r0 1/1 phys=0\n  reg r1 1/1 phys=1\n  reg r2 1/1 phys=2\n  b0:\n    LDGLUE.HI r0 = [r1+0x10]\n    VGLUE r2 = r0, r0, r0\n    EXIT\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	i := f.Blocks[0].First()
	if x, ok := flow.AccessOf(i); !ok || x.Space != op.SpaceShared || x.Write || !x.Plain || x.Lo != 16 || x.Hi != 20 {
		t.Errorf("the access %+v", x)
	}
	d := timing.NewDescriber(f, a)
	if e := d.Instr(i); e.Leaves != op.Stored || e.Awaits != op.Fetched {
		t.Errorf("leaves %b, awaits %b", e.Leaves, e.Awaits)
	}
	scoreboard.Assign(f, a, scoreboard.Sectors{})
	if err := scoreboard.Check(f, a); err != nil {
		t.Error(err)
	}
	if n := i.Next(); i.Sched.WrBar < 0 || n.Sched.Wait>>i.Sched.WrBar&1 == 0 {
		t.Error("nobody waits for what it loads")
	}
	if _, err := emit.Func(f, a, emit.Options{}); err != nil {
		t.Error(err)
	}
}

func TestInventedTwin(t *testing.T) {
	m, err := ori.Parse("func f {\n  reg r0 1/1\n  reg r1 1/1\n  reg r2 1/1\n  reg r3 1/1\n  reg r4 1/1\n  b0:\n    S2R r0 = SR_CTAID.X\n    S2R r3 = SR_TID.X\n    VGLUE r1 = r0, r0, r0\n    VGLUE r2 = r1, r1, r1\n    IADD3 r4 = r3, r2, rz\n    STS [r3+0x0], r4\n    EXIT\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	f.Kernel = true
	uniform.UniformValues(f, func(*ori.Instr) bool { return true }, op.ULDC, uniform.Room{Words: 44, Called: 20, Many: 40})
	if s := f.String(); !strings.Contains(s, "UVGLUE") {
		t.Errorf("all threads compute alone:\n%s", s)
	}
}
`

// TestInventedInstruction adds an instruction to a copy of the description,
// with its meaning for the simulator, and follows it through the compiler:
// nothing else has to know it.
func TestInventedInstruction(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the compiler with another description")
	}
	dir := t.TempDir()
	if out, err := generate(t, dir, inventedEntry); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string]string{}
	put := func(rel, text string) {
		name := filepath.Join(dir, filepath.Base(rel))
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(abs, rel)] = name
	}
	for _, name := range []string{"ops_gen.go", "forms_gen.go", "index_gen.go"} {
		overlay[filepath.Join(abs, "internal/sass", name)] = filepath.Join(dir, name)
	}
	overlay[filepath.Join(abs, "internal/ori/op/tables_gen.go")] = filepath.Join(dir, "tables_gen.go")
	overlay[filepath.Join(abs, "internal/codegen/emit/bridge_gen.go")] = filepath.Join(dir, "bridge_gen.go")
	overlay[filepath.Join(abs, "internal/witness/sim/meaning/meanings_gen.go")] = filepath.Join(dir, "meanings_gen.go")
	put("internal/witness/sim/arith/invented.go", inventedMeaning)
	put("internal/witness/sim/machine/invented_test.go", inventedTest)
	put("internal/witness/sim/machine/use_invented_test.go", inventedUse)
	list, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, list, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "-overlay", file, "-run", "TestInvented", "./internal/witness/sim/machine")
	cmd.Dir = abs
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestDescriptionErrors gives the generator entries that it must refuse.
func TestDescriptionErrors(t *testing.T) {
	for _, c := range []struct{ entry, why string }{
		{"VGLUE\n  2fe :: =R16, R24\n", "needs a name and a latency class"},
		{"VGLUE nosuch\n  2fe :: =R16, R24\n", `no latency class "nosuch"`},
		{"VGLUE alu .HI>nosuch\n  2fe :: =R16, R24\n", `no latency class "nosuch"`},
		{"VGLUE alu nosuch\n  2fe :: =R16, R24\n", `what is "nosuch"?`},
		{"IADD3 alu does=unknown\n  2fe :: =R16, R24\n", "described twice"},
		{"VGLUE alu reads does=unknown\n  2fe :: =R16, R24\n", "space= belongs to what reads or writes memory"},
		{"VGLUE alu space=shared does=unknown\n  2fe :: =R16, R24\n", "space= belongs to what reads or writes memory"},
		{"VGLUE alu reads space=moon\n  2fe :: =R16, R24\n", `what is "moon"?`},
		{"VGLUE alu reads space=shared does=unknown\n  2fe :: =R16, R24\n", "proxy= belongs to what reads or writes memory"},
		{"VGLUE alu reads space=shared proxy=moon\n  2fe :: =R16, R24\n", `what is "moon"?`},
		{"VGLUE tma uniform does=unknown\n  2fe :: =R16, R24\n", "leaves= is missing"},
		{"VGLUE alu .HI:leaves=moon\n  2fe :: =R16, R24\n", `what is "moon"?`},
		{"VGLUE alu counterpart=IADD3 does=unknown\n  2fe :: =R16, R24\n", "no operation of the uniform datapath"},
		{"VGLUE alu\n  2fe :: =R16, R24\n", "does= is missing"},
		{"VGLUE alu does=moon:arith.Iadd3\n  2fe :: =R16, R24\n", `counts no "moon"`},
		{"VGLUE alu does=int:\n  2fe :: =R16, R24\n", "names no function"},
		{"VGLUE alu does=int:iadd3\n  2fe :: =R16, R24\n", "no function of a package"},
		{"VGLUE alu counterpart=NOSUCH does=unknown\n  2fe :: =R16, R24\n", "no operation of the uniform datapath"},
	} {
		if out, err := generate(t, t.TempDir(), c.entry); err == nil || !strings.Contains(out, c.why) {
			t.Errorf("%q: %v, %s", c.entry, err, out)
		}
	}
}

// generate runs the generator on the description and one file more.
func generate(t *testing.T, dir, entry string) (string, error) {
	t.Helper()
	desc := filepath.Join(dir, "desc")
	if err := os.CopyFS(desc, os.DirFS(filepath.Join(root, "internal", "sass", "desc"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(desc, "invented.sass"), []byte(entry), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "./_gen", "-desc", desc, "-o", dir, "-op", dir, "-emit", dir, "-sim", dir)
	cmd.Dir = filepath.Join(root, "internal", "sass")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
