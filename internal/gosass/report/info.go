// Package report tells about cubins: the resources of their functions, and
// how two of them differ.
package report

import (
	"fmt"
	"strings"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/gosass/dis"
)

// Info prints the resources of each kernel, one line a fact.
func Info(f *cubin.File) ([]byte, error) {
	a, err := f.Arch()
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", a.Name, dis.KindName(f.Kind))
	if s := f.Find(".note.nv.tkinfo"); s != nil {
		if n, ok := s.Content.(*cubin.TKInfo); ok {
			fmt.Fprintf(&b, "tool      %s, %s: %s\n", n.Tool, n.Version, strings.TrimSpace(n.Options))
		}
	}
	for _, v := range f.Variables() {
		fmt.Fprintf(&b, "variable  %s: %s, %d bytes at %#x\n", v.Symbol.Name, v.Where, v.Symbol.Size, v.Symbol.Value)
	}
	for _, k := range f.Functions() {
		kind := "function"
		if k.Entry {
			kind = "kernel"
		}
		fmt.Fprintf(&b, "\n%-9s %s\n", kind, k.Name)
		fmt.Fprintf(&b, "  registers %d, stack %d, frame %d, barriers %d\n", k.Regs, k.MinStack, k.Frame, k.Barriers)
		fmt.Fprintf(&b, "  code %d bytes, shared %d, constants %s\n", len(k.Code), k.Shared, bankText(k.Banks))
		for _, p := range k.Params {
			fmt.Fprintf(&b, "  parameter at %#x, %d bytes\n", p.Offset, p.Size)
		}
		for i := range k.Attrs {
			fmt.Fprintf(&b, "  %s\n", attrText(&k.Attrs[i]))
		}
	}
	return []byte(b.String()), nil
}

func bankText(banks [8]uint64) string {
	var list []string
	for n, size := range banks {
		if size > 0 {
			list = append(list, fmt.Sprintf("c[%d] %d", n, size))
		}
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}

// attrText prints an attribute by name.
func attrText(a *cubin.Attr) string {
	var b strings.Builder
	b.WriteString(a.ID.Name(false))
	if a.Format != cubin.SVal && a.Format != cubin.NVal {
		fmt.Fprintf(&b, " %#x", a.Value)
	}
	for _, s := range a.Syms {
		if s != nil {
			b.WriteString(" " + s.Name)
		}
	}
	for _, w := range a.Words {
		fmt.Fprintf(&b, " %#x", w)
	}
	return b.String()
}
