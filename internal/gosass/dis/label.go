package dis

import (
	"sort"
	"strconv"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/sass"
)

// labeler numbers the labels of a file: return addresses that relocations
// name, then targets of branches in the order in which code names them, then
// indirect branches with their targets, then the ends of functions in the
// order of the symbol table. The last two use up a number for each place,
// labelled or not. A place keeps its first label, and the name of a function
// at a place stands for both.
type labeler struct {
	next int
}

func (l *labeler) fresh() string {
	s := ".L_x_" + strconv.Itoa(l.next)
	l.next++
	return s
}

// at labels a place of a section, unless it has a label.
func (l *labeler) at(t *textSection, off uint64) {
	if off > uint64(len(t.code)) || t.funcAt(off) != nil {
		return
	}
	if _, has := t.labels[off]; !has {
		t.labels[off] = l.fresh()
	}
}

// take uses up a number for a place, also when the place has a label.
func (l *labeler) take(t *textSection, off uint64) {
	name := l.fresh()
	if _, has := t.labels[off]; !has && off <= uint64(len(t.code)) && t.funcAt(off) == nil {
		t.labels[off] = name
	}
}

// funcAt returns the function symbol at a place.
func (t *textSection) funcAt(off uint64) *cubin.Symbol {
	for _, s := range t.syms {
		if s.Type == cubin.SymFunc && s.Value == off {
			return s
		}
	}
	return nil
}

func (p *program) label(all []*textSection) {
	l := &labeler{}
	l.named(p.file, all)
	for _, t := range all {
		l.branches(p, t)
	}
	for _, t := range all {
		l.indirect(p, t)
	}
	l.ends(p, all)
}

// named labels the places inside code that relocations name, of any section,
// by section and offset.
func (l *labeler) named(f *cubin.File, all []*textSection) {
	bySec := make(map[*cubin.Section]*textSection, len(all))
	for _, t := range all {
		bySec[t.sec] = t
	}
	tables := map[*cubin.Section][]cubin.Reloc{}
	for _, s := range f.Sections {
		if c, ok := s.Content.(*cubin.Relocs); ok && s.Info.Section != nil && s.Type != cubin.TypeMercRela {
			tables[s.Info.Section] = append(tables[s.Info.Section], c.List...)
		}
	}
	for _, of := range f.Sections {
		list := tables[of]
		sort.SliceStable(list, func(i, j int) bool { return list[i].Off < list[j].Off })
		for _, r := range list {
			if r.Addend == 0 || r.Sym == nil {
				continue
			}
			if t := bySec[r.Sym.Section]; t != nil {
				l.at(t, r.Sym.Value+uint64(r.Addend))
			}
		}
	}
}

func (l *labeler) branches(p *program, t *textSection) {
	for n := range t.words() {
		pc := n * sass.WordBytes
		w := t.word(pc)
		if !mayBranch(w.Lo) {
			continue
		}
		i := sass.Decode(p.arch, w)
		if to, ok := targetOf(&i, pc); ok {
			l.at(t, to)
		}
	}
}

// mayBranch tells the opcodes from 0x140 to 0x15f, which are all that name a
// code address, from the others; bits above 8 choose operand kinds.
func mayBranch(lo uint64) bool { return lo&0x1e0 == 0x140 }

// indirect labels the branches whose targets an attribute lists.
func (l *labeler) indirect(p *program, t *textSection) {
	in := t.info
	if in == nil {
		return
	}
	for i := range in.Attrs {
		a := &in.Attrs[i]
		if a.ID != cubin.AttrBranchTargets {
			continue
		}
		for _, b := range branchLists(a.Words) {
			if t.multi == nil {
				t.multi = map[uint64][]uint64{}
			}
			l.take(t, b.at)
			for _, to := range b.targets {
				l.take(t, to)
			}
			t.multi[b.at] = b.targets
		}
	}
}

type branchList struct {
	at      uint64
	targets []uint64
}

// branchLists reads the payload of INDIRECT_BRANCH_TARGETS: address, two
// halves of zero, count, targets, again and again.
func branchLists(w []uint32) []branchList {
	var list []branchList
	for len(w) >= 3 {
		n := uint64(w[2])
		if n > uint64(len(w)-3) {
			break
		}
		b := branchList{at: uint64(w[0])}
		for _, t := range w[3 : 3+n] {
			b.targets = append(b.targets, uint64(t))
		}
		list = append(list, b)
		w = w[3+n:]
	}
	return list
}

// ends numbers the ends of all functions.
func (l *labeler) ends(p *program, all []*textSection) {
	bySec := make(map[*cubin.Section]*textSection, len(all))
	for _, t := range all {
		bySec[t.sec] = t
	}
	for _, s := range p.file.Symtab() {
		t := bySec[s.Section]
		if s.Type != cubin.SymFunc || t == nil {
			continue
		}
		name := l.fresh()
		if _, has := t.labels[s.Value+s.Size]; !has {
			t.labels[s.Value+s.Size] = name
		}
	}
}
