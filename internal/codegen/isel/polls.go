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
		p := polls{l, map[*ori.Block]bool{}, defs}
		for _, b := range l.Blocks {
			p.in[b] = true
		}
		if slices.Contains(but, l.Header) || !p.left() {
			continue
		}
		y := f.NewInstr(op.YIELD, op.Mods{}, nil, nil)
		if first := l.Header.First(); first != nil {
			y.Line, y.Loc = first.Line, first.Loc
		}
		l.Header.Prepend(y)
	}
}

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
	return i.NDst > 0 && i.Op.Has(op.Reads) && (i.Mods.Has(op.MSTRONG) || i.Mods.Has(op.MMMIO) || i.Op.Has(op.Atomic))
}

// polls is what is known of a loop.
type polls struct {
	l    *flow.Loop
	in   map[*ori.Block]bool
	defs [][]*ori.Instr // of the function, by register
}

// left reports whether what threads leave the loop by hangs on what they ask.
func (p *polls) left() bool {
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
			if asks(i) || i.Op == op.LDS && p.fixed(i) {
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
