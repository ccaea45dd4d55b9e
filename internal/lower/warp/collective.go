package warp

import (
	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/division"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// From sm_90 on threads that gather from several places need no routine.
// Those at a WARPSYNC.COLLECTIVE wait for those of their mask, at whichever
// one each of them is; all run the code behind one of these, up to its
// ENDCOLLECTIVE, and go on behind their own. So that code may name only what
// is the same at all places of a kind: fixed registers, among which is the
// uniform one that some results pass through. Until registers and the order
// of instructions are settled a call stands for it, which moves nothing past
// itself and writes what it names.

// passage is the uniform register of results on their way: functions need not
// save it.
const passage = abi.FreeUniforms - 1

// collects lowers the current instruction, for which threads gather from
// several places, to a collective one with word operands v, which are all
// but a predicate and the mask.
func collects(l *build.Builder, kind int, full bool, mask ori.Operand, v build.Value, choice func() ori.Operand) {
	s := &routine.Syncs[kind]
	in, out := s.Choice()
	if !full {
		v = append(v, mask)
	}
	args := division.FixedWords(l, len(v))
	l.Copy(division.Each(l, args), v)
	if in {
		p, x := fixedPred(l), choice()
		if x.Kind == ori.KReg && x.Flags == 0 {
			l.Copy(build.Value{p}, build.Value{x})
		} else {
			l.Emit(op.PLOP3, op.M(op.MLUT), build.Value{p}, x, expand.PT(), expand.PT(), ori.Imm(0xf0), ori.Imm(0))
		}
		args = append(args, p)
	}
	dsts := division.FixedWords(l, s.Out-bit(out))
	r := division.Each(l, dsts)
	if out {
		p := fixedPred(l)
		dsts, r = append(dsts, p), append(r, p)
	}
	if s.Op == op.REDUX || s.Op == op.ELECT {
		dsts = append(dsts, fixedAt(l, ori.UR, passage))
	}
	next := l.F.NewBlock()
	next.Kept = true
	to := ori.Operand{Kind: ori.KSymbol, Reg: l.F.Module.RoutineSymbol(routine.CollectiveName(kind, full), ori.Collective)}
	l.Emit(op.CALL, op.M(op.MREL, op.MNOINC), dsts, append(build.Value{to}, args...)...)
	l.Follow(next)
	collected(l, s, r)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fixedPred is the predicate of collective instructions.
func fixedPred(l *build.Builder) ori.Operand { return fixedAt(l, ori.P, 0) }

func fixedAt(l *build.Builder, c ori.Class, at int16) ori.Operand {
	r := l.F.NewReg(c, 1)
	l.F.Regs[r].Phys, l.F.Regs[r].Fixed = at, true
	return l.F.Words(r)
}

// collected puts the results of a collective instruction where the current
// one wants them.
func collected(l *build.Builder, s *routine.Sync, r build.Value) {
	switch {
	case s.Out == 0:
		return
	case s.Pred:
		l.Copy(build.Value{l.DstPred(0)}, r)
		return
	case l.Args[0].Kind == isa.KReg:
		l.Copy(l.Dst(0)[:1], r[:1])
	}
	if s.Out == 2 && l.Args[0].Pair >= 0 {
		l.Copy(build.Value{l.F.Words(l.Regs[l.Args[0].Pair])}, r[1:])
	}
}

// Collect writes the collective instructions of an allocated function in
// place of the calls that stand for them. Behind it nothing may change the
// order of instructions.
func Collect(f *ori.Func, a *target.Arch) {
	for _, b := range f.Blocks {
		if i := b.Last(); i != nil && f.IsCollective(i) {
			c := collector{f, b, i, a}
			c.write()
			i.Remove()
		}
	}
}

type collector struct {
	f    *ori.Func
	b    *ori.Block
	call *ori.Instr
	arch *target.Arch
}

func (c *collector) emit(o op.Op, m op.Mods, dsts build.Value, srcs ...ori.Operand) {
	i := c.f.NewInstr(o, m, dsts, srcs)
	i.Line, i.Loc = c.call.Line, c.call.Loc
	c.b.InsertBefore(i, c.call)
}

// write writes the instructions of one call.
func (c *collector) write() {
	srcs := c.call.Srcs()
	s, full := routine.CollectiveOf(c.f.Module.Symbols[srcs[0].Reg].Name)
	next := ori.Label(c.b.Succs[0])
	v := c.parts(srcs[1:])
	if full {
		c.emit(op.WARPSYNC, op.M(op.MCOLLECTIVE, op.MALL), nil, next)
	} else {
		n := s.In // behind the words
		if in, _ := s.Choice(); in {
			n--
			v = append(append(v[:n:n], v[n+1:]...), v[n])
		}
		c.emit(op.WARPSYNC, op.M(op.MCOLLECTIVE), nil, v[len(v)-1], next)
		v = v[:len(v)-1]
	}
	c.operation(s, c.parts(c.call.Dsts()), v)
	c.emit(op.ENDCOLLECTIVE, op.Mods{}, nil)
}

// parts splits operands into words.
func (c *collector) parts(list []ori.Operand) (v build.Value) {
	for _, o := range list {
		for k := range int(o.N) {
			v = append(v, c.f.Word(o.Reg, int(o.Sub)+k))
		}
	}
	return v
}

// operation is the instruction itself, from operands v to results d.
func (c *collector) operation(s *routine.Sync, d, v build.Value) {
	m := build.Mods(s.Mod, s.And, s.Then)
	switch s.Op {
	case op.WARPSYNC:
		c.emit(op.NOP, op.Mods{}, nil) // as the reference has it
	case op.SHFL:
		c.emit(op.SHFL, m, build.Value{d[1], d[0]}, v...)
	case op.VOTE:
		if s.Pred {
			c.emit(op.VOTE, m, d, v...)
			return
		}
		c.emit(op.VOTE, m, build.Value{d[0], expand.PT()}, v...)
	case op.MATCH:
		x := v[0]
		x.N = uint8(s.In)
		if s.Out == 2 {
			d = build.Value{d[1], d[0]}
		}
		c.emit(op.MATCH, m, d, x)
	case op.REDUX:
		c.emit(reductionOf(c.arch, m), m, d[1:], v...)
		c.emit(op.MOV, op.Mods{}, d[:1], d[1])
	case op.ELECT:
		c.emit(op.ELECT, op.Mods{}, d[1:], expand.PT())
		c.emit(op.MOV, op.Mods{}, d[:1], d[2])
	case op.BAR:
		c.barrier(s, m, d, v)
	default:
		panic("no collective form of " + s.Op.String())
	}
}

func (c *collector) barrier(s *routine.Sync, m op.Mods, d, v build.Value) {
	switch {
	case s.Mod == op.MARV:
		c.emit(op.BAR, m, nil, v[0], v[0])
	case s.Mod == op.MSYNC:
		c.emit(op.BAR, op.M(op.MSYNC, op.MDEFER_BLOCKING), nil, v[0], v[0])
	default:
		c.emit(op.BAR, m.With(op.MDEFER_BLOCKING), nil, v[0], v[0], v[1])
		if s.Pred {
			d = build.Value{expand.RZ(), d[0]}
		}
		c.emit(op.B2R, op.M(op.MRESULT), d)
	}
}

// reductionOf is the instruction of a reduction: some machines have another
// one for the least and the greatest.
func reductionOf(a *target.Arch, m op.Mods) op.Op {
	if a.Has(target.ConvergedRedux) && (m.Has(op.MF32) || m.Has(op.MMIN) || m.Has(op.MMAX)) {
		return op.CREDUX
	}
	return op.REDUX
}
