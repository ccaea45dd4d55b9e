package machine

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// UnreadResults takes away the results of atomics that nobody reads. The memory
// then answers nothing: a warp goes on at once and no register waits.
//
//	ATOMG.ADD pt, d = desc, [a], b      REDG.ADD desc, [a], b
//	ATOMS.MAX d = [a], b                ATOMS.MAX rz = [a], b
//	ATOMS.ADD d = [a], 1                ATOMS.POPC.INC.32 rz = [a]
//
// So does the mask of an election that only asks who was chosen:
//
//	ELECT p, u = pt                     ELECT p, urz = pt
//
// An atomic that acquires keeps its form: what stands behind it waits until
// the memory has answered. So does, where the machine has REDG, every atomic
// of a function with a fence of its own, as in the reference's code: a fence
// makes an acquire of an atomic before it, wherever that stands. fits tells
// whether an instruction has a form.
func UnreadResults(f *ori.Func, fits func(*ori.Instr) bool) bool {
	v := opt.ValuesOf(f)
	changed, fenced := false, fences(f)
	for _, b := range f.Blocks {
		acquires := false
		for i := b.Last(); i != nil; i = i.Prev() {
			switch {
			case i.Op == op.ELECT:
				changed = unreadMask(v, i, fits) || changed
			case i.Op == op.CCTL && i.Mods.Has(op.MIVALL):
				acquires = true
			case i.Op.Has(op.Reads | op.Writes):
				if unread(v, i, acquires, fenced, fits) {
					changed = true
				}
				acquires = false
			}
		}
	}
	return f.Touched(changed)
}

// fences reports whether f has a fence that is more than the release of the
// access behind it.
func fences(f *ori.Func) bool {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op != op.MEMBAR {
				continue
			}
			n := i.Next()
			for n != nil && (n.Op == op.ERRBAR || n.Op == op.CGAERRBAR) {
				n = n.Next()
			}
			if i.Mods.Has(op.MSC) || n == nil || n.Op == op.CCTL || !n.Op.Has(op.Reads|op.Writes) {
				return true
			}
		}
	}
	return false
}

// unreadMask changes one election.
func unreadMask(v *opt.Values, i *ori.Instr, fits func(*ori.Instr) bool) bool {
	if i.NDst != 2 || i.Args[1].Kind != ori.KReg || v.Func.Regs[i.Args[1].Reg].Fixed || v.ReadsOf(i.Args[1]) != 0 {
		return false
	}
	return become(v, i, op.ELECT, i.Mods, []ori.Operand{i.Args[0], ori.Zero(ori.UR)}, append([]ori.Operand(nil), i.Srcs()...), fits)
}

// unread changes one atomic.
func unread(v *opt.Values, i *ori.Instr, acquires, fenced bool, fits func(*ori.Instr) bool) bool {
	at := int(i.NDst) - 1
	if !i.Op.Has(op.Atomic) || at < 0 {
		return false
	}
	d := i.Args[at]
	if d.Kind != ori.KReg || d.Class != ori.R || v.Func.Regs[d.Reg].Fixed || v.ReadsOf(d) != 0 {
		return false
	}
	none := append([]ori.Operand(nil), i.Dsts()...)
	none[at] = ori.Zero(ori.R)
	dsts, srcs := none, append([]ori.Operand(nil), i.Srcs()...)
	switch {
	case i.Op == op.ATOMG && at == 1 && none[0].Kind == ori.KZero && !acquires && !i.Mods.Has(op.MEXCH) && !i.Mods.Has(op.MCAS):
		if become(v, i, op.REDG, i.Mods, nil, srcs, fits) {
			return !fenced || become(v, i, op.ATOMG, i.Mods, dsts, srcs, fits)
		}
		if become(v, i, op.RED, i.Mods, nil, srcs, fits) {
			return true
		}
	case i.Op == op.ATOMS && at == 0 && i.Mods == op.M(op.MADD) && len(srcs) == 2 && isOne(v, srcs[1]):
		count := []ori.Operand{srcs[0], {Kind: ori.KUAddr, Class: ori.UR, Reg: ori.NoReg}}
		if become(v, i, op.ATOMS, op.M(op.MPOPC, op.MINC, op.M32), dsts, count, fits) {
			return true
		}
	}
	return become(v, i, i.Op, i.Mods, dsts, srcs, fits)
}

// isOne reports whether a register holds 1.
func isOne(v *opt.Values, a ori.Operand) bool {
	i := v.Once(a)
	return opt.Plain(a) && i != nil && (i.Op == op.MOV || i.Op == op.COPY) && len(i.Args) == 2 && i.Args[1].Is(1)
}

// become turns i into another instruction if that has a form.
func become(v *opt.Values, i *ori.Instr, o op.Op, m op.Mods, dsts, srcs []ori.Operand, fits func(*ori.Instr) bool) bool {
	was := *i
	v.Count(i, -1)
	i.Op, i.Mods, i.Old = o, m, leftOf(was.Old, dsts)
	v.Func.SetArgs(i, dsts, srcs)
	ok := fits(i)
	if !ok {
		i.Op, i.Mods, i.Old = was.Op, was.Mods, was.Old
		v.Func.SetArgs(i, was.Dsts(), was.Srcs())
	}
	v.Count(i, 1)
	return ok
}

// leftOf is what a guarded instruction leaves of what it left, with these
// results.
func leftOf(old, dsts []ori.Operand) []ori.Operand {
	if len(old) == 0 || len(dsts) == 0 {
		return nil
	}
	left := append([]ori.Operand(nil), old[:len(dsts)]...)
	for k, d := range dsts {
		if d.Kind != ori.KReg {
			left[k] = ori.Operand{}
		}
	}
	return left
}
