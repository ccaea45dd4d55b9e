package uniform

import (
	"slices"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// UniformBases lets the memory units add the uniform part of an address:
//
//	IADD3 t = x, u, rz          LDS a = [x+u+0x0]
//	LDS a = [t+0x0]             LDS b = [x+u+0x40]
//	LDS b = [t+0x40]
//
// The addition goes away where all who read the sum are accesses that take a
// uniform register. So does a copy of a uniform register to a general one
// that only addresses read. fits tells whether the machine has a form for an
// instruction.
func UniformBases(f *ori.Func, fits func(*ori.Instr) bool, far int) bool {
	u := &uniformBases{f: f, fits: fits, far: far, v: opt.ValuesOf(f)}
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			u.look(i)
		}
	}
	for _, s := range u.sums {
		u.fold(s)
	}
	if f.Touched(u.changed) {
		u.v.Keep()
	}
	return u.changed
}

type uniformBases struct {
	f       *ori.Func
	fits    func(*ori.Instr) bool
	far     int // behind a sum its users are looked for
	v       *opt.Values
	at      map[*ori.Instr]int // the sums by who computes them
	sums    []*baseSum
	changed bool
}

// baseSum is a sum with a uniform part, and who reads it as an address.
type baseSum struct {
	by    *ori.Instr
	base  ori.Operand // the part of each thread, KNone if there is none
	uni   ori.Operand // the part of the warp
	off   int64
	users []*ori.Instr
	loose bool // a part is written more than once
}

// maxBaseOffset is the largest offset of an access with two registers.
const maxBaseOffset = 1<<23 - 1

// look notes i if it is an access whose address is a sum with a uniform part.
func (u *uniformBases) look(i *ori.Instr) {
	k := addressOf(i)
	if k < 0 {
		return
	}
	a := i.Args[k]
	a.Kind = ori.KReg
	d := u.v.Once(a)
	if d == nil {
		return
	}
	if n, ok := u.at[d]; ok {
		u.sums[n].users = append(u.sums[n].users, i)
		return
	}
	s, ok := u.sum(d, a)
	if !ok {
		return
	}
	s.users = append(s.users, i)
	if u.at == nil {
		u.at = map[*ori.Instr]int{}
	}
	u.at[d] = len(u.sums)
	u.sums = append(u.sums, &s)
}

// addressOf returns which operand of i is an address of one general register,
// or of a pair where no descriptor takes the uniform one's place, that no uniform
// one is added to, or -1. Two addresses in one instruction are left alone.
func addressOf(i *ori.Instr) int {
	at := -1
	for k := int(i.NDst); k < len(i.Args); k++ {
		a := &i.Args[k]
		if a.Kind != ori.KAddr {
			continue
		}
		described := k > 0 && i.Args[k-1].Kind == ori.KDesc
		if at >= 0 || a.Reg == ori.NoReg || a.Class != ori.R || (a.N != 1 || a.Flags != 0 || described) && !(a.N == 2 && described && i.Args[k-1].Reg == ori.NoReg) ||
			k+1 < len(i.Args) && i.Args[k+1].Kind == ori.KUAddr && i.Args[k+1].Reg != ori.NoReg {
			return -1
		}
		at = k
	}
	return at
}

// sum reads d, which computes a, as a sum with a uniform part.
func (u *uniformBases) sum(d *ori.Instr, a ori.Operand) (s baseSum, ok bool) {
	s.by = d
	if d.NDst != 1 || d.Mods != (op.Mods{}) || d.Args[0].Reg != a.Reg || d.Args[0].Sub != a.Sub || d.Args[0].N != 1 {
		return s, false
	}
	switch {
	case d.Op == op.IADD3 && len(d.Args) == 4, (d.Op == op.MOV || d.Op == op.COPY) && len(d.Args) == 2:
	default:
		return s, false
	}
	for _, x := range d.Srcs() {
		switch {
		case opt.IsZero(x):
		case x.Kind == ori.KImm && x.Flags == 0 && x.Imm >= 0 && x.Imm <= maxBaseOffset && s.off == 0:
			s.off = x.Imm
		case isWordOf(x, ori.UR) && s.uni.Kind == ori.KNone:
			s.uni = x
			s.loose = s.loose || !u.v.Stable(x)
		case isWordOf(x, ori.R) && s.base.Kind == ori.KNone:
			s.base = x
			s.loose = s.loose || !u.v.Stable(x)
		default:
			return s, false
		}
	}
	return s, s.uni.Kind != ori.KNone
}

// fold gives all who read a sum its parts, if all take them.
func (u *uniformBases) fold(s *baseSum) {
	if int(u.v.ReadsOf(s.by.Args[0])) != len(s.users) || s.loose && !s.holds(u.far) || !u.f.Should("base", s.by) {
		return
	}
	lists := make([][]ori.Operand, len(s.users))
	for n, i := range s.users {
		was := i.Args
		i.Args = s.with(i)
		ok := i.Args != nil && u.fits(i)
		i.Args, lists[n] = was, i.Args
		if !ok {
			return
		}
	}
	for n, i := range s.users {
		u.v.Count(i, -1)
		i.Args = lists[n]
		u.v.Count(i, 1)
	}
	u.v.Remove(s.by)
	u.changed = true
}

// holds reports whether the parts of the sum, which are written elsewhere too,
// are still what they were where the last of its users stands: all of them
// follow it in its block.
func (s *baseSum) holds(far int) bool {
	left := len(s.users)
	for i, n := s.by.Next(), 0; i != nil && n < far; i, n = i.Next(), n+1 {
		if slices.Contains(s.users, i) {
			if left--; left == 0 {
				return true
			}
		}
		for _, d := range i.Dsts() {
			if d.HasReg() && (d.Reg == s.uni.Reg || s.base.Kind != ori.KNone && d.Reg == s.base.Reg) {
				return false
			}
		}
	}
	return false
}

// isBase reports whether i takes a uniform register alone for its address, which
// is operand k.
func (u *uniformer) isBase(i *ori.Instr, k int) bool {
	if addressOf(i) != k {
		return false
	}
	uni := i.Args[k]
	uni.Kind, uni.Class, uni.Imm, uni.Flags = ori.KReg, ori.UR, 0, 0
	was := i.Args
	defer func() { i.Args = was }()
	i.Args = (&baseSum{uni: uni}).with(i)
	return i.Args != nil && u.fits(i)
}

// isBaseOf reports whether r alone is an address that i takes from a uniform register.
func (u *uniformer) isBaseOf(i *ori.Instr, r ori.Reg) bool {
	k := addressOf(i)
	return k >= 0 && i.Args[k].Reg == r && u.isBase(i, k)
}

// with returns the operands of i with the parts of the sum for their address.
func (s *baseSum) with(i *ori.Instr) []ori.Operand {
	k := addressOf(i)
	a := i.Args[k]
	if a.Imm += s.off; a.Imm > maxBaseOffset || s.off > 0 && i.Args[k].Imm < 0 {
		return nil
	}
	a.Reg, a.Sub = ori.NoReg, 0
	if s.base.Kind != ori.KNone {
		a.Reg, a.Sub = s.base.Reg, s.base.Sub
	}
	uni := s.uni
	uni.Kind = ori.KUAddr
	list := append([]ori.Operand(nil), i.Args[:k]...)
	list = append(list, a, uni)
	rest := i.Args[k+1:]
	if len(rest) > 0 && rest[0].Kind == ori.KUAddr {
		rest = rest[1:]
	}
	return append(list, rest...)
}
