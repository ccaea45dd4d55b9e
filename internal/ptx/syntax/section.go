package syntax

import (
	"bytes"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// section parses .section .name { labels and data }. The contents are
// checked here and left in the text: debug data is bulky and most
// compilations never look at it.
func (p *parser) section() {
	t := p.t
	s := Section{Pos: src.Pos(p.pos)}
	p.next()
	s.Name = p.sectionName()
	s.Body = src.Pos(p.end)
	p.expect('{')
	p.items(nil)
	s.End = src.Pos(p.pos)
	p.expect('}')
	t.Sections = append(t.Sections, s)
	p.stmt(Stmt{Kind: StmtSection, Broken: p.err != nil, Pos: s.Pos, End: s.End, Index: int32(len(t.Sections) - 1)})
}

// sectionName parses a dotted name that is no word of the language.
func (p *parser) sectionName() Name {
	if p.tok != tDot || !p.plainDot() {
		p.fail()
		return 0
	}
	id := p.t.Names.intern(p.pos, p.end)
	p.next()
	return id
}

// plainDot reports whether the dotted word is no keyword.
func (p *parser) plainDot() bool {
	w := p.directive()
	return w == isa.WNone && !p.dwarfWord() || plainWords.has(w)
}

// Item is one thing in a section: a label, or data of one type.
type Item struct {
	Label Name // of a label, else 0
	Type  Word // of data
	Pos   src.Pos
	End   src.Pos  // of the token behind it
	Vals  []uint64 // plain numbers; negative ones in two's complement
	Base  Name     // or one address: Base, Base + Off, or Base - Minus
	Minus Name
	Off   uint64
}

// SectionItems calls f for every item of a section of the tree, in order,
// until f returns false. The item is only valid during the call.
func (t *Tree) SectionItems(s *Section, f func(*Item) bool) {
	p := parser{}
	p.start(t, t.File.Text[:s.End], int(s.Body), 0)
	p.next()
	if s.Dwarf {
		if s.Name == 0 {
			p.dwarfData(f)
		}
		return
	}
	p.items(f)
}

// items parses labels and data up to the closing brace.
func (p *parser) items(f func(*Item) bool) {
	var it Item
	for p.err == nil {
		it = Item{Pos: src.Pos(p.pos), Vals: it.Vals[:0]}
		switch {
		case p.tok == tName:
			it.Label = p.dataName(f != nil)
			p.expect(':')
		case p.tok == tDot && declTypes.has(p.directive()):
			it.Type = p.directive()
			p.next()
			p.data(&it, f != nil, false)
		default:
			return
		}
		it.End = src.Pos(p.pos)
		if p.err == nil && f != nil && !f(&it) {
			return
		}
	}
}

// dataName reads a label or the name of a section. The first reading
// interns it; later ones only look it up, and change nothing.
func (p *parser) dataName(again bool) (id Name) {
	if again {
		id = p.t.Names.Find(p.text[p.pos:p.end])
	} else {
		id = p.t.Names.intern(p.pos, p.end)
	}
	p.next()
	return id
}

// data parses numbers separated by commas, or one address.
func (p *parser) data(it *Item, want, dwarf bool) {
	switch p.tok {
	case tName, tDot:
		p.dataAddress(it, want)
		return
	}
	for {
		neg := p.tok == '-' && !dwarf
		if neg {
			p.next()
		}
		if p.tok != tInt {
			p.fail()
			return
		}
		if want {
			v, _ := intValue(p.text[p.pos:p.end])
			if neg {
				v = -v
			}
			it.Vals = append(it.Vals, v)
		}
		p.next()
		if p.tok != ',' {
			return
		}
		p.next()
	}
}

// dataAddress parses label, label+n, label-label, .section or .section+n.
func (p *parser) dataAddress(it *Item, want bool) {
	label := p.tok == tName
	if !label && !p.plainDot() {
		p.fail()
		return
	}
	it.Base = p.dataName(want)
	switch {
	case p.tok == '+':
		p.next()
		if p.tok != tInt {
			p.fail()
			return
		}
		it.Off, _ = intValue(p.text[p.pos:p.end])
		p.next()
	case p.tok == '-' && label:
		p.next()
		if p.tok != tName {
			p.fail()
			return
		}
		it.Minus = p.dataName(want)
	}
}

// dwarf parses an @@DWARF line of the first PTX versions: a section
// heading, or data after which the rest of the line does not count.
func (p *parser) dwarf() {
	t := p.t
	s := Section{Dwarf: true, Pos: src.Pos(p.pos), Body: src.Pos(p.end)}
	p.next()
	if p.directive() == isa.WSection {
		p.next()
		s.Name = p.sectionName()
		p.expect(',')
		if p.tok != tString {
			p.fail()
		}
		p.advance()
		p.expect(',')
		s.End = src.Pos(p.end)
		p.expect(tAtWord)
	} else {
		p.dwarfData(nil)
		s.End = src.Pos(p.pos)
	}
	t.Sections = append(t.Sections, s)
	p.stmt(Stmt{Kind: StmtDwarf, Broken: p.err != nil, Pos: s.Pos, End: s.End, Index: int32(len(t.Sections) - 1)})
}

func (p *parser) dwarfData(f func(*Item) bool) {
	it := Item{Pos: src.Pos(p.pos)}
	if p.tok != tDot {
		p.fail()
		return
	}
	switch w := p.directive(); {
	case declTypes.has(w):
		it.Type = w
	default:
		switch string(p.text[p.pos:p.end]) {
		case ".byte":
			it.Type = isa.WB8
		case ".4byte":
			it.Type = isa.WB32
		case ".quad":
			it.Type = isa.WB64
		default:
			p.fail()
			return
		}
	}
	p.next()
	p.data(&it, f != nil, true)
	if p.err != nil {
		return
	}
	if f != nil {
		f(&it)
		return
	}
	if !firstOnLine(p.text, p.pos) {
		if n := bytes.IndexByte(p.text[p.pos:], '\n'); n >= 0 {
			p.end = p.pos + n
		} else {
			p.end = len(p.text)
		}
		p.next()
	}
}

// firstOnLine reports whether only blanks stand before text[i] on its line.
func firstOnLine(text []byte, i int) bool {
	for i--; i >= 0 && text[i] != '\n'; i-- {
		if class[text[i]] != clsSpace {
			return false
		}
	}
	return true
}
