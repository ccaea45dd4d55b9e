package knobs

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var toy = []Knob{
	{"Unroll", Bool, "true", "unroll loops"},
	{"UnrollLimit", Int, "8", "largest trip count"},
	{"Trials", IntExtra, "3:1", "trials and retries"},
	{"Window", Range, "1..8", "window"},
	{"Steps", List, "1,2", "steps"},
	{"Weight", Float, "0.25", "weight"},
	{"Cost", Double, "0.1", "cost"},
	{"Order", String, "", "order"},
	{"Mode", When, "", "mode"},
	{"Latency", Pairs, "", "latency"},
	{"Skip", Opcodes, "", "skip"},
}

const (
	unroll ID = iota
	unrollLimit
	trials
	window
	steps
	weight
	cost
	order
	mode
	latency
	skip
)

func TestDefaults(t *testing.T) {
	s := NewSet(toy)
	lo, hi := s.Range(window)
	if !s.Bool(unroll) || s.Int(unrollLimit) != 8 || s.Int(trials) != 3 || s.Extra(trials) != 1 ||
		lo != 1 || hi != 8 || !reflect.DeepEqual(s.List(steps), []int64{1, 2}) ||
		s.Float(weight) != 0.25 || s.Float(cost) != 0.1 || s.String(order) != "" || s.IsSet(unroll) {
		t.Errorf("defaults: %+v", s.vals)
	}
}

func TestAssign(t *testing.T) {
	for _, c := range []struct {
		in    string
		check func(*Set) bool
	}{
		{"unroll=off", func(s *Set) bool { return !s.Bool(unroll) && s.IsSet(unroll) }},
		{"Unroll", func(s *Set) bool { return s.Bool(unroll) }},
		{"UnrollLimit = 0x10", func(s *Set) bool { return s.Int(unrollLimit) == 16 }},
		{"UnrollLimit=-7", func(s *Set) bool { return s.Int(unrollLimit) == -7 }},
		{"Trials=9", func(s *Set) bool { return s.Int(trials) == 9 && s.Extra(trials) == 0 }},
		{"Trials=9:-2", func(s *Set) bool { return s.Int(trials) == 9 && s.Extra(trials) == -2 }},
		{"Window=5", func(s *Set) bool { lo, hi := s.Range(window); return lo == 5 && hi == 5 }},
		{"Window=-5..5", func(s *Set) bool { lo, hi := s.Range(window); return lo == -5 && hi == 5 }},
		{"Steps=4,,5, 6", func(s *Set) bool { return reflect.DeepEqual(s.List(steps), []int64{4, 5, 6}) }},
		{"Weight=0.1", func(s *Set) bool { return s.Float(weight) == float64(float32(0.1)) }},
		{"Cost=1e-3", func(s *Set) bool { return s.Float(cost) == 0.001 }},
		{"Order=a=b,c", func(s *Set) bool { return s.String(order) == "a=b,c" }},
		{"Latency=FFMA:4, IMAD.WIDE:5", func(s *Set) bool {
			return reflect.DeepEqual(s.Pairs(latency), []Pair{{"FFMA", 4}, {"IMAD.WIDE", 5}})
		}},
		{"Skip=FFMA,LDG", func(s *Set) bool { return len(s.Opcodes(skip)) == 2 && s.Opcodes(skip)[1].Name == "LDG" }},
	} {
		s := NewSet(toy)
		if err := s.Assign(c.in); err != nil {
			t.Errorf("%s: %v", c.in, err)
		} else if !c.check(s) {
			t.Errorf("%s: wrong value %+v", c.in, s.vals)
		}
	}
}

func TestWhen(t *testing.T) {
	s := NewSet(toy)
	if err := s.Assign("Mode=func=gemm_*&arch=sm_9*? fast; func=*tiny? slow; normal"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		fn, arch, want string
	}{
		{"gemm_a", "sm_90", "fast"},
		{"gemm_a", "sm_80", "normal"},
		{"very_tiny", "sm_90", "slow"},
		{"other", "", "normal"},
	} {
		if got, ok := s.When(mode, Fact{"func", c.fn}, Fact{"arch", c.arch}); !ok || got != c.want {
			t.Errorf("%s on %s: %q %v, want %q", c.fn, c.arch, got, ok, c.want)
		}
	}
	if _, ok := NewSet(toy).When(mode); ok {
		t.Error("a value from an unset when-string")
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Unrol=1", `unknown knob "Unrol", did you mean Unroll or UnrollLimit?`},
		{"UnrollLimits=1", `unknown knob "UnrollLimits", did you mean UnrollLimit?`},
		{"zzzz", `unknown knob "zzzz"`},
		{"=1", `unknown knob ""`},
		{"UnrollLimit", "knob UnrollLimit: needs a value (int)"},
		{"UnrollLimit=", `knob UnrollLimit: "" is not an integer`},
		{"Unroll=maybe", `knob Unroll: "maybe" is not true or false`},
		{"UnrollLimit=8x", `knob UnrollLimit: "8x" is not an integer`},
		{"UnrollLimit=99999999999999999999", `knob UnrollLimit: integer "99999999999999999999" is out of range`},
		{"Trials=1:", `knob Trials: "" is not an integer`},
		{"Window=8..1", "knob Window: range 8..1 is empty"},
		{"Steps=1,b", `knob Steps: "b" is not an integer`},
		{"Weight=1e99", `knob Weight: "1e99" is not a finite float`},
		{"Cost=nan", `knob Cost: "nan" is not a finite double`},
		{"Mode=x?y", `knob Mode: condition "x" is not KEY=PATTERN`},
		{"Mode=f=[?y", `knob Mode: pattern "[": syntax error in pattern`},
		{"Latency=FFMA", `knob Latency: "FFMA" is not OPCODE:NUMBER`},
		{"Latency=FFMA:x", `knob Latency: "x" is not an integer`},
		{"Skip=FFMA:3", `knob Skip: "FFMA:3" is not an opcode name`},
		{"Skip=9", `knob Skip: "9" is not an opcode`},
	} {
		s := NewSet(toy)
		if err := s.Assign(c.in); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.in, err, c.want)
		}
	}
	s := NewSet(toy)
	s.IsOpcode = func(n string) bool { return n == "FFMA" }
	if s.Assign("Skip=FFMA") != nil || s.Assign("Skip=FFMB") == nil {
		t.Error("IsOpcode is not asked")
	}
	var unknown *UnknownError
	if !errors.As(s.Set("nope", "1"), &unknown) {
		t.Error("not an UnknownError")
	}
}

func TestSources(t *testing.T) {
	s := NewSet(toy)
	err := s.ReadFile("tune.knobs", strings.NewReader("# tuning\n\nUnroll = off\nOrder=a b\nUnrolll=3\nCost=2\n"))
	if err == nil || err.Error() != `tune.knobs:5: unknown knob "Unrolll", did you mean Unroll or UnrollLimit?` {
		t.Errorf("file: %v", err)
	}
	if s.Bool(unroll) || s.String(order) != "a b" || s.Float(cost) != 2 {
		t.Error("file: lines around a bad one are lost")
	}
	if err := s.SetEnv(` UnrollLimit=3  "Order=x y"` + "\tUnroll=1 "); err != nil {
		t.Error(err)
	}
	if s.Int(unrollLimit) != 3 || s.String(order) != "x y" || !s.Bool(unroll) {
		t.Error("environment")
	}
	for _, bad := range []string{`"Order=x`, `UnrollLimit=z`, `a b`} {
		if err := s.SetEnv(bad); err == nil || !strings.HasPrefix(err.Error(), EnvName+": ") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	c := s.Clone()
	if err := c.Assign("UnrollLimit=5"); err != nil || s.Int(unrollLimit) != 3 || c.Int(unrollLimit) != 5 {
		t.Error("a clone shares values")
	}
}

func TestList(t *testing.T) {
	var b bytes.Buffer
	if err := NewSet(toy[:3]).WriteList(&b); err != nil {
		t.Fatal(err)
	}
	want := "Trials       int+extra    3:1       trials and retries\n" +
		"Unroll       bool         true      unroll loops\n" +
		"UnrollLimit  int          8         largest trip count\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestWrongKind(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a bool read as int did not panic")
		}
	}()
	NewSet(toy).Int(unroll)
}

func FuzzAssign(f *testing.F) {
	for _, s := range []string{"Unroll=1", "Mode=a=b?c;d", "Latency=A:1,B:2", "Window=1..2", "=", "?"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		s := NewSet(toy)
		_ = s.Assign(text)
		_ = s.SetEnv(text)
		_ = s.ReadFile("f", strings.NewReader(text))
		s.When(mode, Fact{"a", text})
	})
}

// TestEveryKnobIsRead proves that only knobs exist which product code outside
// this package reads.
func TestEveryKnobIsRead(t *testing.T) {
	names := constNames(t)
	if len(names) != len(table) {
		t.Fatalf("%d knob constants, %d rows", len(names), len(table))
	}
	read := map[string]bool{"None": true}
	root := filepath.Join("..", "..")
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(fset, p, nil, 0)
		if err != nil {
			return nil // not ours to judge
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "knobs" {
					read[sel.Sel.Name] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range names {
		if table[i].Doc == "" || strings.Contains(table[i].Doc, "\n") {
			t.Errorf("%s has no line of text", n)
		}
		if !read[n] {
			t.Errorf("knob %s is read by nobody", n)
		}
	}
	t.Logf("%d knobs, all read", len(names)-1)
}

func constNames(t *testing.T) (names []string) {
	f, err := parser.ParseFile(token.NewFileSet(), "table.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
			for _, s := range g.Specs {
				names = append(names, s.(*ast.ValueSpec).Names[0].Name)
			}
		}
	}
	return names
}
