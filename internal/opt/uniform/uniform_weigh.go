package uniform

import (
	mbits "math/bits"
	"slices"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// weigh leaves registers where they are that cost more in the uniform file:
// not every instruction reads uniform registers, none reads two, and one
// that has an immediate may have no room for them. Each of those needs a
// move.
func (u *uniformer) weigh() {
	u.loops = flow.LoopsOf(u.f, flow.DomOf(u.f))
	u.rich = u.isRich()
	u.crowd()
	for again, rounds := true, 0; again && rounds < weighRounds; rounds++ {
		again = false
		for r := range u.f.Regs {
			if u.moves[r] && u.f.Regs[r].Class == ori.R && !u.pays(ori.Reg(r)) {
				u.settle(u.drop(ori.Reg(r), nil))
				again = true
			}
		}
	}
}

// crowd leaves in the general file what would overfill the uniform one at
// the border of a block, first those that are read the least often, with all
// that depends on them. What does
// not fit would be written again where threads are apart.
func (u *uniformer) crowd() {
	room := u.room.Words
	if u.f.Props.HasCalls {
		room = u.room.Called
	}
	among := func(r ori.Reg) bool { return u.moves[r] && u.f.Regs[r].Class == ori.R }
	if flow.NoMore(u.f, room, among) {
		return
	}
	live := flow.LiveAmong(u.f, among)
	var list []ori.Reg
	for k, words := range u.borders(live) {
		list = list[:0]
		n := 0
		apart := u.apart.Is(u.f.Blocks[k/2])
		for w := range words.All() {
			r := live.Reg(w)
			if !u.moves[r] || !apart && u.again(r, live, words) {
				continue
			}
			n++
			if k := len(list); k == 0 || list[k-1] != r { // words of one register follow each other
				list = append(list, r)
			}
		}
		if n <= room {
			continue
		}
		loss := map[ori.Reg]int{}
		for _, r := range list {
			loss[r] = u.loss(r, map[ori.Reg]bool{})
		}
		slices.SortStableFunc(list, func(a, b ori.Reg) int { return loss[a] - loss[b] })
		for _, r := range list {
			if n <= room {
				break
			}
			n -= int(u.f.Regs[r].Width)
			if u.moves[r] { // others may have taken it along
				u.settle(u.drop(r, nil))
			}
		}
	}
}

// again reports whether the register allocator can make r again where there
// is no room for it: a constant, or what one instruction makes of one register
// that lives there too. Where threads are apart none is written.
func (u *uniformer) again(r ori.Reg, live *flow.Live, words bits.Set) bool {
	if len(u.defs[r]) != 1 {
		return false
	}
	i := u.defs[r][0]
	if !u.can[i.ID] || !i.Op.Has(op.Derives) || i.NDst != 1 || i.Guard.Kind != ori.KNone {
		return false
	}
	from := ori.NoReg
	for _, s := range i.Srcs() {
		switch {
		case s.Kind == ori.KImm || s.Kind == ori.KZero:
		case s.Kind != ori.KReg || s.N != 1 || from != ori.NoReg || len(u.defs[s.Reg]) != 1:
			return false
		default:
			from = s.Reg
			if w := live.Number(from, int(s.Sub)); !u.moves[from] || w < 0 || !words.Has(w) {
				return false
			}
		}
	}
	return from != ori.NoReg || i.Op == op.MOV
}

// loss is what r and all that would stay with it are worth in the uniform
// file.
func (u *uniformer) loss(r ori.Reg, seen map[ori.Reg]bool) int {
	seen[r] = true
	n := u.rank(r)
	for _, i := range u.uses[r] {
		if !u.can[i.ID] {
			continue
		}
		for _, d := range i.Dsts() {
			if d.HasReg() && u.moves[d.Reg] && !seen[d.Reg] {
				n += u.loss(d.Reg, seen)
			}
		}
	}
	return n
}

// rank is how often r is read, as far as loops tell; what constant banks hold
// is at hand without a register and counts less.
func (u *uniformer) rank(r ori.Reg) (n int) {
	for _, i := range u.uses[r] {
		n += constantRank << u.weight(i)
	}
	for _, i := range u.defs[r] {
		if i.Op != op.LDC && i.Op != op.MOV {
			return n
		}
	}
	return n / constantRank
}

// borders returns the words that live at the start and at the end of each
// block, with those that must survive in it while threads are apart.
func (u *uniformer) borders(live *flow.Live) []bits.Set {
	at := make([]int, u.f.NumBlocks())
	var sets []bits.Set
	for _, b := range u.f.Blocks {
		at[b.ID] = len(sets)
		sets = append(sets, live.Start(b).Clone(), live.End(b).Clone())
	}
	for _, r := range u.apart.Regions {
		alive := live.End(r.From[0]).Clone()
		for _, b := range r.From[1:] {
			alive.Or(live.End(b))
		}
		for _, b := range r.Blocks {
			sets[at[b.ID]].Or(alive)
			sets[at[b.ID]+1].Or(alive)
		}
	}
	return sets
}

// Room is what there is for values that threads share. Words, and Called in
// functions with calls, are how many words may live in the uniform file from
// one block to the next: some of the 63 are left for what lives inside blocks,
// and calls leave 27 alone. Many is how many words of general registers may live
// between blocks before a move is a fair price for a register.
type Room struct{ Words, Called, Many int }

const (
	// constantRank is how many readers of constants one of another value is
	// worth.
	constantRank = 4
	// weighRounds bounds how often choices are looked at again.
	weighRounds = 8
	// weighDepth bounds the weight of loops.
	weighDepth = 4
)

// isRich reports whether at the end of every block fewer words of general registers live
// than are many.
func (u *uniformer) isRich() bool {
	general := func(r ori.Reg) bool { return u.f.Regs[r].Class == ori.R }
	if flow.NoMore(u.f, u.room.Many-1, general) {
		return true
	}
	live := flow.LiveAmong(u.f, general)
	return !slices.ContainsFunc(u.f.Blocks, func(b *ori.Block) bool { return live.End(b).Len() >= u.room.Many })
}

// pays reports whether r is better off in the uniform file: with no more
// moves than where it is, with few for what it is worth, or with fewer than it
// spares others.
func (u *uniformer) pays(r ori.Reg) bool {
	p := u.price(r)
	u.moves[r] = false
	here := u.price(r)
	u.moves[r] = true
	if p.good == 0 {
		return false
	}
	cost := min(p.uses, p.copied)
	return cost <= here.uses+here.defs+u.worth(r) || cost < u.spared(r, map[ori.Reg]bool{})
}

// spared weighs the moves to uniform registers that are not needed because r
// and what is computed from it are there.
func (u *uniformer) spared(r ori.Reg, seen map[ori.Reg]bool) (n int) {
	seen[r] = true
	for _, i := range u.uses[r] {
		if i.Op == op.R2UR {
			n += 1 << u.weight(i)
		}
		if !u.can[i.ID] {
			continue
		}
		for _, d := range i.Dsts() {
			if d.HasReg() && d.Class == ori.R && u.moves[d.Reg] && !seen[d.Reg] {
				n += u.spared(d.Reg, seen)
			}
		}
	}
	return n
}

// worth returns how many moves outside of loops r may cost: registers that
// live from block to block are worth some, and so are those of the uniform
// datapath that hang on r.
func (u *uniformer) worth(r ori.Reg) int {
	far, hang := false, 0
	for _, i := range u.uses[r] {
		far = far || i.Block() != u.defs[r][0].Block()
		if u.can[i.ID] {
			hang++
		}
	}
	if !far {
		return min(hang, 1)
	}
	n := int(u.f.Regs[r].Width) + min(hang, 4)
	if !u.rich {
		n *= 4
	}
	return n
}

// price is what a register costs in moves, weighted by loops.
type price struct {
	uses   int // of readers that cannot take it from where it is
	copied int // of a copy in a general register, made with it, that those read
	defs   int // of its writers, if they are of the general datapath
	good   int // readers that take it from where it is
}

// price weighs r where it is now.
func (u *uniformer) price(r ori.Reg) (p price) {
	for _, i := range u.uses[r] {
		if u.can[i.ID] && u.moves[r] {
			p.good++
			continue
		}
		n, imms := u.extra(i)
		if n == 0 || n < u.words(i, r) || i.Op == op.R2UR || u.moves[r] && u.isBaseOf(i, r) {
			p.good++
		}
		p.uses += (n + u.immediates(i, imms)) << u.weight(i)
	}
	for _, i := range u.defs[r] {
		p.copied += int(u.f.Regs[r].Width) << u.weight(i)
		if !u.moves[r] {
			n, imms := u.extra(i)
			p.defs += (n + u.immediates(i, imms)) << u.weight(i)
		}
	}
	return p
}

// weight is the logarithm of how often i runs, as far as loops tell.
func (u *uniformer) weight(i *ori.Instr) int {
	return 2 * min(u.loops.Depth(i.Block()), weighDepth)
}

// immediates returns how many moves n immediates in registers take: those
// of loops wait before the loop where registers are not scarce, and where
// many instructions of a block want the same one they share it.
func (u *uniformer) immediates(i *ori.Instr, n int) int {
	if n > 0 && u.weight(i) > 0 && (u.rich || u.popular(i)) {
		return 0
	}
	return n
}

// wanted is an immediate beside a uniform register in a block.
type wanted struct {
	block int32
	value int64
}

// popularity is how many instructions of a block must want an immediate for
// its register to be no matter.
const popularity = 4

// popular reports whether others of its block want the immediates of i.
func (u *uniformer) popular(i *ori.Instr) bool {
	if u.wanted == nil {
		u.wanted = map[wanted]int{}
		for _, b := range u.f.Blocks {
			for j := range b.Instrs {
				u.want(j)
			}
		}
	}
	for _, s := range i.Srcs() {
		if s.Kind == ori.KImm && u.wanted[wanted{i.Block().ID, s.Imm}] < popularity {
			return false
		}
	}
	return true
}

// want counts the immediates of i if it would read uniform registers.
func (u *uniformer) want(i *ori.Instr) {
	if u.can[i.ID] || i.Op != op.IMAD || !slices.ContainsFunc(i.Srcs(), u.moved) {
		return
	}
	for _, s := range i.Srcs() {
		if s.Kind == ori.KImm {
			u.wanted[wanted{i.Block().ID, s.Imm}]++
		}
	}
}

// addCopies gives registers of which a copy is cheaper than moves at their
// readers that copy, and makes those readers read it.
func (u *uniformer) addCopies() {
	for r := range u.moves {
		if !u.moves[r] || u.f.Regs[r].Class != ori.R {
			continue
		}
		if p := u.price(ori.Reg(r)); p.copied < p.uses {
			u.addCopy(ori.Reg(r))
		}
	}
}

func (u *uniformer) addCopy(r ori.Reg) {
	f := u.f
	t := ori.NoReg
	for _, i := range u.uses[r] {
		if u.can[i.ID] {
			continue
		}
		there, imms := u.extra(i)
		u.moves[r] = false
		here, _ := u.extra(i)
		u.moves[r] = true
		if there+u.immediates(i, imms) <= here {
			continue
		}
		if t == ori.NoReg {
			t = f.NewReg(ori.R, int(f.Regs[r].Width))
			u.moves = append(u.moves, false)
		}
		for k := range i.Srcs() {
			if s := &i.Srcs()[k]; s.HasReg() && s.Reg == r {
				s.Reg = t
			}
		}
	}
	if t == ori.NoReg {
		return
	}
	for _, i := range u.defs[r] {
		u.copyBehind(i, r, t)
	}
}

// copyBehind adds behind i, which writes r, what makes t the same.
func (u *uniformer) copyBehind(i *ori.Instr, r, t ori.Reg) {
	f := u.f
	add := func(o op.Op, m op.Mods, d, s ori.Operand) {
		x := f.NewInstr(o, m, []ori.Operand{d}, []ori.Operand{s})
		x.Line, x.Loc = i.Line, i.Loc
		i.Block().InsertAfter(x, i)
	}
	for _, d := range i.Dsts() {
		if !d.HasReg() || d.Reg != r {
			continue
		}
		d.Reg = t
		if i.Op == op.LDC && i.Guard.Kind == ori.KNone {
			add(op.LDC, i.Mods, d, i.Srcs()[0])
			continue
		}
		for w := range max(1, d.N) {
			dw, sw := f.Word(t, int(d.Sub+w)), f.Word(r, int(d.Sub+w))
			add(op.MOV, op.Mods{}, dw, sw)
		}
	}
}

// words counts the words of r that i reads.
func (u *uniformer) words(i *ori.Instr, r ori.Reg) int {
	n := 0
	for _, s := range i.Srcs() {
		if s.HasReg() && s.Reg == r {
			n += int(max(1, s.N))
		}
	}
	return n
}

// extra returns how many words and how many immediates must be moved into
// general registers before i, which is of the general datapath, can read
// what it wants from where it is now.
func (u *uniformer) extra(i *ori.Instr) (words, imms int) {
	srcs := i.Srcs()
	least, any := 0, false
	for k, s := range srcs {
		if u.moved(s) {
			any = true
			if s.Kind != ori.KReg && !u.isBase(i, int(i.NDst)+k) || i.Op.Has(op.Pseudo) {
				least += int(max(1, s.N))
			}
		}
	}
	if !any || i.Op.Has(op.Pseudo) || i.Op == op.R2UR || u.scales(i) {
		return least, 0
	}
	var room [2][8]ori.Operand
	save := append(room[0][:0], srcs...)
	defer func() { copy(srcs, save) }()
	var movable uint
	for k := range srcs {
		s := &srcs[k]
		switch {
		case s.Kind == ori.KReg && u.moved(*s):
			s.Class = ori.UR
			movable |= 1 << k
		case (s.Kind == ori.KImm || s.Kind == ori.KConst) && k < 3:
			movable |= 1 << k
		}
	}
	now := append(room[1][:0], srcs...)
	best := 1 << 10
	for mask := uint(0); mask < 1<<len(srcs) && mask <= movable; mask++ {
		if mask&^movable != 0 || mbits.OnesCount(mask) > 3 {
			continue
		}
		copy(srcs, now)
		n, m := 0, 0
		for k := range srcs {
			if mask>>k&1 == 0 {
				continue
			}
			w := max(1, srcs[k].N)
			if srcs[k].Kind == ori.KReg {
				n += int(w)
			} else {
				m += int(w)
			}
			srcs[k] = ori.Operand{Kind: ori.KReg, Class: ori.R, Reg: u.scratch, N: w}
		}
		// of equals, the one with more immediates: others of the block share those
		if (n+m < best || n+m == best && m > imms) && (u.fits(i) || u.fitsSwapped(i)) {
			best, words, imms = n+m, n, m
		}
	}
	return least + words, imms
}

// scales reports whether i adds a uniform register to a general one times
// a power of two: there is an operation with room for all of it.
func (u *uniformer) scales(i *ori.Instr) bool {
	if i.Op != op.IMAD || i.Mods != (op.Mods{}) || i.NDst != 1 || len(i.Srcs()) != 3 {
		return false
	}
	a, k, c := i.Srcs()[0], i.Srcs()[1], i.Srcs()[2]
	return a.Kind == ori.KReg && a.Class == ori.R && a.Flags == 0 && !u.moved(a) &&
		k.Kind == ori.KImm && k.Flags == 0 && k.Imm > 1 && k.Imm&(k.Imm-1) == 0 && k.Imm < 1<<31 &&
		c.Kind == ori.KReg && c.Flags == 0 && (c.Class == ori.UR || u.moved(c))
}

// moved reports whether source s is to come from the uniform file.
func (u *uniformer) moved(s ori.Operand) bool {
	return s.HasReg() && s.Class == ori.R && int(s.Reg) < len(u.moves) && u.moves[s.Reg]
}

// fitsSwapped reports whether i has a form with two of its sources exchanged.
func (u *uniformer) fitsSwapped(i *ori.Instr) bool {
	srcs := i.Srcs()
	if !i.Op.Has(op.Commutes|op.Turns) || len(srcs) < 2 {
		return false
	}
	swap := func(a, b int) bool {
		srcs[a], srcs[b] = srcs[b], srcs[a]
		ok := u.fits(i)
		srcs[a], srcs[b] = srcs[b], srcs[a]
		return ok
	}
	return swap(0, 1) || i.Op == op.IADD3 && len(srcs) > 2 && swap(1, 2)
}
