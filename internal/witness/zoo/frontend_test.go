package zoo

import (
	"bytes"
	"testing"

	"goptxas/internal/engine/diag"
	"goptxas/internal/engine/src"
	"goptxas/internal/ptx/sema"
	"goptxas/internal/ptx/syntax"
	"goptxas/internal/target"
)

// TestFrontEnd checks that our own front end takes every kernel without a
// word, and sees as many parameters as the launches have arguments.
func TestFrontEnd(t *testing.T) {
	files, funcs := 0, 0
	for _, k := range List(t) {
		var out bytes.Buffer
		sink := diag.NewSink(&out, diag.Options{})
		tree := syntax.Scan(&src.File{Name: k.File, Text: []byte(k.Text)})
		m := sema.CheckModule([]*syntax.Tree{tree}, sema.Options{Arch: target.Find("sm_90a")}, sink)
		var s sema.Scratch
		for _, f := range m.Bodies() {
			m.CheckBody(f, &s)
		}
		if sink.Errors() > 0 || !m.Finish(sink) || out.Len() > 0 {
			t.Errorf("%s: %s", k.File, out.String())
			continue
		}
		params := map[string]int{}
		for i := range m.Funcs {
			params[m.Funcs[i].Name] = len(m.Funcs[i].Params)
			funcs++
		}
		for _, l := range k.Launches {
			if n := params[l.Kernel]; n != len(l.Args) {
				t.Errorf("%s: %s has %d parameters and %d arguments", k.File, l.Kernel, n, len(l.Args))
			}
		}
		files++
	}
	t.Logf("%d files, %d functions accepted", files, funcs)
}
