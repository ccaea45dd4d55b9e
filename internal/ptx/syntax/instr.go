package syntax

import (
	"bytes"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// instr parses an instruction whose opcode, text[pos:end], was just read.
func (p *parser) instr(guard int32, start, pos, end int) {
	t := p.t
	p.room(2)
	at := p.depth
	p.depth += instrDepth
	if guard != None {
		p.depth++
	}
	// The node is filled in place: nothing below adds instructions.
	index := len(t.Instrs)
	t.Instrs = append(t.Instrs, Instr{})
	in := &t.Instrs[index]
	in.Guard, in.OpPos = guard, src.Pos(pos)
	first := len(t.Mods)
	if end > pos+1 && mayCompound(p.text, pos) {
		end = p.ownMods(in, pos, end)
	}
	in.Op = p.cache.lookup(p.text, pos, end)
	if !in.Op.IsOpcode() {
		in.Op = isa.WNone
		in.OpName = t.Names.intern(pos, end)
	}
	if p.tok == tDot || p.tok == tBank {
		p.modifiers()
	}
	in.Mods = List{int32(first), int32(len(t.Mods) - first)}
	switch {
	case in.Op == isa.WCall:
		p.call(in)
	case p.tok != ';':
		base := len(p.stack)
		p.operand(true)
		p.depth += moreDepth
		for p.tok == ',' {
			p.next()
			p.operand(false)
		}
		in.Args = p.flush(base)
	}
	stop := p.pos
	ok := p.expect(';')
	p.depth = at
	t.Stmts = append(t.Stmts, Stmt{
		Kind: StmtInstr, Broken: !ok, Pos: src.Pos(start), End: src.Pos(stop), Index: int32(index),
	})
}

// modifiers parses the modifiers after an opcode.
func (p *parser) modifiers() {
	t := p.t
	for p.tok == tDot || p.tok == tBank {
		w := isa.WConst
		if p.tok == tDot {
			w = p.cache.lookup(p.text, p.pos+1, p.end)
		}
		if directives.has(w) || w == isa.WNone && p.dwarfWord() {
			p.fail()
			return
		}
		t.Mods = append(t.Mods, Mod{Word: w, Pos: src.Pos(p.pos), Len: uint32(p.end - p.pos)})
		p.next()
	}
}

// ownMods takes the modifiers that make up the operation's name out of the
// opcode token, and returns the end of the opcode proper.
func (p *parser) ownMods(in *Instr, pos, end int) int {
	dot := bytes.IndexByte(p.text[pos:end], '.')
	if dot < 0 {
		return end
	}
	for i := pos + dot; i < end; in.Own++ {
		j := i + 1
		for j < end && p.text[j] != '.' {
			j++
		}
		p.t.Mods = append(p.t.Mods, Mod{Word: p.cache.lookup(p.text, i+1, j), Pos: src.Pos(i), Len: uint32(j - i)})
		i = j
	}
	return pos + dot
}

// flush moves the finished operands above base into the tree.
func (p *parser) flush(base int) List {
	t := p.t
	l := List{int32(len(t.Operands)), int32(len(p.stack) - base)}
	t.Operands = append(t.Operands, p.stack[base:]...)
	p.stack = p.stack[:base]
	return l
}

// one moves the operand on top of the stack into the tree.
func (p *parser) one() int32 {
	if len(p.stack) == 0 {
		return None
	}
	return p.flush(len(p.stack) - 1).First
}

func (p *parser) pushOp(o Operand) { p.stack = append(p.stack, o) }

// operand parses one operand onto the stack. Sinks and pairs are for the
// first one only, the result.
func (p *parser) operand(first bool) {
	pos := src.Pos(p.pos)
	switch p.tok {
	case tName:
		p.nameOperand()
	case '[':
		p.address()
		return
	case '{':
		p.vec()
		if p.tok == tDot {
			p.vecSelector()
		}
	case '_':
		if !first {
			p.fail()
			return
		}
		p.pushOp(Operand{Kind: OpSink, Pos: pos})
		p.next()
	case '!', '-':
		p.signed()
		return
	default:
		p.immediate()
		return
	}
	if p.tok == '|' && first {
		p.pairWith(pos)
	}
}

func (p *parser) immediate() {
	o := Operand{Kind: OpImm, Pos: src.Pos(p.pos)}
	if p.tok != tRaw && !startsExpr(p.tok) {
		p.fail()
		return
	}
	o.X = p.constant()
	p.pushOp(o)
}

// signed parses !p, -r or an expression that begins with a sign.
func (p *parser) signed() {
	pos, end, tok := p.pos, p.end, p.tok
	p.next()
	if p.tok != tName {
		// An expression after all: read it from its sign.
		p.tok, p.pos, p.end = tok, pos, end
		p.immediate()
		return
	}
	flag := FlagNot
	if tok == '-' {
		flag = FlagNeg
	}
	o := Operand{Kind: OpName, Flags: flag, Pos: src.Pos(pos)}
	o.Name = p.t.Names.intern(p.pos, p.end)
	p.next()
	if p.tok == tDot && tok == '-' {
		p.selector(&o)
	}
	p.pushOp(o)
}

// dwarfWord reports whether the token is one of the words of @@DWARF lines
// that are keywords everywhere.
func (p *parser) dwarfWord() bool {
	s := string(p.text[p.pos:p.end])
	return s == ".byte" || s == ".4byte"
}

// selector parses the .x or .b0 after a name.
func (p *parser) selector(o *Operand) {
	w := p.directive()
	if !isSelector(w) {
		p.fail()
		return
	}
	o.Flags |= FlagSel
	o.Sel = w
	o.X = int32(p.t.Names.intern(p.pos, p.end))
	p.next()
}

// nameOperand parses an operand that begins with a name.
func (p *parser) nameOperand() {
	p.pushOp(Operand{Kind: OpName, Name: p.t.Names.intern(p.pos, p.end), Pos: src.Pos(p.pos)})
	p.punct()
	if p.tok == ',' || p.tok == ';' {
		return
	}
	top := len(p.stack) - 1
	switch p.tok {
	case tDot:
		p.selector(&p.stack[top])
	case '+':
		p.depth += offsetDepth
		p.next()
		x := p.constant()
		p.stack[top].Kind, p.stack[top].X = OpOffset, x
		p.depth -= offsetDepth
	case '[':
		o := p.stack[top]
		p.stack = p.stack[:top]
		p.index(&o)
		p.pushOp(o)
	}
}

// vecSelector parses the selector that the grammar allows after a vector.
func (p *parser) vecSelector() {
	v := &p.stack[len(p.stack)-1]
	x := v.X
	p.selector(v)
	v.Name, v.X = Name(v.X), x
}

// index parses var[reg], var[reg+expr] or var[expr].
func (p *parser) index(o *Operand) {
	o.Kind = OpIndex
	p.depth += indexDepth
	p.next()
	if p.tok == tName {
		k := Operand{Kind: OpName, Name: p.t.Names.intern(p.pos, p.end), Pos: src.Pos(p.pos)}
		p.next()
		if p.tok == '+' {
			k.Kind = OpOffset
			p.depth += offsetDepth
			p.next()
			k.X = p.constant()
			p.depth -= offsetDepth
		}
		p.pushOp(k)
	} else {
		k := Operand{Kind: OpImm, Pos: src.Pos(p.pos)}
		k.X = p.constant()
		p.pushOp(k)
	}
	p.depth -= indexDepth
	o.X, o.N = p.one(), 1
	p.expect(']')
	p.unified(o)
}

func (p *parser) unified(o *Operand) {
	if p.tok == tDot && p.directive() == isa.WUnified {
		o.Flags |= FlagUnified
		p.next()
	}
}

// pairWith parses the "|q" after the operand on top of the stack: a plain
// name, a sink or a vector.
func (p *parser) pairWith(pos src.Pos) {
	first := &p.stack[len(p.stack)-1]
	plain := first.Kind == OpName && first.Flags == 0
	if !plain && first.Kind != OpSink && (first.Kind != OpVec || first.Flags != 0) {
		p.fail()
		return
	}
	p.next()
	switch {
	case p.tok == tName:
		p.pushOp(Operand{Kind: OpName, Name: p.t.Names.intern(p.pos, p.end), Pos: src.Pos(p.pos)})
	case p.tok == '_' && plain:
		p.pushOp(Operand{Kind: OpSink, Pos: src.Pos(p.pos)})
	default:
		p.fail()
		return
	}
	p.next()
	kids := p.flush(len(p.stack) - 2)
	p.pushOp(Operand{Kind: OpPair, Pos: pos, X: kids.First, N: 2})
}

// vec parses {a, b, …} onto the stack. An element is a name with or without
// a selector, a constant or a sink.
func (p *parser) vec() {
	pos := src.Pos(p.pos)
	base := len(p.stack)
	at := p.depth
	p.depth += vectorDepth
	p.next()
	p.elements(true)
	p.depth = at
	kids := p.flush(base)
	p.expect('}')
	p.pushOp(Operand{Kind: OpVec, Pos: pos, X: kids.First, N: kids.Len})
}

// elements parses elements with commas between them.
func (p *parser) elements(selectors bool) {
	p.element(selectors)
	p.depth += moreDepth
	for p.tok == ',' {
		p.next()
		p.element(selectors)
	}
}

// element parses an element of a vector or of a call's lists.
func (p *parser) element(selectors bool) {
	switch p.tok {
	case tName:
		o := Operand{Kind: OpName, Name: p.t.Names.intern(p.pos, p.end), Pos: src.Pos(p.pos)}
		p.next()
		if p.tok == tDot && selectors {
			p.selector(&o)
		}
		p.pushOp(o)
	case '_':
		p.pushOp(Operand{Kind: OpSink, Pos: src.Pos(p.pos)})
		p.next()
	default:
		p.immediate()
	}
}

// address parses [base+offset], [constant] or a texture operand.
func (p *parser) address() {
	o := Operand{Kind: OpAddr, Pos: src.Pos(p.pos), X: None}
	p.depth += addrDepth
	p.next()
	if p.tok != tName {
		o.X = p.constant()
	} else {
		o.Name = p.t.Names.intern(p.pos, p.end)
		p.next()
		switch p.tok {
		case '+':
			p.depth += offsetDepth
			p.next()
			o.X = p.constant()
			p.depth -= offsetDepth
		case ',':
			p.next()
			p.depth -= addrDepth
			p.texture(&o)
			return
		}
	}
	p.depth -= addrDepth
	p.expect(']')
	p.unified(&o)
	p.pushOp(o)
}

// texture parses the rest of [t, v], [t, {…}] or [t, s, {…}].
func (p *parser) texture(o *Operand) {
	o.Kind = OpTex
	base := len(p.stack)
	more := false
	switch p.tok {
	case tName:
		p.pushOp(Operand{Kind: OpName, Name: p.t.Names.intern(p.pos, p.end), Pos: src.Pos(p.pos)})
		p.next()
		more = p.tok == ','
	case '{':
		p.vec()
	default:
		p.fail()
	}
	if more {
		p.next()
		if p.tok != '{' {
			p.fail()
		} else {
			p.vec()
		}
	}
	kids := p.flush(base)
	o.X, o.N = kids.First, kids.Len
	p.expect(']')
	p.pushOp(*o)
}

// call parses the operands of a call: (results), function, (arguments),
// prototype. All but the function may be missing.
func (p *parser) call(in *Instr) {
	in.Call = true
	if p.tok == '(' {
		in.HasRet = true
		in.Ret = p.callList()
		p.expect(',')
	}
	base := len(p.stack)
	p.callName()
	if p.tok == ',' {
		p.next()
		p.depth += moreDepth
		more := true
		if p.tok == '(' {
			in.HasArgs = true
			in.Actuals = p.callList()
			more = p.accept(',')
		}
		if more {
			p.callName()
		}
	}
	in.Args = p.flush(base)
}

func (p *parser) callName() {
	id, pos := p.name()
	p.pushOp(Operand{Kind: OpName, Name: id, Pos: pos})
}

func (p *parser) callList() List {
	base := len(p.stack)
	at := p.depth
	p.depth += callDepth
	p.next()
	if p.tok != ')' {
		p.elements(false)
	}
	p.depth = at
	l := p.flush(base)
	p.expect(')')
	return l
}
