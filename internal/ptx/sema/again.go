package sema

import (
	"io"

	"github.com/goptxas/goptxas/internal/engine/diag"
)

// A body is parsed and checked once: who checks it keeps it for who compiles
// it. Bodies take several times the memory of their text, so that of a large
// module only some are kept; the others are read again from the text.

// Keep gives the module the body of function fn that CheckBody returned
// last with this Scratch. Only one goroutine may keep a body of a function,
// and before anyone asks for it.
func (m *Module) Keep(fn int32, s *Scratch) {
	b := s.k.body
	s.k.body = Body{}
	b.Tree = s.parser.Take()
	m.Funcs[fn].body = &b
}

// BodyLen returns the length of the text of a body.
func (m *Module) BodyLen(fn int32) int64 {
	f := &m.Funcs[fn]
	d := &m.Files[f.File].Funcs[f.decl]
	return int64(d.BodyEnd) - int64(d.Body)
}

// Decl returns the place of the function's definition in the tree of its
// file.
func (f *Func) Decl() int32 { return f.decl }

// HasRoutines reports whether the body of the function, which was checked, has
// instructions that may be routines of the driver.
func (f *Func) HasRoutines() bool { return f.done.routines }

// Drop forgets the body of a function that was kept, if it was.
func (m *Module) Drop(fn int32) { m.Funcs[fn].body = nil }

// Body returns the body of function fn, which was checked before: the one
// that was kept, or one that is read again without telling anyone. Several
// workers may ask for the same function; the body is for reading only, and
// valid until the next call with the same Scratch.
func (m *Module) Body(fn int32, s *Scratch) *Body {
	f := &m.Funcs[fn]
	if f.body != nil {
		return f.body
	}
	tree := m.Files[f.File]
	k := &s.k
	k.begin(m, fn, s.parser.ParseBody(tree, &tree.Funcs[f.decl]))
	own := *f // what the body adds to its function is known already
	k.fn = &own
	k.open(k.tree, diag.NewSink(io.Discard, diag.Options{}).Open(tree.File))
	k.run()
	return &k.body
}
