package isel

import (
	"slices"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// UniformRoots gives the uniform datapath values that all threads of a warp
// share but that only the general one can make: a shuffle that takes from one
// lane, a load from one address. Whoever needs what is computed from them in
// uniform registers (descriptors of matrices, tensor copies) would move the
// result of every chain; the root is moved once instead, and the chains can
// follow it. A root that is the same in all rounds of a loop is moved before
// it. Of a product whose high word is wanted the uniform datapath has the whole.
func UniformRoots(f *ori.Func) bool {
	if !f.Kernel {
		return false
	}
	r := newRooter(f)
	changed := false
	for _, b := range f.Blocks {
		if r.apart.Is(b) {
			continue
		}
		for i := b.First(); i != nil; {
			next := i.Next()
			if r.idle(i) {
				changed = true
			} else if d, ok := r.root(i); ok {
				changed = r.move(i, d) || changed
			} else if r.full && r.oneOf(i) {
				changed = r.moveOne(i) || changed
			}
			i = next
		}
	}
	return f.Touched(changed)
}

// idle makes a copy of a shuffle of what all threads have anyway, and reports
// whether i was one.
func (r *rooter) idle(i *ori.Instr) bool {
	if i.Op != op.SHFL || i.Guard.Kind != ori.KNone || !r.f.Should("shuffle", i) {
		return false
	}
	from := i.Srcs()[0]
	if from.Kind != ori.KReg || from.Class != ori.R || from.Flags != 0 || r.differ.Differs(from.Reg) {
		return false
	}
	to := ori.Operand{}
	for _, d := range i.Dsts() {
		switch {
		case !d.HasReg(), d.Class == ori.P && len(r.uses[d.Reg]) == 0:
		case d.Class == ori.R && to.Kind == ori.KNone:
			to = d
		default:
			return false
		}
	}
	if to.Kind == ori.KNone {
		return false
	}
	i.Op, i.Mods = op.COPY, op.Mods{}
	r.f.SetArgs(i, []ori.Operand{to}, []ori.Operand{from})
	return true
}

type rooter struct {
	f       *ori.Func
	differ  *flow.Uniformity
	apart   *flow.Divergence
	dom     *flow.Dom
	loops   *flow.Loops
	byID    []*ori.Block
	defs    [][]*ori.Instr
	uses    [][]*ori.Instr
	full    bool    // general registers are scarce
	seen    []int32 // of each register, the last root it was reached from
	walk    int32
	list    []ori.Reg // those that were followed
	elected bool      // some of the moves to uniform registers that were reached is done by one thread
}

func newRooter(f *ori.Func) *rooter {
	u := flow.UniformityOf(f)
	dom := flow.DomOf(f)
	r := &rooter{
		f: f, differ: u, apart: flow.DivergenceOf(f, u), dom: dom, loops: flow.LoopsOf(f, dom), byID: make([]*ori.Block, f.NumBlocks()),
		seen: pool.Make[int32](f.Scratch(), len(f.Regs)),
	}
	x := flow.IndexOf(f)
	r.defs, r.uses = x.Defs, x.Uses
	r.full = crowded(f)
	for _, b := range f.Blocks {
		r.byID[b.ID] = b
	}
	return r
}

// root reports whether i makes a word that is the same for all threads, in
// register d, of which the general datapath alone is capable.
func (r *rooter) root(i *ori.Instr) (d ori.Reg, ok bool) {
	high := i.Op == op.IMAD && i.Mods.Has(op.MHI) // the uniform datapath has the other products
	if !i.Op.Has(op.Root) && !high {
		return 0, false
	}
	if i.Guard.Kind != ori.KNone {
		return 0, false
	}
	d = ori.NoReg
	for _, a := range i.Dsts() {
		switch {
		case !a.HasReg(), a.Class == ori.P && len(r.uses[a.Reg]) == 0:
		case a.Class != ori.R || d != ori.NoReg || r.f.Regs[a.Reg].Width != 1 || r.f.Regs[a.Reg].Fixed:
			return 0, false
		default:
			d = a.Reg
		}
	}
	return d, d != ori.NoReg && len(r.defs[d]) == 1 && !r.differ.Differs(d) && r.first(i, d)
}

// oneOf reports whether i loads a word that is the same for all threads into a
// register that others write too.
func (r *rooter) oneOf(i *ori.Instr) bool {
	if i.Op != op.LDG || i.NDst != 1 || i.Guard.HasReg() && r.differ.Differs(i.Guard.Reg) {
		return false
	}
	d := i.Args[0]
	return d.Kind == ori.KReg && d.Class == ori.R && d.N == 1 && !r.f.Regs[d.Reg].Fixed && !r.differ.Differs(d.Reg)
}

// moveOne lets such a word come from a uniform register, where registers that
// are computed from it can follow.
func (r *rooter) moveOne(i *ori.Instr) bool {
	f, d := r.f, i.Args[0]
	if r.moves(d.Reg) <= r.weight(i.Block()) {
		return false
	}
	t, u := f.NewReg(ori.R, 1), f.NewReg(ori.UR, 1)
	i.Args[0] = f.Words(t)
	copied := f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{d}, []ori.Operand{f.Words(u)})
	copied.Guard = i.Guard
	moved := f.NewInstr(op.R2UR, op.Mods{}, []ori.Operand{f.Words(u)}, []ori.Operand{f.Words(t)})
	for _, x := range [...]*ori.Instr{copied, moved} {
		x.Line, x.Loc = i.Line, i.Loc
		i.Block().InsertAfter(x, i)
	}
	return true
}

// first reports whether i, the only write of d, comes before all its reads.
func (r *rooter) first(i *ori.Instr, d ori.Reg) bool {
	b := i.Block()
	behind := 0
	for j := i.Next(); j != nil; j = j.Next() {
		behind += readsOf(j, d)
	}
	for _, j := range r.uses[d] {
		if j.Block() == b {
			behind--
		} else if !r.dom.Dominates(b, j.Block()) {
			return false
		}
	}
	return behind == 0
}

// readsOf counts the operands of i that read register d.
func readsOf(i *ori.Instr, d ori.Reg) (n int) {
	for _, s := range i.Srcs() {
		if s.HasReg() && s.Reg == d {
			n++
		}
	}
	if i.Guard.HasReg() && i.Guard.Reg == d {
		n++
	}
	return n
}

// weight is how often b runs, as far as loops tell.
func (r *rooter) weight(b *ori.Block) int { return 1 << (2 * min(r.loops.Depth(b), 4)) }

// move puts the word of root i, register d, into a uniform register where
// that spares more moves than it takes.
func (r *rooter) move(i *ori.Instr, d ori.Reg) bool {
	if i.Op == op.IMAD {
		return r.widen(i, d)
	}
	to := r.outermost(i)
	if r.moves(d) <= r.weight(to) {
		return false
	}
	if (i.Op == op.IABS || i.Op == op.F2I) && !(r.elected && r.inLoop(d)) { // of a division: a loop numbers the tiles that it copies so
		return false
	}
	f := r.f
	if to != i.Block() {
		i.Remove()
		if at := to.Tail(); at != nil {
			to.InsertBefore(i, at)
		} else {
			to.Append(i)
		}
	}
	u, back := f.NewReg(ori.UR, 1), f.NewReg(ori.R, 1)
	for _, j := range r.uses[d] {
		each(j, func(o *ori.Operand) {
			if o.Reg == d {
				o.Reg = back
			}
		})
	}
	copied := f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{f.Words(back)}, []ori.Operand{f.Words(u)})
	moved := f.NewInstr(op.R2UR, op.Mods{}, []ori.Operand{f.Words(u)}, []ori.Operand{f.Words(d)})
	for _, x := range [...]*ori.Instr{copied, moved} {
		x.Line, x.Loc = i.Line, i.Loc
		i.Block().InsertAfter(x, i)
	}
	return true
}

// inLoop reports whether a loop reads d.
func (r *rooter) inLoop(d ori.Reg) bool {
	return slices.ContainsFunc(r.uses[d], func(j *ori.Instr) bool { return r.loops.Depth(j.Block()) > 0 })
}

// widen makes a product of which the high word is wanted whole: the uniform datapath
// has those alone.
func (r *rooter) widen(i *ori.Instr, d ori.Reg) bool {
	var mods op.Mods
	switch i.Mods {
	case op.M(op.MHI):
		mods = op.M(op.MWIDE)
	case op.M(op.MHI, op.MU32):
		mods = op.M(op.MWIDE, op.MU32)
	default:
		return false
	}
	if s := i.Srcs(); len(s) != 3 || s[2].Kind != ori.KZero || s[2].Flags != 0 || r.moves(d) == 0 {
		return false
	}
	f := r.f
	w := f.NewReg(ori.R, 2)
	half := f.Words(w)
	half.Sub, half.N = 1, 1
	copied := f.NewInstr(op.COPY, op.Mods{}, []ori.Operand{f.Words(d)}, []ori.Operand{half})
	copied.Line, copied.Loc = i.Line, i.Loc
	i.Block().InsertAfter(copied, i)
	i.Mods = mods
	f.SetArgs(i, []ori.Operand{f.Words(w)}, append([]ori.Operand(nil), i.Srcs()...))
	return true
}

// each calls do with every operand of i that reads a register.
func each(i *ori.Instr, do func(o *ori.Operand)) {
	for k := range i.Srcs() {
		if o := &i.Srcs()[k]; o.HasReg() {
			do(o)
		}
	}
	if i.Guard.HasReg() {
		do(&i.Guard)
	}
}

// mostFollowed bounds how many registers are followed from a root.
const mostFollowed = 256

// moves counts the moves to uniform registers of what is computed from d, by
// how often they run.
func (r *rooter) moves(d ori.Reg) (n int) {
	r.walk++
	r.elected = false
	r.seen[d] = r.walk
	list := append(r.list[:0], d)
	for k := 0; k < len(list); k++ {
		for _, j := range r.uses[list[k]] {
			switch {
			case j.Op == op.R2UR, r.based(j):
				n += r.weight(j.Block())
				r.elected = r.elected || j.Op == op.R2UR && j.Guard.HasReg()
			case r.follows(j):
				x := j.Args[0]
				if !x.HasReg() || x.Class != ori.R || int(x.Reg) >= len(r.uses) || r.differ.Differs(x.Reg) || r.seen[x.Reg] == r.walk {
					break
				}
				if r.full && r.far(x.Reg) {
					n += 2
				}
				if r.seen[x.Reg] = r.walk; len(list) < mostFollowed {
					list = append(list, x.Reg)
				}
			}
		}
	}
	r.list = list
	return n
}

// far reports whether x is read in another block than the first that writes it.
func (r *rooter) far(x ori.Reg) bool {
	for _, j := range r.uses[x] {
		if j.Block() != r.defs[x][0].Block() {
			return true
		}
	}
	return false
}

// manyWords is how many words of general registers between blocks are so many
// that a move is a fair price for one.
const manyWords = 100

// crowded reports whether that many live at the end of some block.
func crowded(f *ori.Func) bool {
	general := func(r ori.Reg) bool { return f.Regs[r].Class == ori.R }
	if flow.NoMore(f, manyWords, general) {
		return false
	}
	live := flow.LiveAmong(f, general)
	return slices.ContainsFunc(f.Blocks, func(b *ori.Block) bool { return live.End(b).Len() > manyWords })
}

// follows reports whether j can move to the uniform datapath with what it reads.
func (r *rooter) follows(j *ori.Instr) bool {
	return j.NDst >= 1 && (hasUniform(j.Op) || j.Op == op.COPY) && !r.apart.Is(j.Block()) && !(j.Guard.HasReg() && r.differ.Differs(j.Guard.Reg))
}

// based reports whether j is an addition in a loop that the memory unit does
// if one of its terms is in a uniform register: nothing but addresses of
// shared memory read the sum.
func (r *rooter) based(j *ori.Instr) bool {
	if j.Op != op.IADD3 || j.Mods != (op.Mods{}) || j.NDst != 1 || j.Guard.Kind != ori.KNone || r.loops.Depth(j.Block()) == 0 || !r.differ.Differs(j.Args[0].Reg) {
		return false
	}
	uses := r.uses[j.Args[0].Reg]
	for _, i := range uses {
		if i.Op != op.LDS && i.Op != op.LDSM && i.Op != op.STS {
			return false
		}
	}
	return len(uses) > 0
}

// hasUniform reports whether the uniform datapath has operation o.
func hasUniform(o op.Op) bool {
	return o.Counterpart() != op.None
}

// outermost returns the block before the outermost loop in which i, which
// touches no memory, makes the same word in every round, or i's own.
func (r *rooter) outermost(i *ori.Instr) *ori.Block {
	at := i.Block()
	if i.Op != op.SHFL {
		return at
	}
	for l := r.loops.Of(at); l != nil; l = l.Parent {
		pre := r.dom.Idom[l.Header.ID]
		if pre < 0 || r.byID[pre] == nil || r.loops.Of(r.byID[pre]) != l.Parent || r.apart.Is(r.byID[pre]) {
			break
		}
		if !r.ready(i, r.byID[pre]) {
			break
		}
		at = r.byID[pre]
	}
	return at
}

// ready reports whether what i reads is written once, before the end of b.
func (r *rooter) ready(i *ori.Instr, b *ori.Block) bool {
	for _, s := range i.Srcs() {
		if !s.HasReg() {
			continue
		}
		if int(s.Reg) >= len(r.defs) || r.f.Regs[s.Reg].Fixed || len(r.defs[s.Reg]) != 1 || !r.dom.Dominates(r.defs[s.Reg][0].Block(), b) {
			return false
		}
	}
	return true
}
