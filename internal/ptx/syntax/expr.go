package syntax

import (
	"strconv"

	"github.com/goptxas/goptxas/internal/engine/src"
)

func itoa(n int) string { return strconv.Itoa(n) }

// binaryOp gives the operator and the precedence of a binary operator token,
// C's; zero precedence is no operator.
type binaryOp struct {
	op   ExprOp
	prec uint8
}

var binaries = [256]binaryOp{
	tLor: {ExprLor, 1}, tLand: {ExprLand, 2}, '|': {ExprOr, 3}, '^': {ExprXor, 4}, '&': {ExprAnd, 5},
	tEq: {ExprEq, 6}, tNe: {ExprNe, 6},
	'<': {ExprLt, 7}, tLe: {ExprLe, 7}, '>': {ExprGt, 7}, tGe: {ExprGe, 7},
	tShl: {ExprShl, 8}, tShr: {ExprShr, 8},
	'+': {ExprAdd, 9}, '-': {ExprSub, 9},
	'*': {ExprMul, 10}, '/': {ExprDiv, 10}, '%': {ExprRem, 10},
}

var unaries = [256]ExprOp{'+': ExprPlus, '-': ExprNeg, '!': ExprNot, '~': ExprCom}

// startsExpr reports whether a constant expression can begin with the token.
func startsExpr(t token) bool {
	switch t {
	case tInt, tFloat, tWarp, '(':
		return true
	}
	return unaries[t] != ExprBad
}

// constant parses a constant expression or a 0f literal, which stands alone.
func (p *parser) constant() int32 {
	if p.tok == tRaw {
		x := p.node(Expr{Op: ExprRaw, Val: hexBits(p.text[p.pos+2 : p.end]), Pos: src.Pos(p.pos), A: None, B: None, C: None})
		p.next()
		return x
	}
	return p.expr()
}

// expr parses a constant expression and returns its node.
func (p *parser) expr() int32 {
	at := p.depth
	x := p.cond()
	p.depth = at
	return x
}

func (p *parser) node(e Expr) int32 {
	p.t.Exprs = append(p.t.Exprs, e)
	return int32(len(p.t.Exprs) - 1)
}

// room fails unless n more entries fit on the reference's parser stack when
// the current token is read.
func (p *parser) room(n int) {
	if p.depth+n > maxDepth && p.err == nil {
		p.failText("memory exhausted")
	}
}

// exprFrom parses the rest of an expression that begins with the literal x.
func (p *parser) exprFrom(x int32) int32 {
	at := p.depth
	x = p.condFrom(p.binaryFrom(x, 1))
	p.depth = at
	return x
}

// cond parses a conditional, which groups to the right.
func (p *parser) cond() int32 { return p.condFrom(p.binary(1)) }

func (p *parser) condFrom(c int32) int32 {
	if p.tok != '?' {
		return c
	}
	pos := src.Pos(p.pos)
	at := p.depth
	p.room(2)
	p.depth += 2
	p.advance()
	a := p.cond()
	if p.tok == ':' {
		p.room(2)
	}
	p.depth += 2
	p.expect(':')
	b := p.cond()
	p.depth = at
	return p.node(Expr{Op: ExprCond, Pos: pos, A: c, B: a, C: b})
}

// binary parses operators of at least the given precedence.
func (p *parser) binary(prec uint8) int32 { return p.binaryFrom(p.unary(), prec) }

func (p *parser) binaryFrom(a int32, prec uint8) int32 {
	for {
		b := binaries[p.tok]
		if b.prec < prec || b.prec == 0 {
			return a
		}
		pos := src.Pos(p.pos)
		at := p.depth
		p.room(2)
		p.depth += 2
		p.advance()
		r := p.binary(b.prec + 1)
		p.depth = at
		a = p.node(Expr{Op: b.op, Pos: pos, A: a, B: r, C: None})
	}
}

func (p *parser) unary() int32 {
	op := unaries[p.tok]
	if op == ExprBad {
		return p.primary()
	}
	pos := src.Pos(p.pos)
	p.room(1)
	p.depth += 2
	p.advance()
	x := p.unary()
	p.depth -= 2
	return p.node(Expr{Op: op, Pos: pos, A: x, B: None, C: None})
}

func (p *parser) primary() int32 {
	e := Expr{Pos: src.Pos(p.pos), A: None, B: None, C: None}
	p.room(1)
	switch p.tok {
	case tInt:
		e.Op = ExprInt
		e.Val, e.Flags = intValue(p.text[p.pos:p.end])
	case tFloat:
		e.Op = ExprFloat
		e.Val, e.Flags = floatValue(p.text[p.pos:p.end])
	case tWarp:
		e.Op = ExprWarp
	case '(':
		return p.paren()
	default:
		p.fail()
		return p.node(e)
	}
	p.next()
	return p.node(e)
}

// paren parses (expr) or a cast.
func (p *parser) paren() int32 {
	pos := src.Pos(p.pos)
	p.depth++
	p.advance()
	if p.tok == tDot {
		w := p.directive()
		if !declTypes.has(w) {
			p.fail()
		}
		p.depth += 3
		p.advance()
		p.expect(')')
		x := p.unary()
		p.depth -= 4
		return p.node(Expr{Op: ExprCast, Pos: pos, Val: uint64(w), A: x, B: None, C: None})
	}
	at := p.depth
	x := p.cond()
	p.depth = at
	if p.tok == ')' {
		p.room(2)
	}
	p.expect(')')
	if p.err == nil {
		p.depth--
		p.t.Exprs[x].Flags |= FlagParen
	}
	return x
}

// literal parses what directives take for a number: one integer literal or
// WARP_SZ, without a sign.
func (p *parser) literal() int32 {
	if p.tok != tInt && p.tok != tWarp {
		p.fail()
	}
	return p.primary()
}

// uintLit parses an integer literal for its value.
func (p *parser) uintLit() uint32 {
	if p.tok != tInt {
		p.fail()
		return 0
	}
	v, _ := intValue(p.text[p.pos:p.end])
	p.next()
	return uint32(v)
}
