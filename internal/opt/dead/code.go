// Package dead removes what nobody needs.
package dead

import (
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// DeadCode removes instructions whose results nobody reads, blocks nobody
// reaches, and copies of a register to itself. It marks what is needed,
// starting from what can be seen from outside: a word that only its own next
// value reads is not.
func DeadCode(f *ori.Func) bool {
	if f.Recall(ori.FactNeeded) != nil {
		return false
	}
	changed := branch.Unreachable(f)
	m := marked(f)
	v := m.v
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if !m.needed[i.ID] {
				if g := i.Prev(); opt.GathersFor(g, i) {
					v.Remove(g)
				}
				v.Remove(i)
				changed = true
			}
		}
	}
	v.Keep()
	f.Remember(ori.FactNeeded, needed{})
	return changed
}

// needed says that nothing of a function is dead.
type needed struct{}

// Holds reports whether that is so.
func (needed) Holds(f *ori.Func) bool {
	m := marked(f)
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if !m.needed[i.ID] {
				return false
			}
		}
	}
	return true
}

// marker finds the instructions that are needed.
type marker struct {
	phi    map[int64][]*ori.Instr // sources of each PHI, by its key
	v      *opt.Values
	head   []int32 // by word with several writers: the last, plus one, 0 = none, or done
	writer []writer
	needed []bool // by instruction ID
	work   []*ori.Instr
}

// writer is one who writes a word, and the one before.
type writer struct {
	i    *ori.Instr
	next int32
}

// done says that all writers of a word are needed.
const done = -1

// marked marks all that is needed in f.
func marked(f *ori.Func) *marker {
	m := newMarker(f, opt.ValuesOf(f))
	for len(m.work) > 0 {
		i := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		m.sources(i)
	}
	return m
}

// newMarker lists who writes each word, where the values do not tell, and marks
// what must stay whoever reads its results.
func newMarker(f *ori.Func, v *opt.Values) *marker {
	m := &marker{v: v, head: pool.Make[int32](f.Scratch(), len(v.Words)), needed: pool.Make[bool](f.Scratch(), f.NumInstrs())}
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if i.Op == op.PHISRC {
				if m.phi == nil {
					m.phi = map[int64][]*ori.Instr{}
				}
				m.phi[i.Args[1].Imm] = append(m.phi[i.Args[1].Imm], i)
				continue
			}
			if stays(v.Func, i) {
				m.mark(i)
				continue
			}
			for k := range i.NDst {
				a := &i.Args[k]
				if a.Kind != ori.KReg {
					continue
				}
				w := v.Word(a)
				for n := range int32(a.N) {
					if v.Words[w+n].Writes == 1 {
						continue // it is the word's Def
					}
					m.writer = append(m.writer, writer{i, m.head[w+n]})
					m.head[w+n] = int32(len(m.writer))
				}
			}
		}
	}
	return m
}

func (m *marker) mark(i *ori.Instr) {
	if !m.needed[i.ID] {
		m.needed[i.ID] = true
		m.work = append(m.work, i)
	}
}

// sources marks the writers of what i reads.
func (m *marker) sources(i *ori.Instr) {
	for k := int(i.NDst); k < len(i.Args); k++ {
		if a := &i.Args[k]; a.HasReg() {
			m.words(a)
		}
	}
	if i.Guard.HasReg() {
		m.words(&i.Guard)
	}
	for k := range i.Old {
		if a := &i.Old[k]; a.HasReg() {
			m.words(a)
		}
	}
	if i.Op == op.PHI {
		for _, s := range m.phi[i.Args[1].Imm] {
			m.mark(s)
		}
	}
}

// words marks the writers of the words that an operand names.
func (m *marker) words(a *ori.Operand) {
	w := m.v.Word(a)
	list := m.v.Words[w : w+int32(max(1, a.N))]
	for n := range list {
		if x := &list[n]; x.Writes == 1 {
			if x.Def.Op != op.PHISRC { // what a PHI reads is marked with it
				m.mark(x.Def)
			}
			continue
		}
		k := m.head[int(w)+n]
		m.head[int(w)+n] = done
		for ; k > 0; k = m.writer[k-1].next {
			m.mark(m.writer[k-1].i)
		}
	}
}

// stays reports whether i is needed even if nobody reads its results.
func stays(f *ori.Func, i *ori.Instr) bool {
	if i.NDst == 0 || i.Op.Has(op.Effect|op.Writes|op.Terminator) || i.Op.Has(op.Reads) && i.IsVolatile() {
		return true
	}
	for _, d := range i.Dsts() {
		if d.Kind == ori.KReg && f.Regs[d.Reg].Fixed {
			return true
		}
	}
	return false
}
