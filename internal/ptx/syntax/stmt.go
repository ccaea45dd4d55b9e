package syntax

import (
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// The reference's parser keeps at most this many entries on its stack, and
// these are the entries that each construct holds there while its parts are
// read. They decide where deep nesting ends in "memory exhausted", and were
// found by looking for the last depth that passes in each place.
const (
	maxDepth    = 9999
	moduleDepth = 5  // a statement of the module
	bodyDepth   = 14 // a statement of a body
	blockDepth  = 6  // each block inside a body
	instrDepth  = 3  // the first operand
	moreDepth   = 2  // an element of a list after the first
	offsetDepth = 3  // what follows name+
	indexDepth  = 2  // what follows name[
	vectorDepth = 1  // the first element of a vector
	addrDepth   = 1  // what follows [
	callDepth   = 1  // the first element of a call's list
	initDepth   = 4  // an initial value
	listDepth   = 1  // the first element of an initialiser's list
	symbolDepth = 2  // what follows name+ in an initial value
)

// body parses statements up to the brace that closes the body.
func (p *parser) body() {
	for p.err == nil {
		switch p.tok {
		case tName:
			p.labelOrInstr()
		case '@':
			p.guarded()
		case '\\':
			p.marked()
		case tDot, tBank:
			p.bodyDirective()
		case '{':
			p.openBlock()
		case '}':
			if p.closeBlock() {
				return
			}
		default:
			p.fail()
		}
	}
}

func (p *parser) stmt(s Stmt) { p.t.Stmts = append(p.t.Stmts, s) }

func (p *parser) openBlock() {
	if len(p.open) > 0 {
		p.room(2)
		p.depth += blockDepth
	}
	at := src.Pos(p.pos)
	p.open = append(p.open, int32(len(p.t.Stmts)))
	p.stmt(Stmt{Kind: StmtOpen, Pos: at, End: at, Index: None})
	p.advance()
}

// closeBlock closes a block and reports whether it was the body itself.
func (p *parser) closeBlock() bool {
	n := len(p.open) - 1
	if n < 0 {
		p.fail()
		return true
	}
	p.room(2)
	o := p.open[n]
	p.open = p.open[:n]
	at := src.Pos(p.pos)
	p.t.Stmts[o].Index = int32(len(p.t.Stmts))
	p.stmt(Stmt{Kind: StmtClose, Pos: at, End: at, Index: o})
	if n == 0 {
		return true
	}
	p.depth -= blockDepth
	p.advance()
	return false
}

func (p *parser) labelOrInstr() {
	pos, end := p.pos, p.end
	p.next()
	if p.tok != ':' {
		p.instr(None, pos, pos, end)
		return
	}
	p.room(2)
	p.stmt(Stmt{Kind: StmtLabel, Name: p.t.Names.intern(pos, end), Pos: src.Pos(pos), End: src.Pos(p.pos), Index: None})
	p.advance()
	switch p.directive() {
	case isa.WBranchtargets, isa.WCalltargets:
		p.targets()
	case isa.WCallprototype:
		p.prototype()
	}
}

// guarded parses @p or @!p and its instruction.
func (p *parser) guarded() {
	start := p.pos
	p.next()
	o := Operand{Kind: OpName, Pos: src.Pos(start)}
	if p.tok == '!' {
		o.Flags = FlagNot
		p.next()
	}
	if p.tok != tName {
		p.fail()
		return
	}
	o.Name = p.t.Names.intern(p.pos, p.end)
	guard := int32(len(p.t.Operands))
	p.t.Operands = append(p.t.Operands, o)
	p.next()
	if p.tok != tName {
		p.fail()
		p.t.Instrs = append(p.t.Instrs, Instr{Guard: guard})
		p.stmt(Stmt{
			Kind: StmtInstr, Broken: true, Pos: src.Pos(start), End: src.Pos(p.pos),
			Index: int32(len(p.t.Instrs) - 1),
		})
		return
	}
	pos, end := p.pos, p.end
	p.next()
	p.instr(guard, start, pos, end)
}

// marked parses an instruction after a backslash, which the reference takes
// without a guard and gives no meaning.
func (p *parser) marked() {
	start := p.pos
	p.next()
	if p.tok != tName {
		p.fail()
		return
	}
	pos, end := p.pos, p.end
	p.next()
	p.instr(None, start, pos, end)
}

// bodyDirective parses a directive that stands in a body.
func (p *parser) bodyDirective() {
	w := isa.WConst
	if p.tok == tDot {
		w = p.directive()
	}
	switch {
	case w == isa.WLoc:
		p.loc()
	case w == isa.WPragma:
		p.pragmaStmt()
	case w == isa.WTarget:
		p.target()
	case w == isa.WAlias:
		p.alias()
	case w == isa.WFunc:
		p.function(false)
	case w == isa.WExtern, w == isa.WVisible, w == isa.WWeak:
		p.function(false)
	case startsDecl(w):
		p.declStmt()
	default:
		p.fail()
	}
}

// loc parses .loc file line column and what it says about inlining.
func (p *parser) loc() {
	start := p.pos
	p.next()
	l := Loc{FuncOff: None}
	l.File = p.uintLit()
	l.Line = p.uintLit()
	stop := p.pos
	l.Col = p.uintLit()
	if p.tok == ',' && p.err == nil {
		p.next()
		p.expect(tFuncName)
		l.Func, _ = p.name()
		if p.tok == '+' {
			p.next()
			l.FuncOff = p.literal()
		}
		p.expect(',')
		p.expect(tInlined)
		l.AtFile = p.uintLit()
		l.AtLine = p.uintLit()
		stop = p.pos
		l.At = p.uintLit()
	}
	p.t.Locs = append(p.t.Locs, l)
	p.stmt(Stmt{
		Kind: StmtLoc, Broken: p.err != nil, Pos: src.Pos(start), End: src.Pos(stop),
		Index: int32(len(p.t.Locs) - 1),
	})
}

// attrStmt ends a directive that is a statement by itself.
func (p *parser) attrStmt(kind StmtKind, a Attr) {
	p.t.Attrs = append(p.t.Attrs, a)
	p.stmt(Stmt{
		Kind: kind, Broken: p.err != nil, Pos: a.Pos, End: a.End, Index: int32(len(p.t.Attrs) - 1),
	})
}

func (p *parser) pragmaStmt() { p.attrStmt(StmtPragma, p.pragma()) }

// pragma parses .pragma "a", "b";
func (p *parser) pragma() Attr {
	a := Attr{Word: isa.WPragma, Pos: src.Pos(p.pos)}
	p.next()
	first := len(p.t.Strs)
	for {
		p.str()
		if p.tok != ',' {
			break
		}
		p.next()
	}
	a.Strs = List{int32(first), int32(len(p.t.Strs) - first)}
	a.End = src.Pos(p.pos)
	p.expect(';')
	return a
}

func (p *parser) str() {
	if p.tok != tString {
		p.fail()
		return
	}
	p.t.Strs = append(p.t.Strs, Str{src.Pos(p.pos), int32(p.end - p.pos - 2)})
	p.next()
}

// target parses .target word, word …
func (p *parser) target() {
	a := Attr{Word: isa.WTarget, Pos: src.Pos(p.pos), End: src.Pos(p.pos)}
	p.next()
	base := len(p.stack)
	for {
		a.End = src.Pos(p.pos)
		if p.tok == tName && string(p.text[p.pos:p.end]) == "texmode_raw" {
			// An option of old that the reference's lexer still knows.
			p.fail()
		}
		p.callName()
		if p.tok != ',' {
			break
		}
		p.next()
	}
	if p.err != nil && len(p.stack) > base {
		p.stack = p.stack[:len(p.stack)-1]
	}
	a.Args = p.flush(base)
	p.attrStmt(StmtTarget, a)
}

// alias parses .alias a, b;
func (p *parser) alias() {
	a := Attr{Word: isa.WAlias, Pos: src.Pos(p.pos)}
	p.next()
	base := len(p.stack)
	p.callName()
	p.expect(',')
	p.callName()
	a.Args = p.flush(base)
	a.End = src.Pos(p.pos)
	p.expect(';')
	p.attrStmt(StmtAlias, a)
}

// targets parses .branchtargets or .calltargets.
func (p *parser) targets() {
	a := Attr{Word: p.directive(), Pos: src.Pos(p.pos)}
	p.next()
	base := len(p.stack)
	for {
		id, pos := p.name()
		o := Operand{Kind: OpName, Name: id, Pos: pos}
		if p.tok == '<' {
			p.next()
			o.Kind, o.X = OpRange, p.literal()
			p.expect('>')
		}
		p.pushOp(o)
		if p.tok != ',' {
			break
		}
		p.next()
	}
	a.Args = p.flush(base)
	a.End = src.Pos(p.pos)
	p.expect(';')
	p.attrStmt(StmtTargets, a)
}
