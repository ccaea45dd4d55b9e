package opt

import (
	"math/rand/v2"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// TestKnown makes random chains of operations on random words and checks
// that every bit said to be known is.
func TestKnown(t *testing.T) {
	claims := 0
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 9))
		m := &ori.Module{}
		f := m.NewFunc("f")
		b := f.NewBlock()
		values := map[ori.Reg]uint32{}
		var have []ori.Operand
		for range 3 {
			d := f.Words(f.NewReg(ori.R, 1))
			i := f.NewInstr(op.LDS, op.M(op.MU16), []ori.Operand{d}, []ori.Operand{ori.Addr(ori.Operand{}, 0)})
			b.Append(i)
			values[d.Reg] = r.Uint32() & 0xffff
			have = append(have, d)
		}
		source := func() (ori.Operand, uint32) {
			switch r.IntN(4) {
			case 0:
				v := r.Uint32() >> r.IntN(32)
				return ori.Imm32(v), v
			case 1:
				return ori.Zero(ori.R), 0
			}
			a := have[r.IntN(len(have))]
			return a, values[a.Reg]
		}
		for range 12 {
			d := f.Words(f.NewReg(ori.R, 1))
			i, v := randomWord(r, f, d, source)
			b.Append(i)
			values[d.Reg] = v
			have = append(have, d)
		}
		k := NewKnowledge(f, ValuesOf(f))
		for _, a := range have {
			x := k.Of(&a, MaxDepth)
			if v := values[a.Reg]; x.Zero&v != 0 || x.one&^v != 0 {
				t.Fatalf("seed %d: r%d is %#x, known zeros %#x, ones %#x\n%s", seed, a.Reg, v, x.Zero, x.one, f)
			}
			if x != (bitSet{}) {
				claims++
			}
		}
	}
	t.Logf("%d words with known bits", claims)
}

// randomWord makes an operation on words and what it gives.
func randomWord(r *rand.Rand, f *ori.Func, d ori.Operand, source func() (ori.Operand, uint32)) (*ori.Instr, uint32) {
	a, va := source()
	b, vb := source()
	c, vc := source()
	dst := []ori.Operand{d}
	n := uint32(r.IntN(32))
	rz := ori.Zero(ori.R)
	switch r.IntN(9) {
	case 0:
		lut := int64(r.IntN(256))
		v := uint32(0)
		for bit := range 32 {
			v |= uint32(pick(lut, int(va>>bit&1), int(vb>>bit&1), int(vc>>bit&1))) << bit
		}
		return f.NewInstr(op.LOP3, op.M(op.MLUT), dst, []ori.Operand{a, b, c, ori.Imm(lut)}), v
	case 1:
		return f.NewInstr(op.SHF, op.M(op.ML, op.MU32), dst, []ori.Operand{a, ori.Imm(int64(n)), rz}), va << n
	case 2:
		return f.NewInstr(op.SHF, op.M(op.MR, op.MU32, op.MHI), dst, []ori.Operand{rz, ori.Imm(int64(n)), a}), va >> n
	case 3:
		return f.NewInstr(op.SHF, op.M(op.MR, op.MS32, op.MHI), dst, []ori.Operand{rz, ori.Imm(int64(n)), a}), uint32(int32(va) >> n)
	case 4:
		return f.NewInstr(op.IADD3, op.Mods{}, dst, []ori.Operand{a, b, c}), va + vb + vc
	case 5:
		return f.NewInstr(op.IMAD, op.Mods{}, dst, []ori.Operand{a, b, c}), va*vb + vc
	case 6:
		return f.NewInstr(op.LEA, op.Mods{}, dst, []ori.Operand{a, b, ori.Imm(int64(n))}), va<<n + vb
	case 7:
		return f.NewInstr(op.IMAD, op.Mods{}, dst, []ori.Operand{a, ori.Imm32(1 << n), c}), va<<n + vc
	}
	sel := r.Uint32() & 0xffff
	v := uint32(0)
	for k := range 4 {
		s := sel >> (4 * k) & 15
		x := uint32((uint64(vc)<<32 | uint64(va)) >> (8 * (s & 7)) & 0xff)
		if s&8 != 0 {
			x = 0xff * (x >> 7)
		}
		v |= x << (8 * k)
	}
	return f.NewInstr(op.PRMT, op.Mods{}, dst, []ori.Operand{a, ori.Imm(int64(sel)), c}), v
}
