package syntax

import (
	"testing"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/witness/corpus"
)

// parseAll scans a text and parses all its bodies as the reference would
// meet them. It returns the first error in source order.
func parseAll(text []byte) (*Tree, []*Tree, *Error) {
	file := &src.File{Name: "in.ptx", Text: text}
	m := Scan(file)
	var bodies []*Tree
	for i := range m.Funcs {
		f := &m.Funcs[i]
		if !f.HasBody {
			continue
		}
		ps := new(Parser)
		b := ps.ParseBody(m, f)
		bodies = append(bodies, b)
		if b.Err != nil {
			return m, bodies, b.Err
		}
	}
	return m, bodies, m.Err
}

// corpusTexts returns the whole corpus, each file apart.
func corpusTexts(t testing.TB) [][]byte {
	c := corpus.Find(t)
	texts := make([][]byte, len(c.Files))
	for i := range c.Files {
		b, err := c.Files[i].Read()
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = b
	}
	return texts
}
