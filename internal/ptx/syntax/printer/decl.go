package printer

import (
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// decl prints a declaration without its ';'.
func (w *printer) decl(d *syntax.Decl) {
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

func (w *printer) variable(v *syntax.Var) {
	t := w.t
	if v.Name == 0 {
		w.byte('_')
	}
	w.name(v.Name)
	if v.Range != syntax.None {
		w.byte('<')
		w.expr(v.Range)
		w.byte('>')
	}
	dims := t.ExprsOf(v.Dims)
	for i := range dims {
		w.byte('[')
		if dims[i].Op != syntax.ExprBad {
			w.literal(&dims[i])
		}
		w.byte(']')
	}
	if v.Init != syntax.None {
		w.str(" = ")
		w.operand(&t.Operands[v.Init])
	}
}

// function prints a function up to its body, or with its ';'.
func (w *printer) function(f *syntax.Func) {
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

func (w *printer) params(list []syntax.Decl) {
	w.byte('(')
	for i := range list {
		if i > 0 {
			w.str(", ")
		}
		w.decl(&list[i])
	}
	w.byte(')')
}

func (w *printer) section(s *syntax.Section) {
	w.str(".section ")
	w.name(s.Name)
	w.str(" {\n")
	w.t.SectionItems(s, func(it *syntax.Item) bool {
		w.item(it)
		w.line()
		return true
	})
	w.byte('}')
}

func (w *printer) item(it *syntax.Item) {
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

func (w *printer) dwarf(s *syntax.Section) {
	w.str("@@DWARF ")
	text := w.t.File.Text[s.Body:min(s.End, src.Pos(len(w.t.File.Text)))]
	for i := 0; i < len(text); i++ {
		if c := text[i]; c != '\n' && c != '\r' {
			w.byte(c)
		}
	}
}

// literal prints a literal.
func (w *printer) literal(e *syntax.Expr) {
	switch {
	case e.Flags&syntax.FlagOverflow != 0:
		// No value to print: repeat the spelling.
		w.out = append(w.out, w.t.Spelling(e)...)
	case e.Op == syntax.ExprFloat:
		w.printf("0d%016X", e.Val)
	case e.Op == syntax.ExprRaw:
		w.printf("0f%08X", e.Val)
	case e.Op == syntax.ExprWarp:
		w.str("WARP_SZ")
	default:
		w.integer(e.Val, e.Flags)
	}
}

func (w *printer) integer(v uint64, flags syntax.ExprFlags) {
	w.uint(v)
	if flags&syntax.FlagUnsigned != 0 {
		w.byte('U')
	}
}

var exprText = [...]string{
	syntax.ExprPlus: "+", syntax.ExprNeg: "-", syntax.ExprNot: "!", syntax.ExprCom: "~", syntax.ExprMul: " * ", syntax.ExprDiv: " / ", syntax.ExprRem: " % ",
	syntax.ExprAdd: " + ", syntax.ExprSub: " - ", syntax.ExprShl: " << ", syntax.ExprShr: " >> ", syntax.ExprLt: " < ", syntax.ExprLe: " <= ", syntax.ExprGt: " > ",
	syntax.ExprGe: " >= ", syntax.ExprEq: " == ", syntax.ExprNe: " != ", syntax.ExprAnd: " & ", syntax.ExprXor: " ^ ", syntax.ExprOr: " | ",
	syntax.ExprLand: " && ", syntax.ExprLor: " || ",
}

// expr prints a constant expression; operands of operators that are not
// literals or unary stand in parentheses.
func (w *printer) expr(x int32) {
	e := &w.t.Exprs[x]
	switch {
	case e.Op <= syntax.ExprWarp:
		w.literal(e)
	case e.Op <= syntax.ExprCom:
		w.str(exprText[e.Op])
		w.inner(e.A)
	case e.Op == syntax.ExprCast:
		w.byte('(')
		w.word(syntax.Word(e.Val))
		w.byte(')')
		w.inner(e.A)
	case e.Op == syntax.ExprCond:
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
	if w.t.Exprs[x].Op <= syntax.ExprCast {
		w.expr(x)
		return
	}
	w.byte('(')
	w.expr(x)
	w.byte(')')
}
