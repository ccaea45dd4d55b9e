package flow

import (
	"slices"

	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
)

// Meetings lists the instructions of the text, by position, at which threads
// of a warp may wait for others that come to another place with the same
// instruction: f.Syncs says which are the same. f has its convergence
// instructions; u is its uniformity.
//
// Threads part at branches. From there on the first places on all ways up to
// where the threads meet again are where they do the instruction together,
// the next places behind those where they do it once more, and so on. That
// holds where all of them name all threads; with other masks any place may go
// with any other.
func Meetings(f *ori.Func, u *Uniformity) []int32 {
	m := newMeetings(f)
	if m == nil {
		return nil
	}
	for k, n := range m.kinds {
		if n > 1 {
			m.of(k, u)
		}
	}
	var list []int32
	for pos := range m.found {
		list = append(list, pos)
	}
	slices.Sort(list)
	return list
}

// Crossings lists the blocks, by ID, at whose ends threads part in such a way
// that some may wait for all others at an instruction of f.Syncs while those
// come to one only behind the place where the paths meet. They must not wait
// there.
func Crossings(f *ori.Func, u *Uniformity) map[int32]bool {
	m := newMeetings(f)
	if m == nil {
		return nil
	}
	pd := PostDomOf(f)
	byID := blocksByID(f)
	ends := map[int32]bool{}
	for k := range m.kinds {
		for _, b := range f.Blocks {
			if p := pd.Ipdom[b.ID]; p >= 0 && u.Parts(b) && !ends[p] && m.crosses(b, byID[p], k) {
				ends[p] = true
			}
		}
	}
	if len(ends) == 0 {
		return nil
	}
	list := map[int32]bool{}
	for _, b := range f.Blocks {
		if p := pd.Ipdom[b.ID]; p >= 0 && ends[p] {
			list[b.ID] = true
		}
	}
	return list
}

// crosses reports whether that holds for the branch at the end of b, whose
// paths meet at to.
func (m *meetings) crosses(b, to *ori.Block, kind uint8) bool {
	w := &wave{m: m, kind: kind, stop: to}
	for _, s := range b.Succs {
		w.block(s)
	}
	var seen [][]*ori.Instr
	for done := false; len(w.sites) > 0; w = w.next() {
		w.sort()
		if slices.ContainsFunc(w.sites, func(i *ori.Instr) bool { return m.partial[i.Line] }) || slices.ContainsFunc(seen, func(s []*ori.Instr) bool { return slices.Equal(s, w.sites) }) {
			return false
		}
		seen = append(seen, w.sites)
		if done = done || w.ended; done {
			behind := &wave{m: m, kind: kind}
			behind.block(to)
			return len(behind.sites) > 0
		}
	}
	return false
}

func blocksByID(f *ori.Func) []*ori.Block {
	byID := make([]*ori.Block, f.NumBlocks())
	for _, b := range f.Blocks {
		byID[b.ID] = b
	}
	return byID
}

// newMeetings finds the places of all kinds; nil if there are none.
func newMeetings(f *ori.Func) *meetings {
	if len(f.Syncs) == 0 {
		return nil
	}
	m := &meetings{f: f, kind: map[int32]uint8{}, partial: map[int32]bool{}, found: map[int32]bool{}, kinds: map[uint8]int{}}
	for _, s := range f.Syncs {
		m.kind[s.Pos] = s.Kind
		m.partial[s.Pos] = m.partial[s.Pos] || !s.Full
	}
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if k, ok := m.site(i); ok {
				m.kinds[k]++
			}
		}
	}
	return m
}

type meetings struct {
	f       *ori.Func
	kinds   map[uint8]int // how many places each has
	kind    map[int32]uint8
	partial map[int32]bool // by position: does not name all threads
	found   map[int32]bool
}

// site reports whether i is where threads gather for an instruction of
// f.Syncs, and its kind.
func (m *meetings) site(i *ori.Instr) (uint8, bool) {
	if i.Op != op.WARPSYNC && !m.f.CallsSync(i) {
		return 0, false
	}
	k, ok := m.kind[i.Line]
	return k, ok
}

// of finds the meetings of one kind.
func (m *meetings) of(kind uint8, u *Uniformity) {
	pd := PostDomOf(m.f)
	byID := blocksByID(m.f)
	for _, b := range m.f.Blocks {
		for i := range b.Instrs {
			if k, ok := m.site(i); ok && k == kind && i.Guard.HasReg() && u.Differs(i.Guard.Reg) { // some go on
				w := &wave{m: m, kind: kind}
				w.add(i)
				w.from(b, i.Next())
				m.waves(w)
			}
		}
		if !u.Parts(b) {
			continue
		}
		w := &wave{m: m, kind: kind}
		if p := pd.Ipdom[b.ID]; p >= 0 && gathers(byID[p]) && !slices.ContainsFunc(reach(b, byID[p], make([]int32, m.f.NumBlocks()), 1), sleeps) {
			w.stop = byID[p]
		}
		for _, s := range b.Succs {
			w.block(s)
		}
		m.waves(w)
	}
}

// waves follows threads from the places of w on.
func (m *meetings) waves(w *wave) {
	var seen [][]*ori.Instr
	for len(w.sites) > 0 {
		w.sort()
		if slices.ContainsFunc(w.sites, func(i *ori.Instr) bool { return m.partial[i.Line] }) {
			m.all(w)
			return
		}
		if slices.ContainsFunc(seen, func(s []*ori.Instr) bool { return slices.Equal(s, w.sites) }) {
			return
		}
		seen = append(seen, w.sites)
		m.unite(w.sites)
		w = w.next()
	}
}

// all takes every place that can be reached for one where threads of all
// others may come.
func (m *meetings) all(w *wave) {
	sites := slices.Clone(w.sites)
	for len(w.sites) > 0 {
		w = w.next()
		w.sites = slices.DeleteFunc(w.sites, func(i *ori.Instr) bool { return slices.Contains(sites, i) })
		sites = append(sites, w.sites...)
	}
	m.unite(sites)
}

func (m *meetings) unite(sites []*ori.Instr) {
	if len(sites) < 2 {
		return
	}
	for _, i := range sites {
		m.found[i.Line] = true
	}
}

// wave is the places of one kind that threads come to next.
type wave struct {
	m     *meetings
	kind  uint8
	stop  *ori.Block // where they meet anyway
	ended bool       // some come there
	sites []*ori.Instr
	seen  map[*ori.Block]bool
}

// next is the wave behind w.
func (w *wave) next() *wave {
	n := &wave{m: w.m, kind: w.kind, stop: w.stop}
	for _, i := range w.sites {
		n.from(i.Block(), i.Next())
	}
	return n
}

func (w *wave) add(i *ori.Instr) {
	if !slices.Contains(w.sites, i) {
		w.sites = append(w.sites, i)
	}
}

func (w *wave) sort() {
	slices.SortFunc(w.sites, func(a, b *ori.Instr) int { return int(a.ID) - int(b.ID) })
}

// block goes on at the beginning of b.
func (w *wave) block(b *ori.Block) {
	w.ended = w.ended || b == w.stop
	if b == w.stop || w.seen[b] {
		return
	}
	if w.seen == nil {
		w.seen = map[*ori.Block]bool{}
	}
	w.seen[b] = true
	w.from(b, b.First())
}

// from goes on at instruction i of b.
func (w *wave) from(b *ori.Block, i *ori.Instr) {
	for ; i != nil; i = i.Next() {
		if k, ok := w.m.site(i); ok && k == w.kind {
			w.add(i)
			if i.Guard.Kind == ori.KNone {
				return
			}
		}
		if _, ok := w.m.kind[i.Line]; i.Op == op.BAR && !ok && i.Guard.Kind == ori.KNone { // aligned: all threads of the warp come here together
			return
		}
	}
	for _, s := range b.Succs {
		w.block(s)
	}
}
