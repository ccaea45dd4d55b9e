package build

import (
	"cmp"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Begin sets up the registers, variables and blocks of a body.
func (l *Builder) Begin() {
	l.registers()
	l.variables()
	l.blocks()
	l.cuts()
}

// registers gives each PTX register a virtual one.
func (l *Builder) registers() {
	l.first = ori.Reg(len(l.F.Regs))
	l.constants()
	l.Regs = make([]ori.Reg, len(l.Body.Regs))
	for n := range l.Body.Regs {
		t := l.Body.Regs[n].Type
		switch {
		case t == isa.Pred:
			l.Regs[n] = l.F.NewReg(ori.P, 1)
		default:
			l.Regs[n] = l.F.NewReg(ori.R, Words(t))
		}
	}
	l.moduleRegisters()
	l.ptx = ori.Reg(len(l.F.Regs))
	l.Plan.Regs[l.Body.Func] = l.Regs
}

// moduleRegisters gives registers of the module the same virtual ones in a
// kernel and in all bodies that stand in it in place of calls.
func (l *Builder) moduleRegisters() {
	for _, m := range l.Body.Module {
		if !l.Fn.Entry && !l.Inner {
			l.Fail("Register '%s' of the module cannot be used in function '%s', which is called", l.Module.Syms[m.Sym].Name, l.Fn.Name)
		}
		key := [2]int32{m.Sym, m.Elem}
		if r, ok := l.global[key]; ok {
			l.Regs[m.Reg] = r
			continue
		}
		if l.global == nil {
			l.global = map[[2]int32]ori.Reg{}
		}
		l.global[key] = l.Regs[m.Reg]
	}
}

// variables lays out the body's local, shared and parameter variables.
func (l *Builder) variables() {
	n := len(l.Body.Vars)
	l.locals = make([]int64, n)
	l.params = make([]*Variable, n)
	l.shared = l.Plan.SharedOf[l.Body.Func]
	list := l.framed()
	named := l.named(len(list) > 0)
	for _, n := range list {
		v := &l.Body.Vars[n]
		if !named[n] {
			l.F.Props.Unnamed = unnamed(l.F.Props.Unnamed, v)
		}
		l.Top = AlignUp(l.Top, int64(v.Shape.Align))
		l.locals[n] = l.Top
		l.Top += int64(v.Shape.Size())
		l.F.Props.Variables += int32(v.Shape.Size())
		l.FrameAlign(int64(v.Shape.Align))
	}
	if !l.Inner {
		l.F.Props.Own = int32(l.Top)
	}
	l.Plan.Locals[l.Body.Func] = l.locals
	l.parameters()
	l.ptx = ori.Reg(len(l.F.Regs))
	l.F.Props.LocalBytes = max(l.F.Props.LocalBytes, int32(AlignUp(l.Top, 8)))
}

// framed lists the body's variables in its frame, those with the widest
// alignment first: so they lie without gaps.
func (l *Builder) framed() []int {
	var list []int
	for n := range l.Body.Vars {
		if l.Body.Vars[n].Space == isa.SpaceLocal {
			list = append(list, n)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Compare(l.Body.Vars[b].Shape.Align, l.Body.Vars[a].Shape.Align)
	})
	return list
}

// unnamed is how much variables that nobody names take with one more.
func unnamed(bytes int32, v *sema.Var) int32 {
	align := max(8, int64(v.Shape.Align))
	return int32(AlignUp(AlignUp(int64(bytes), int64(v.Shape.Align))+int64(v.Shape.Size()), align))
}

// named tells which of the body's variables some instruction names.
func (l *Builder) named(wanted bool) []bool {
	list := make([]bool, len(l.Body.Vars))
	for k := 0; wanted && k < len(l.Body.Operands); k++ {
		o := &l.Body.Operands[k]
		if n := o.Local(); n >= 0 && o.Formal() < 0 && (o.Kind == isa.KSymbol || o.Kind == isa.KAddr && o.Base == isa.KSymbol) {
			list[n] = true
		}
	}
	return list
}

// blocks cuts the instruction list at labels and after branches.
func (l *Builder) blocks() {
	n := len(l.Body.Instrs)
	l.At = make([]*ori.Block, n+1)
	cut := make([]bool, n+1)
	cut[0] = true
	for k := range l.Body.Labels {
		cut[l.Body.Labels[k].At] = true
	}
	for k := range l.Body.Instrs {
		if l.ends(&l.Body.Instrs[k]) {
			cut[k+1] = true
		}
	}
	for k, c := range cut {
		if c {
			l.At[k] = l.F.NewBlock()
		}
	}
	l.rolled()
}

// rolled marks the headers of loops that keep their turns: the blocks that say
// so, or all of them if the function or the module does.
func (l *Builder) rolled() {
	const keep = "nounroll"
	here := 0
	for _, p := range l.Body.Pragmas {
		if p.Text != keep {
			continue
		}
		here++
		k := p.At
		for _, b := range l.Body.Labels[p.Label:] {
			if b.At == p.At && k == p.At {
				k-- // the block of the label begins behind the pragma
			}
		}
		for k > 0 && l.At[k] == nil {
			k--
		}
		if k >= 0 {
			l.At[k].Rolled = true
		}
	}
	all := slices.Contains(l.Module.Pragmas, keep)
	for _, text := range l.Module.Funcs[l.Body.Func].Pragmas {
		if text == keep {
			here--
		}
	}
	for _, b := range l.At {
		if b != nil && (all || here < 0) {
			b.Rolled = true
		}
	}
}

// ends reports whether an instruction ends its block.
func (l *Builder) ends(in *sema.Inst) bool {
	switch in.Op {
	case isa.WBra, isa.WBrx, isa.WRet, isa.WExit:
		return true
	}
	return l.lastTrap(in)
}

// Code lowers the instructions in order, from the block that the caller has
// entered.
func (l *Builder) Code() {
	line, pragma, base := 0, 0, l.lines()
	for n := range l.Body.Instrs {
		if b := l.At[n]; b != nil && b != l.Cur {
			l.Fall(b)
		}
		l.In, l.index = &l.Body.Instrs[n], n
		l.Args = l.Body.Of(l.In.Args)
		l.noteSums()
		for line < len(l.Body.Lines) && int(l.Body.Lines[line].At) <= n {
			l.Loc = base + int32(line)
			line++
		}
		pragma = l.setUsed(n, pragma)
		l.setGuard()
		l.turn++
		l.handler()(l)
		if l.sums != 0 {
			l.Fail("a register plus a constant, where only a register can stand")
		}
		l.check()
		l.endInst(n)
	}
	l.In = nil
	if b := l.At[len(l.Body.Instrs)]; b != nil && b != l.Cur {
		l.Fall(b)
	}
	if !l.closed() {
		l.Guard = ori.Operand{}
		l.finish()
	}
}

// handler returns what lowers the current instruction.
func (l *Builder) handler() func(*Builder) {
	for _, t := range l.Tables {
		if h := t[l.In.Op]; h != nil {
			return h
		}
	}
	l.Unsupported()
	return nil
}

// endInst adds the fall-through edge after a guarded branch or exit.
func (l *Builder) endInst(n int) {
	if !l.ends(l.In) || l.closed() {
		return
	}
	next := l.At[n+1]
	l.Fall(next)
}

// finish ends the function where control leaves it.
func (l *Builder) finish() {
	if l.Fn.Entry {
		l.Exit()
		return
	}
	l.Ret()
}

// Arrange puts the blocks into the order in which they were filled.
func (l *Builder) Arrange() {
	for _, b := range l.F.Blocks {
		if int(b.ID) >= len(l.Placed) || !l.Placed[b.ID] {
			l.order = append(l.order, b)
		}
	}
	l.F.Blocks = l.order
}

// setGuard reads the guard of the current instruction. One that is among two
// results is copied: writing the first must not change it for the second.
func (l *Builder) setGuard() {
	l.Guard = ori.Operand{}
	if l.In.Guard < 0 {
		return
	}
	g := l.F.Words(l.Regs[l.In.Guard])
	if l.In.GuardNot {
		g = g.Not()
	}
	if len(l.Args) > 0 && l.Args[0].Pair >= 0 && (l.Args[0].Pair == l.In.Guard || l.Args[0].Kind == isa.KReg && l.Args[0].Ref == l.In.Guard) {
		g = l.Plop(expand.LutAnd, g, expand.PT())
	}
	l.Guard = g
}
