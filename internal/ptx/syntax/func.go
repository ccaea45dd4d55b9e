package syntax

import (
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// function parses .entry or .func with an optional linkage before it. In a
// body only declarations of functions are allowed. At module level a
// linkage may turn out to belong to a variable.
func (p *parser) function(module bool) {
	start := src.Pos(p.pos)
	var link Attr
	if w := p.directive(); linkages.has(w) {
		link = Attr{Word: w, Pos: start, End: start}
		p.next()
	}
	w := p.directive()
	switch {
	case w == isa.WFunc && link.Word != isa.WCommon:
		p.signature(start, link, w, module)
	case w == isa.WEntry && module && link.Word != isa.WCommon:
		p.signature(start, link, w, module)
	case module && (startsDecl(w) || p.tok == tBank):
		p.declWith(start, link)
	default:
		p.fail()
	}
}

// signature parses a function from its .entry or .func on.
func (p *parser) signature(start src.Pos, link Attr, kind Word, module bool) {
	t := p.t
	f := Func{Kind: kind, Pos: start, Body: src.NoPos, BodyEnd: src.NoPos}
	p.next()
	first := len(t.Attrs)
	if link.Word != 0 {
		t.Attrs = append(t.Attrs, link)
	}
	if kind == isa.WFunc {
		if p.directive() == isa.WAttribute {
			t.Attrs = append(t.Attrs, p.funcAttribute())
		}
	}
	f.Quals = List{int32(first), int32(len(t.Attrs) - first)}
	if kind == isa.WFunc && p.tok == '(' {
		f.HasRet = true
		f.Rets = p.params()
	}
	f.Name, f.NamePos = p.name()
	if p.tok == '(' {
		f.HasArgs = true
		f.Params = p.params()
	}
	stop := p.tail(&f, module)
	t.Funcs = append(t.Funcs, f)
	p.stmt(Stmt{Kind: StmtFunc, Broken: p.err != nil, Pos: start, End: stop, Index: int32(len(t.Funcs) - 1)})
}

// funcAttribute parses the .attribute of a function: one part, which the
// reference judges when it has seen the ')'.
func (p *parser) funcAttribute() Attr {
	a := Attr{Word: isa.WAttribute, Pos: src.Pos(p.pos)}
	p.next()
	p.expect('(')
	part := p.lexer
	s := p.attributePart()
	if p.tok != ')' {
		p.fail()
	} else if s.Word != isa.WUnified {
		p.lexer = part
		p.fail()
	}
	a.Subs = p.subs([]Attr{s})
	a.End = src.Pos(p.pos)
	p.expect(')')
	return a
}

// tail parses what follows the parameters: directives, then a body or ';'.
// The body is skipped over.
func (p *parser) tail(f *Func, module bool) src.Pos {
	t := p.t
	first := len(t.Attrs)
	if f.Kind == isa.WEntry {
		p.entryAttrs()
	} else {
		p.funcAttrs()
	}
	f.Attrs = List{int32(first), int32(len(t.Attrs) - first)}
	stop := src.Pos(p.pos)
	switch {
	case p.tok == '{' && module:
		f.HasBody = true
		f.Body = stop
		end := skipBody(p.text, p.pos, p.markers)
		f.BodyEnd = src.Pos(end)
		stop = f.BodyEnd
		p.end = min(end+1, len(p.text))
		p.next()
	case f.Kind == isa.WEntry && f.Attrs.Len > 0:
		p.fail()
	case f.Kind == isa.WFunc && module:
		p.accept(';') // the reference does without
	default:
		p.expect(';')
	}
	return stop
}

// entryAttr says what follows a directive of a kernel: how many numbers.
func entryAttr(w Word) (most int, ok bool) {
	switch w {
	case isa.WMaxntid, isa.WReqntid, isa.WReqnctapercluster:
		return 3, true
	case isa.WMinnctapersm, isa.WMaxnctapersm, isa.WMaxnreg, isa.WLocalMaxnreg, isa.WMaxclusterrank:
		return 1, true
	case isa.WExplicitcluster, isa.WBlocksareclusters:
		return 0, true
	}
	return 0, false
}

func (p *parser) entryAttrs() {
	for {
		w := p.directive()
		if w == isa.WPragma {
			a := p.pragma()
			p.t.Attrs = append(p.t.Attrs, a)
			continue
		}
		most, ok := entryAttr(w)
		if !ok {
			return
		}
		p.numbers(w, most)
	}
}

// numbers parses a directive with up to most numbers.
func (p *parser) numbers(w Word, most int) {
	a := Attr{Word: w, Pos: src.Pos(p.pos), End: src.Pos(p.pos)}
	p.next()
	a.Vals.First = int32(len(p.t.Exprs))
	for n := range most {
		if n > 0 {
			if p.tok != ',' {
				break
			}
			p.next()
		}
		a.End = src.Pos(p.pos)
		p.literal()
		a.Vals.Len++
	}
	p.t.Attrs = append(p.t.Attrs, a)
}

// funcAttrs parses .noreturn, then any number of .abi_preserve directives,
// then .local_maxnreg.
func (p *parser) funcAttrs() {
	if p.directive() == isa.WNoreturn {
		p.numbers(isa.WNoreturn, 0)
	}
	for {
		w := p.directive()
		switch w {
		case isa.WAbiPreserve, isa.WAbiPreserveControl:
			p.numbers(w, 1)
		case isa.WLocalMaxnreg:
			p.numbers(w, 1)
			return
		default:
			return
		}
	}
}

// params parses a list of parameters in parentheses.
func (p *parser) params() List {
	t := p.t
	p.next()
	first := len(t.Decls)
	if p.tok != ')' {
		p.param()
		for p.tok == ',' {
			p.next()
			p.param()
		}
	}
	l := List{int32(first), int32(len(t.Decls) - first)}
	p.expect(')')
	return l
}

// param parses one parameter: specifiers, pointer attributes, a name and at
// most one dimension.
func (p *parser) param() {
	t := p.t
	d := Decl{Pos: src.Pos(p.pos)}
	first := len(t.Attrs)
	p.specifiers(&d)
	d.Before = int32(len(t.Attrs) - first)
	if p.err == nil {
		p.pointer(&d)
	}
	d.Quals = List{int32(first), int32(len(t.Attrs) - first)}
	v := Var{Range: None, Init: None, Pos: src.Pos(p.pos)}
	if p.tok == '_' {
		p.next()
	} else {
		v.Name, v.Pos = p.name()
	}
	if p.tok == '[' {
		v.Dims = List{int32(len(t.Exprs)), 1}
		p.next()
		if p.tok == ']' {
			p.node(Expr{Pos: src.Pos(p.pos), A: None, B: None, C: None})
		} else {
			p.literal()
		}
		p.expect(']')
	}
	d.Vars = List{int32(len(t.Vars)), 1}
	t.Vars = append(t.Vars, v)
	d.End = src.Pos(p.pos)
	t.Decls = append(t.Decls, d)
}

// pointer parses .ptr, its state space and its alignment; .align may also
// stand alone after the type.
func (p *parser) pointer(d *Decl) {
	t := p.t
	if p.directive() == isa.WPtr {
		a := Attr{Word: isa.WPtr, Pos: src.Pos(p.pos), End: src.Pos(p.pos)}
		p.next()
		var subs [1]Attr
		if w := p.directive(); ptrSpaces.has(w) || p.tok == tBank {
			subs[0] = Attr{Word: w, Pos: src.Pos(p.pos), End: src.Pos(p.pos)}
			if p.tok == tBank {
				subs[0].Word = isa.WConst
				subs[0].Vals = p.bankNumber()
			}
			p.next()
			a.Subs = p.subs(subs[:])
		}
		d.Ptr = int32(len(t.Attrs))
		t.Attrs = append(t.Attrs, a)
	}
	if p.directive() == isa.WAlign {
		a := Attr{Word: isa.WAlign, Pos: src.Pos(p.pos), End: src.Pos(p.pos)}
		p.next()
		a.Vals = List{p.literal(), 1}
		t.Attrs = append(t.Attrs, a)
	}
}

// prototype parses .callprototype (results) _ (parameters) and directives.
func (p *parser) prototype() {
	t := p.t
	f := Func{Kind: isa.WCallprototype, Pos: src.Pos(p.pos), NamePos: src.NoPos, Body: src.NoPos, BodyEnd: src.NoPos}
	p.next()
	if p.tok == '(' {
		f.HasRet = true
		f.Rets = p.params()
	}
	p.expect('_')
	if p.tok == '(' {
		f.HasArgs = true
		f.Params = p.params()
	}
	first := len(t.Attrs)
	p.funcAttrs()
	f.Attrs = List{int32(first), int32(len(t.Attrs) - first)}
	stop := src.Pos(p.pos)
	ok := p.expect(';')
	t.Funcs = append(t.Funcs, f)
	p.stmt(Stmt{Kind: StmtProto, Broken: !ok, Pos: f.Pos, End: stop, Index: int32(len(t.Funcs) - 1)})
}
