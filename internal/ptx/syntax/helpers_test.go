package syntax

import (
	"github.com/goptxas/goptxas/internal/engine/src"
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
