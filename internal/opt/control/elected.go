package control

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/branch"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Elected lets the whole warp give an order that one thread was elected for,
// where it is the same order whoever gives it: a warp gives it once, however
// many of its threads come there.
//
//	   ELECT p                             ELECT p
//	   BSSY k, c                           IADD3 t = s, 4
//	   @!p BRA c                           R2UR u = t
//	b: IADD3 t = s, 4                      UTMALDG [u], ...
//	   R2UR u = t
//	   UTMALDG [u], ...
//	c: BSYNC k
//
// Nobody parts then, and what leads to the order can run on the uniform
// datapath. Orders are copies by tensor maps, the fetch of such a map ahead of them,
// and mbarriers that are set up. Where the elected thread of one warp gives them, the
// branch asks for the warp alone (role). All threads of the warp must be together at the election and have
// the same operands, and nobody may read later what the block computes. Of an
// operand that a loop around it does not change all get what the elected thread
// has, before the loop: of a whole warp that is the first (random programs that
// store whom elect.sync names, on an H200).
func Elected(f *ori.Func) bool {
	leads, ok := flow.ElectionsOf(f)
	if !ok {
		return false
	}
	e := &elected{f: f, leads: leads, u: flow.UniformityOf(f), live: flow.LiveOf(f), same: map[ori.Reg]bool{}, firsts: map[first]ori.Reg{}}
	e.apart, e.dom, e.left = flow.DivergenceOf(f, e.u), flow.DomOf(f), behind(f, e.leavers())
	e.loops, e.defs, e.byID = flow.LoopsOf(f, e.dom), flow.IndexOf(f).Defs, make([]*ori.Block, f.NumBlocks())
	for _, b := range f.Blocks {
		e.byID[b.ID] = b
	}
	changed := false
	for _, b := range f.Blocks {
		for n, s := range b.Succs {
			if len(b.Succs) != 2 {
				break
			}
			r := role{one: b.Last().Guard.Reg}
			if !leads.Takes(b, n) {
				r = e.role(b, n)
			}
			if e.whole(b, s, b.Succs[1-n], r.one) && f.Should("elected", b.Last()) {
				e.open(b, s, b.Succs[1-n], r.test)
				changed = true
				break
			}
		}
	}
	if changed {
		f.Touch()
		branch.Merge(f)
	}
	return changed
}

type elected struct {
	f     *ori.Func
	leads flow.Elections
	u     *flow.Uniformity
	apart *flow.Divergence
	dom   *flow.Dom
	left  []bool // blocks that a warp may come to without threads that exited
	live  *flow.Live
	loops *flow.Loops
	defs  [][]*ori.Instr
	byID  []*ori.Block
	same  map[ori.Reg]bool // registers that the block writes, with what all threads would have in them

	firsts map[first]ori.Reg
}

// first is a register of which all threads get what the first one has at the
// end of a block.
type first struct {
	r       ori.Reg
	sub, at int32
}

// role is what a branch asks for that the elected thread of some warps alone
// follows:
//
//	ISETP.NE.OR q = w, 0, ~one
//	@q BRA join
type role struct {
	one  ori.Reg    // holds for the elected thread
	test *ori.Instr // what it asks of the warp, with that; nil: nothing
}

// role finds that of edge n of b, without a register if the edge is none of these.
func (e *elected) role(b *ori.Block, n int) role {
	i, r := b.Tail(), role{one: ori.NoReg}
	clear(e.same)
	if i == nil || i != b.Last() || i.Op != op.BRA || !i.Guard.HasReg() || int(i.Guard.Reg) >= len(e.defs) || len(e.defs[i.Guard.Reg]) != 1 || i.Srcs()[0].Kind != ori.KLabel || b.Succs[0] == b.Succs[1] {
		return r
	}
	d := e.defs[i.Guard.Reg][0]
	if d.Op != op.ISETP || d.Block() != b || d.Guard.Kind != ori.KNone || len(d.Srcs()) != 3 || len(d.Dsts()) != 1 || !e.agrees(d.Srcs()[0]) || !e.agrees(d.Srcs()[1]) {
		return r
	}
	p := d.Srcs()[2]
	either := d.Mods.Has(op.MOR) // then it holds for all others
	if p.Kind != ori.KReg || !e.leads.Names(p.Reg) || !either && !d.Mods.Has(op.MAND) || either != (p.Flags&ori.Inv != 0) {
		return r
	}
	jumps := int32(i.Srcs()[0].Reg) == b.Succs[n].ID
	holds := jumps != (i.Guard.Flags&ori.Inv != 0) // those that follow the edge have q
	if holds == either {
		return r
	}
	return role{p.Reg, d}
}

// whole reports whether the whole warp, which is together in b, may run s, a
// block on the way to join that its elected thread runs by itself.
func (e *elected) whole(b, s, join *ori.Block, one ori.Reg) bool {
	last := b.Last()
	if one == ori.NoReg || e.apart.Is(b) || e.u.Partial(b) || s == join || s.Kept || len(s.Preds) != 1 || len(s.Succs) != 1 || s.Succs[0] != join || last.Op != op.BRA || b.Tail() != last || !e.asks(b, one) {
		return false
	}
	clear(e.same)
	orders := 0
	for i := s.First(); i != nil; i = i.Next() {
		switch {
		case i.Op == op.BRA && i == s.Last() && i.Guard.Kind == ori.KNone:
		case isOrder(i) && e.reads(i):
			orders++
		case !e.computes(i) || !e.reads(i) && !(i.Op == op.R2UR && e.before(b, i) != nil) || !e.writes(i, join):
			return false
		}
	}
	return orders > 0
}

// isOrder reports whether i does for a warp what it does for one of its threads,
// if all have the same operands.
func isOrder(i *ori.Instr) bool {
	switch i.Op {
	case op.UTMALDG:
		return true
	case op.UTMACCTL:
		return i.Mods.Has(op.MPF)
	case op.SYNCS:
		return i.Mods.Has(op.MEXCH) && !i.Args[0].HasReg()
	}
	return false
}

// asks reports whether one of the threads that come to b is the one that was
// elected by p: they were asked on their way, and it has not left them since.
func (e *elected) asks(b *ori.Block, p ori.Reg) bool {
	for _, x := range e.f.Blocks {
		if x != b && (!e.dom.Dominates(x, b) || e.left[b.ID]) {
			continue
		}
		for i := range x.Instrs {
			if i.Op == op.ELECT && i.Args[0].HasReg() && i.Args[0].Reg == p {
				return true
			}
		}
	}
	return false
}

// leavers lists the blocks at whose end a thread may exit before others of its
// warp.
func (e *elected) leavers() (list []*ori.Block) {
	for _, b := range e.f.Blocks {
		leaves := false
		for i := range b.Instrs {
			differs := e.u.Partial(b) || i.Guard.HasReg() && e.u.Differs(i.Guard.Reg)
			leaves = leaves || i.Op == op.EXIT && differs
			for _, s := range b.Succs {
				first := s.First()
				leaves = leaves || i.Op == op.BRA && differs && first != nil && first.Op == op.EXIT
			}
		}
		if leaves {
			list = append(list, b)
		}
	}
	return list
}

// behind tells which blocks can be reached from those of a list.
func behind(f *ori.Func, work []*ori.Block) []bool {
	seen := make([]bool, f.NumBlocks())
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range x.Succs {
			if !seen[s.ID] {
				seen[s.ID] = true
				work = append(work, s)
			}
		}
	}
	return seen
}

// computes reports whether i does nothing but make results of its sources.
func (e *elected) computes(i *ori.Instr) bool {
	switch i.Op {
	case op.R2UR:
		return i.NDst == 1
	case op.S2R, op.S2UR, op.CS2R, op.UNDEF:
		return false
	}
	if i.Op.Has(op.ReadsSpecial | op.ReadsPreds | op.WritesPreds | op.Own) {
		return false
	}
	guard := i.Guard
	i.Guard = ori.Operand{}
	pure := opt.IsPure(i)
	i.Guard = guard
	return pure
}

// reads reports whether all threads would read the same. A guarded write leaves
// what was there before, which the block must have written too.
func (e *elected) reads(i *ori.Instr) bool {
	if i.Guard.Kind != ori.KNone {
		if i.NDst == 0 || !e.agrees(i.Guard) {
			return false
		}
		for _, d := range i.Dsts() {
			if d.HasReg() && !e.same[d.Reg] {
				return false
			}
		}
	}
	for _, s := range i.Srcs() {
		if !e.agrees(s) {
			return false
		}
	}
	return true
}

// agrees reports whether all threads would find the same in s.
func (e *elected) agrees(s ori.Operand) bool {
	return !s.HasReg() || s.Class == ori.UR || s.Class == ori.UP || e.same[s.Reg] || !e.u.Differs(s.Reg)
}

// before returns the block before the loop around b at whose end all threads can
// get what the first has of the operand of i, nil if there is none: the loop
// does not change it.
func (e *elected) before(b *ori.Block, i *ori.Instr) *ori.Block {
	s, l := i.Srcs()[0], e.loops.Of(b)
	if l == nil || e.left[b.ID] || i.Guard.Kind != ori.KNone || s.Kind != ori.KReg || s.Class != ori.R || s.N != 1 || s.Flags != 0 || len(e.defs[s.Reg]) != 1 || e.f.Regs[s.Reg].Fixed {
		return nil
	}
	pre := e.dom.Idom[l.Header.ID]
	if pre < 0 || e.byID[pre] == nil || e.loops.Of(e.byID[pre]) != l.Parent || e.apart.Is(e.byID[pre]) || e.u.Partial(e.byID[pre]) || !e.dom.Dominates(e.defs[s.Reg][0].Block(), e.byID[pre]) {
		return nil
	}
	return e.byID[pre]
}

// spread lets i read what the first thread has of its operand.
func (e *elected) spread(pre *ori.Block, i *ori.Instr) {
	s := &i.Srcs()[0]
	k := first{s.Reg, int32(s.Sub), pre.ID}
	t, ok := e.firsts[k]
	if !ok {
		t = e.f.NewReg(ori.R, 1)
		e.firsts[k] = t
		x := e.f.NewInstr(op.SHFL, op.M(op.MIDX), []ori.Operand{ori.Zero(ori.P), e.f.Words(t)}, []ori.Operand{*s, ori.Imm(0), ori.Imm(wholeWarp)})
		x.Line, x.Loc = i.Line, i.Loc
		if at := pre.Tail(); at != nil {
			pre.InsertBefore(x, at)
		} else {
			pre.Append(x)
		}
	}
	*s = e.f.Words(t)
}

// wholeWarp is the bound of a shuffle whose lanes are those of the warp.
const wholeWarp = 0x1f

// writes notes what i writes, and reports whether nobody reads it at join.
func (e *elected) writes(i *ori.Instr, join *ori.Block) bool {
	for _, d := range i.Dsts() {
		if !d.HasReg() {
			continue
		}
		if e.f.Regs[d.Reg].Fixed || !e.live.Knows(d.Reg) {
			return false
		}
		for w := range int(e.f.Regs[d.Reg].Width) {
			if n := e.live.Number(d.Reg, w); n >= 0 && e.live.Start(join).Has(n) {
				return false
			}
		}
		e.same[d.Reg] = true
	}
	return true
}

// open takes the branch of b around s away, or asks there for what test does of
// the warp, and takes away what gathers its threads at join.
func (e *elected) open(b, s, join *ori.Block, test *ori.Instr) {
	for i := range s.Instrs {
		if i.Op == op.R2UR && !e.agrees(i.Srcs()[0]) {
			e.spread(e.before(b, i), i)
		}
	}
	ways := 1 // to join
	if test != nil {
		e.forWarp(b, test)
		ways = 2
	} else {
		b.Last().Remove()
		b.RemoveEdge(join)
	}
	sync := join.First()
	if sync == nil || sync.Op != op.BSYNC {
		return
	}
	k := sync.Srcs()[0].Reg
	notes, others := []*ori.Instr(nil), 0
	for _, x := range e.f.Blocks {
		for i := range x.Instrs {
			if i == sync || (i.Op != op.BSSY && i.Op != op.BSYNC && i.Op != op.BREAK) {
				continue
			}
			for _, a := range i.Args {
				if a.HasReg() && a.Reg == k {
					if i.Op == op.BSSY && x == b {
						notes = append(notes, i)
					} else {
						others++
					}
				}
			}
		}
	}
	if len(notes) == 1 && others == 0 && len(join.Preds) == ways {
		notes[0].Remove()
		sync.Remove()
	}
}

// forWarp lets the branch of b ask for what test does, whoever is elected.
func (e *elected) forWarp(b *ori.Block, test *ori.Instr) {
	q, m := e.f.NewReg(ori.P, 1), test.Mods
	for k := range m {
		if m[k] == op.MOR {
			m[k] = op.MAND
		}
	}
	x := e.f.NewInstr(op.ISETP, m, []ori.Operand{e.f.Words(q)}, []ori.Operand{test.Srcs()[0], test.Srcs()[1], ori.Zero(ori.P)})
	x.Line, x.Loc = test.Line, test.Loc
	b.InsertAfter(x, test)
	g := &b.Last().Guard
	g.Reg, g.Sub = q, 0
}
