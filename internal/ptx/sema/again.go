package sema

import (
	"io"

	"github.com/goptxas/goptxas/internal/engine/diag"
)

// BodyAgain parses and checks the body of function fn, which was checked
// before, without telling anyone: several workers may ask for the same
// function. The body is valid until the next call with the same Scratch.
func (m *Module) BodyAgain(fn int32, s *Scratch) *Body {
	f := &m.Funcs[fn]
	tree := m.Files[f.File]
	k := &s.k
	k.begin(m, fn, s.parser.ParseBody(tree, &tree.Funcs[f.decl]))
	k.open(k.tree, diag.NewSink(io.Discard, diag.Options{}).Open(tree.File))
	k.run()
	return &k.body
}
