package ra

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// TestHoldLoose: a matrix that a loose operation reads keeps its registers
// until the result is needed, in the next round of a loop if the source waits
// there, unless there are too few.
func TestHoldLoose(t *testing.T) {
	const text = `func f kernel {
reg r0 4/8
reg r1 4/8
reg r2 4/4
reg r3 4/4
reg r4 1/1
reg u5 4/4
reg p6 1/1
b0: -> b1
MOV r1[0] = rz
MOV r1[1] = rz
MOV r1[2] = rz
MOV r1[3] = rz
S2R r4 = SR_TID.X
b1: -> b1, b2
HGMMA.64x8x16.F32.LOOSE r0 = gdesc[u5]+0x0, rz, ~upt
FADD r2[0] = r0[0], r4
FADD r2[1] = r0[1], r4
FADD r2[2] = r0[2], r4
FADD r2[3] = r0[3], r4
HGMMA.64x8x16.F32.LOOSE.OPEN r1 = r2, gdesc[u5]+0x0, r1
FADD r3[0] = r0[0], r0[1]
FADD r3[1] = r0[1], r0[2]
FADD r3[2] = r0[2], r0[3]
FADD r3[3] = r0[3], r0[0]
HGMMA.64x8x16.F32.LOOSE.OPEN r1 = r3, gdesc[u5]+0x0, r1
ISETP.EQ.AND p6 = r4, 0x1, pt
@p6 BRA b1
b2:
WARPGROUP.DEPBAR.LE gsb0, 0x0
STL [0x0], r1
EXIT
}
`
	for _, c := range []struct {
		registers int
		apart     bool
	}{{255, true}, {38, false}} {
		m, err := ori.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		if _, err := Run(f, Options{Registers: c.registers, Uniforms: 63, Barriers: 16, StackReg: 1, Check: true}); err != nil {
			t.Fatal(err)
		}
		at := func(r ori.Reg) int { return int(f.Regs[r].Phys) / 4 }
		if apart := at(2) != at(3) && at(2) != at(0) && at(3) != at(0); apart != c.apart {
			t.Errorf("%d registers: matrices and sums at %d, %d, %d: apart %v", c.registers, 4*at(2), 4*at(3), 4*at(0), apart)
		}
	}
}

// TestWaitsForMatrices: the matrix that a pending product reads keeps its registers
// until the source waits, or, where there are too few, until the next product
// takes them, before which WarpGroups waits; nothing goes to memory.
func TestWaitsForMatrices(t *testing.T) {
	const text = `func f kernel {
reg r0 4/4
reg r1 32/8
reg r2 4/8
reg u3 4/4
b0:
S2R r0[0] = SR_TID.X
S2R r0[1] = SR_TID.Y
S2R r0[2] = SR_TID.Z
S2R r0[3] = SR_LANEID
HGMMA.64x8x16.F32 r2 = r0, gdesc[u3]+0x0, rz, ~upt, gsb0
HGMMA.64x64x16.F32 r1 = gdesc[u3]+0x0, rz, ~upt, gsb0
WARPGROUP.DEPBAR.LE gsb0, 0x0
STL [0x0], r1
STL [0x200], r2
EXIT
}
`
	for _, c := range []struct {
		registers int
		apart     bool
	}{{255, true}, {60, false}} {
		m, err := ori.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		r, err := Run(f, Options{Registers: c.registers, Uniforms: 63, Barriers: 16, StackReg: 1, Check: true})
		if err != nil {
			t.Fatal(err)
		}
		at, to := int(f.Regs[0].Phys), int(f.Regs[1].Phys)
		if apart := at+4 <= to || at >= to+32; apart != c.apart || r.Stores+r.Loads > 0 {
			t.Errorf("%d registers: the matrix at %d, the product at %d, %d words stored and %d loaded", c.registers, at, to, r.Stores, r.Loads)
		}
	}
}
