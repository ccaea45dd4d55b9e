package syntax

import (
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// declStmt parses a variable declaration with its ';'. In a module a
// linkage may stand before it, already read into link.
func (p *parser) declStmt() { p.declWith(src.Pos(p.pos), Attr{}) }

func (p *parser) declWith(start src.Pos, link Attr) {
	t := p.t
	d := Decl{Linkage: link.Word, Pos: start}
	first := len(t.Attrs)
	if link.Word != 0 {
		t.Attrs = append(t.Attrs, link)
	}
	p.specifiers(&d)
	d.Quals = List{int32(first), int32(len(t.Attrs) - first)}
	d.Before = d.Quals.Len
	vars := len(t.Vars)
	at := p.depth
	p.depth += initDepth
	if link.Word != 0 {
		p.depth++
	}
	if p.tok != ';' {
		p.declarator()
		p.depth += moreDepth
		for p.tok == ',' {
			p.next()
			p.declarator()
		}
	}
	p.depth = at
	d.Vars = List{int32(vars), int32(len(t.Vars) - vars)}
	d.End = src.Pos(p.pos)
	ok := p.expect(';')
	t.Decls = append(t.Decls, d)
	p.stmt(Stmt{Kind: StmtDecl, Broken: !ok, Pos: d.Pos, End: d.End, Index: int32(len(t.Decls) - 1)})
}

// specifiers parses what stands before the names: state spaces, alignments
// and attributes in any order, then a vector size, then the type.
func (p *parser) specifiers(d *Decl) {
	t := p.t
	d.Align, d.Ptr, d.Bank = None, None, -1
	for {
		a := Attr{Pos: src.Pos(p.pos), End: src.Pos(p.pos)}
		switch {
		case p.tok == tBank:
			a.Word = isa.WConst
			a.Vals = p.bankNumber()
			d.Space, d.Bank = isa.WConst, int16(min(t.Exprs[a.Vals.First].Val, 1<<15-1))
			p.next()
		case p.tok != tDot:
			p.fail()
			return
		default:
			a.Word = p.directive()
			if !p.specifier(d, &a) {
				p.vectorAndType(d)
				return
			}
		}
		t.Attrs = append(t.Attrs, a)
	}
}

// bankNumber returns the N of .const[N] as a list of one literal.
func (p *parser) bankNumber() List {
	v := intValue10(p.text[p.pos+len(".const[") : p.end-1])
	return List{p.node(Expr{Op: ExprInt, Val: v, Pos: src.Pos(p.pos), A: None, B: None, C: None}), 1}
}

// specifier parses one state space, alignment or attribute list.
func (p *parser) specifier(d *Decl, a *Attr) bool {
	switch {
	case declSpaces.has(a.Word):
		d.Space, d.Bank = a.Word, -1
		p.next()
	case a.Word == isa.WAlign:
		p.next()
		d.Align = p.literal()
		a.Vals = List{d.Align, 1}
	case a.Word == isa.WAttribute:
		p.attribute(a)
	default:
		return false
	}
	return true
}

func (p *parser) vectorAndType(d *Decl) {
	w := p.directive()
	if w == isa.WV2 || w == isa.WV4 {
		d.Vec = w
		p.next()
		w = p.directive()
	}
	if !declTypes.has(w) {
		p.fail()
		return
	}
	d.Type = w
	p.next()
}

// attribute parses .attribute(.managed, .unified(a, b)).
func (p *parser) attribute(a *Attr) {
	p.next()
	p.expect('(')
	var subs [8]Attr
	list := subs[:0]
	for {
		if w := p.directive(); w != isa.WManaged && w != isa.WUnified {
			p.fail()
		}
		list = append(list, p.attributePart())
		if p.tok != ',' {
			break
		}
		p.next()
	}
	a.Subs = p.subs(list)
	a.End = src.Pos(p.pos)
	p.expect(')')
}

// attributePart parses .managed, .unified(a, b) or another word.
func (p *parser) attributePart() Attr {
	s := Attr{Word: p.directive(), Pos: src.Pos(p.pos)}
	if p.tok != tDot {
		p.fail()
		return s
	}
	p.next()
	if s.Word == isa.WUnified {
		p.expect('(')
		x := p.literal()
		p.expect(',')
		p.literal()
		s.Vals = List{x, 2}
		p.expect(')')
	}
	return s
}

// subs puts the parts of an attribute into a slice of their own, so that
// the run of attributes they belong to stays in one piece.
func (p *parser) subs(list []Attr) List {
	l := List{int32(len(p.t.Subs)), int32(len(list))}
	p.t.Subs = append(p.t.Subs, list...)
	return l
}

// declarator parses name, name<n>, name[d]… and an initial value.
func (p *parser) declarator() {
	t := p.t
	v := Var{Range: None, Init: None}
	v.Name, v.Pos = p.name()
	switch p.tok {
	case '<':
		p.next()
		v.Range = p.literal()
		p.expect('>')
		t.Vars = append(t.Vars, v)
		return
	case '[':
		v.Dims = p.dims()
	}
	if p.tok == '=' {
		p.next()
		p.initialiser()
		v.Init = p.one()
	}
	t.Vars = append(t.Vars, v)
}

// dims parses [n][m]…; the first may be empty.
func (p *parser) dims() List {
	l := List{int32(len(p.t.Exprs)), 0}
	for p.tok == '[' {
		p.next()
		if p.tok == ']' && l.Len == 0 {
			p.node(Expr{Pos: src.Pos(p.pos), A: None, B: None, C: None})
		} else {
			p.literal()
		}
		l.Len++
		p.expect(']')
	}
	return l
}

// initialiser parses an initial value onto the stack.
func (p *parser) initialiser() {
	pos := src.Pos(p.pos)
	switch p.tok {
	case '{':
		p.initList()
	case tName:
		p.symbolInit(true)
	case tInt, tWarp:
		x := p.primary()
		if p.tok == '(' {
			p.mask(pos, x)
			return
		}
		p.pushOp(Operand{Kind: OpImm, Pos: pos, X: p.exprFrom(x)})
	default:
		p.immediate()
	}
}

// initList parses {…}. Runs of plain numbers stay in the text as OpRun.
func (p *parser) initList() {
	pos := src.Pos(p.pos)
	p.room(1)
	at := p.depth
	p.depth += listDepth
	p.advance()
	base := len(p.stack)
	if p.tok != '}' {
		p.initElement()
		p.depth += moreDepth
		for p.tok == ',' {
			p.next()
			p.initElement()
		}
		p.depth = at + listDepth
		if p.tok == '}' {
			p.room(3)
		}
	}
	kids := p.flush(base)
	p.depth = at
	p.expect('}')
	p.pushOp(Operand{Kind: OpList, Pos: pos, X: kids.First, N: kids.Len})
}

// initElement parses one element, or as many plain numbers as follow.
func (p *parser) initElement() {
	if p.tok == '{' {
		p.initList()
		return
	}
	// A place is kept for the name that an element may have.
	p.room(2)
	if p.err == nil && p.tok == tInt && p.depth < maxDepth-2*moreDepth && p.run() {
		return
	}
	p.depth++
	p.initialiser()
	p.depth--
}

// run parses plain integer literals separated by commas, as long as each
// is followed by a comma or the end of the list.
func (p *parser) run() bool {
	o := Operand{Kind: OpRun, Pos: src.Pos(p.pos)}
	saved := p.lexer
	for {
		end := p.end
		// A longer literal might overflow, and needs a node to say so.
		long := end-p.pos > len("0x123456789ABCDEF")
		p.next()
		if long || p.tok != ',' && p.tok != '}' {
			break
		}
		o.N++
		o.X = int32(uint32(end))
		saved = p.lexer
		if p.tok == '}' {
			break
		}
		p.next()
		if p.tok != tInt {
			break
		}
	}
	// The token after the last number of the run is the current one again.
	p.lexer = saved
	if o.N == 0 {
		return false
	}
	p.pushOp(o)
	return true
}

// symbolInit parses an initial value that begins with a name: a symbol with
// an offset, generic(symbol) with an offset, or where field is true also
// the value of a named field.
func (p *parser) symbolInit(field bool) {
	pos, end := p.pos, p.end
	o := Operand{Kind: OpName, Name: p.t.Names.intern(pos, end), Pos: src.Pos(pos), X: None}
	p.next()
	switch {
	case p.tok == '(':
		p.next()
		o.Kind = OpGeneric
		o.Name, _ = p.name()
		if p.tok == ')' && string(p.text[pos:end]) != "generic" {
			p.failMsg(p.pos, "Parsing error near '"+string(p.text[pos:end])+"': syntax error")
		}
		p.expect(')')
		if p.tok == '+' {
			o.X = p.symbolOffset()
		}
	case p.tok == '+':
		o.Kind = OpOffset
		o.X = p.symbolOffset()
	case p.tok == '=' && field:
		p.next()
		o.Kind = OpField
		if p.tok == tName {
			p.callName()
		} else {
			p.immediate()
		}
		o.X, o.N = p.one(), 1
	}
	p.pushOp(o)
}

func (p *parser) symbolOffset() int32 {
	p.depth += symbolDepth
	p.next()
	x := p.constant()
	p.depth -= symbolDepth
	return x
}

// mask parses literal(value): some bits of an address.
func (p *parser) mask(pos src.Pos, lit int32) {
	p.next()
	o := Operand{Kind: OpMask, Pos: pos, N: lit}
	if p.tok == tName {
		p.symbolInit(false)
	} else {
		p.depth += symbolDepth
		p.immediate()
		p.depth -= symbolDepth
	}
	o.X = p.one()
	p.expect(')')
	p.pushOp(o)
}
