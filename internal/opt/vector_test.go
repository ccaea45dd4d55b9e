package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt/address"
	"github.com/goptxas/goptxas/internal/ori"
)

func TestVectors(t *testing.T) {
	const head = `reg r0 1/1
reg r1 1/1
reg r2 1/1
reg r3 1/1
reg r4 1/1
reg r5 1/1
reg p6 1/1
b0:
S2R r0 = SR_TID.X
`
	for _, c := range []struct{ name, in, want string }{
		{"four words", `SHF.L.U32 r1 = r0, 0x4, rz
LDS r2 = [r1+0x4]
LDS r3 = [r1+0x0]
LDS r4 = [r1+0x8]
LDS r5 = [r1+0xc]`, `SHF.L.U32 r1 = r0, 0x4, rz
LDS.128 r7 = [r1+0x0]
COPY r2 = r7[1]
COPY r3 = r7[0]
COPY r4 = r7[2]
COPY r5 = r7[3]`},
		{"two of three", `IMAD r1 = r0, 0x8, rz
LDS r2 = [r1+0x0]
LDS r3 = [r1+0x4]
LDS r4 = [r1+0x8]`, `IMAD r1 = r0, 0x8, rz
LDS.64 r7 = [r1+0x0]
COPY r2 = r7[0]
COPY r3 = r7[1]
LDS r4 = [r1+0x8]`},
		{"not aligned", `IMAD r1 = r0, 0x4, rz
LDS r2 = [r1+0x0]
LDS r3 = [r1+0x4]`, `IMAD r1 = r0, 0x4, rz
LDS r2 = [r1+0x0]
LDS r3 = [r1+0x4]`},
		{"a store between", `IMAD r1 = r0, 0x8, rz
LDS r2 = [r1+0x0]
STS [r1+0x4], r2
LDS r3 = [r1+0x4]`, `IMAD r1 = r0, 0x8, rz
LDS r2 = [r1+0x0]
STS [r1+0x4], r2
LDS r3 = [r1+0x4]`},
		{"a barrier between", `IMAD r1 = r0, 0x8, rz
LDS r2 = [r1+0x0]
BAR.SYNC.DEFER_BLOCKING 0x0
LDS r3 = [r1+0x4]`, `IMAD r1 = r0, 0x8, rz
LDS r2 = [r1+0x0]
BAR.SYNC.DEFER_BLOCKING 0x0
LDS r3 = [r1+0x4]`},
		{"another base", `IMAD r1 = r0, 0x8, rz
LDS r2 = [r1+0x0]
LDS r3 = [r0+0x4]`, `IMAD r1 = r0, 0x8, rz
LDS r2 = [r1+0x0]
LDS r3 = [r0+0x4]`},
	} {
		if got := run(t, head+c.in, vectorLoads); got != "S2R r0 = SR_TID.X\n"+c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestVectorsTwice joins loads whose address was loaded by a join before.
func TestVectorsTwice(t *testing.T) {
	const in = `reg r0 1/1
reg r1 1/1
reg r2 1/1
reg r3 1/1
reg p4 1/1
reg r5 1/1
reg r6 1/1
b0: -> b1
MOV r5 = rz
LDS r0 = [r5+0x0]
LDS r6 = [r5+0x4]
COPY r1 = r6
b1: -> b1, b2
LDS r2 = [r1+0x0]
LDS r3 = [r1+0x4]
IADD3 r1 = r1, r0, rz
@p4 BRA b1
b2:
EXIT`
	const want = `MOV r5 = rz
LDS.64 r7 = [r5+0x0]
COPY r0 = r7[0]
COPY r6 = r7[1]
COPY r1 = r6
LDS r2 = [r1+0x0]
LDS r3 = [r1+0x4]
IADD3 r1 = r1, r0, rz
@p4 BRA b1
EXIT`
	if got := run(t, in, vectorLoads); got != want {
		t.Error(got)
	}
}

func TestVectorsInLoop(t *testing.T) {
	const head = `reg r0 1/1
reg r1 1/1
reg r2 1/1
reg r3 1/1
reg p4 1/1
b0: -> b1
MOV r1 = rz
b1: -> b1, b2
LDS r2 = [r1+0x0]
LDS r3 = [r1+0x4]
`
	const tail = `
@p4 BRA b1
b2:
STS [r2+0x0], r3
EXIT`
	wide := "MOV r1 = rz\nLDS.64 r5 = [r1+0x0]\nCOPY r2 = r5[0]\nCOPY r3 = r5[1]\n"
	narrow := "MOV r1 = rz\nLDS r2 = [r1+0x0]\nLDS r3 = [r1+0x4]\n"
	for step, want := range map[string]string{"0x10": wide, "0x8": wide, "0xc": narrow} {
		i := "IADD3 r1 = r1, " + step + ", rz"
		if got := run(t, head+i+tail, vectorLoads); got != want+i+"\n@p4 BRA b1\nSTS [r2+0x0], r3\nEXIT" {
			t.Errorf("step %s: %s", step, got)
		}
	}
}

// vectorLoads are those of loads that stand as near as usual.
func vectorLoads(f *ori.Func) bool { return address.VectorLoads(f, 48) }
