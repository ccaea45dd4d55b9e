package rows

import (
	"fmt"
	"strings"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
)

// Describe tells about the operations of an instruction, one a line: the name
// as messages spell it, its types, and the first version and GPU it exists
// for. mods are the words behind the opcode, with their dots; where they name
// one operation of several, only that is told about. An unknown opcode has
// nothing told about it.
func Describe(opcode, mods string) string {
	var op *row.Op
	for w, o := range opTable {
		if o != nil && isa.Word(w).String() == opcode {
			op = o
		}
	}
	if op == nil {
		return ""
	}
	rows := op.Rows
	for i := range op.Rows {
		if name := op.Rows[i].Name; name != opcode && strings.HasPrefix(opcode+mods+".", name+".") {
			rows = op.Rows[i : i+1]
		}
	}
	var b strings.Builder
	for i := range rows {
		b.WriteString(describe(&rows[i]) + "\n")
	}
	return b.String()
}

func describe(r *row.Row) string {
	text := r.Name
	var types row.TypeSet
	for i := range r.Forms {
		for _, t := range r.Forms[i].Types {
			types |= t
		}
	}
	var names []string
	for t := range isa.Type(64) {
		if types.Has(t) {
			names = append(names, t.String())
		}
	}
	if len(names) > 0 {
		text += ": types " + strings.Join(names, " ")
	}
	v, sm, only := isa.Version(0), 0, false
	for i := range r.Gates {
		if g := &r.Gates[i]; g.T == 0 && g.W == isa.WNone && (g.If == nil || g.Name == "") {
			v, sm, only = max(v, g.V), max(sm, g.SM), only || g.Only != 0
		}
	}
	if v > 0 {
		text += fmt.Sprintf("; from PTX %d.%d", v/10, v%10)
	}
	if sm > 0 {
		text += fmt.Sprintf("; from sm_%d", sm)
	}
	if only {
		text += "; on targets with the letter a or f alone"
	}
	return text
}
