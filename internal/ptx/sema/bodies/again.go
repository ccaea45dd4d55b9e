package bodies

import (
	"io"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// A body is parsed and checked once: who checks it keeps it for who compiles
// it. Bodies take several times the memory of their text, so that of a large
// module only some are kept; the others are read again from the text.

// Keep gives the module the body of function fn that Check returned
// last with this Scratch. Only one goroutine may keep a body of a function,
// and before anyone asks for it.
func Keep(m *sema.Module, fn int32, s *Scratch) {
	b := s.k.body
	s.k.body = sema.Body{}
	b.Tree = s.parser.Take()
	m.Funcs[fn].Kept = &b
}

// Of returns the body of function fn, which was checked before: the one
// that was kept, or one that is read again without telling anyone. Several
// workers may ask for the same function; the body is for reading only, and
// valid until the next call with the same Scratch.
func Of(m *sema.Module, fn int32, s *Scratch) *sema.Body {
	f := &m.Funcs[fn]
	if f.Kept != nil {
		return f.Kept
	}
	tree := m.Files[f.File]
	k := &s.k
	k.begin(m, fn, s.parser.ParseBody(tree, &tree.Funcs[f.DeclIndex]))
	own := *f // what the body adds to its function is known already
	k.Func = &own
	k.Open(k.Tree, diag.NewSink(io.Discard, diag.Options{}).Open(tree.File))
	k.run()
	return &k.body
}
