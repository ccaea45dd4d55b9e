package syntax

import (
	"bytes"

	"github.com/goptxas/goptxas/internal/engine/src"
)

// Parser parses function bodies one after another into the same storage.
// The zero value is ready for use. A Parser has one owner.
type Parser struct {
	// Recover makes the parser go on after a syntax error at the next ';'
	// or '}' and report all of them in Tree.Errs. The reference stops at
	// the first, so this is for tools that show more.
	Recover bool

	tree  Tree
	names Names
	p     parser
}

// parser is the state of one parse. It writes into t.
type parser struct {
	lexer
	t     *Tree
	cache wordCache
	stack []Operand // operands of lists not yet finished
	open  []int32   // statements of the blocks not yet closed
	depth int       // entries on the stack of the reference's parser
	err   *Error
}

// ParseBody parses the body of f, a function of the module m that has one.
// The tree is valid until the next call. Its first statement is the open
// brace of the body and, without an error, its last is the closing one.
func (ps *Parser) ParseBody(m *Tree, f *Func) *Tree {
	t := &ps.tree
	p := &ps.p
	end := min(int(f.BodyEnd)+1, len(m.File.Text))
	body := m.File.Text[f.Body:end]
	t.reset(m.File, &ps.names, body)
	ps.names.reset(m.File.Text, len(body))
	p.start(t, m.File.Text[:end], int(f.Body), bodyDepth)
	p.next()
	for {
		p.body()
		if p.err == nil {
			break
		}
		t.Errs = append(t.Errs, p.err)
		if t.Err == nil {
			t.Err = p.err
		}
		if !ps.Recover || !p.recover() {
			break
		}
	}
	return t
}

// Take gives away the tree of the last body, with its names: it stays valid,
// and the next body gets memory of its own.
func (ps *Parser) Take() *Tree {
	out := &struct {
		tree  Tree
		names Names
	}{ps.tree, ps.names}
	out.tree.Names = &out.names
	ps.tree, ps.names = Tree{}, Names{}
	return &out.tree
}

// start points the parser at text[pos:].
func (p *parser) start(t *Tree, text []byte, pos, depth int) {
	p.lexer = lexer{text: text, end: pos, openComment: -1}
	p.t = t
	p.stack, p.open = p.stack[:0], p.open[:0]
	p.depth = depth
	p.err = nil
}

// reset empties the tree and makes room for the nodes of body.
func (t *Tree) reset(file *src.File, names *Names, body []byte) {
	t.File, t.Names, t.Err = file, names, nil
	t.Errs = nil
	t.Stmts, t.Instrs, t.Mods = t.Stmts[:0], t.Instrs[:0], t.Mods[:0]
	t.Operands, t.Exprs = t.Operands[:0], t.Exprs[:0]
	t.Decls, t.Vars, t.Attrs, t.Subs = t.Decls[:0], t.Vars[:0], t.Attrs[:0], t.Subs[:0]
	t.Funcs, t.Strs, t.Locs, t.Sections = t.Funcs[:0], t.Strs[:0], t.Locs[:0], t.Sections[:0]
	// The densest real bodies have an operand every 11 bytes. Where that
	// many would not fit, counting what ends and separates them is cheaper
	// than growing.
	if cap(t.Operands) >= len(body)/11 {
		return
	}
	semis, commas := bytes.Count(body, []byte{';'}), bytes.Count(body, []byte{','})
	t.Instrs = room(t.Instrs, semis)
	locs := bytes.Count(body, []byte(".loc"))
	t.Stmts = room(t.Stmts, semis+semis/8+locs+16)
	t.Locs = room(t.Locs, locs)
	t.Operands = room(t.Operands, semis+commas+semis/3)
	t.Mods = room(t.Mods, min(bytes.Count(body, []byte{'.'}), 2*semis+64))
	t.Exprs = room(t.Exprs, len(body)/80)
}

func room[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, 0, n)
	}
	return s
}

// fail reports that the current token does not fit. Only the first report
// counts: afterwards every token is tErr, which fits nowhere.
func (p *parser) fail() {
	if p.err != nil {
		return
	}
	switch {
	case p.openComment >= 0:
		p.err = &Error{src.Pos(p.openComment), "Parsing error near '': unexpected EOF while scanning"}
	case p.tok == 0x7F:
		// The reference prints an arbitrary number here.
		p.failMsg(p.pos, "Unexpected non-ASCII character encountered on line "+itoa(lineAt(p.text, p.pos)))
	default:
		if p.tok == tName {
			if i := bytes.Index(p.text[p.pos:p.end], []byte("::")); i > 0 {
				p.end = p.pos + i
			}
		}
		p.failText("syntax error")
	}
	p.tok = tErr
}

func (p *parser) failText(what string) {
	at := p.pos
	if p.tok == tString {
		at = p.end - 1 // where it ends, should it go over lines
	}
	p.failMsg(at, "Parsing error near '"+string(p.text[p.pos:p.end])+"': "+what)
}

func (p *parser) failMsg(pos int, msg string) {
	if p.err == nil {
		p.err = &Error{src.Pos(pos), msg}
	}
	p.tok = tErr
}

// advance reads the next token unless there was an error.
func (p *parser) advance() {
	if p.err == nil {
		p.next()
	}
}

// accept reads the token t if it is next.
func (p *parser) accept(t token) bool {
	if p.tok != t {
		return false
	}
	p.next()
	return true
}

// expect reads the token t or fails.
func (p *parser) expect(t token) bool {
	if p.tok != t {
		p.fail()
		return false
	}
	p.next()
	return true
}

// directive returns the static word after the dot, when the next token is
// one; it reads nothing.
func (p *parser) directive() Word {
	if p.tok != tDot {
		return 0
	}
	return p.cache.lookup(p.text, p.pos+1, p.end)
}

// name reads a name and interns it.
func (p *parser) name() (Name, src.Pos) {
	pos := src.Pos(p.pos)
	if p.tok != tName {
		p.fail()
		return 0, pos
	}
	id := p.t.Names.intern(p.pos, p.end)
	p.next()
	return id, pos
}

// recover skips to the end of the statement in which the error stands. It
// reports whether the parse can go on.
func (p *parser) recover() bool {
	if p.openComment >= 0 {
		return false
	}
	p.err = nil
	p.end = max(p.end, p.pos)
	p.stack = p.stack[:0]
	text := p.text
	// The token that failed may itself end the statement.
	if p.pos < len(text) && (text[p.pos] == ';' || text[p.pos] == '}') {
		p.end = p.pos
	}
	for nest := 0; ; {
		p.next()
		switch p.tok {
		case tEOF, tErr:
			return false
		case ';':
			p.next()
			return true
		case '{':
			nest++
		case '}':
			if nest == 0 {
				return true
			}
			nest--
		}
	}
}
