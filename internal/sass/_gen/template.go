package main

import (
	"regexp"
	"strconv"
	"strings"
)

// A template is the text of an instruction with its fields written where
// they are printed; see docs/sass.md. This file turns it into items.

type piece struct{ lo, n int }

type item struct {
	kind     string // Lit Mod Reg UReg Pred UPred Bar SB Imm … Opt Sum Term
	pieces   []piece
	text     string // literal
	enum     string // name, or inline list of texts
	inline   []value
	neg      int // bit, 0 none
	negCh    byte
	abs      int
	role     string // "", write, both
	addr     bool
	width    string // "", a number, or the name of a modifier
	scale    int
	def      int // default value when optional, -1 none
	rev      bool
	count    int  // Opt, Sum: items inside
	opt      bool // Term: may be absent
	reuse    int  // bit of the operand cache flag
	open     bool // the closing bar comes after the suffix
	constant bool // Sum: an offset in a constant bank, not an address
	hidden   bool // an operand the text does not show
	echo     bool // prints another operand's field plus plus
	plus     int
	implied  int // what Ori means by leaving the operand out, 0: it may not
}

// What a predicate is that Ori leaves out.
const (
	impliedTrue = iota + 1
	impliedFalse
)

var operandRE = regexp.MustCompile(`^([=&]?)(QUP|QP|UPR|UP|SB|R|U|P|B|rel|i|s|f|d|h|b)(\d+)((?::\d+)?(?:\+\d+(?::\d+)?)*)`)

var shapeRE = regexp.MustCompile(`^\$(u?)([bcs])((?:/[a-z])?)([-~|]*)`)

var attrRE = regexp.MustCompile(`^(?:([-~!|])(\d+)|\*(\d+)|x([0-9a-z]+(?:/[23])?)|=(\d+)|#(\d+)|(\^!?))`)

var kinds = map[string]string{
	"R": "Reg", "U": "UReg", "P": "Pred", "UP": "UPred", "QP": "Pred", "QUP": "UPred", "B": "Bar", "SB": "SB",
	"i": "UImm", "s": "SImm", "f": "F32", "d": "F64", "h": "F16", "b": "BF16", "rel": "Rel",
}

type tparser struct {
	l      *line
	opcode int
	s      string
	addr   int  // bracket depth
	bound  bool // constants are c[bank][offset], else cx[register][offset]
	prev   byte
}

// expand returns the items of line l for one opcode.
func expand(l *line, template string, opcode int, bound bool) []item {
	p := &tparser{l: l, opcode: opcode, s: template, prev: ' ', bound: bound}
	if p.s != "" && strings.IndexByte("{.\"", p.s[0]) < 0 && !strings.HasPrefix(p.s, "< ") {
		p.s = " " + p.s // a template without modifiers begins with its operands
	}
	items := p.list("")
	if p.s != "" {
		die(l.where, "cannot read %q", p.s)
	}
	return mergeLits(items)
}

func mergeLits(in []item) []item {
	var out []item
	for i := 0; i < len(in); i++ {
		it := in[i]
		if it.kind == "Lit" && len(out) > 0 && out[len(out)-1].kind == "Lit" && !inside(out, len(out)) {
			out[len(out)-1].text += it.text
			continue
		}
		out = append(out, it)
	}
	return out
}

// inside reports whether position n would be the first after a group that
// ends exactly there, so that a literal must not be glued to one inside.
func inside(out []item, n int) bool {
	for i, it := range out {
		if (it.kind == "Opt" || it.kind == "Sum" || it.kind == "Term") && i+it.count+1 >= n {
			return true
		}
	}
	return false
}

// list parses items up to one of the bytes of stop.
func (p *tparser) list(stop string) []item {
	var out []item
	for p.s != "" {
		c := p.s[0]
		if strings.IndexByte(stop, c) >= 0 {
			return out
		}
		switch {
		case c == '{':
			out = append(out, p.mod(0))
		case c == '<':
			p.s = p.s[1:]
			in := p.list(">")
			p.eat('>')
			out = append(out, p.group(in)...)
			p.prev = ' '
		case c == '"':
			end := strings.IndexByte(p.s[1:], '"')
			if end < 0 {
				die(p.l.where, "unclosed quote")
			}
			out = append(out, item{kind: "Lit", text: p.s[1 : 1+end]})
			p.s = p.s[end+2:]
			p.prev = 'x'
		case c == '[' && !strings.HasPrefix(p.s, "[]"):
			out = append(out, p.bracket()...)
		case c == '(':
			p.s = p.s[1:]
			p.prev = ' '
			p.addr++
			it := p.operand()
			p.addr--
			p.eat(')')
			it.hidden = true
			out = append(out, it)
		case c == '$':
			out = append(out, p.shape()...)
		case p.atOperand():
			it := p.operand()
			if it.open = it.kind == "UReg" && it.abs != 0 && strings.HasPrefix(p.s, "{"); it.open {
				out = append(out, it, p.mod(0), item{kind: "Close", abs: it.abs})
			} else {
				out = append(out, it)
			}
		default:
			out = append(out, item{kind: "Lit", text: p.s[:1]})
			p.prev = c
			p.s = p.s[1:]
		}
	}
	return out
}

func (p *tparser) eat(c byte) {
	if p.s == "" || p.s[0] != c {
		die(p.l.where, "missing %q", string(c))
	}
	p.s = p.s[1:]
}

func (p *tparser) atOperand() bool {
	if p.prev == '.' || p.prev == '_' || p.prev >= '0' && p.prev <= '9' || p.prev|32 >= 'a' && p.prev|32 <= 'z' {
		return false
	}
	return operandRE.MatchString(p.s)
}

// group makes the items of <…>: they are printed unless the first field
// inside has its default value.
func (p *tparser) group(in []item) []item {
	for i := range in {
		it := &in[i]
		if it.kind == "Lit" || it.kind == "Opt" {
			continue
		}
		o := item{kind: "Opt", pieces: it.pieces, def: it.def, count: len(mergeLits(in)), neg: it.neg}
		if it.negCh != '!' {
			o.neg = 0
		}
		if o.def < 0 {
			o.def = defaultOf(it)
		}
		return append([]item{o}, mergeLits(in)...)
	}
	die(p.l.where, "an optional group without a field")
	return nil
}

// defaultOf is the value of a field whose operand is not there.
func defaultOf(it *item) int {
	switch it.kind {
	case "Reg":
		return 255
	case "UReg":
		return -2 // all ones, whatever the width of the field
	case "Pred", "UPred":
		return 7
	}
	return 0
}

// bracket parses [a+b+c]: a sum whose terms marked ? are printed only when
// they are not zero.
func (p *tparser) bracket() []item {
	constant := strings.HasSuffix(p.l.template[:max(0, strings.LastIndex(p.l.template, p.s))], "c[i54:5]")
	p.eat('[')
	p.addr++
	var terms []item
	for {
		p.prev = ' '
		in := mergeLits(p.list("+]?"))
		t := item{kind: "Term", count: len(in), def: -1}
		if p.s != "" && p.s[0] == '?' {
			p.s = p.s[1:]
			t.opt = true
			if len(in) == 0 || in[0].kind == "Lit" {
				die(p.l.where, "an optional term must begin with its field")
			}
			t.pieces, t.def = in[0].pieces, in[0].def
			if t.def < 0 {
				t.def = defaultOf(&in[0])
			}
		}
		terms = append(append(terms, t), in...)
		if p.s == "" {
			die(p.l.where, "missing ]")
		}
		if p.s[0] == ']' {
			break
		}
		p.eat('+')
	}
	p.eat(']')
	p.addr--
	p.prev = ']'
	out := []item{{kind: "Lit", text: "["}}
	if len(terms) > 0 && onlyOneTerm(terms) && !terms[0].opt {
		out = append(out, terms[1:]...)
	} else {
		out = append(append(out, item{kind: "Sum", count: len(terms), constant: constant}), terms...)
	}
	return append(out, item{kind: "Lit", text: "]"})
}

func onlyOneTerm(terms []item) bool { return terms[0].count == len(terms)-1 }

// mod parses {list bits} or {name bits}. slot gives the place when the
// bits are left out.
func (p *tparser) mod(slot int) item {
	end := strings.IndexByte(p.s, '}')
	if end < 0 {
		die(p.l.where, "missing }")
	}
	body := p.s[1:end]
	p.s = p.s[end+1:]
	p.prev = 'x'
	it := item{kind: "Mod", def: -1}
	list, pos, ok := cutLast(body)
	if split := strings.HasPrefix(pos, "+"); split {
		it.pieces = append([]piece{{slot, 2}}, p.pieces(pos[1:])...)
		it.pieces[1].n = 1
	} else if ok {
		it.pieces = p.pieces(pos)
	} else if slot != 0 {
		list = body
		it.pieces = []piece{{slot, 0}}
	} else {
		die(p.l.where, "modifier {%s} without bits", body)
	}
	switch {
	case strings.Contains(list, "|"):
		for _, v := range strings.Split(list, "|") {
			if v == "" {
				v = "_"
			}
			it.inline = append(it.inline, parseValue(v))
		}
	case strings.HasPrefix(list, ".") || strings.HasPrefix(list, ","):
		it.inline = []value{{ok: true}, parseValue(list)}
	default:
		it.enum = list
	}
	return it
}

// cutLast splits at the last space when what follows looks like bits.
func cutLast(s string) (string, string, bool) {
	i := strings.LastIndexByte(s, ' ')
	if i < 0 || i+1 == len(s) || s[i+1] != '+' && (s[i+1] < '0' || s[i+1] > '9') {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// pieces parses LO[:N][+LO[:N]…]; a missing N is 0 and filled in later
// (1 in a split field).
func (p *tparser) pieces(s string) []piece {
	var out []piece
	parts := strings.Split(s, "+")
	for _, part := range parts {
		lo, n, has := strings.Cut(part, ":")
		var x piece
		var err error
		x.lo, err = strconv.Atoi(lo)
		if err == nil && has {
			x.n, err = strconv.Atoi(n)
		}
		if err != nil {
			die(p.l.where, "bits %q", s)
		}
		if !has && len(parts) > 1 {
			x.n = 1
		}
		out = append(out, x)
	}
	if len(out) > 2 {
		die(p.l.where, "field %q has more than two pieces", s)
	}
	return out
}

func (p *tparser) operand() item {
	m := operandRE.FindStringSubmatch(p.s)
	p.s = p.s[len(m[0]):]
	it := item{kind: kinds[m[2]], def: -1, addr: p.addr > 0, scale: 1, rev: m[2] == "QP" || m[2] == "QUP"}
	switch m[1] {
	case "=":
		it.role = "write"
	case "&":
		it.role = "both"
	}
	it.pieces = p.pieces(m[3] + m[4])
	if it.pieces[0].n == 0 {
		it.pieces[0].n = map[string]int{
			"Reg": 8, "UReg": 0, "Pred": 3, "UPred": 3, "Bar": 4, "SB": 3, "F32": 32, "F64": 32, "F16": 16, "BF16": 16,
		}[it.kind]
		if it.pieces[0].n == 0 && it.kind != "UReg" {
			die(p.l.where, "operand %q needs the width of its field", m[0])
		}
	}
	if it.kind == "Reg" && it.role == "" {
		it.reuse = map[int]int{24: 122, 32: 123, 64: 124}[it.pieces[0].lo]
	}
	p.attrs(&it)
	if it.rev && it.def < 0 {
		it.def = 0
	}
	p.prev = 'x'
	return it
}

func (p *tparser) attrs(it *item) {
	for {
		m := attrRE.FindStringSubmatch(p.s)
		if m == nil {
			return
		}
		n, _ := strconv.Atoi(m[2])
		switch {
		case m[1] == "|":
			it.abs = n
		case m[1] != "":
			it.neg, it.negCh = n, m[1][0]
		case m[3] != "":
			it.scale, _ = strconv.Atoi(m[3])
		case m[4] != "":
			it.width = m[4]
		case m[5] != "":
			it.def, _ = strconv.Atoi(m[5])
		case m[6] != "":
			it.echo = true
			it.plus, _ = strconv.Atoi(m[6])
		case m[7] == "^":
			it.implied = impliedTrue
		case m[7] == "^!":
			it.implied = impliedFalse
		}
		p.s = p.s[len(m[0]):]
	}
}

// shape expands $b, $c and $s by the shape digit of the opcode (its top
// three bits): $b and $c are the second and third source, which trade
// places when the third is not a register; $s is whatever stands at bit 32.
//
//	digit  2      4      6      8      a      c      e
//	$b     R32    R64    R64    imm32  c[]    U32    R64
//	$c     R64    imm32  c[]    R64    R64    R64    U32
//	$s     R32    imm32  c[]    imm32  c[]    U32    U32
func (p *tparser) shape() []item {
	m := shapeRE.FindStringSubmatch(p.s)
	if m == nil {
		die(p.l.where, "cannot read %q", p.s)
	}
	p.s = p.s[len(m[0]):]
	format, marks := m[3], m[4]
	half := format == "/h" || format == "/b" || format == "/m" // two halves per register
	it := item{def: -1, scale: 1, addr: p.addr > 0}
	if at := strings.IndexAny(marks, "-~"); at >= 0 {
		it.negCh, it.neg = marks[at], 63
	}
	if strings.Contains(marks, "|") {
		it.abs = 62
	}
	slot := 60 // of the suffix
	switch slots[m[2]][p.opcode>>9] {
	case atR32:
		it.kind, it.pieces = "Reg", []piece{{32, 8}}
	case atU32:
		it.kind, it.pieces = "UReg", []piece{{32, 0}}
	case atR64:
		slot = 81
		it.atR64(half)
	case atC:
		spaced := format == "/h" || format == "/b" || format == "/q" || format == "/r"
		return p.constant(it, spaced, slot)
	case atImm:
		return p.immediate(format, half)
	}
	if m[1] == "u" {
		it.kind = "UReg"
		it.pieces[0].n = 0
	}
	// The cache flags follow the place in the operation, not in the word.
	it.reuse = map[string]int{"b": 123, "c": 124, "s": 124}[m[2]]
	p.widthOf(&it)
	p.prev = 'x'
	if !strings.HasPrefix(p.s, "{") {
		return []item{it}
	}
	if it.abs != 0 && (it.kind == "UReg" || strings.HasPrefix(p.s, "{hi")) {
		it.open = true
		return []item{it, p.mod(slot), {kind: "Close", abs: it.abs}}
	}
	return []item{it, p.mod(slot)}
}

// Where a source stands.
const (
	atNone = iota
	atR32
	atR64
	atImm
	atC
	atU32
)

var slots = map[string][8]int{
	"b": {1: atR32, 2: atR64, 3: atR64, 4: atImm, 5: atC, 6: atU32, 7: atR64},
	"c": {1: atR64, 2: atImm, 3: atC, 4: atR64, 5: atR64, 6: atR64, 7: atU32},
	"s": {1: atR32, 2: atImm, 3: atC, 4: atImm, 5: atC, 6: atU32, 7: atU32},
}

// atR64 puts a register source at bit 64, whose marks lie elsewhere, and
// elsewhere again in the operations on halves.
func (it *item) atR64(half bool) {
	it.kind, it.pieces = "Reg", []piece{{64, 8}}
	neg, abs := 75, 74
	if half {
		neg, abs = 84, 83
	}
	if it.neg != 0 {
		it.neg = neg
	}
	if it.abs != 0 {
		it.abs = abs
	}
}

// widthOf reads the register count that may follow a $ operand.
func (p *tparser) widthOf(it *item) {
	m := attrRE.FindStringSubmatch(p.s)
	if m != nil && m[4] != "" {
		it.width = m[4]
		p.s = p.s[len(m[0]):]
	}
}

func (p *tparser) constant(it item, half bool, slot int) []item {
	p.widthOf(&it)
	it.kind = "Const"
	it.pieces = []piece{{40, 14}}
	if half {
		it.text = " "
	}
	out := []item{it}
	if !p.bound {
		out = []item{
			{kind: "Open", neg: it.neg, negCh: it.negCh, abs: it.abs},
			{kind: "Lit", text: "cx["},
			{kind: "UReg", pieces: []piece{{32, 0}}, def: -1, addr: true, width: "2"},
			{kind: "Lit", text: "]" + it.text + "["},
			{kind: "UImm", pieces: it.pieces, def: -1, scale: 4, addr: true},
			{kind: "Lit", text: "]"},
		}
	}
	if strings.HasPrefix(p.s, "{") {
		out = append(out, p.mod(slot))
	}
	if it.abs != 0 {
		out = append(out, item{kind: "Close", abs: it.abs})
	}
	p.prev = 'x'
	return out
}

func (p *tparser) immediate(format string, half bool) []item {
	it := item{def: -1, scale: 1, pieces: []piece{{32, 32}}}
	p.widthOf(&it)
	it.width = ""
	if strings.HasPrefix(p.s, "{") {
		p.mod(1) // an immediate has no suffix
	}
	p.prev = 'x'
	if half {
		kind := "F16" // both halves, the upper one first
		if format == "/b" {
			kind = "BF16"
		}
		hi, lo := it, it
		hi.kind, hi.pieces = kind, []piece{{48, 16}}
		lo.kind, lo.pieces = kind, []piece{{32, 16}}
		return []item{hi, {kind: "Lit", text: ", "}, lo}
	}
	switch format {
	case "/q":
		it.kind, it.pieces = "F16", []piece{{32, 16}}
	case "/r":
		it.kind, it.pieces = "BF16", []piece{{32, 16}}
	case "/f":
		it.kind = "F32"
	case "/d":
		it.kind = "F64"
	case "/s":
		it.kind = "SImm"
	default:
		it.kind = "UImm"
	}
	return []item{it}
}
