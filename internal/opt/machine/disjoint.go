package machine

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// DisjointSums adds, in SSA form, what has no bit in common with a shifted word or
// a product that is wanted for this alone: the machine adds in the same operation,
// which it does not for the other ways to join bits. Rotations of products (hashes) and
// words that are put together of fields are such.
//
//	SHF.L.U32 t = x, 0x8, rz
//	LOP3.LUT  d = t, y, rz, 0xfc        LEA d = x, y, 0x8
//
// Where y is a logic operation of this one alone, both are one already.
func DisjointSums(f *ori.Func) bool {
	if !f.Props.SSA {
		return false
	}
	d := &disjoint{f: f, v: opt.ValuesOf(f)}
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if joinsBits(i) && (d.apply(i, 1) || d.apply(i, 2)) {
				changed = true
			}
		}
	}
	return f.Touched(changed)
}

type disjoint struct {
	f    *ori.Func
	v    *opt.Values
	bits *opt.Knowledge // nil until asked for
}

// joinsBits reports whether i is a logic operation of two words that, where they
// have no bit in common, has the bits of both.
func joinsBits(i *ori.Instr) bool {
	const neither, second, first = 1 << 0, 1 << 2, 1 << 4 // of the table, with a third word of zeros
	return opt.IsLogic(i) && i.NDst == 1 && i.Guard.Kind == ori.KNone && opt.Plain(i.Args[0]) && opt.IsZero(i.Args[3]) && i.Args[3].Flags == 0 &&
		i.Args[4].Imm&(neither|second|first) == second|first
}

// apply adds source n of i in the operation that makes it.
func (d *disjoint) apply(i *ori.Instr, n int) bool {
	in, other := i.Args[n], i.Args[3-n]
	j := d.alone(in)
	if j == nil || other.Kind != ori.KImm && !opt.Plain(other) {
		return false
	}
	if k := d.alone(other); k != nil && opt.IsLogic(k) {
		return false
	}
	o, m, srcs := sumWith(j, other)
	if srcs == nil {
		return false
	}
	if d.bits == nil {
		d.bits = opt.NewKnowledge(d.f, d.v)
	}
	if d.bits.Of(&in, opt.MaxDepth).May()&d.bits.Of(&other, opt.MaxDepth).May() != 0 || !d.f.Should("disjoint", i) {
		return false
	}
	d.v.Change(i, o, m, srcs...)
	d.v.Remove(j)
	return true
}

// alone returns the instruction that computes a word for one reader, nil if there is none.
func (d *disjoint) alone(a ori.Operand) *ori.Instr {
	if !opt.Plain(a) {
		return nil
	}
	j := d.v.Once(a)
	if j == nil || j.NDst != 1 || j.Guard.Kind != ori.KNone || j.Args[0].N != 1 || d.v.ReadsOf(a) != 1 {
		return nil
	}
	return j
}

// sumWith returns what adds a word to what j makes, no sources if there is nothing.
func sumWith(j *ori.Instr, y ori.Operand) (o op.Op, m op.Mods, srcs []ori.Operand) {
	if len(j.Args) != 4 {
		return o, m, nil
	}
	by := j.Args[2]
	shifts := j.Op == op.SHF && by.Kind == ori.KImm && by.Imm > 0 && by.Imm < 32
	switch {
	case shifts && j.Mods == op.M(op.ML, op.MU32) && opt.IsZero(j.Args[3]) && opt.Plain(j.Args[1]):
		return op.LEA, op.Mods{}, []ori.Operand{j.Args[1], y, by}
	case shifts && j.Mods == op.M(op.MR, op.MU32, op.MHI) && opt.IsZero(j.Args[1]) && opt.Plain(j.Args[3]):
		return op.LEA, op.M(op.MHI), []ori.Operand{j.Args[3], y, ori.Zero(ori.R), ori.Imm(32 - by.Imm)}
	case j.Op == op.IMAD && j.Mods == (op.Mods{}) && opt.IsZero(j.Args[3]) && opt.Plain(j.Args[1]) && opt.Plain(y):
		return op.IMAD, op.Mods{}, []ori.Operand{j.Args[1], by, y}
	}
	return o, m, nil
}
