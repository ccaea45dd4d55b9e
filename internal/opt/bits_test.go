package opt

import (
	"math/rand/v2"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// phaseCase is code before and after phases.
type phaseCase struct {
	name     string
	in, want string
	phases   []func(*ori.Func) bool
}

func runCases(t *testing.T, cases []phaseCase) {
	t.Helper()
	for _, c := range cases {
		if got := run(t, regs+c.in, c.phases...); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	t.Logf("%d cases", len(cases))
}

func TestBits(t *testing.T) {
	clean := []func(*ori.Func) bool{Bits, CopyProp, DeadCode}
	runCases(t, []phaseCase{
		{"an extension of a byte that was one", `LDS.U8 r0 = [0x10]
PRMT r1 = r0, 0x7710, rz
LOP3.LUT r2 = r1, 0xff, rz, 0xc0
STS [0x20], r2`, "LDS.U8 r0 = [0x10]\nSTS [0x20], r0", clean},
		{"a mask that matters stays", `LDS.U16 r0 = [0x10]
LOP3.LUT r2 = r0, 0xff, rz, 0xc0
STS [0x20], r2`, "LDS.U16 r0 = [0x10]\nLOP3.LUT r2 = r0, 0xff, rz, 0xc0\nSTS [0x20], r2", clean},
		{"a guarded byte over zero", `MOV r0 = rz
@p7 LDS.U8 r0 = [0x10]
PRMT r1 = r0, 0x7710, rz
STS [0x20], r1`, "MOV r0 = rz\n@p7 LDS.U8 r0 = [0x10]\nSTS [0x20], r0", clean},
		{"a store of a byte looks at no more", `LDS r0 = [0x10]
LOP3.LUT r2 = r0, 0xffff, rz, 0xc0
STS.U8 [0x20], r2`, "LDS r0 = [0x10]\nSTS.U8 [0x20], r0", clean},
		{"halves are read from where they are", `LDS r0 = [0x10]
PRMT r1 = r0, 0x7632, rz
HADD2 r2 = r1.H0, r0.H0
STS [0x20], r2`, "LDS r0 = [0x10]\nHADD2 r2 = r0.H1, r0.H0\nSTS [0x20], r2", clean},
		{"a sign that is none", `S2R r0 = SR_TID.X
SHF.R.S32.HI r1 = rz, 0x1f, r0
IADD3 r2 = r0, r1, rz
STS [0x20], r2`, "S2R r0 = SR_TID.X\nSTS [0x20], r0", []func(*ori.Func) bool{Bits, Simplify, DeadCode}},
		{"words too small for a carry", `LDS r0 = [0x10]
LOP3.LUT r1 = r0, 0x3fff, rz, 0xc0
IADD3 r2, p7 = r1, 0x402, rz
IADD3.X r3 = rz, 0x40000040, rz, p7, ~pt
STS [0x20], r2
STS [0x24], r3`, "LDS r0 = [0x10]\nLOP3.LUT r1 = r0, 0x3fff, rz, 0xc0\nIADD3 r2 = r1, 0x402, rz\nMOV r3 = 0x40000040\nSTS [0x20], r2\nSTS [0x24], r3", []func(*ori.Func) bool{Bits, Combine, Simplify, DeadCode}},
		{"an extension too small for a carry", `LDS r0 = [0x10]
SGXT.U32 r1 = r0, 0xe
IADD3 r2, p7 = r1, 0x402, rz
IADD3.X r3 = rz, r0, rz, p7, ~pt
STS [0x20], r2
STS [0x24], r3`, "LDS r0 = [0x10]\nSGXT.U32 r1 = r0, 0xe\nIADD3 r2 = r1, 0x402, rz\nSTS [0x20], r2\nSTS [0x24], r0", []func(*ori.Func) bool{Bits, Combine, Simplify, CopyProp, DeadCode}},
		{"words that carry", `LDS r0 = [0x10]
LOP3.LUT r1 = r0, 0x3fff, rz, 0xc0
IADD3 r2, p7 = r1, 0xffffc001, rz
IADD3.X r3 = rz, r0, rz, p7, ~pt
STS [0x20], r2
STS [0x24], r3`, "LDS r0 = [0x10]\nLOP3.LUT r1 = r0, 0x3fff, rz, 0xc0\nIADD3 r2, p7 = r1, 0xffffc001, rz\nIADD3.X r3 = rz, r0, rz, p7, ~pt\nSTS [0x20], r2\nSTS [0x24], r3", []func(*ori.Func) bool{Bits, Combine, Simplify, DeadCode}},
		{"bits shifted into zeros", `S2R r0 = SR_TID.X
S2R r1 = SR_CTAID.X
SHF.L.U32 r2 = r1, 0xa, rz
LOP3.LUT r3 = r0, r2, rz, 0xfc
STS [0x20], r3`, "S2R r0 = SR_TID.X\nS2R r1 = SR_CTAID.X\nLEA r3 = r1, r0, 0xa\nSTS [0x20], r3", clean},
		{"bits shifted over others", `S2R r0 = SR_TID.X
S2R r1 = SR_CTAID.X
SHF.L.U32 r2 = r1, 0x9, rz
LOP3.LUT r3 = r0, r2, rz, 0xfc
STS [0x20], r3`, "S2R r0 = SR_TID.X\nS2R r1 = SR_CTAID.X\nSHF.L.U32 r2 = r1, 0x9, rz\nLOP3.LUT r3 = r0, r2, rz, 0xfc\nSTS [0x20], r3", clean},
		{"bytes of bytes", `LDS r0 = [0x10]
PRMT r1 = r0, 0x7632, rz
PRMT r2 = r1, 0x5410, r0
STS [0x20], r2`, "LDS r0 = [0x10]\nPRMT r2 = r0, 0x5432, r0\nSTS [0x20], r2", clean},
	})
}

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
		k := newKnowledge(f, valuesOf(f))
		for _, a := range have {
			x := k.of(&a, maxDepth)
			if v := values[a.Reg]; x.zero&v != 0 || x.one&^v != 0 {
				t.Fatalf("seed %d: r%d is %#x, known zeros %#x, ones %#x\n%s", seed, a.Reg, v, x.zero, x.one, f)
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
	switch r.IntN(7) {
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
