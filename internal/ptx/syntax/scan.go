package syntax

import (
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// Scan reads a file's module level: its header, variables, functions and
// debug sections. The bodies of functions are only measured (Func.Body and
// Func.BodyEnd); Parser.ParseBody reads them. Line markers anywhere in the
// file are added to file.Markers, so positions are good for messages once
// Scan has returned.
//
// The tree's Err is what the reference would stop at, provided no body
// before it has a syntax error of its own.
func Scan(file *src.File) *Tree { return scan(file, false) }

// ScanRecover is Scan that goes on after a syntax error at the next
// statement and collects all of them in Tree.Errs.
func ScanRecover(file *src.File) *Tree { return scan(file, true) }

func scan(file *src.File, recover bool) *Tree {
	t := &Tree{File: file, Names: new(Names)}
	// A module of one kernel with a few parameters fits without growing.
	t.Stmts, t.Attrs, t.Exprs = make([]Stmt, 0, 16), make([]Attr, 0, 24), make([]Expr, 0, 24)
	t.Decls, t.Vars = make([]Decl, 0, 12), make([]Var, 0, 12)
	if len(file.Text) > src.MaxSize {
		t.Err = &Error{src.NoPos, "Input file is too large"}
	} else {
		t.Err = checkBytes(file.Text)
	}
	if t.Err != nil {
		t.Errs = append(t.Errs, t.Err)
		return t
	}
	t.Names.reset(file.Text, 0)
	p := &parser{}
	p.start(t, file.Text, 0, moduleDepth)
	p.markers = &file.Markers
	p.next()
	p.header()
	for {
		p.module()
		if p.err == nil {
			break
		}
		t.Errs = append(t.Errs, p.err)
		if t.Err == nil {
			t.Err = p.err
		}
		if !recover || !p.recoverModule() {
			break
		}
	}
	return t
}

// recoverModule skips to the next statement of the module.
func (p *parser) recoverModule() bool {
	for p.recover() {
		// A '}' at module level closes nothing that is still open.
		if p.tok != '}' {
			return true
		}
		p.next()
		if p.tok == tEOF {
			return false
		}
		if p.tok == tDot || p.tok == tDwarf || p.tok == tBank {
			return true
		}
	}
	return false
}

// header parses .version, .target and .address_size. The reference parses
// all three as optional and complains about a missing one when it sees the
// token after the place where it should have been.
func (p *parser) header() {
	version := p.tok == tVersion
	if version {
		p.version()
	}
	target := p.directive() == isa.WTarget
	for p.directive() == isa.WTarget && p.err == nil {
		p.target()
	}
	switch {
	case p.tok == tErr:
		p.fail()
	case p.err != nil:
	case !version:
		p.missing("version")
	case !target:
		p.missing("target")
	case p.directive() == isa.WAddressSize:
		a := Attr{Word: isa.WAddressSize, Pos: src.Pos(p.pos)}
		p.next()
		a.End = src.Pos(p.pos)
		a.Vals = List{p.literal(), 1}
		p.attrStmt(StmtAddressSize, a)
	}
}

func (p *parser) missing(what string) {
	name, _ := p.t.File.Line(src.Pos(p.pos))
	p.failMsg(p.pos, "Missing ."+what+" directive at start of file '"+name+"'")
}

// version parses the token .version N.M.
func (p *parser) version() {
	a := Attr{Word: isa.WVersion, Pos: src.Pos(p.pos), End: src.Pos(p.end)}
	s := p.text[p.pos+len(".version") : p.end]
	s = s[blanks(s, 0):]
	dot := digits(s, 0)
	major, minor := intValue10(s[:dot]), intValue10(s[dot+1:])
	a.Vals = List{int32(len(p.t.Exprs)), 2}
	p.node(Expr{Op: ExprInt, Val: major, Pos: a.Pos, A: None, B: None, C: None})
	p.node(Expr{Op: ExprInt, Val: minor, Pos: a.Pos, A: None, B: None, C: None})
	p.next()
	p.attrStmt(StmtVersion, a)
}

// intValue10 reads digits as decimal whatever the first one is.
func intValue10(s []byte) (v uint64) {
	for _, c := range s {
		v = v*10 + uint64(c-'0')
	}
	return v
}

// module parses the statements of a module.
func (p *parser) module() {
	for p.err == nil && p.tok != tEOF {
		w := isa.WNone
		switch p.tok {
		case tDot:
			w = p.directive()
		case tBank:
			w = isa.WConst
		case tDwarf:
			p.dwarf()
			continue
		}
		switch {
		case w == isa.WEntry, w == isa.WFunc, linkages.has(w):
			p.function(true)
		case w != isa.WNone && startsDecl(w):
			p.declStmt()
		case w == isa.WFile:
			p.file()
		case w == isa.WSection:
			p.section()
		case w == isa.WPragma:
			p.pragmaStmt()
		case w == isa.WAlias:
			p.alias()
		default:
			p.fail()
		}
	}
}

// file parses .file index "name", time, size.
func (p *parser) file() {
	t := p.t
	a := Attr{Word: isa.WFile, Pos: src.Pos(p.pos), End: src.Pos(p.pos)}
	p.next()
	a.Vals = List{int32(len(t.Exprs)), 1}
	p.literal()
	a.Strs = List{int32(len(t.Strs)), 1}
	a.End = src.Pos(p.pos)
	p.str()
	for range 2 {
		if p.tok != ',' || p.err != nil {
			break
		}
		p.next()
		a.End = src.Pos(p.pos)
		p.literal()
		a.Vals.Len++
	}
	if p.err != nil {
		a.Strs.Len = int32(len(t.Strs)) - a.Strs.First
	}
	p.attrStmt(StmtFile, a)
}
