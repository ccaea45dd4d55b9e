package syntax

import (
	"iter"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

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

// decl prints a declaration without its ';'.
func (w *printer) decl(d *Decl) {
	t := w.t
	quals := t.AttrsOf(d.Quals)
	for i := range quals[:d.Before] {
		w.attr(&quals[i])
		w.byte(' ')
	}
	if d.Vec != 0 {
		w.word(d.Vec)
		w.byte(' ')
	}
	w.word(d.Type)
	for i := range quals[d.Before:] {
		w.byte(' ')
		w.attr(&quals[int(d.Before)+i])
	}
	vars := t.VarsOf(d)
	for i := range vars {
		w.str([]string{" ", ", "}[min(i, 1)])
		w.variable(&vars[i])
	}
}

func (w *printer) variable(v *Var) {
	t := w.t
	if v.Name == 0 {
		w.byte('_')
	}
	w.name(v.Name)
	if v.Range != None {
		w.byte('<')
		w.expr(v.Range)
		w.byte('>')
	}
	dims := t.ExprsOf(v.Dims)
	for i := range dims {
		w.byte('[')
		if dims[i].Op != ExprBad {
			w.literal(&dims[i])
		}
		w.byte(']')
	}
	if v.Init != None {
		w.str(" = ")
		w.operand(&t.Operands[v.Init])
	}
}

// function prints a function up to its body, or with its ';'.
func (w *printer) function(f *Func) {
	t := w.t
	quals := t.AttrsOf(f.Quals)
	for i := range quals {
		if quals[i].Word != isa.WAttribute {
			w.attr(&quals[i])
			w.byte(' ')
		}
	}
	w.word(f.Kind)
	w.byte(' ')
	for i := range quals {
		if quals[i].Word == isa.WAttribute {
			w.attr(&quals[i])
			w.byte(' ')
		}
	}
	if f.HasRet {
		w.params(t.DeclsOf(f.Rets))
		w.byte(' ')
	}
	if f.Kind == isa.WCallprototype {
		w.byte('_')
	}
	w.name(f.Name)
	if f.HasArgs {
		w.params(t.DeclsOf(f.Params))
	}
	for i := range t.AttrsOf(f.Attrs) {
		w.str("\n\t")
		w.attr(&t.AttrsOf(f.Attrs)[i])
	}
	if !f.HasBody {
		w.byte(';')
	}
}

func (w *printer) params(list []Decl) {
	w.byte('(')
	for i := range list {
		if i > 0 {
			w.str(", ")
		}
		w.decl(&list[i])
	}
	w.byte(')')
}

func (w *printer) section(s *Section) {
	w.str(".section ")
	w.name(s.Name)
	w.str(" {\n")
	w.t.SectionItems(s, func(it *Item) bool {
		w.item(it)
		w.line()
		return true
	})
	w.byte('}')
}

func (w *printer) item(it *Item) {
	if it.Label != 0 {
		w.name(it.Label)
		w.byte(':')
		return
	}
	w.byte('\t')
	w.word(it.Type)
	w.byte(' ')
	for i, v := range it.Vals {
		if i > 0 {
			w.str(", ")
		}
		if int64(v) < 0 && int64(v) >= -1<<32 {
			w.byte('-')
			v = -v
		}
		w.uint(v)
	}
	w.name(it.Base)
	switch {
	case it.Minus != 0:
		w.byte('-')
		w.name(it.Minus)
	case it.Off != 0:
		w.byte('+')
		w.uint(it.Off)
	}
}

func (w *printer) dwarf(s *Section) {
	w.str("@@DWARF ")
	text := w.t.File.Text[s.Body:min(s.End, src.Pos(len(w.t.File.Text)))]
	for i := 0; i < len(text); i++ {
		if c := text[i]; c != '\n' && c != '\r' {
			w.byte(c)
		}
	}
}

// literal prints a literal.
func (w *printer) literal(e *Expr) {
	switch {
	case e.Flags&FlagOverflow != 0:
		// No value to print: repeat the spelling.
		l := lexer{text: w.t.File.Text, end: int(e.Pos), openComment: -1}
		l.next()
		w.out = append(w.out, l.text[l.pos:l.end]...)
	case e.Op == ExprFloat:
		w.printf("0d%016X", e.Val)
	case e.Op == ExprRaw:
		w.printf("0f%08X", e.Val)
	case e.Op == ExprWarp:
		w.str("WARP_SZ")
	default:
		w.integer(e.Val, e.Flags)
	}
}

func (w *printer) integer(v uint64, flags ExprFlags) {
	w.uint(v)
	if flags&FlagUnsigned != 0 {
		w.byte('U')
	}
}

var exprText = [...]string{
	ExprPlus: "+", ExprNeg: "-", ExprNot: "!", ExprCom: "~", ExprMul: " * ", ExprDiv: " / ", ExprRem: " % ",
	ExprAdd: " + ", ExprSub: " - ", ExprShl: " << ", ExprShr: " >> ", ExprLt: " < ", ExprLe: " <= ", ExprGt: " > ",
	ExprGe: " >= ", ExprEq: " == ", ExprNe: " != ", ExprAnd: " & ", ExprXor: " ^ ", ExprOr: " | ",
	ExprLand: " && ", ExprLor: " || ",
}

// expr prints a constant expression; operands of operators that are not
// literals or unary stand in parentheses.
func (w *printer) expr(x int32) {
	e := &w.t.Exprs[x]
	switch {
	case e.Op <= ExprWarp:
		w.literal(e)
	case e.Op <= ExprCom:
		w.str(exprText[e.Op])
		w.inner(e.A)
	case e.Op == ExprCast:
		w.byte('(')
		w.word(Word(e.Val))
		w.byte(')')
		w.inner(e.A)
	case e.Op == ExprCond:
		w.inner(e.A)
		w.str(" ? ")
		w.inner(e.B)
		w.str(" : ")
		w.inner(e.C)
	default:
		w.inner(e.A)
		w.str(exprText[e.Op])
		w.inner(e.B)
	}
}

func (w *printer) inner(x int32) {
	if w.t.Exprs[x].Op <= ExprCast {
		w.expr(x)
		return
	}
	w.byte('(')
	w.expr(x)
	w.byte(')')
}
