// Package printer prints trees of PTX as normalised text.
package printer

import (
	"fmt"
	"strconv"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// Module appends the module m as normalised PTX: one statement a
// line, literals in one form, line markers and comments left out. Bodies
// are parsed with ps on the way. It returns the first syntax error of the
// module or a body, with what was printed so far.
func Module(dst []byte, m *syntax.Tree, ps *syntax.Parser) ([]byte, *syntax.Error) {
	for i := range m.Stmts {
		s := &m.Stmts[i]
		if s.Broken {
			break
		}
		w := printer{t: m, out: dst}
		w.stmt(s)
		dst = w.out
		if s.Kind != syntax.StmtFunc || !m.Funcs[s.Index].HasBody {
			continue
		}
		body := ps.ParseBody(m, &m.Funcs[s.Index])
		dst = Body(dst, body)
		if body.Err != nil {
			return dst, body.Err
		}
	}
	return dst, m.Err
}

// Body appends the statements of a body, braces included.
func Body(dst []byte, t *syntax.Tree) []byte {
	w := printer{t: t, out: dst}
	for i := range t.Stmts {
		if s := &t.Stmts[i]; !s.Broken {
			w.stmt(s)
		}
	}
	return w.out
}

// printer appends the nodes of one tree to out.
type printer struct {
	t      *syntax.Tree
	out    []byte
	indent int
}

func (w *printer) str(s string)              { w.out = append(w.out, s...) }
func (w *printer) byte(c byte)               { w.out = append(w.out, c) }
func (w *printer) name(n syntax.Name)        { w.out = append(w.out, w.t.Names.Bytes(n)...) }
func (w *printer) word(x syntax.Word)        { w.out = append(append(w.out, '.'), x.String()...) }
func (w *printer) uint(v uint64)             { w.out = strconv.AppendUint(w.out, v, 10) }
func (w *printer) line()                     { w.byte('\n') }
func (w *printer) printf(f string, a ...any) { w.out = fmt.Appendf(w.out, f, a...) }

func (w *printer) tabs() {
	for range w.indent {
		w.byte('\t')
	}
}

// stmt prints one statement with its line end.
func (w *printer) stmt(s *syntax.Stmt) {
	t := w.t
	if s.Kind == syntax.StmtClose {
		w.indent--
	}
	if s.Kind != syntax.StmtLabel {
		w.tabs()
	}
	switch s.Kind {
	case syntax.StmtInstr:
		w.instr(&t.Instrs[s.Index])
	case syntax.StmtLabel:
		w.name(s.Name)
		w.byte(':')
	case syntax.StmtOpen:
		w.byte('{')
		w.indent++
	case syntax.StmtClose:
		w.byte('}')
	case syntax.StmtDecl:
		w.decl(&t.Decls[s.Index])
		w.byte(';')
	case syntax.StmtLoc:
		w.loc(&t.Locs[s.Index])
	case syntax.StmtPragma:
		w.attr(&t.Attrs[s.Index])
	case syntax.StmtTargets, syntax.StmtAlias:
		w.nameList(&t.Attrs[s.Index])
		w.byte(';')
	case syntax.StmtTarget:
		w.nameList(&t.Attrs[s.Index])
	case syntax.StmtProto, syntax.StmtFunc:
		w.function(&t.Funcs[s.Index])
	case syntax.StmtVersion:
		v := t.ExprsOf(t.Attrs[s.Index].Vals)
		w.printf(".version %d.%d", v[0].Val, v[1].Val)
	case syntax.StmtAddressSize:
		w.attr(&t.Attrs[s.Index])
	case syntax.StmtFile:
		w.file(&t.Attrs[s.Index])
	case syntax.StmtSection:
		w.section(&t.Sections[s.Index])
	case syntax.StmtDwarf:
		w.dwarf(&t.Sections[s.Index])
	}
	w.line()
}

func (w *printer) instr(in *syntax.Instr) {
	t := w.t
	if in.Guard != syntax.None {
		g := &t.Operands[in.Guard]
		w.byte('@')
		if g.Flags&syntax.FlagNot != 0 {
			w.byte('!')
		}
		w.name(g.Name)
		w.byte(' ')
	}
	if in.Op != isa.WNone {
		w.str(in.Op.String())
	} else {
		w.name(in.OpName)
	}
	mods := t.ModsOf(in)
	for i := range mods {
		w.out = append(w.out, t.ModText(&mods[i])...)
	}
	if in.Call {
		w.call(in)
	} else if args := t.ArgsOf(in); len(args) > 0 {
		w.byte(' ')
		w.operands(args)
	}
	w.byte(';')
}

func (w *printer) call(in *syntax.Instr) {
	args := w.t.ArgsOf(in)
	w.byte(' ')
	if in.HasRet {
		w.byte('(')
		w.operands(w.t.Of(in.Ret))
		w.str("), ")
	}
	w.operand(&args[0])
	if in.HasArgs {
		w.str(", (")
		w.operands(w.t.Of(in.Actuals))
		w.byte(')')
	}
	if len(args) > 1 {
		w.str(", ")
		w.operand(&args[1])
	}
}

func (w *printer) operands(list []syntax.Operand) {
	for i := range list {
		if i > 0 {
			w.str(", ")
		}
		w.operand(&list[i])
	}
}

// operand prints an operand or a part of an initialiser.
func (w *printer) operand(o *syntax.Operand) {
	t := w.t
	switch {
	case o.Flags&syntax.FlagNot != 0:
		w.byte('!')
	case o.Flags&syntax.FlagNeg != 0:
		w.byte('-')
	}
	switch o.Kind {
	case syntax.OpName:
		w.name(o.Name)
		w.out = append(w.out, t.SelText(o)...)
	case syntax.OpOffset:
		w.name(o.Name)
		w.offset(o.X)
	case syntax.OpImm:
		w.expr(o.X)
	case syntax.OpSink:
		w.byte('_')
	case syntax.OpIndex:
		w.name(o.Name)
		w.byte('[')
		w.operand(&t.Operands[o.X])
		w.byte(']')
	case syntax.OpAddr, syntax.OpTex:
		w.address(o)
	case syntax.OpVec, syntax.OpList:
		w.byte('{')
		w.operands(t.Kids(o))
		w.byte('}')
		w.out = append(w.out, t.SelText(o)...)
	case syntax.OpPair:
		w.operand(&t.Operands[o.X])
		w.byte('|')
		w.operand(&t.Operands[o.X+1])
	default:
		w.special(o)
	}
	if o.Flags&syntax.FlagUnified != 0 {
		w.str(".unified")
	}
}

// special prints what stands only in lists of targets and in initialisers.
func (w *printer) special(o *syntax.Operand) {
	switch o.Kind {
	case syntax.OpRange:
		w.name(o.Name)
		w.byte('<')
		w.expr(o.X)
		w.byte('>')
	case syntax.OpRun:
		w.run(o)
	case syntax.OpGeneric:
		w.str("generic(")
		w.name(o.Name)
		w.byte(')')
		if o.X != syntax.None {
			w.offset(o.X)
		}
	case syntax.OpMask:
		w.expr(o.N)
		w.byte('(')
		w.operand(&w.t.Operands[o.X])
		w.byte(')')
	case syntax.OpField:
		w.name(o.Name)
		w.str(" = ")
		w.operand(&w.t.Operands[o.X])
	}
}

func (w *printer) offset(x int32) {
	w.byte('+')
	w.expr(x)
}

func (w *printer) address(o *syntax.Operand) {
	w.byte('[')
	w.name(o.Name)
	switch {
	case o.Kind == syntax.OpTex:
		w.str(", ")
		w.operands(w.t.Kids(o))
	case o.X != syntax.None && o.Name != 0:
		w.offset(o.X)
	case o.X != syntax.None:
		w.expr(o.X)
	}
	w.byte(']')
}

func (w *printer) run(o *syntax.Operand) {
	first := true
	for v, flags := range w.t.Run(o) {
		if !first {
			w.str(", ")
		}
		first = false
		w.integer(v, flags)
	}
}

func (w *printer) loc(l *syntax.Loc) {
	w.printf(".loc %d %d %d", l.File, l.Line, l.Col)
	if l.Func == 0 {
		return
	}
	w.str(", function_name ")
	w.name(l.Func)
	if l.FuncOff != syntax.None {
		w.offset(l.FuncOff)
	}
	w.printf(", inlined_at %d %d %d", l.AtFile, l.AtLine, l.At)
}

func (w *printer) nameList(a *syntax.Attr) {
	w.word(a.Word)
	w.byte(' ')
	w.operands(w.t.Of(a.Args))
}

func (w *printer) file(a *syntax.Attr) {
	v := w.t.ExprsOf(a.Vals)
	w.str(".file ")
	w.literal(&v[0])
	w.str(` "`)
	w.out = append(w.out, w.t.StrText(w.t.Strs[a.Strs.First])...)
	w.byte('"')
	for i := range v[1:] {
		w.str(", ")
		w.literal(&v[i+1])
	}
}

// attr prints a directive or qualifier with its arguments.
func (w *printer) attr(a *syntax.Attr) {
	t := w.t
	w.word(a.Word)
	vals := t.ExprsOf(a.Vals)
	switch a.Word {
	case isa.WConst:
		for i := range vals {
			w.printf("[%d]", vals[i].Val)
		}
		return
	case isa.WAttribute:
		w.byte('(')
		for i := range a.Subs.Len {
			if i > 0 {
				w.str(", ")
			}
			w.attr(&t.Subs[a.Subs.First+i])
		}
		w.byte(')')
		return
	case isa.WUnified:
		w.byte('(')
		w.literal(&vals[0])
		w.str(", ")
		w.literal(&vals[1])
		w.byte(')')
		return
	case isa.WPtr:
		for i := range a.Subs.Len {
			w.byte(' ')
			w.attr(&t.Subs[a.Subs.First+i])
		}
		return
	}
	for i := range vals {
		w.str([]string{" ", ", "}[min(i, 1)])
		w.literal(&vals[i])
	}
	for i := range a.Strs.Len {
		w.str([]string{" \"", ", \""}[min(i, 1)])
		w.out = append(w.out, t.StrText(t.Strs[a.Strs.First+i])...)
		w.byte('"')
	}
	if a.Word == isa.WPragma {
		w.byte(';')
	}
}
