package scoreboard

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// reuse marks operands that the next instruction reads again in the same
// place, so that the machine keeps them and the register file is read once.
// The place of an operand depends on the instruction's form: only
// instructions with the same operation and the same kinds of operands are
// paired.
func (s *assigner) reuse() {
	for n := range s.nodes {
		x := &s.nodes[n]
		for _, i := range x.instrs {
			for k := range i.Args {
				i.Args[k].Flags &^= ori.Reuse
			}
		}
		for k := 0; k+1 < len(x.instrs); k++ {
			a, b := x.instrs[k], x.instrs[k+1]
			if a.Sched.Stall <= 2 && !a.Sched.Yield && b.Sched.Wait == 0 && a.Next() == b &&
				caches(a.Op) && a.Op == b.Op && sameShape(a, b) {
				s.keep(a, b)
			}
		}
		for _, a := range x.instrs {
			if a.Op.Has(op.KeepsMatrix) {
				s.keepMatrix(a)
			}
		}
	}
}

// mostBetween is how many instructions may stand between two products that
// share a matrix; the reference has up to five.
const mostBetween = 5

// keepMatrix marks the first or second matrix of product a if the next product
// reads it again: reading its registers takes the unit longer than
// multiplying them. Other instructions may stand between the two that do not
// let the warp be switched out, wait, write the matrix or keep something
// themselves.
func (s *assigner) keepMatrix(a *ori.Instr) {
	if a.Sched.Yield || a.Sched.Stall > mostStall {
		return
	}
	b := a.Next()
	for n := 0; b != nil && b.Op != a.Op; b = b.Next() {
		if n++; n > mostBetween || b.Sched.Yield || b.Sched.Wait != 0 || b.Op.Has(op.Terminator) || reused(b) {
			return
		}
	}
	if b == nil || b.Sched.Wait != 0 || !sameShape(a, b) {
		return
	}
	for k := range 2 {
		x := &a.Srcs()[k]
		if k < firstKept(s.arch) || x.Kind != ori.KReg || x.Class != ori.R || !s.same(*x, b.Srcs()[k]) {
			continue
		}
		for i := a; i != b; i = i.Next() {
			if s.writes(i, *x) {
				return
			}
		}
		x.Flags |= ori.Reuse
		return
	}
}

// firstKept is the first source of a product that a machine can keep.
func firstKept(a *target.Arch) int {
	if a.Has(target.MatrixSecond) {
		return 1
	}
	return 0
}

// mostStall is the longest stall that an operand is kept over.
const mostStall = 11

// keep marks the sources of a that b reads in the same place.
func (s *assigner) keep(a, b *ori.Instr) {
	sa, sb := a.Srcs(), b.Srcs()
	for k := range min(len(sa), len(sb), 3) {
		x, y := &sa[k], &sb[k]
		if x.Kind == ori.KReg && x.Class == ori.R && s.same(*x, *y) && !s.writes(a, *x) {
			x.Flags |= ori.Reuse
		}
	}
}

func (s *assigner) same(x, y ori.Operand) bool {
	return x.N == y.N && s.phys(x) == s.phys(y)
}

func (s *assigner) phys(o ori.Operand) int { return int(s.f.Regs[o.Reg].Phys) + int(o.Sub) }

// writes reports whether i writes a word of o.
func (s *assigner) writes(i *ori.Instr, o ori.Operand) bool {
	for _, d := range i.Dsts() {
		if d.Kind == ori.KReg && d.Class == o.Class && s.phys(d) < s.phys(o)+int(o.N) && s.phys(o) < s.phys(d)+int(d.N) {
			return true
		}
	}
	return false
}

// sameShape reports whether two instructions of one operation have operands
// of the same kinds and files and the same modifiers.
func sameShape(a, b *ori.Instr) bool {
	if a.Mods != b.Mods || len(a.Args) != len(b.Args) || a.NDst != b.NDst {
		return false
	}
	for k := range a.Args {
		x, y := &a.Args[k], &b.Args[k]
		if x.Kind != y.Kind || x.Class != y.Class {
			return false
		}
	}
	return true
}

// caches reports whether operands of an operation may be kept.
func caches(o op.Op) bool { return o.Has(op.Cached) }
