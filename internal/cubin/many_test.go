package cubin

import (
	"fmt"
	"testing"

	"github.com/goptxas/goptxas/internal/target"
)

// TestManySections: section numbers above sixteen bits stand in a table beside
// the symbols.
func TestManySections(t *testing.T) {
	m := &Module{Arch: target.Find("sm_90a"), PTXSM: 90}
	for i := range 22000 {
		m.Kernels = append(m.Kernels, Kernel{Name: fmt.Sprint("k", i), Bind: BindGlobal, Code: make([]byte, 128)})
	}
	f, err := Build(m)
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Write()
	if err != nil {
		t.Fatal(err)
	}
	g, err := Read(b)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range g.Sections {
		table, ok := s.Content.(*SymTab)
		if !ok {
			continue
		}
		for _, sym := range table.Symbols {
			switch {
			case sym.Section == nil:
			case sym.Type == SymFunc && sym.Section.Name != ".text."+sym.Name, sym.Type == SymSection && sym.Section.Name != sym.Name:
				t.Fatalf("%s is said to be in %s", sym.Name, sym.Section.Name)
			default:
				n++
			}
		}
	}
	if len(g.Sections) < 0xff00 || n < len(g.Sections)/2 {
		t.Errorf("%d sections, %d symbols in them", len(g.Sections), n)
	}
	t.Logf("%d sections, %d symbols", len(g.Sections), n)
}
