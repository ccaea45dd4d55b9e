// Package front runs the front end over one text, for witnesses, tools and
// tests that have no driver.
package front

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/bodies"
	"github.com/goptxas/goptxas/internal/ptx/sema/declare"
	"github.com/goptxas/goptxas/internal/ptx/sema/whole"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
	"github.com/goptxas/goptxas/internal/target"
)

// Text is a PTX text after the front end.
type Text struct {
	Module   *sema.Module
	Bodies   map[int32]*sema.Body // by function; they stay valid
	Messages string
}

// Check parses and checks a text for a target. The error is what the front
// end says of a text it does not take, of which Text is then a part.
func Check(name, text, arch string) (*Text, error) {
	a := target.Find(arch)
	if a == nil {
		return nil, fmt.Errorf("%s: no such target", arch)
	}
	var out bytes.Buffer
	sink := diag.NewSink(&out, diag.Options{})
	tree := syntax.Scan(&src.File{Name: name, Text: []byte(text)})
	m := declare.Module([]*syntax.Tree{tree}, sema.Options{Arch: a}, sink)
	x := &Text{Module: m, Bodies: map[int32]*sema.Body{}}
	for _, f := range m.Bodies() {
		x.Bodies[f] = bodies.Check(m, f, new(bodies.Scratch))
	}
	bodies.End(m, sink)
	ok := sink.Errors() == 0 && whole.Module(m, sink) && whole.Kernels(m, sink)
	x.Messages = out.String()
	if !ok {
		return x, errors.New(strings.TrimSpace(x.Messages))
	}
	return x, nil
}
