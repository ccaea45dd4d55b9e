package build

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// Exit lowers exit.
func (l *Builder) Exit() {
	if l.Opts.Errors {
		if l.Opts.Debug {
			l.Emit(op.MEMBAR, op.M(op.MSC, op.MVC), nil)
		}
		l.Emit(op.ERRBAR, op.Mods{}, nil)
		if l.Arch.Has(target.Clusters) {
			l.Emit(op.CGAERRBAR, op.Mods{}, nil)
		}
	}
	l.Emit(op.EXIT, op.Mods{}, nil)
}

// Ret leaves a device function through the one place where all its threads
// reconverge.
func (l *Builder) Ret() {
	l.Emit(op.BRA, op.Mods{}, nil, ori.Label(l.Out))
	l.Cur.AddEdge(l.Out)
}

// Trap ends the grid: no thread comes to what stands behind it.
func (l *Builder) Trap() {
	l.Emit(op.BPT, op.M(op.MTRAP), nil, ori.Imm(1))
	if l.lastTrap(l.In) {
		l.Emit(op.EXIT, op.Mods{}, nil)
	}
}

// lastTrap reports whether a trap is the end of its block. For a debugger code
// is what the text is, dead or not.
func (l *Builder) lastTrap(in *sema.Inst) bool {
	return in.Op == isa.WTrap && in.Guard < 0 && !l.Opts.Debug
}

// Alone runs do without a guard: a guarded instruction that takes several
// blocks, or whose parts must not run otherwise, is branched around.
func (l *Builder) Alone(do func()) {
	if l.Guard.Kind == ori.KNone {
		do()
		return
	}
	guard := l.Guard
	after := l.F.NewBlock()
	l.skip(after)
	do()
	l.Fall(after)
	l.Guard = guard
}

// skip branches to a block if the current guard does not hold and goes on
// in a new block without a guard.
func (l *Builder) skip(after *ori.Block) {
	p := l.Guard.Not()
	l.Guard = ori.Operand{}
	l.Branch(p, after)
}

// Branch goes to a block if p holds and goes on in a new one otherwise.
func (l *Builder) Branch(p ori.Operand, to *ori.Block) {
	i := l.Emit(op.BRA, op.Mods{}, nil, ori.Label(to))
	i.Guard = p
	l.Cur.AddEdge(to)
	l.Fall(l.F.NewBlock())
}

// Jump goes to a block.
func (l *Builder) Jump(to *ori.Block) {
	l.Emit(op.BRA, op.Mods{}, nil, ori.Label(to))
	l.Cur.AddEdge(to)
}

// Either runs yes where p holds and no elsewhere; no may be nil.
func (l *Builder) Either(p ori.Operand, yes, no func()) {
	end := l.F.NewBlock()
	if no == nil {
		l.Branch(p.Not(), end)
		yes()
		l.Fall(end)
		return
	}
	other := l.F.NewBlock()
	l.Branch(p.Not(), other)
	yes()
	l.Jump(end)
	l.Enter(other)
	no()
	l.Fall(end)
}

// Repeat runs do until the predicate it returns holds.
func (l *Builder) Repeat(do func() ori.Operand) {
	top := l.F.NewBlock()
	l.Repeats = append(l.Repeats, top)
	l.Fall(top)
	l.Branch(do().Not(), top)
}

// EachValue runs do once for every different value among the threads, with
// the value in uniform registers: each turn takes the value of one thread
// and lets all threads that have it go on. What is not a uniform operation
// must stand under the predicate p, which tells those threads. Words that are
// none are left out.
func (l *Builder) EachValue(v Value, do func(u, p ori.Operand)) {
	u := l.F.NewReg(ori.UR, len(v))
	for n := range v {
		if v[n].Kind != ori.KNone {
			v[n] = l.Reg(v[n])
		}
	}
	l.Repeat(func() ori.Operand {
		done := expand.PT()
		for n := range v {
			if v[n].Kind != ori.KNone {
				l.Emit(op.R2UR, op.Mods{}, Value{l.F.Word(u, n)}, v[n])
			}
		}
		for n := range v {
			if v[n].Kind != ori.KNone {
				p := l.Pred()
				l.Emit(op.ISETP, op.M(op.MEQ, op.MU32, op.MAND), Value{p}, v[n], l.F.Word(u, n), done)
				done = p
			}
		}
		do(l.F.Words(u), done)
		return done
	})
}

// Follow goes on in a block that stands behind the current one.
func (l *Builder) Follow(next *ori.Block) {
	from := l.Cur
	from.AddEdge(next)
	if int(from.ID) < len(l.Placed) && l.Placed[from.ID] {
		l.Enter(next)
		return
	}
	l.Cur = next // both stand behind all that are placed
	if last := l.F.Blocks; last[len(last)-2] != from {
		at := slices.Index(last, from)
		l.F.Blocks = slices.Insert(last[:len(last)-1], at+1, next)
	}
}

// Unless returns v where p holds, and elsewhere what rest computes, which
// threads of v do not wait for.
func (l *Builder) Unless(p ori.Operand, v Value, rest func() Value) Value {
	r := l.Tmp(len(v))
	l.Copy(r, v)
	from, join, other := l.Cur, l.F.NewBlock(), l.F.NewBlock()
	l.Emit(op.BRA, op.Mods{}, nil, ori.Label(join)).Guard = p
	from.AddEdge(join)
	l.Follow(other)
	l.Copy(r, rest())
	l.Follow(join)
	return r
}
