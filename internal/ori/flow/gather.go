package flow

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Threads of a warp that part at a branch do the instructions of Func.Syncs
// together all the same: each waits at a place of the text until the others
// of its mask have come, there or to another place with the same instruction.
//
// Where all masks are full, threads do the same instructions in the same
// order, whatever paths they take. So the first places on all paths from a branch
// are where they gather first, those behind them where they gather next, and
// so on: these are waves. Places in one wave and of one kind go together.
// With other masks any place on one path may go with any place on another,
// unless the mask is what an instruction of a warp on the same path says of
// those that are there, or the masks are constants that differ.
//
// Instructions that the text promises all threads of a warp do at one place
// end the search: nobody passes them before all have come.

// Gatherings lists the instructions of the text, by position, at which threads
// may wait for others that come to another place. u is the uniformity of f;
// waits tells whether threads that part at the end of a block wait for each other where
// its paths reconverge.
func Gatherings(f *ori.Func, u *Uniformity, waits func(b, reconv *ori.Block) bool) []int32 {
	m := newGatherings(f)
	if m == nil || m.sites < 2 {
		return nil
	}
	m.u = u
	pd, byID := PostDomOf(f), blocksByID(f)
	for _, b := range f.Blocks {
		m.at = b
		for i := range b.Instrs {
			if _, ok := m.site(i); ok && i.Guard.HasReg() && u.Differs(i.Guard.Reg) { // some go on
				w := &wave{m: m}
				w.add(i)
				w.from(b, i.Next())
				m.follow(w)
				m.mixed([]*wave{{m: m, sites: []*ori.Instr{i}}, m.behind(b, i.Next(), nil)})
			}
		}
		if !u.Parts(b) || m.passes(b, pd.Ipdom[b.ID], byID) {
			continue
		}
		var stop *ori.Block
		if p := pd.Ipdom[b.ID]; p >= 0 && waits(b, byID[p]) && !slices.ContainsFunc(reach(b, byID[p], make([]int32, f.NumBlocks()), 1), Sleeps) {
			stop = byID[p]
		}
		w := &wave{m: m, stop: stop}
		var paths []*wave
		for _, s := range b.Succs {
			w.block(s)
			if m.masks {
				paths = append(paths, m.behind(s, s.First(), stop))
			}
		}
		m.follow(w)
		m.mixed(paths)
	}
	list := make([]int32, 0, len(m.found))
	for pos := range m.found {
		list = append(list, pos)
	}
	slices.Sort(list)
	return list
}

// Waits tells, of a function that has its convergence instructions, whether
// threads wait for each other at a block.
func Waits(_, reconv *ori.Block) bool { return gathers(reconv) }

// IsSync reports whether i is where threads gather for an instruction of
// f.Syncs, in its place.
func IsSync(f *ori.Func, i *ori.Instr) bool {
	return i.Op == op.WARPSYNC && slices.ContainsFunc(f.Syncs, func(s ori.Sync) bool { return s.Pos == i.Line })
}

// passes reports whether threads that part at the end of b come to no place
// before the block where they reconverge, though some may be there long before
// others (who sleep meanwhile). From there on all take the same path up to the
// next place, whoever is first: another branch at which threads part is looked
// at for itself.
func (m *gatherings) passes(b *ori.Block, reconv int32, byID []*ori.Block) bool {
	if reconv < 0 || m.masks {
		return false
	}
	for _, x := range reach(b, byID[reconv], make([]int32, m.f.NumBlocks()), 1) {
		for i := range x.Instrs {
			if _, ok := m.site(i); ok {
				return false
			}
		}
		if allWait(x) || len(x.Succs) == 0 {
			return false
		}
	}
	return true
}

// Crossings lists the blocks, by ID, at whose ends threads part in such a way
// that some may wait for all others at a place while those are at the block
// where the paths reconverge. They must not wait there.
func Crossings(f *ori.Func, u *Uniformity) map[int32]bool {
	m := newGatherings(f)
	if m == nil {
		return nil
	}
	pd, byID := PostDomOf(f), blocksByID(f)
	ends := map[int32]bool{}
	for _, b := range f.Blocks {
		if p := pd.Ipdom[b.ID]; p >= 0 && u.Parts(b) && !ends[p] && m.crosses(b, byID[p]) {
			ends[p] = true
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

func blocksByID(f *ori.Func) []*ori.Block {
	byID := make([]*ori.Block, f.NumBlocks())
	for _, b := range f.Blocks {
		byID[b.ID] = b
	}
	return byID
}

type gatherings struct {
	f     *ori.Func
	u     *Uniformity
	sites int                    // places in the code
	masks bool                   // some names certain threads
	wrote map[ori.Reg]*ori.Instr // who alone writes a mask; nil: several do
	dom   *Dom
	at    *ori.Block         // where threads part
	kind  map[int32]ori.Sync // by position
	of    map[uint8]int      // places of each kind
	found map[int32]bool
	seen  [][]*ori.Instr // waves
}

// newGatherings finds the places of all kinds; nil if there are none.
func newGatherings(f *ori.Func) *gatherings {
	if len(f.Syncs) == 0 {
		return nil
	}
	m := &gatherings{f: f, kind: map[int32]ori.Sync{}, of: map[uint8]int{}, found: map[int32]bool{}}
	for _, s := range f.Syncs {
		if old, ok := m.kind[s.Pos]; ok { // the text of a function, more than once
			s.Full = s.Full && old.Full
		}
		m.kind[s.Pos] = s
	}
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if s, ok := m.site(i); ok {
				m.sites++
				m.of[s.Kind]++
				m.masks = m.masks || !s.Full
			}
		}
	}
	if m.sites == 0 {
		return nil
	}
	if m.masks {
		m.writers()
		m.dom = DomOf(f)
	}
	return m
}

// writers finds who writes what may be a mask.
func (m *gatherings) writers() {
	m.wrote = map[ori.Reg]*ori.Instr{}
	for _, b := range m.f.Blocks {
		for i := range b.Instrs {
			for _, d := range i.Dsts() {
				if !d.HasReg() || d.Class != ori.R {
					continue
				}
				if _, ok := m.wrote[d.Reg]; ok {
					m.wrote[d.Reg] = nil
				} else {
					m.wrote[d.Reg] = i
				}
			}
		}
	}
}

// isOwn reports whether the mask of i names only threads that were in one of
// the blocks together since they parted: a loop may lead back to a vote from
// before.
func (m *gatherings) isOwn(i *ori.Instr, in map[*ori.Block]bool) bool {
	if i.Op != op.WARPSYNC || len(i.Srcs()) == 0 || !i.Srcs()[0].HasReg() {
		return false
	}
	w := m.writer(i)
	for w != nil && w.Op == op.COPY && w.Srcs()[0].HasReg() {
		w = m.writer(w)
	}
	return w != nil && in[w.Block()] && !m.dom.Dominates(w.Block(), m.at) && (w.Op == op.VOTE && w.Mods.Has(op.MANY) || w.Op == op.MATCH && w.Mods.Has(op.MANY))
}

// writer returns who alone writes the first source of i, and has done so on
// all paths there: what another turn of a loop left names other threads.
func (m *gatherings) writer(i *ori.Instr) *ori.Instr {
	w := m.wrote[i.Srcs()[0].Reg]
	if w == nil || !m.dom.Dominates(w.Block(), i.Block()) {
		return nil
	}
	for j := i; j != nil && w.Block() == i.Block(); j = j.Prev() {
		if j == w {
			return w
		}
	}
	if w.Block() == i.Block() {
		return nil
	}
	return w
}

// site reports whether i is where threads gather for an instruction of
// f.Syncs.
func (m *gatherings) site(i *ori.Instr) (ori.Sync, bool) {
	if i.Op != op.WARPSYNC && i.Op != op.CALL {
		return ori.Sync{}, false
	}
	s, ok := m.kind[i.Line]
	return s, ok
}

// isAligned reports whether all threads of a warp come to i together, as the
// text promises.
func (m *gatherings) isAligned(i *ori.Instr) bool {
	if i.Guard.Kind != ori.KNone {
		return false
	}
	if i.Op == op.BAR || i.Op == op.WARPSYNC {
		_, ok := m.kind[i.Line]
		return !ok
	}
	return i.Op.Has(op.Aligned)
}

// alone reports whether all threads of the warp wait for each other at i: it
// is the only place of its kind, here and in what this function calls, since kinds
// that several functions have are calls.
func (m *gatherings) alone(i *ori.Instr, s ori.Sync) bool {
	return s.Full && i.Op == op.WARPSYNC && m.of[s.Kind] == 1
}

// follow follows threads from the places of w on.
func (m *gatherings) follow(w *wave) {
	work := []*wave{w}
	for len(work) > 0 {
		w := work[len(work)-1]
		work = work[:len(work)-1]
		for _, g := range w.kinds() {
			if !m.isNew(g) {
				continue
			}
			m.unite(g)
			if len(g) > 1 || !m.u.unites(g[0]) { // from one place all go on together
				work = append(work, w.behind(g))
			}
		}
	}
	m.seen = m.seen[:0]
}

// isNew remembers a set of places.
func (m *gatherings) isNew(g []*ori.Instr) bool {
	if slices.ContainsFunc(m.seen, func(s []*ori.Instr) bool { return slices.Equal(s, g) }) {
		return false
	}
	m.seen = append(m.seen, g)
	return true
}

// mixed lets places on different paths go together where masks are not all
// full, but for those that name different threads.
func (m *gatherings) mixed(paths []*wave) {
	for kind, masked := range m.maskedKinds(paths...) {
		if !masked {
			continue
		}
		var lists [][]*ori.Instr
		for _, w := range paths {
			if sites := w.of(kind); len(sites) > 0 {
				lists = append(lists, sites)
			}
		}
		for n, list := range lists {
			for _, other := range lists[:n] {
				m.pairs(list, other)
			}
		}
	}
}

// pairs lets places of one path go together with those of another.
func (m *gatherings) pairs(list, other []*ori.Instr) {
	for _, i := range list {
		for _, j := range other {
			if i != j && !(m.found[i.Line] && m.found[j.Line]) && m.maySuit(i, j) {
				m.unite([]*ori.Instr{i, j})
			}
		}
	}
}

// maySuit reports whether the masks of two places may be the same: threads wait for
// each other where both name the same ones.
func (m *gatherings) maySuit(i, j *ori.Instr) bool {
	x, ok0 := m.constant(i)
	y, ok1 := m.constant(j)
	return !ok0 || !ok1 || x == y
}

// constant returns the mask of a place, if the text says it.
func (m *gatherings) constant(i *ori.Instr) (mask uint32, ok bool) {
	if s := m.kind[i.Line]; s.Full {
		return ^uint32(0), true
	}
	if i.Op != op.WARPSYNC || len(i.Srcs()) == 0 || !i.Srcs()[0].HasReg() {
		return 0, false
	}
	w := m.writer(i)
	if w == nil || w.Op != op.MOV && w.Op != op.COPY || w.Guard.Kind != ori.KNone || len(w.Srcs()) != 1 || w.Srcs()[0].Kind != ori.KImm || w.Args[0].N != 1 {
		return 0, false
	}
	return uint32(w.Srcs()[0].Imm), true
}

// maskedKinds returns the kinds of all places, and whether some of them name
// certain threads.
func (m *gatherings) maskedKinds(paths ...*wave) map[uint8]bool {
	kinds := map[uint8]bool{}
	for _, w := range paths {
		for _, i := range w.sites {
			s := m.kind[i.Line]
			kinds[s.Kind] = kinds[s.Kind] || !s.Full && !m.isOwn(i, w.seen)
		}
	}
	return kinds
}

// of returns the places of one kind but those whose threads are all there.
func (w *wave) of(kind uint8) []*ori.Instr {
	var list []*ori.Instr
	for _, i := range w.sites {
		if w.m.kind[i.Line].Kind == kind && !w.m.isOwn(i, w.seen) {
			list = append(list, i)
		}
	}
	return list
}

// behind finds all places from instruction i of b on.
func (m *gatherings) behind(b *ori.Block, i *ori.Instr, stop *ori.Block) *wave {
	w := &wave{m: m, stop: stop, through: true}
	if i == b.First() {
		w.block(b)
	} else {
		w.from(b, i)
	}
	return w
}

func (m *gatherings) unite(sites []*ori.Instr) {
	if len(sites) < 2 {
		return
	}
	for _, i := range sites {
		m.found[i.Line] = true
	}
}

// crosses reports whether threads that part at the end of b, whose paths reconverge
// at to, wait for all others on a way there, while some of those come to the
// reconvergence point without having been at such a place, or at as many. These
// must go on: to a place behind it, or to their end, since threads that are
// gone are waited for no longer.
func (m *gatherings) crosses(b, to *ori.Block) bool {
	if m.masks && m.crossesMasked(b, to) {
		return true
	}
	w := &wave{m: m, stop: to}
	for _, s := range b.Succs {
		w.block(s)
	}
	defer func() { m.seen = m.seen[:0] }()
	for work := []*wave{w}; len(work) > 0; {
		w = work[len(work)-1]
		work = work[:len(work)-1]
		if w.ended && len(w.sites) > 0 {
			return true
		}
		for _, g := range w.kinds() {
			if next := w.behind(g); m.isNew(g) || next.ended && !w.ended {
				work = append(work, next)
			}
		}
	}
	return false
}

// crossesMasked reports whether there is a place on the way whose mask may
// name threads that do not come there.
func (m *gatherings) crossesMasked(b, to *ori.Block) bool {
	m.at = b
	w := &wave{m: m, stop: to, through: true}
	for _, s := range b.Succs {
		w.block(s)
	}
	for kind, masked := range m.maskedKinds(w) {
		if masked && len(w.of(kind)) > 0 {
			return true
		}
	}
	return false
}

// wave is the places that threads come to next.
type wave struct {
	m       *gatherings
	stop    *ori.Block // where they reconverge anyway
	ended   bool       // some come there, now or in an earlier wave
	through bool       // all places, not the next ones only
	sites   []*ori.Instr
	seen    map[*ori.Block]bool
}

// kinds parts the places that name all threads by their kinds.
func (w *wave) kinds() [][]*ori.Instr {
	slices.SortFunc(w.sites, func(a, b *ori.Instr) int {
		if x, y := w.m.kind[a.Line].Kind, w.m.kind[b.Line].Kind; x != y {
			return int(x) - int(y)
		}
		return int(a.ID) - int(b.ID)
	})
	var list [][]*ori.Instr
	for n, i := range w.sites {
		if n == 0 || w.m.kind[i.Line].Kind != w.m.kind[w.sites[n-1].Line].Kind {
			list = append(list, nil)
		}
		list[len(list)-1] = append(list[len(list)-1], i)
	}
	return list
}

// behind is the wave behind places of w.
func (w *wave) behind(sites []*ori.Instr) *wave {
	n := &wave{m: w.m, stop: w.stop}
	for _, i := range sites {
		n.from(i.Block(), i.Next())
	}
	n.ended = n.ended || w.ended
	return n
}

func (w *wave) add(i *ori.Instr) {
	if !slices.Contains(w.sites, i) {
		w.sites = append(w.sites, i)
	}
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
		if s, ok := w.m.site(i); ok && (s.Full || w.through) {
			w.add(i)
			if i.Guard.Kind == ori.KNone && (!w.through || w.m.alone(i, s)) {
				return
			}
		}
		if w.m.isAligned(i) {
			return
		}
	}
	for _, s := range b.Succs {
		w.block(s)
	}
}
