package sema_test

import (
	"bytes"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/bodies"
	"github.com/goptxas/goptxas/internal/ptx/sema/declare"
	"github.com/goptxas/goptxas/internal/ptx/sema/whole"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
	"github.com/goptxas/goptxas/internal/target"
)

// TestFiles reads several files into one module. What the reference says
// about the same files is the answer.
func TestFiles(t *testing.T) {
	const head = ".version 9.0\n.target sm_90\n.address_size 64\n"
	files := map[string]string{
		"a": head + ".global .u32 g;\n.func f() {ret;}\n.entry k() {call f; ret;}\n",
		"b": head + ".global .u32 g;\n.func f() {ret;}\n.entry j() {call f; ret;}\n",
		"c": head + ".extern .global .u32 v;\n.extern .func h();\n.entry q() {call h; ret;}\n",
		"d": head + ".visible .global .u32 v;\n.visible .func h() {ret;}\n.entry k() {ret;}\n",
		"e": head + ".entry z() {foo; ret;}\n",
		"f": head + ".entry y() {bra x; ret;}\n",
	}
	for _, c := range []struct{ names, want string }{
		{"ab", ""},
		{"ad", "ptxas fatal   : Internal error: symbol already assigned\n"},
		{"cd", "ptxas d.ptx, line 5; error   : Inconsistent redefinition of variable 'h'\n" +
			"ptxas d.ptx, line 5; error   : Function definition conflicts with '.extern' declaration for function 'h'\n"},
		{"dc", "ptxas c.ptx, line 5; error   : Duplicate definition of function 'h'\n" +
			"ptxas c.ptx, line 5; error   : Inconsistent redefinition of variable 'h'\n"},
		{"ef", "ptxas e.ptx, line 4; error   : Not a name of any known instruction: 'foo'\n" +
			"ptxas f.ptx, line 4; error   : Unknown symbol 'x'\n"},
		{"bb", "ptxas fatal   : Internal error: symbol already assigned\n"},
	} {
		var out bytes.Buffer
		sink := diag.NewSink(&out, diag.Options{})
		var trees []*syntax.Tree
		for _, n := range c.names {
			trees = append(trees, syntax.Scan(&src.File{Name: string(n) + ".ptx", Text: []byte(files[string(n)])}))
		}
		m := declare.Module(trees, sema.Options{Arch: target.Find("sm_90")}, sink)
		var s bodies.Scratch
		for _, f := range m.Bodies() {
			bodies.Check(m, f, &s)
		}
		if sink.Errors() == 0 {
			whole.Module(m, sink)
		}
		if out.String() != c.want {
			t.Errorf("%s:\n%swant\n%s", c.names, out.String(), c.want)
		}
	}
}
