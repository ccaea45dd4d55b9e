package main

import (
	"strconv"
	"strings"
)

// kindNumber are the kinds of operands, as package emit numbers them.
var kindNumber = map[string]int{
	"slotR": 1, "slotU": 2, "slotP": 3, "slotUP": 4, "slotB": 5, "slotNumber": 6, "slotFloat": 7, "slotConst": 8,
	"slotAddr": 9, "slotGlobal": 10, "slotDesc": 11, "slotGdesc": 12, "slotTmem": 13, "slotSpecial": 14,
}

// btok is a piece of the text behind a mnemonic.
type btok struct {
	kind byte // ' ' border, '[' ']', '.' suffix, 'w' word, 'i' item, '(' ')' what may be absent, 't' term
	text string
	n    int // of the item
}

// bparser finds the operands of a form in the items that print it.
type bparser struct {
	c    *compiler
	f    *cform
	s    *bshape
	toks []btok
	opt  int
}

// parse fills in the steps and slots of a shape. It returns false for a form
// whose text has something that Ori has not.
func (p *bparser) parse() bool {
	if !p.mnemonic() {
		return false
	}
	p.opt = noField
	for len(p.toks) > 0 {
		t := p.next()
		switch t.kind {
		case ' ', ')':
			if t.kind == ')' {
				p.opt = noField
			}
			continue
		case '(':
			p.opt = t.n
			continue
		}
		x := bslot{field: noField, uni: noField, off: noField, desc: noField, opt: p.opt}
		there, ok := p.operand(t, &x)
		if !ok {
			return false
		}
		if there {
			p.s.slots = append(p.s.slots, x)
		}
	}
	return true
}

func (p *bparser) next() btok {
	t := p.toks[0]
	p.toks = p.toks[1:]
	return t
}

// peek returns the kind of the next token, 0 at the end.
func (p *bparser) peek() byte {
	if len(p.toks) == 0 {
		return 0
	}
	return p.toks[0].kind
}

// mnemonic reads the steps before the first space and cuts the rest into
// tokens.
func (p *bparser) mnemonic() bool {
	if p.s.prefix != "" {
		if strings.Contains(p.s.prefix, ".") {
			die(p.f.where, "an operation with two dots")
		}
		p.s.steps = append(p.s.steps, bstep{mod: p.s.prefix})
	}
	for n := range p.f.items {
		it := &p.f.items[n]
		switch it.kind {
		case "Lit":
			text, rest, ends := strings.Cut(p.c.texts[it.aux], " ")
			for _, w := range strings.Split(text, ".") {
				if w != "" {
					p.s.steps = append(p.s.steps, bstep{mod: w})
				}
			}
			if ends {
				return p.text(rest) && p.tokens(n+1, len(p.f.items))
			}
		case "Mod":
			p.s.steps = append(p.s.steps, bstep{field: n, choices: p.c.choicesOf(p.f, it)})
		default:
			return p.tokens(n, len(p.f.items))
		}
	}
	return true
}

// tokens cuts items from n to end.
func (p *bparser) tokens(n, end int) bool {
	for n < end {
		it := &p.f.items[n]
		switch it.kind {
		case "Lit":
			if !p.text(p.c.texts[it.aux]) {
				return false
			}
		case "Opt":
			p.toks = append(p.toks, btok{kind: '(', n: n})
			if !p.tokens(n+1, n+1+it.count) {
				return false
			}
			p.toks = append(p.toks, btok{kind: ')'})
			n += it.count
		case "Sum", "Close", "Hidden":
		case "Term":
			p.toks = append(p.toks, btok{kind: 't', n: n})
		default:
			p.toks = append(p.toks, btok{kind: 'i', n: n})
		}
		n++
	}
	return true
}

// text cuts a fixed text.
func (p *bparser) text(s string) bool {
	word := func(s string) int {
		n := 0
		for n < len(s) && (s[n] == '_' || s[n] >= '0' && s[n] <= '9' || s[n]|32 >= 'a' && s[n]|32 <= 'z') {
			n++
		}
		return n
	}
	for s != "" {
		n := word(s)
		switch {
		case n < len(s) && s[n] == '[':
			p.toks = append(p.toks, btok{kind: '[', text: s[:n]})
			s = s[n+1:]
		case n > 0:
			p.toks = append(p.toks, btok{kind: 'w', text: s[:n]})
			s = s[n:]
		case s[0] == ']', s[0] == ' ':
			p.toks = append(p.toks, btok{kind: s[0]})
			s = s[1:]
		case s[0] == ',':
			s = s[1:]
		case s[0] == '.':
			n = 1 + word(s[1:])
			p.toks = append(p.toks, btok{kind: '.', text: s[:n]})
			s = s[n:]
		default:
			return false
		}
	}
	return true
}

// operand reads the operand that begins with t. It returns false, true for
// one that says nothing new.
func (p *bparser) operand(t btok, x *bslot) (there, ok bool) {
	switch t.kind {
	case '[':
		return p.bracket(t.text, x)
	case 'w':
		return true, p.word(t.text, x)
	case 'i':
		return true, p.item(t.n, x)
	}
	return false, false
}

// word is an operand that is always the same.
func (p *bparser) word(text string, x *bslot) bool {
	if v, err := strconv.ParseInt(text, 0, 64); err == nil && v == 0 {
		x.kind, x.flags = "slotNumber", append(x.flags, "slotZero")
		return true
	}
	n := specialNamed(text)
	x.kind, x.names = "slotSpecial", []bname{{special: n}}
	return n != 0
}

var slotOf = map[string]string{
	"Reg": "slotR", "UReg": "slotU", "Pred": "slotP", "UPred": "slotUP", "Bar": "slotB",
	"UImm": "slotNumber", "SImm": "slotNumber", "Rel": "slotNumber", "Const": "slotConst",
	"F32": "slotFloat", "F64": "slotFloat", "F16": "slotFloat", "BF16": "slotFloat",
}

// item is an operand that is a field.
func (p *bparser) item(n int, x *bslot) bool {
	it := &p.f.items[n]
	x.field = n
	switch it.implied {
	case impliedTrue:
		x.flags = append(x.flags, "slotImplied")
	case impliedFalse:
		x.flags = append(x.flags, "slotImplied", "slotImpliedNot")
	}
	if strings.Contains(it.flags, "fWrite") {
		x.flags = append(x.flags, "slotWrite")
	}
	if it.reuse != 0 {
		x.flags = append(x.flags, "slotReuse")
	}
	switch it.kind {
	case "SB":
		x.kind = "slotSpecial"
		for v := range 1 << it.n {
			if s := specialNamed("SB" + strconv.Itoa(v)); s != 0 {
				x.names = append(x.names, bname{s, v})
			}
		}
		return true
	case "Mod":
		return p.enumeration(it, x)
	}
	x.kind = slotOf[it.kind]
	return x.kind != "" && p.suffixes(x)
}

// enumeration is an operand that is one of several words: convergence
// barriers by their names, or special registers.
func (p *bparser) enumeration(it *citem, x *bslot) bool {
	vals := p.c.enums[it.aux]
	if len(vals) > 1 && vals[0].text == "B0" && vals[1].text == "B1" {
		x.kind, x.flags = "slotB", append(x.flags, "slotValue")
		return true
	}
	x.kind = "slotSpecial"
	for v := range vals {
		text, after := strings.CutPrefix(vals[v].text, ", ")
		if s := specialNamed(text); vals[v].ok && s != 0 {
			x.names = append(x.names, bname{s, v})
			if after {
				x.flags = append(x.flags, "slotAbsent")
			}
		}
	}
	return len(x.names) > 0
}

// suffixes reads what stands behind an operand without a space.
func (p *bparser) suffixes(x *bslot) bool {
	for {
		switch p.peek() {
		case '.':
			switch t := p.next(); t.text {
			case ".ROW", ".COL": // the only way that they can lie
			default:
				m, ok := marksOf(t.text)
				if x.marks |= m; !ok {
					return false
				}
			}
			continue
		case 'i':
			if it := &p.f.items[p.toks[0].n]; it.kind == "Mod" && !strings.HasPrefix(p.c.enums[it.aux][0].text, ", ") {
				if !p.suffix(p.next().n, x) {
					return false
				}
				continue
			}
		}
		return true
	}
}

// suffix is a field behind an operand: the values that Ori has words for.
func (p *bparser) suffix(n int, x *bslot) bool {
	it := &p.f.items[n]
	first, all := len(x.choices), 0
	seen := map[int]bool{}
	def := p.f.field(it)
	add := func(v int, val value) {
		m, ok := marksOf(val.text)
		if !val.ok || !ok || seen[m] {
			return
		}
		seen[m] = true
		all |= m
		x.choices = append(x.choices, bmark{field: n, value: v, marks: m})
	}
	vals := p.c.enums[it.aux]
	if def < len(vals) {
		add(def, vals[def])
	}
	for v := range vals {
		add(v, vals[v])
	}
	for k := first; k < len(x.choices); k++ {
		x.choices[k].all = all
	}
	return len(x.choices) > first
}

// bracket reads an operand that begins with a word and a bracket.
func (p *bparser) bracket(word string, x *bslot) (there, ok bool) {
	switch word {
	case "":
		x.kind = "slotAddr"
		return p.terms(x)
	case "desc", "c":
		it := p.next()
		if it.kind != 'i' || p.next().kind != ']' {
			return false, false
		}
		x.desc = it.n
		if word == "c" {
			x.kind = "slotConst"
			if p.next().kind != '[' {
				return false, false
			}
			return p.terms(x)
		}
		x.kind = "slotDesc"
		if p.peek() == '[' {
			p.next()
			x.kind = "slotGlobal"
			return p.terms(x)
		}
		return true, true
	case "gdesc", "tmem":
		x.kind = map[string]string{"gdesc": "slotGdesc", "tmem": "slotTmem"}[word]
		if there, ok := p.terms(x); !there || !ok {
			return there, ok
		}
		return true, p.suffixes(x)
	case "idesc": // the register behind the operand before
		return p.terms(x)
	}
	return false, false
}

// terms reads the parts of an address up to its closing bracket. One that
// repeats another operand's register says nothing new.
func (p *bparser) terms(x *bslot) (there, ok bool) {
	needed, echo := true, false
	for len(p.toks) > 0 {
		t := p.next()
		switch t.kind {
		case ']':
			return !echo, true
		case 't':
			needed = !strings.Contains(p.f.items[t.n].flags, "fOpt")
		case 'i':
			it := &p.f.items[t.n]
			echo = echo || strings.Contains(it.flags, "fEcho")
			need := ""
			switch it.kind {
			case "Reg":
				x.field, need = t.n, "slotNeedsBase"
			case "UReg":
				x.uni, need = t.n, "slotNeedsUniform"
			case "SImm", "UImm":
				x.off, need = t.n, "slotNeedsOffset"
			default:
				return false, false
			}
			if needed {
				x.flags = append(x.flags, need)
			}
			if it.kind == "Reg" && !p.suffixes(x) {
				return false, false
			}
		default:
			return false, false
		}
	}
	return false, false
}
