package lower_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"goptxas/internal/cubin"
	"goptxas/internal/engine/diag"
	"goptxas/internal/engine/src"
	"goptxas/internal/pipeline"
	"goptxas/internal/ptx/sema"
	"goptxas/internal/ptx/syntax"
	"goptxas/internal/target"
	"goptxas/internal/witness/corpus"
)

// TestSmoke compiles the smoke files of the corpus for sm_90a and tells how
// many compile and why the others do not. A file that the front end accepts
// and that fails for another reason than an instruction is an error.
func TestSmoke(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the smoke files of the corpus")
	}
	files := corpus.Find(t).Smoke()
	good := 0
	reasons := map[string]int{}
	for n := range files {
		text, err := files[n].Read()
		if err != nil {
			t.Fatal(err)
		}
		switch reason := compile(files[n].Path, text); {
		case reason == "":
			good++
		case strings.Contains(reason, "cannot be compiled"):
			reasons[reason]++
		default:
			t.Errorf("%s: %s", files[n].Path, reason)
		}
	}
	t.Logf("%d of %d smoke files compiled", good, len(files))
	for _, r := range slices.Sorted(maps.Keys(reasons)) {
		t.Logf("%4d %s", reasons[r], r)
	}
}

// compile compiles a file and returns the first complaint.
func compile(name string, text []byte) string {
	var msgs bytes.Buffer
	sink := diag.NewSink(&msgs, diag.Options{})
	a := target.Find("sm_90a")
	m := sema.CheckModule([]*syntax.Tree{syntax.Scan(&src.File{Name: name, Text: text})}, sema.Options{Arch: a}, sink)
	var s sema.Scratch
	for _, f := range m.Bodies() {
		m.CheckBody(f, &s)
	}
	if sink.Errors() > 0 || !m.Finish(sink) {
		return msgs.String()
	}
	r, err := pipeline.Module(m, pipeline.Options{Arch: a, Level: 3}, 2, cubin.TKInfo{})
	switch {
	case err != nil:
		return err.Error()
	case len(r.Failures) > 0:
		return r.Failures[0].Text
	}
	return ""
}
