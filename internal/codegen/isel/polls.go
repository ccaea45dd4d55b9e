package isel

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Polling. Threads of a warp that are apart run one group after the other, and
// the machine lets another group run when one waits at a barrier, exits or
// yields. A thread that polls memory until another thread of its warp has
// written there does neither, so the loop yields:
//
//	L:  YIELD
//	    LDG.STRONG r = [a]
//	    ISETP p = r, 0
//	    @p BRA L

// YieldPolls makes the loops of f yield that threads leave by what they read
// from memory that others write, but for those with these heads: loops that
// lowering made end by themselves.
func YieldPolls(f *ori.Func, but []*ori.Block) {
	loops := flow.LoopsOf(f, flow.DomOf(f))
	if len(loops.All) == 0 || !anyPolls(f) {
		return
	}
	defs := flow.IndexOf(f).Defs
	for _, l := range loops.All {
		p := pollsOf(l, defs)
		if slices.Contains(but, l.Header) || !p.left(func(i *ori.Instr) bool { return asks(i) || i.Op == op.LDS && p.fixed(i) }) {
			continue
		}
		yield(f, l.Header)
	}
}

// yield makes b let others run first.
func yield(f *ori.Func, b *ori.Block) {
	y := f.NewInstr(op.YIELD, op.Mods{}, nil, nil)
	if first := b.First(); first != nil {
		y.Line, y.Loc = first.Line, first.Loc
	}
	b.Prepend(y)
}

// YieldWaits makes the loops of f yield in which threads wait for the phase of
// an mbarrier while others of their warp, which do not run in the meantime,
// still have something to do: those may be the ones to arrive. It
// reports whether there are any.
//
// A thread alone in the arm of a branch past which the others wait for it does
// not: nobody has anything to do before it comes.
func YieldWaits(f *ori.Func, u *flow.Uniformity, apart *flow.Divergence) bool {
	if !anyWaits(f, apart) {
		return false
	}
	loops := flow.LoopsOf(f, flow.DomOf(f))
	defs := flow.IndexOf(f).Defs
	changed := false
	for _, l := range loops.All {
		if p := pollsOf(l, defs); apart.Is(l.Header) && p.left(waits) && !slices.ContainsFunc(l.Blocks, flow.Sleeps) && p.awaited(apart.Regions, u) {
			yield(f, l.Header)
			changed = true
		}
	}
	return changed
}

// anyWaits reports whether threads look at an mbarrier where others may be elsewhere.
func anyWaits(f *ori.Func, apart *flow.Divergence) bool {
	for _, b := range f.Blocks {
		if !apart.Is(b) {
			continue
		}
		for i := range b.Instrs {
			if waits(i) {
				return true
			}
		}
	}
	return false
}

// waits reports whether i looks at the phase of an mbarrier.
func waits(i *ori.Instr) bool { return i.Op == op.SYNCS && i.Mods.Has(op.MPHASECHK) }

// DropYields takes away what lets others run where all threads of the warp are
// together.
func DropYields(f *ori.Func, apart func(*ori.Block) bool) {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.YIELD && !apart(b) {
				i.Remove()
			}
		}
	}
}

// anyPolls reports whether something in f may read what others write.
func anyPolls(f *ori.Func) bool {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.LDS || asks(i) {
				return true
			}
		}
	}
	return false
}

// asks reports whether i returns what other threads may write at any time.
func asks(i *ori.Instr) bool {
	return i.NDst > 0 && i.Op.Has(op.Reads) && (i.IsVolatile() || i.Op.Has(op.Atomic))
}

// polls is what is known of a loop.
type polls struct {
	l    *flow.Loop
	in   map[*ori.Block]bool
	defs [][]*ori.Instr // of the function, by register
}

func pollsOf(l *flow.Loop, defs [][]*ori.Instr) *polls {
	p := &polls{l, map[*ori.Block]bool{}, defs}
	for _, b := range l.Blocks {
		p.in[b] = true
	}
	return p
}

// awaited reports whether threads that parted from those in the loop may have
// something to do elsewhere.
func (p *polls) awaited(regions []flow.Region, u *flow.Uniformity) bool {
	for _, r := range regions {
		if !slices.Contains(r.Blocks, p.l.Header) {
			continue
		}
		in := map[*ori.Block]bool{}
		for _, b := range r.Blocks {
			in[b] = true
		}
		for _, from := range r.From {
			if !u.Parts(from) || p.parts(from, in) { // without a jump, nobody knows who is elsewhere
				return true
			}
		}
	}
	return false
}

// parts reports whether of threads that part at the end of from some come to the
// loop and others to something else that they do, all within these blocks.
func (p *polls) parts(from *ori.Block, within map[*ori.Block]bool) bool {
	here, elsewhere := 0, 0 // the ways to the loop, and those to something to do
	for k, s := range from.Succs {
		comes, acts := p.way(s, within)
		if comes {
			here |= 1 << min(k, 31)
		}
		if acts {
			elsewhere |= 1 << min(k, 31)
		}
	}
	return here != 0 && elsewhere != 0 && (here != elsewhere || here&(here-1) != 0)
}

// way reports whether a way that begins at b comes to the loop, and whether
// something is done on it outside of the loop.
func (p *polls) way(b *ori.Block, within map[*ori.Block]bool) (comes, acts bool) {
	seen := map[*ori.Block]bool{}
	for work := []*ori.Block{b}; len(work) > 0; {
		b, work = work[len(work)-1], work[:len(work)-1]
		if p.in[b] {
			comes = true
		} else if within[b] && !seen[b] {
			seen[b] = true
			acts = acts || does(b)
			work = append(work, b.Succs...)
		}
	}
	return comes, acts
}

// does reports whether b does anything that others can see.
func does(b *ori.Block) bool {
	for i := range b.Instrs {
		if i.Op.Has(op.Writes|op.Atomic) || i.Op.Has(op.Effect) && !i.Op.Has(op.Terminator) && !waits(i) {
			return true
		}
	}
	return false
}

// left reports whether what threads leave the loop by hangs on what they ask.
func (p *polls) left(asks func(*ori.Instr) bool) bool {
	var work []ori.Reg
	seen := map[ori.Reg]bool{}
	add := func(o ori.Operand) {
		if o.HasReg() && !seen[o.Reg] {
			seen[o.Reg] = true
			work = append(work, o.Reg)
		}
	}
	for _, b := range p.l.Blocks {
		for i := range b.Instrs {
			if i.Guard.Kind == ori.KReg && (i.Op == op.EXIT || i.Op == op.RET || i.Op == op.BRA && p.leaves(b)) {
				add(i.Guard)
			}
		}
	}
	for len(work) > 0 {
		r := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range p.defs[r] {
			if !p.in[i.Block()] {
				continue
			}
			if asks(i) {
				return true
			}
			add(i.Guard)
			for _, s := range i.Srcs() {
				add(s)
			}
		}
	}
	return false
}

// leaves reports whether an edge of b leaves the loop.
func (p *polls) leaves(b *ori.Block) bool {
	return slices.ContainsFunc(b.Succs, func(s *ori.Block) bool { return !p.in[s] })
}

// fixed reports whether nothing of the loop writes what i reads: it reads one
// place again and again.
func (p *polls) fixed(i *ori.Instr) bool {
	inside := func(d *ori.Instr) bool { return p.in[d.Block()] }
	return !slices.ContainsFunc(i.Srcs(), func(s ori.Operand) bool {
		return s.HasReg() && slices.ContainsFunc(p.defs[s.Reg], inside)
	})
}
