package bodies

import (
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// localKind says what a name of a body stands for.
type localKind uint8

const (
	localReg    localKind = iota // index is a register
	localFamily                  // name<count>: index is a row of families
	localVar                     // index is a variable of the body
	localVars                    // name<count> of variables: index is the first
	localParam                   // index is a formal parameter in memory
	localLabel                   // index is a label
	localTable                   // index is a table
)

// local is a name of a body.
type local struct {
	kind  localKind
	vec   uint8
	typ   isa.Type
	name  syntax.Name
	prev  int32 // what the name meant outside, as an index+1
	depth int32
	index int32
	count uint32 // of a family
}

// family is a register family: the registers of it that are used.
type family struct {
	base int32            // first row of numbered
	big  map[uint32]int32 // instead, when the family is larger than the text
}

// nameInfo is what is known about one name of a body's tree.
type nameInfo struct {
	sym    int32       // innermost meaning, as an index+1 of locals
	fam    int32       // innermost family with this prefix, as an index+1
	prefix syntax.Name // the name without its trailing digits, 0 when not looked for
	num    uint32      // the trailing digits
	module int32       // module symbol: 0 not looked for, -1 none, else index+1
	pend   int32       // uses before a definition, as an index+1 of pending
	split  splitState
	sreg   int16 // special register: -1 none
}

type splitState uint8

const (
	notSplit splitState = iota
	noDigits
	isSplit
)

// pendingUse is a use of a name that has no meaning yet: a label may follow.
type pendingUse struct {
	name  syntax.Name
	next  int32 // next use of the same name, as an index+1
	depth int32
	pos   src.Pos
	patch int32 // Operands (or, below zero, Targets) to get the label, or noPatch
	used  bool  // resolved
}

const noPatch = int32(-1 << 31)

// scope keeps the names of a body.
type scope struct {
	locals   []local
	names    []nameInfo
	families []family
	numbered []int32 // register of family row + number, as an index+1
	marks    []int32 // first local of each open block
	pending  []pendingUse
	open     int // uses still pending
}

func (s *scope) reset(names int) {
	s.locals, s.families, s.numbered = s.locals[:0], s.families[:0], s.numbered[:0]
	s.marks, s.pending, s.open = s.marks[:0], s.pending[:0], 0
	if cap(s.names) < names {
		s.names = make([]nameInfo, names, names+names/4)
		return
	}
	s.names = s.names[:names]
	clear(s.names)
}

func (s *scope) depth() int32 { return int32(len(s.marks)) }

func (s *scope) enter() { s.marks = append(s.marks, int32(len(s.locals))) }

// leave forgets the names of the innermost block. Uses that are still
// pending now wait in the block around it.
func (s *scope) leave() {
	d := s.depth()
	first := s.marks[d-1]
	for i := len(s.locals) - 1; i >= int(first); i-- {
		l := &s.locals[i]
		if l.kind == localFamily || l.kind == localVars {
			s.names[l.name].fam = l.prev
		} else {
			s.names[l.name].sym = l.prev
		}
	}
	s.locals = s.locals[:first]
	s.marks = s.marks[:d-1]
	if s.open == 0 {
		return
	}
	for i := len(s.pending) - 1; i >= 0; i-- {
		p := &s.pending[i]
		if p.depth < d {
			if !p.used {
				break // uses are made in blocks that never get shallower backwards
			}
			continue
		}
		p.depth = d - 1
	}
}

// here returns the local that the name means in the innermost block itself,
// or nil.
func (s *scope) here(n syntax.Name) *local {
	if i := s.names[n].sym; i > 0 && s.locals[i-1].depth == s.depth() {
		return &s.locals[i-1]
	}
	return nil
}

func (s *scope) familyHere(n syntax.Name) *local {
	if i := s.names[n].fam; i > 0 && s.locals[i-1].depth == s.depth() {
		return &s.locals[i-1]
	}
	return nil
}

// add gives a name a meaning in the innermost block.
func (s *scope) add(l local) {
	info := &s.names[l.name]
	l.depth = s.depth()
	slot := &info.sym
	if l.kind == localFamily || l.kind == localVars {
		slot = &info.fam
	}
	l.prev = *slot
	s.locals = append(s.locals, l)
	*slot = int32(len(s.locals))
}

// split finds the family name and number in a name that ends in digits.
func (s *scope) split(t *syntax.Tree, n syntax.Name) *nameInfo {
	info := &s.names[n]
	if info.split != notSplit {
		return info
	}
	info.split = noDigits
	text := t.Names.Bytes(n)
	i := len(text)
	for i > 0 && text[i-1] >= '0' && text[i-1] <= '9' {
		i--
	}
	if i == len(text) || i == 0 {
		return info
	}
	num := uint64(0)
	for _, c := range text[i:] {
		if num = num*10 + uint64(c-'0'); num > 1<<32-1 {
			return info
		}
	}
	info.num = uint32(num)
	if p := t.Names.Find(text[:i]); p != 0 {
		info.prefix = p
		info.split = isSplit
	}
	return info
}

// find returns what a name means, or nil. A family counts when it has the
// name's number; the innermost meaning wins, and a register of a family hides
// a label of its own block, before or behind it.
func (s *scope) find(t *syntax.Tree, n syntax.Name) (l *local, num uint32, member bool) {
	info := s.split(t, n)
	if info.sym > 0 {
		l = &s.locals[info.sym-1]
	}
	if info.split == isSplit {
		for i := s.names[info.prefix].fam; i > 0; {
			f := &s.locals[i-1]
			if l != nil && (f.depth < l.depth || f.depth == l.depth && l.kind != localLabel && l.kind != localTable) {
				break
			}
			if info.num < f.count {
				return f, info.num, true
			}
			i = f.prev
		}
	}
	return l, 0, false
}

// wait records a use of a name that has no meaning yet.
func (s *scope) wait(n syntax.Name, pos src.Pos, patch int32) {
	info := &s.names[n]
	s.pending = append(s.pending, pendingUse{name: n, next: info.pend, depth: s.depth(), pos: pos, patch: patch})
	info.pend = int32(len(s.pending))
	s.open++
}

// made reports whether a register of a family has been used.
func (s *scope) made(l *local, num uint32) bool {
	if l.kind != localFamily {
		return false
	}
	f := &s.families[l.index]
	if f.big != nil {
		_, ok := f.big[num]
		return ok
	}
	return s.numbered[f.base+int32(num)] != 0
}
