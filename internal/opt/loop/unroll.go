package loop

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/opt/ssa"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Bounds are those on unrolling, in instructions.
type Bounds struct {
	Whole  int // of all turns of a loop that goes away
	Left   int // of what is left of them once constants are known
	Body   int // of a body that is copied
	Part   int // of the body of a loop that stays
	Copies int // in it
	Forked int // of a body with branches inside
	Forks  int // of all copies of such a body
	Growth int // that are added to a function
}

const (
	maxTurns  = 4096 // turns that are counted
	maxNested = 3    // loops around each other
	overhead  = 3    // instructions that count, compare and branch
)

// Unroll copies the bodies of innermost loops whose number of turns is
// known. A loop of few turns becomes a row of them; of others the body comes
// to hold as many turns as divide their number. It works on SSA form.
func Unroll(f *ori.Func, most Bounds) bool {
	if !f.Props.SSA {
		return false
	}
	changed := false
	u := &unroller{f: f, most: most, room: most.Growth, tried: map[*ori.Block]bool{}}
	for range maxNested {
		if !u.innermost() {
			break
		}
		ssa.Mend(f)
		changed = true
	}
	return changed
}

// unroller unrolls loops. All but the first six fields are of one loop.
type unroller struct {
	f     *ori.Func
	most  Bounds
	dom   *flow.Dom
	v     *opt.Values
	room  int // instructions that may still be added
	tried map[*ori.Block]bool

	loop   *flow.Loop
	number int32      // of the loop
	in     []int32    // by block ID: number of the last loop that held it
	latch  *ori.Block // branches back
	exit   *ori.Block // where the latch leads when no turn follows
	goOn   bool       // another turn follows if the branch's predicate is this
	size   int        // instructions of the loop
	copies int        // of its body
	whole  bool       // no loop is left
	forks  bool       // there are branches in its body
}

// innermost unrolls the innermost loops that were not tried before. They
// share no blocks, so that what is known about one holds when others have
// changed.
func (u *unroller) innermost() bool {
	u.dom = flow.DomOf(u.f)
	all := flow.LoopsOf(u.f, u.dom).All
	outer := map[*flow.Loop]bool{}
	for _, l := range all {
		outer[l.Parent] = true
	}
	u.in = make([]int32, u.f.NumBlocks())
	u.v = opt.ValuesOf(u.f)
	changed := false
	for n, l := range all {
		if outer[l] || u.tried[l.Header] || l.Header.Rolled {
			continue
		}
		u.tried[l.Header] = true
		u.loop, u.number = l, int32(n)+1
		if !u.shape() || !u.plan(u.turns()) || (u.copies-1)*u.size > u.room || !u.f.Should("unroll", u.latch.Last()) {
			continue
		}
		u.room -= (u.copies - 1) * u.size
		u.unroll()
		changed = true
	}
	return changed
}

// has reports whether b is a block of the loop.
func (u *unroller) has(b *ori.Block) bool { return int(b.ID) < len(u.in) && u.in[b.ID] == u.number }

// shape reports whether the loop has one branch back, at its end, and holds
// nothing that must not be copied.
func (u *unroller) shape() bool {
	u.latch, u.size, u.forks = nil, 0, false
	for _, b := range u.loop.Blocks {
		u.in[b.ID] = u.number
	}
	for _, p := range u.loop.Header.Preds {
		if !u.has(p) {
			continue
		}
		if u.latch != nil {
			return false
		}
		u.latch = p
	}
	for _, b := range u.loop.Blocks {
		if b.Kept || !u.plain(b) {
			return false
		}
		u.forks = u.forks || b != u.latch && len(b.Succs) > 1
		for i := range b.Instrs {
			if !i.Op.Has(op.Pseudo) {
				u.size++
			}
		}
	}
	u.size = max(1, u.size-overhead)
	return u.ending() && !u.gathers()
}

// gathers reports whether threads that are in different turns of the loop may
// come together for one of its instructions: copies of it would be different
// places.
func (u *unroller) gathers() bool {
	if len(u.f.Syncs) == 0 {
		return false
	}
	for _, b := range u.loop.Blocks {
		for i := range b.Instrs {
			if (u.forks || i.Guard.Kind != ori.KNone) && flow.IsSync(u.f, i) {
				return true
			}
		}
	}
	return false
}

// plain reports whether b may be copied.
func (u *unroller) plain(b *ori.Block) bool {
	for i := range b.Instrs {
		switch {
		case i.Op == op.BRA:
			if i.Next() != nil {
				return false
			}
		case i.Op == op.PHI || i.Op == op.PHISRC:
		case i.Op.Has(op.Duplicable): // of asynchronous work each copy starts its own or waits for it
		case i.Op.Has(op.Effect | op.Terminator | op.Pseudo):
			return false
		}
	}
	return true
}

// ending reads the branch at the end of the latch.
func (u *unroller) ending() bool {
	i := u.latch.Last()
	if i == nil || i.Op != op.BRA || i.Guard.Kind != ori.KReg || i.Guard.Class != ori.P || len(i.Args) != 1 || len(u.latch.Succs) != 2 {
		return false
	}
	t, fall := branch.Target(u.latch, i), u.latch.Succs[1]
	if t == nil || t == fall {
		return false
	}
	u.goOn = i.Guard.Flags&ori.Inv == 0
	u.exit = fall
	if t != u.loop.Header {
		u.exit, u.goOn = t, !u.goOn
		if fall != u.loop.Header {
			return false
		}
	}
	return !u.has(u.exit)
}

// plan decides how many turns the body holds from now on.
func (u *unroller) plan(turns int) bool {
	if turns == 0 {
		return false
	}
	if u.forks && (u.size > u.most.Forked || turns*u.size > u.most.Forks) {
		return false
	}
	if u.size <= u.most.Body && turns*u.size <= u.most.Whole || turns*u.size <= u.most.Growth && u.thins(turns) {
		u.copies, u.whole = turns, true
		return true
	}
	if u.size > u.most.Body {
		return false
	}
	for n := u.most.Copies; n > 1; n-- {
		if turns%n == 0 && n*u.size <= u.most.Part {
			u.copies, u.whole = n, false
			return true
		}
	}
	return false
}

// thins reports whether little is left of turns that are written out: products
// of matrices find their operands in the turns around them, other loops must lose
// a third, and may be the longer the more they lose.
func (u *unroller) thins(turns int) bool {
	w := u.weigh()
	switch {
	case u.multiplies():
		return turns*w <= u.most.Left
	case 3*w <= 2*u.size:
		return turns*w*w <= u.most.Left*u.size
	}
	return false
}

// multiplies reports whether the loop has products of matrices.
func (u *unroller) multiplies() bool {
	for _, b := range u.loop.Blocks {
		for i := range b.Instrs {
			if i.Op.Has(op.Matrix) {
				return true
			}
		}
	}
	return false
}

// constWord returns the value of a constant operand of one word.
func constWord(o ori.Operand) (int32, bool) {
	if o.Flags != 0 {
		return 0, false
	}
	switch o.Kind {
	case ori.KImm:
		return int32(o.Imm), true
	case ori.KZero:
		return 0, true
	}
	return 0, false
}

// setOf returns the constant that i sets a register to.
func setOf(i *ori.Instr) (int32, bool) {
	if i.Op != op.MOV && i.Op != op.COPY || i.Guard.Kind != ori.KNone || len(i.Srcs()) != 1 {
		return 0, false
	}
	return constWord(i.Srcs()[0])
}

// unroll makes the copies and leads one into the next.
func (u *unroller) unroll() {
	f, header := u.f, u.loop.Header
	body := u.body()
	old := len(f.Blocks)
	first := &cloned{block: map[ori.Reg]*ori.Block{}}
	for _, b := range body {
		first.block[ori.Reg(b.ID)] = b
	}
	for i := header.First(); i != nil && i.Op == op.PHI; i = i.Next() {
		if first.key == nil {
			first.key = map[int64]int64{}
		}
		first.key[i.Args[1].Imm] = i.Args[1].Imm
	}
	turns := []*cloned{first}
	for range u.copies - 1 {
		turns = append(turns, clone(f, body))
	}
	for n, t := range turns {
		latch, h := t.of(u.latch), t.of(header)
		switch next := (n + 1) % len(turns); {
		case next > 0:
			latch.Last().Remove()
			branch.CutEdge(latch, u.exit)
			redirect(latch, h, turns[next].of(header), func(k int64) int64 { return turns[next].key[t.back(k)] })
		case u.whole:
			latch.Last().Remove()
			branch.CutEdge(latch, h)
		case n > 0:
			redirect(latch, h, header, t.back)
		}
	}
	at := slices.Index(f.Blocks, body[len(body)-1]) + 1
	made := slices.Clone(f.Blocks[old:])
	f.Blocks = slices.Insert(f.Blocks[:old], at, made...)
}
