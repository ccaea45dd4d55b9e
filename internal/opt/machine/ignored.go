package machine

import (
	"slices"

	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// IgnoredBits takes masks and extensions away, in SSA form, that change only
// bits which nobody looks at: a store of a byte looks at eight, a product of
// tf32 at the high 19 of its factors, a mask at its own.
//
//	PRMT t = x, 0x7710, rz; SHF.R.U32.HI s = t >> 3; LOP3 d = s & 1        SHF.R.U32.HI s = x >> 3; LOP3 d = s & 1
//	LOP3 d = x & 0xffffe000; HMMA.1688.F32.TF32 … d        HMMA.1688.F32.TF32 … x
//	PRMT d = x, 0x7710, rz; STG.E.U8 … d                   STG.E.U8 … x
func IgnoredBits(f *ori.Func) bool {
	if !f.Props.SSA || !hasMasks(f) {
		return false
	}
	g := &ignorer{v: opt.ValuesOf(f)}
	g.need = pool.Make[uint32](f.Scratch(), len(g.v.Words))
	changed := false
	// who reads a value stands behind it: only PHIs look around loops
	for _, b := range slices.Backward(flow.DomOf(f).Order.Blocks) {
		for i := b.Last(); i != nil; i = i.Prev() {
			need := g.of(i)
			if isMask(i) && g.v.Words[g.v.WordOf(i.Args[0])].Writes == 1 && !f.Regs[i.Args[0].Reg].Var && keeps(i, need) && f.Should("ignored bits", i) {
				x := i.Args[1]
				i.Op, i.Mods = op.COPY, op.Mods{}
				f.SetArgs(i, []ori.Operand{i.Args[0]}, []ori.Operand{x})
				changed = true
			}
			g.read(i, need)
		}
	}
	if f.Touched(changed) {
		g.v.Keep() // what is read and written stays
	}
	return changed
}

const allBits = 1<<32 - 1

// hasMasks reports whether there is anything to take away.
func hasMasks(f *ori.Func) bool {
	for _, b := range f.Blocks {
		for i := b.First(); i != nil; i = i.Next() {
			if isMask(i) {
				return true
			}
		}
	}
	return false
}

// isMask reports whether i clears or repeats bits of its first source.
func isMask(i *ori.Instr) bool {
	if i.Op != op.LOP3 && i.Op != op.PRMT && i.Op != op.SGXT || i.Guard.Kind != ori.KNone || i.NDst != 1 || !opt.Plain(i.Args[0]) || !opt.Plain(i.Args[1]) {
		return false
	}
	switch i.Op {
	case op.LOP3:
		return len(i.Args) == 5 && i.Args[2].Kind == ori.KImm && i.Args[2].Flags == 0 && opt.IsZero(i.Args[3]) && i.Args[4].Is(0xc0)
	case op.PRMT:
		return len(i.Args) == 4 && i.Mods == op.Mods{} && i.Args[2].Kind == ori.KImm && i.Args[2].Flags == 0
	}
	return len(i.Args) == 3 && (i.Mods == op.Mods{} || i.Mods == op.M(op.MU32)) && i.Args[2].Kind == ori.KImm && i.Args[2].Imm > 0 && i.Args[2].Imm < 32
}

// keeps reports whether the bits of need are those of the first source.
func keeps(i *ori.Instr, need uint32) bool {
	switch i.Op {
	case op.LOP3:
		return need&^uint32(i.Args[2].Imm) == 0
	case op.PRMT:
		for n := range 4 {
			if need>>(8*n)&0xff != 0 && uint32(i.Args[2].Imm)>>(4*n)&15 != uint32(n) {
				return false
			}
		}
		return true
	}
	return need>>i.Args[2].Imm == 0
}

// ignorer knows which bits of words are looked at.
type ignorer struct {
	v    *opt.Values
	need []uint32 // by word, of all readers so far
}

// of returns the bits of the result of i that are looked at.
func (g *ignorer) of(i *ori.Instr) uint32 {
	if i.NDst != 1 || i.Args[0].Kind != ori.KReg || i.Args[0].Class != ori.R || i.Args[0].N != 1 || g.v.Func.Regs[i.Args[0].Reg].Var || g.v.Func.Regs[i.Args[0].Reg].Fixed {
		return allBits
	}
	return g.need[g.v.WordOf(i.Args[0])]
}

// read adds the bits that i looks at.
func (g *ignorer) read(i *ori.Instr, need uint32) {
	for k := int(i.NDst); k < len(i.Args); k++ {
		if a := &i.Args[k]; a.HasReg() && a.Class == ori.R {
			g.add(a, looksAt(i, k, need))
		}
	}
	for k := range i.Old {
		if a := &i.Old[k]; a.HasReg() && a.Class == ori.R {
			g.add(a, allBits)
		}
	}
}

func (g *ignorer) add(a *ori.Operand, bits uint32) {
	w := g.v.Word(a)
	for n := range int32(max(1, a.N)) {
		g.need[w+n] |= bits
	}
}

// tf32Bits are the bits of a word that a product of tf32 looks at.
const tf32Bits = 0xffffe000

// looksAt returns the bits of operand k that i looks at, if need are those of
// its result that others do.
func looksAt(i *ori.Instr, k int, need uint32) uint32 {
	a := &i.Args[k]
	n := k - int(i.NDst)
	switch {
	case a.Kind != ori.KReg:
		return allBits
	case i.Op == op.HMMA && i.Mods.Has(op.MTF32) && n < 2:
		return tf32Bits
	case (i.Op == op.STG || i.Op == op.STS || i.Op == op.STL || i.Op == op.ST) && k == len(i.Args)-1:
		return stored(i)
	case i.NDst != 1 || a.N > 1 || a.Flags&(ori.Abs|ori.H0|ori.H1) != 0 || i.Args[0].N > 1:
		return allBits
	}
	switch i.Op {
	case op.COPY, op.MOV:
		return need
	case op.SEL:
		if i.Mods == (op.Mods{}) && n < 2 && a.Flags == 0 {
			return need
		}
	case op.LOP3:
		if len(i.Args) == 5 && i.Args[4].Kind == ori.KImm {
			return need & masked(i, n)
		}
	case op.PRMT:
		if isMask(i) && a.Flags == 0 {
			return picked(i, n, need)
		}
	case op.IADD3, op.IMAD, op.LEA:
		if i.Mods == (op.Mods{}) && n < 3 {
			return below(need)
		}
	case op.SHF:
		return shifted(i, n, need)
	case op.SGXT:
		return extended(i, need)
	}
	return allBits
}

// stored returns the bits of a word that a store looks at.
func stored(i *ori.Instr) uint32 {
	switch {
	case i.Mods.Has(op.MU8), i.Mods.Has(op.MS8):
		return 0xff
	case i.Mods.Has(op.MU16), i.Mods.Has(op.MS16):
		return 0xffff
	}
	return allBits
}

// shifted returns the bits of source n that a shift of one word by a constant
// puts where need is.
func shifted(i *ori.Instr, n int, need uint32) uint32 {
	if len(i.Args) != 4 || i.Args[2].Kind != ori.KImm || i.Args[2].Imm < 0 || i.Args[2].Imm >= 32 {
		return allBits
	}
	by := i.Args[2].Imm
	switch {
	case n == 0 && i.Mods == op.M(op.ML, op.MU32) && opt.IsZero(i.Args[3]):
		return need >> by
	case n == 2 && i.Mods == op.M(op.MR, op.MU32, op.MHI) && opt.IsZero(i.Args[1]):
		return need << by
	}
	return allBits
}

// extended returns the bits of its source that an extension from a constant number
// of bits takes for those of need.
func extended(i *ori.Instr, need uint32) uint32 {
	if !isMask(i) || i.Args[1].Flags != 0 {
		return allBits
	}
	low := uint32(1)<<i.Args[2].Imm - 1
	if need&^low != 0 && i.Mods == (op.Mods{}) { // its sign, repeated
		need |= (low + 1) >> 1
	}
	return need & low
}

// masked returns the bits at which the result of a logic operation depends on
// source n, for what constants beside it are there: those of a & b that are
// set in b.
func masked(i *ori.Instr, n int) (bits uint32) {
	if n > 2 {
		return allBits
	}
	bit := [...]int{4, 2, 1}
	x, y := (n+1)%3, (n+2)%3
	for at := range 4 { // what the others are
		here := is(i.Args[1+x], at&1 != 0) & is(i.Args[1+y], at&2 != 0)
		index := at&1*bit[x] + at>>1*bit[y]
		if lut := i.Args[4].Imm; lut>>index&1 != lut>>(index+bit[n])&1 {
			bits |= here
		}
	}
	return bits
}

// is returns the bits in which an operand may be set, or clear.
func is(o ori.Operand, set bool) uint32 {
	c, ok := opt.ConstantOf(o)
	switch {
	case !ok:
		return allBits
	case set:
		return c
	}
	return ^c
}

// picked returns the bits of source n, the first or the third, that a
// permutation takes for those of need.
func picked(i *ori.Instr, n int, need uint32) (bits uint32) {
	if n == 1 {
		return allBits
	}
	for k := range 4 {
		part, s := need>>(8*k)&0xff, uint32(i.Args[2].Imm)>>(4*k)&15
		if part == 0 || s>>2&1 != uint32(n)/2 {
			continue
		}
		if s&8 != 0 {
			part = 0x80 // its sign, repeated
		}
		bits |= part << (8 * (s & 3))
	}
	return bits
}

// below returns the bits that sums and products may carry into those of need.
func below(need uint32) uint32 {
	for n := 1; n < 32; n *= 2 {
		need |= need >> n
	}
	return need
}
