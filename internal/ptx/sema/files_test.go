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
		"o": ".version 6.4\n.target sm_90\n.address_size 64\n.entry o() {ret;}\n",
		"n": "\n.version 8.0\n.target sm_75\n.address_size 64\n.entry n() {ret;}\n",
		"s": ".version 8.0\n.target sm_80\n.address_size 64\n.entry s() {.reg .f32 x; sqrt.rn.f32 x, x; ret;}\n",
		"p": head + ".visible .func (.param .u64 r) p(.param .u32 a, .param .align 8 .b8 b[16]);\n",
		"q": head + ".visible .func p(.param .u64 a) {ret;}\n",
		"t": head + ".func (.param .u64 r) u(.param .u32 a) {ret;}\n.visible .func v(.param .f32 a, .param .u8 b);\n.alias v, u;\n",
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
		{"on", "ptxas n.ptx, line 3; error   : PTX .version 8.0 does not support .target sm_75\n"},
		{"no", "ptxas o.ptx, line 2; error   : PTX .version 6.4 does not support .target sm_90\n"},
		{"os", "ptxas <macro util>, line 2; error   : PTX .version 8.0 does not support .target sm_80\n"},
		{"ofn", "ptxas f.ptx, line 4; error   : Unknown symbol 'x'\n" +
			"ptxas n.ptx, line 3; error   : PTX .version 8.0 does not support .target sm_75\n"},
		{"pq", "ptxas q.ptx, line 4; error   : Inconsistent prototypes of 'p', number of parameters differ\n" +
			"ptxas q.ptx, line 4; error   : Inconsistent prototypes of 'p', number of parameters differ\n" +
			"ptxas q.ptx, line 4; error   : Inconsistent prototypes of 'p', parameter types differ\n" +
			"ptxas q.ptx, line 4; error   : Inconsistent prototypes of 'p', parameter alignment differ\n"},
		{"t", "ptxas t.ptx, line 6; error   : Mismatch in prototype of alias 'v' and aliasee 'u'. number of parameters differ(s)\n" +
			"ptxas t.ptx, line 6; error   : Mismatch in prototype of alias 'v' and aliasee 'u'. parameter types differ(s)\n" +
			"ptxas t.ptx, line 6; error   : Mismatch in prototype of alias 'v' and aliasee 'u'. number of parameters differ(s)\n"},
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
		bodies.End(m, sink)
		if sink.Errors() == 0 {
			whole.Module(m, sink)
		}
		if out.String() != c.want {
			t.Errorf("%s:\n%swant\n%s", c.names, out.String(), c.want)
		}
	}
}
