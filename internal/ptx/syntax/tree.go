package syntax

import (
	"iter"

	"github.com/goptxas/goptxas/internal/engine/src"
)

// Of returns the operands of a list.
func (t *Tree) Of(l List) []Operand { return t.Operands[l.First : l.First+l.Len] }

// Kids returns the children of a vector, a list, a pair, a texture address,
// an index, a mask or a field.
func (t *Tree) Kids(o *Operand) []Operand {
	switch o.Kind {
	case OpVec, OpList, OpPair, OpTex:
		return t.Operands[o.X : o.X+o.N]
	case OpIndex, OpMask, OpField:
		return t.Operands[o.X : o.X+1]
	}
	return nil
}

// ModsOf returns the modifiers of an instruction.
func (t *Tree) ModsOf(in *Instr) []Mod { return t.Mods[in.Mods.First : in.Mods.First+in.Mods.Len] }

// ArgsOf returns the operands of an instruction.
func (t *Tree) ArgsOf(in *Instr) []Operand { return t.Of(in.Args) }

// VarsOf returns the names a declaration declares.
func (t *Tree) VarsOf(d *Decl) []Var { return t.Vars[d.Vars.First : d.Vars.First+d.Vars.Len] }

// AttrsOf returns the attributes of a list.
func (t *Tree) AttrsOf(l List) []Attr { return t.Attrs[l.First : l.First+l.Len] }

// DeclsOf returns the declarations of a list: the parameters of a function.
func (t *Tree) DeclsOf(l List) []Decl { return t.Decls[l.First : l.First+l.Len] }

// ExprsOf returns the literals of a list.
func (t *Tree) ExprsOf(l List) []Expr { return t.Exprs[l.First : l.First+l.Len] }

// ModText returns the spelling of a modifier with its dot.
func (t *Tree) ModText(m *Mod) []byte { return t.File.Text[m.Pos : m.Pos+src.Pos(m.Len)] }

// StrText returns the contents of a string.
func (t *Tree) StrText(s Str) []byte {
	return t.File.Text[s.Pos+1 : s.Pos+1+src.Pos(s.Len)]
}

// OpText returns the spelling of an instruction's opcode.
func (t *Tree) OpText(in *Instr) []byte {
	if in.Op == 0 {
		return t.Names.Bytes(in.OpName)
	}
	return []byte(in.Op.String())
}

// SelText returns the spelling of a selector with its dot, or nothing.
func (t *Tree) SelText(o *Operand) []byte {
	if o.Flags&FlagSel == 0 {
		return nil
	}
	if o.Kind == OpVec {
		return t.Names.Bytes(o.Name)
	}
	return t.Names.Bytes(Name(o.X))
}

// Run returns the literals of an OpRun with the marks of how they were
// written.
func (t *Tree) Run(o *Operand) iter.Seq2[uint64, ExprFlags] {
	return func(yield func(uint64, ExprFlags) bool) {
		l := lexer{text: t.File.Text[:uint32(o.X)], end: int(o.Pos), openComment: -1}
		for l.next(); l.tok != tEOF; l.next() {
			if l.tok == tInt && !yield(intValue(l.text[l.pos:l.end])) {
				return
			}
		}
	}
}

// Spelling returns a literal as its source spells it.
func (t *Tree) Spelling(e *Expr) []byte {
	l := lexer{text: t.File.Text, end: int(e.Pos), openComment: -1}
	l.next()
	return l.text[l.pos:l.end]
}
