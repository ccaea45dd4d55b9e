package syntax

import (
	"fmt"
	"strconv"

	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// AppendModule appends the module m as normalised PTX: one statement a
// line, literals in one form, line markers and comments left out. Bodies
// are parsed with ps on the way. It returns the first syntax error of the
// module or a body, with what was printed so far.
func AppendModule(dst []byte, m *Tree, ps *Parser) ([]byte, *Error) {
	for i := range m.Stmts {
		s := &m.Stmts[i]
		if s.Broken {
			break
		}
		w := printer{t: m, out: dst}
		w.stmt(s)
		dst = w.out
		if s.Kind != StmtFunc || !m.Funcs[s.Index].HasBody {
			continue
		}
		body := ps.ParseBody(m, &m.Funcs[s.Index])
		dst = AppendBody(dst, body)
		if body.Err != nil {
			return dst, body.Err
		}
	}
	return dst, m.Err
}

// AppendBody appends the statements of a body, braces included.
func AppendBody(dst []byte, t *Tree) []byte {
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
	t      *Tree
	out    []byte
	indent int
}

func (w *printer) str(s string)              { w.out = append(w.out, s...) }
func (w *printer) byte(c byte)               { w.out = append(w.out, c) }
func (w *printer) name(n Name)               { w.out = append(w.out, w.t.Names.Bytes(n)...) }
func (w *printer) word(x Word)               { w.out = append(append(w.out, '.'), x.String()...) }
func (w *printer) uint(v uint64)             { w.out = strconv.AppendUint(w.out, v, 10) }
func (w *printer) line()                     { w.byte('\n') }
func (w *printer) printf(f string, a ...any) { w.out = fmt.Appendf(w.out, f, a...) }

func (w *printer) tabs() {
	for range w.indent {
		w.byte('\t')
	}
}

// stmt prints one statement with its line end.
func (w *printer) stmt(s *Stmt) {
	t := w.t
	if s.Kind == StmtClose {
		w.indent--
	}
	if s.Kind != StmtLabel {
		w.tabs()
	}
	switch s.Kind {
	case StmtInstr:
		w.instr(&t.Instrs[s.Index])
	case StmtLabel:
		w.name(s.Name)
		w.byte(':')
	case StmtOpen:
		w.byte('{')
		w.indent++
	case StmtClose:
		w.byte('}')
	case StmtDecl:
		w.decl(&t.Decls[s.Index])
		w.byte(';')
	case StmtLoc:
		w.loc(&t.Locs[s.Index])
	case StmtPragma:
		w.attr(&t.Attrs[s.Index])
	case StmtTargets, StmtAlias:
		w.nameList(&t.Attrs[s.Index])
		w.byte(';')
	case StmtTarget:
		w.nameList(&t.Attrs[s.Index])
	case StmtProto, StmtFunc:
		w.function(&t.Funcs[s.Index])
	case StmtVersion:
		v := t.ExprsOf(t.Attrs[s.Index].Vals)
		w.printf(".version %d.%d", v[0].Val, v[1].Val)
	case StmtAddressSize:
		w.attr(&t.Attrs[s.Index])
	case StmtFile:
		w.file(&t.Attrs[s.Index])
	case StmtSection:
		w.section(&t.Sections[s.Index])
	case StmtDwarf:
		w.dwarf(&t.Sections[s.Index])
	}
	w.line()
}

func (w *printer) instr(in *Instr) {
	t := w.t
	if in.Guard != None {
		g := &t.Operands[in.Guard]
		w.byte('@')
		if g.Flags&FlagNot != 0 {
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

func (w *printer) call(in *Instr) {
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

func (w *printer) operands(list []Operand) {
	for i := range list {
		if i > 0 {
			w.str(", ")
		}
		w.operand(&list[i])
	}
}

// operand prints an operand or a part of an initialiser.
func (w *printer) operand(o *Operand) {
	t := w.t
	switch {
	case o.Flags&FlagNot != 0:
		w.byte('!')
	case o.Flags&FlagNeg != 0:
		w.byte('-')
	}
	switch o.Kind {
	case OpName:
		w.name(o.Name)
		w.out = append(w.out, t.SelText(o)...)
	case OpOffset:
		w.name(o.Name)
		w.offset(o.X)
	case OpImm:
		w.expr(o.X)
	case OpSink:
		w.byte('_')
	case OpIndex:
		w.name(o.Name)
		w.byte('[')
		w.operand(&t.Operands[o.X])
		w.byte(']')
	case OpAddr, OpTex:
		w.address(o)
	case OpVec, OpList:
		w.byte('{')
		w.operands(t.Kids(o))
		w.byte('}')
		w.out = append(w.out, t.SelText(o)...)
	case OpPair:
		w.operand(&t.Operands[o.X])
		w.byte('|')
		w.operand(&t.Operands[o.X+1])
	default:
		w.special(o)
	}
	if o.Flags&FlagUnified != 0 {
		w.str(".unified")
	}
}

// special prints what stands only in lists of targets and in initialisers.
func (w *printer) special(o *Operand) {
	switch o.Kind {
	case OpRange:
		w.name(o.Name)
		w.byte('<')
		w.expr(o.X)
		w.byte('>')
	case OpRun:
		w.run(o)
	case OpGeneric:
		w.str("generic(")
		w.name(o.Name)
		w.byte(')')
		if o.X != None {
			w.offset(o.X)
		}
	case OpMask:
		w.expr(o.N)
		w.byte('(')
		w.operand(&w.t.Operands[o.X])
		w.byte(')')
	case OpField:
		w.name(o.Name)
		w.str(" = ")
		w.operand(&w.t.Operands[o.X])
	}
}

func (w *printer) offset(x int32) {
	w.byte('+')
	w.expr(x)
}

func (w *printer) address(o *Operand) {
	w.byte('[')
	w.name(o.Name)
	switch {
	case o.Kind == OpTex:
		w.str(", ")
		w.operands(w.t.Kids(o))
	case o.X != None && o.Name != 0:
		w.offset(o.X)
	case o.X != None:
		w.expr(o.X)
	}
	w.byte(']')
}

func (w *printer) run(o *Operand) {
	first := true
	for v, flags := range w.t.Run(o) {
		if !first {
			w.str(", ")
		}
		first = false
		w.integer(v, flags)
	}
}

func (w *printer) loc(l *Loc) {
	w.printf(".loc %d %d %d", l.File, l.Line, l.Col)
	if l.Func == 0 {
		return
	}
	w.str(", function_name ")
	w.name(l.Func)
	if l.FuncOff != None {
		w.offset(l.FuncOff)
	}
	w.printf(", inlined_at %d %d %d", l.AtFile, l.AtLine, l.At)
}

func (w *printer) nameList(a *Attr) {
	w.word(a.Word)
	w.byte(' ')
	w.operands(w.t.Of(a.Args))
}

func (w *printer) file(a *Attr) {
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
func (w *printer) attr(a *Attr) {
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
