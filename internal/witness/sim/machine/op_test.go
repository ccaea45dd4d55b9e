package machine_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
	"github.com/goptxas/goptxas/internal/witness/sim/meaning"
)

// opCases are single instructions with inputs in R1, R2, R3 (pairs R2:R3,
// R4:R5, R6:R7 for 64-bit sources) and the result in R0 (R0:R1), as an H200
// gave them for the PTX instruction that compiles to it, or as arithmetic
// says. Each line: instruction, then cases "inputs > results" in hexadecimal,
// inputs in the order of their first register.
var opCases = []string{
	// shifts: counts stop at the width
	"SHF.L.U32 R0, R1, R2, RZ | 80000001 1f > 80000000 | 80000001 20 > 0 | 80000001 ffffffff > 0",
	"SHF.R.U32.HI R0, RZ, R2, R1 | 80000001 1f > 1 | 80000001 20 > 0 | 80000001 ffffffff > 0",
	"SHF.R.S32.HI R0, RZ, R2, R1 | 80000001 1f > ffffffff | 80000001 20 > ffffffff | 7fffffff 40 > 0",
	"SHF.L.U32.HI R0, R1, R3, R2 | 11111111 22222222 20 > 11111111 | 11111111 22222222 ffffffff > 11111111 | 80000000 1 1 > 3",
	"SHF.R.U32 R0, R1, R3, R2 | 11111111 22222222 20 > 22222222 | 11111111 22222222 24 > 22222222",
	"SHF.L.W.U32.HI R0, R1, R3, R2 | 11111111 22222222 20 > 22222222 | 11111111 22222222 24 > 22222221 | 11111111 22222222 ffffffff > 8888888",
	"SHF.R.W.U32 R0, R1, R3, R2 | 11111111 22222222 20 > 11111111 | 11111111 22222222 24 > 21111111 | 11111111 22222222 ffffffff > 44444444",
	"SHF.R.S64 R0, R1, R3, R2 | 1 80000000 3f > ffffffff | 1 80000000 64 > ffffffff | 0 80000000 20 > 80000000",
	"SHF.R.U64 R0, R1, R3, R2 | 1 80000000 3f > 1 | 1 80000000 40 > 0",
	"SHF.L.U64.HI R0, R1, R3, R2 | 1 80000000 3f > 80000000 | 1 0 20 > 1 | 1 0 40 > 0",
	// bits
	"BMSK R0, R1, R2 | 4 8 > ff0 | 20 1 > 0 | 1c 8 > f0000000 | 0 20 > ffffffff | 0 0 > 0",
	"BMSK.W R0, R1, R2 | 24 8 > ff0 | 1c 8 > f0000000 | 0 20 > 0",
	"SGXT R0, R1, R2 | 80 8 > ffffff80 | 80 0 > 0 | 80 20 > 80 | 80 28 > 80",
	"SGXT.W R0, R1, R2 | 80 8 > ffffff80 | 80 20 > 0 | 80 28 > ffffff80",
	"SGXT.U32 R0, R1, R2 | 1ff 8 > ff | ffffffff 1f > 7fffffff",
	"FLO.U32 R0, R1 | 0 > ffffffff | 1 > 0 | ffffffff > 1f",
	"FLO R0, R1 | 0 > ffffffff | 1 > 0 | ffffffff > ffffffff | 80000000 > 1e",
	"FLO.U32.SH R0, R1 | 0 > ffffffff | 1 > 1f | ffffffff > 0",
	"POPC R0, R1 | 0 > 0 | ffffffff > 20 | 80000001 > 2",
	"BREV R0, R1 | 1 > 80000000 | f0 > f000000",
	"LOP3.LUT R0, R1, R2, R3, 0xe8, !PT | f0f0f0f0 ff00ff00 aaaa5555 > faa0f550",
	"PRMT R0, R1, R3, R2 | 80706050 4030201 ba98 > ff000000 | 80706050 4030201 ffff7654 > 4030201",
	"PRMT.F4E R0, R1, R3, R2 | 33221100 77665544 1 > 44332211 | 33221100 77665544 7 > 66554433",
	"PRMT.B4E R0, R1, R3, R2 | 33221100 77665544 1 > 66770011 | 33221100 77665544 7 > 112233",
	"PRMT.RC8 R0, R1, R3, R2 | 33221100 77665544 2 > 22222222 | 33221100 77665544 7 > 33333333",
	"PRMT.ECL R0, R1, R3, R2 | 33221100 77665544 1 > 33221111 | 33221100 77665544 7 > 33333333",
	"PRMT.ECR R0, R1, R3, R2 | 33221100 77665544 1 > 11111100 | 33221100 77665544 7 > 33221100",
	"PRMT.RC16 R0, R1, R3, R2 | 33221100 77665544 1 > 33223322 | 33221100 77665544 2 > 11001100",
	// special registers: a stack may reach down to the first byte
	"S2R R0, SR_LMEMHIOFF | 1 > 0",
	// integers
	"IADD3 R0, R1, -R2, R3 | 1 2 3 > 2 | 0 80000000 0 > 80000000",
	"IABS R0, R1 | 80000000 > 80000000 | ffffffff > 1 | 7 > 7",
	"IMAD R0, R1, R2, R3 | ffffffff ffffffff 5 > 6 | 10000 10000 7 > 7",
	"IMAD.HI.U32 R0, R1, R2, RZ | ffffffff ffffffff > fffffffe",
	"IMAD.HI R0, R1, R2, RZ | ffffffff ffffffff > 0 | 80000000 2 > ffffffff",
	"LEA R0, R1, R2, 0x3 | 1 10 > 18 | 20000000 1 > 1",
	"LEA.HI R0, R1, R2, RZ, 0x3 | e0000000 10 > 17",
	"LEA.HI.SX32 R0, R1, R2, 0x1f | fffffffe 10 > f",
	"VABSDIFF.U32 R0, R1, R2, R3 | 1 ffffffff 5 > 3",
	"VABSDIFF R0, R1, R2, R3 | 80000000 7fffffff 0 > ffffffff",
	"VABSDIFF4.U8 R0, R1, R2, R3 | ff000102 ff0201 7 > ffff0101",
	"VABSDIFF4.U8.ACC R0, R1, R2, R3 | ff000102 ff0201 7 > 207",
	"IDP.4A.S8.S8 R0, R1, R2, R3 | 80808080 80808080 7fffffff > 8000ffff",
	"IDP.4A.U8.U8 R0, R1, R2, R3 | 1020304 1010101 a > 14",
	"IDP.2A.LO.U16.U8 R0, R1, R2, R3 | 20003 504 1 > 17",
	"IDP.2A.HI.S16.S8 R0, R1, R2, R3 | ffff0002 ff030000 0 > 7",
	"VIMNMX.RELU R0, R1, R2, PT | fffffff0 5 > 0 | 3 5 > 3",
	"VIMNMX.S16x2 R0, R1, R2, PT | 7fff8000 1ffff > 18000",
	"VIMNMX.U16x2 R0, R1, R2, !PT | 7fff8000 1ffff > 7fffffff",
	"VIADD.16x2 R0, R1, R2 | ffff0001 20002 > 10003",
	"I2I.U8.S32.SAT R0, R1 | 12c > ff | ffffffff > 0",
	"I2I.S8.S32.SAT R0, R1 | 12c > 7f | ffffff00 > ffffff80",
	"I2IP.S8.S32.SAT R0, R1, R2, R3 | 12c fffffe00 11223344 > 33447f80",
	"I2IP.U16.S32.SAT R0, R1, R2, RZ | 11170 ffffffff > ffff0000",
	// floats: one NaN, -0 below +0
	"FADD R0, R1, R2 | 7f800001 3f800000 > 7fffffff | 7f800000 ff800000 > 7fffffff | 123 3f800000 > 3f800000",
	"FADD.FTZ R0, R1, R2 | 123 123 > 0 | 800000 80800001 > 80000000 | 80000123 3f000000 > 3f000000",
	"FADD.SAT R0, R1, R2 | 7fc00000 3f800000 > 0 | c0400000 3f800000 > 0 | 7f800000 3f800000 > 3f800000",
	"FMNMX R0, R1, R2, PT | 7fc00000 3f800000 > 3f800000 | 7fc00000 ffc12345 > 7fffffff | 0 80000000 > 80000000",
	"FMNMX R0, R1, R2, !PT | 3f800000 ffc12345 > 3f800000 | 80000000 0 > 0 | 123 bf800000 > 123",
	"FMNMX.NAN R0, R1, R2, PT | 7fc00000 3f800000 > 7fffffff | 80000000 0 > 80000000",
	"FMNMX.XORSIGN R0, |R1|, |R2|, PT | c0400000 40000000 > c0000000 | 7fc00000 c0000000 > c0000000 | 40400000 c0400000 > c0400000",
	"FFMA R0, R1, R2, R3 | 3f800001 3f800001 bf800002 > 28800000 | 7f800000 0 3f800000 > 7fffffff",
	"FSEL R0, -R1, R2, PT | 7fc12345 0 > ffc12345",
	"FRND R0, R1 | 3f000000 > 0 | 40200000 > 40000000 | bf000000 > 80000000 | 7f800001 > 7fffffff",
	"FRND.FTZ.TRUNC R0, R1 | 123 > 0 | bf333333 > 80000000",
	"MUFU.RCP R0, R1 | 0 > 7f800000 | 80000000 > ff800000 | 3f800000 > 3f800000 | 7f800000 > 0",
	// conversions
	"F2I.U32.TRUNC.NTZ R0, R1 | 7fc00000 > 0 | 7f800000 > ffffffff | ff800000 > 0 | bfc00000 > 0 | 4396599a > 12c",
	"F2I.TRUNC.NTZ R0, R1 | 7f800000 > 7fffffff | ff800000 > 80000000 | bfc00000 > ffffffff",
	"F2I.NTZ R0, R1 | 3f000000 > 0 | 3fc00000 > 2 | 40200000 > 2",
	"F2I.S8.TRUNC.NTZ R0, R1 | ff800000 > ffffff80 | 4396599a > 7f",
	"F2I.U64.TRUNC R0, R2 | 0 7fc00000 > 0 80000000 | 0 7f800000 > ffffffff ffffffff | 0 bfc00000 > 0 0",
	"F2I.U32.F64.TRUNC R0, R2 | 0 0 7ff80000 > 80000000 | 0 0 7ff00000 > ffffffff",
	"F2FP.F16.F32.PACK_AB R0, RZ, R1 | 477ff000 > 7c00 | 477fef00 > 7bff | 7fc00000 > 7fff | ffc12345 > 7fff | 322bcc77 > 0",
	"F2FP.F16.F32.PACK_AB.RZ R0, R1, R2 | 477ff000 7f800000 > 7bff7c00",
	"F2FP.BF16.F32.PACK_AB R0, RZ, R1 | 7f7fc99e > 7f80 | 7f800001 > 7fff",
	"F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R0, R1, R2, RZ | 4e6e6b28 ce6e6b28 > 7efe | 7fc00000 ffc12345 > 7f7f | 3a83126f 80000000 > 180",
	"F2FP.SATFINITE.E5M2.F32.PACK_AB_MERGE_C R0, R1, R2, RZ | 7f800000 ff800000 > 7bfb | 3a83126f 80000000 > 1480",
	"F2FP.F16.E4M3.UNPACK_B R0, R1 | 7e7f > 5f007fff | ff80 > 7fff8000 | 108 > 18002400",
	"F2FP.TF32.F32.PACK_B R0, R1 | 3f801000 > 3f800000 | 7f7fffff > 7f800000 | 7f800001 > 7fffe000",
	"F2F.F32.F64 R0, R2 | 0 8800759c 7e37e43c > 7f800000 | 0 0 7ff80000 > 7fc00000 | 0 56789abc fff81234 > ffc091a2",
	"F2F.F64.F32 R0, R1 | 7f800001 > 20000000 7ff80000 | ffc12345 > a0000000 fff82468 | 123 > 0 37223000",
	"I2F.U8 R0, R1.B2 | ff03ff > 437f0000",
	"I2FP.F32.S32 R0, R1 | ffffffff > bf800000 | 1000001 > 4b800000",
	"I2FP.F32.U32.RZ R0, R1 | ffffffff > 4f7fffff",
	// halves
	"HADD2 R0, R1, R2 | 7c013c00 3c007e11 > 7fff7fff | 10001 13c00 > 23c00",
	"HADD2.F32 R0, -RZ, R1.H0_H0 | 7e01 > 7fffffff | 1 > 33800000 | fe55 > 7fffffff",
	"HFMA2.MMA R0, R1, 1, 1, R2 | 3c003c00 40003c00 > 42004000",
	"HFMA2 R0, R1.H1_H1, R2.H0_NH1, R3 | 40003c00 42003c00 3c003c00 > 4200c500",
	"HMNMX2 R0, R1, R2, PT | 7e013c00 40007e00 > 40003c00 | 80000000 8000 > 80008000 | 7c017e00 7e007c01 > 7fff7fff",
	"HMNMX2.BF16_V2.NAN R0, R1, R2, PT | 7fc13f80 40007f81 > 7fff7fff",
}

// bench is a warp that runs a single instruction.
func bench(t *testing.T, text string) (*machine.Warp, *machine.Inst) {
	t.Helper()
	return benchOn(t, "sm_90a", text)
}

func benchOn(t *testing.T, arch, text string) (*machine.Warp, *machine.Inst) {
	t.Helper()
	a := target.Find(arch)
	in, err := sass.Parse(a, text, 0)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	w, i, err := machine.Bench(a, in, meaning.Of, &machine.Launch{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return w, i
}

func hexes(t *testing.T, s string) []uint32 {
	var list []uint32
	for _, f := range strings.Fields(s) {
		v, err := strconv.ParseUint(f, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, uint32(v))
	}
	return list
}

// TestOps runs every case in a lane of its own, once with all lanes and once
// with one.
func TestOps(t *testing.T) {
	cases := 0
	for _, line := range opCases {
		parts := strings.Split(line, " | ")
		for k, c := range parts[1:] {
			in, want, ok := strings.Cut(c, " > ")
			if !ok {
				t.Fatalf("bad case %q", c)
			}
			for _, mask := range []uint32{^uint32(0), 1 << (k + 3)} {
				w, i := bench(t, parts[0])
				l := k + 3
				for n, v := range hexes(t, in) {
					w.R[1+n][l] = v
				}
				if mask != ^uint32(0) {
					w.R[0][l+1] = 0x5eed
				}
				i.Run(w, i, mask)
				if w.Err() != nil {
					t.Fatalf("%s: %v", parts[0], w.Err())
				}
				for n, v := range hexes(t, want) {
					if got := w.R[n][l]; got != v {
						t.Errorf("%s with %s: got %08x in R%d, want %08x", parts[0], in, got, n, v)
					}
				}
				if mask != ^uint32(0) && w.R[0][l+1] != 0x5eed {
					t.Errorf("%s writes a lane that is not active", parts[0])
				}
			}
			cases++
		}
	}
	t.Logf("%d instructions, %d cases", len(opCases), cases)
}

// TestSelectors: conversions of narrow floats read the byte or half that they name.
func TestSelectors(t *testing.T) {
	for _, c := range []struct {
		text     string
		in, want uint32
	}{
		{"F2FP.F16.E2M3.UNPACK_B R0, R1", 0x3f1f2108, 0xb0003c00},
		{"F2FP.F16.E2M3.UNPACK_B R0, R1.H1", 0x3f1f2108, 0xc7804780},
		{"F2FP.F16.E4M3.UNPACK_B R0, R1.H1", 0x01080000, 0x18002400},
		{"F2FP.F16.E2M1.UNPACK_B R0, R1", 0x87654321, 0x3c003800},
		{"F2FP.F16.E2M1.UNPACK_B R0, R1.B1", 0xffff62ff, 0x44003c00},
		{"F2FP.F16.E2M1.UNPACK_B R0, R1.B2", 0xff62ffff, 0x44003c00},
		{"F2FP.F16.E2M1.UNPACK_B R0, R1.B3", 0x62ffffff, 0x44003c00},
		{"F2FP.SATFINITE.E2M3.F32.PACK_AB_MERGE_C R0, R1, R1, RZ", 0x3f800000, 0x0808},
	} {
		for _, arch := range []string{"sm_100a", "sm_120a"} {
			w, i := benchOn(t, arch, c.text)
			w.R[1][5] = c.in
			if i.Run(w, i, 1<<5); w.R[0][5] != c.want {
				t.Errorf("%s: %s of %08x: got %08x, want %08x", arch, c.text, c.in, w.R[0][5], c.want)
			}
		}
	}
}

// TestOpsInPlace runs the cases whose result is one register with the result
// in the place of each source.
func TestOpsInPlace(t *testing.T) {
	cases := 0
	for _, line := range opCases {
		parts := strings.Split(line, " | ")
		op, args, _ := strings.Cut(parts[0], " R0, ")
		for _, c := range parts[1:] {
			in, want, _ := strings.Cut(c, " > ")
			values, results := hexes(t, in), hexes(t, want)
			if args == "" || len(results) != 1 {
				continue
			}
			for at := range values {
				reg := fmt.Sprintf("R%d", 1+at)
				if at%2 == 0 && strings.Contains(op, "64") || !strings.Contains(args, reg) {
					continue
				}
				text := op + " " + reg + ", " + args
				w, i := bench(t, text)
				for n, v := range values {
					w.R[1+n][0] = v
				}
				i.Run(w, i, 1)
				if got := w.R[1+at][0]; got != results[0] {
					t.Errorf("%s with %s: got %08x, want %08x", text, in, got, results[0])
				}
				cases++
			}
		}
	}
	t.Logf("%d cases", cases)
}

// TestCarry checks 64-bit sums and differences made of two IADD3, and that
// minus zero carries.
func TestCarry(t *testing.T) {
	for _, c := range []struct{ a, b uint64 }{{1, 2}, {1 << 32, 1}, {0, 0}, {0xffffffff, 0xffffffff}, {5, 1 << 40}, {1 << 63, 1}, {0, 1}} {
		for _, sub := range []bool{false, true} {
			lo, hi, want := "IADD3 R0, P0, R1, R3, RZ", "IADD3.X R5, R2, R4, RZ, P0, !PT", c.a+c.b
			if sub {
				lo, hi, want = "IADD3 R0, P0, R1, -R3, RZ", "IADD3.X R5, R2, ~R4, RZ, P0, !PT", c.a-c.b
			}
			w, i := bench(t, lo)
			w.R[1][0], w.R[2][0], w.R[3][0], w.R[4][0] = uint32(c.a), uint32(c.a>>32), uint32(c.b), uint32(c.b>>32)
			i.Run(w, i, 1)
			v, j := bench(t, hi)
			v.R, v.P = w.R, w.P
			j.Run(v, j, 1)
			if got := uint64(v.R[5][0])<<32 | uint64(v.R[0][0]); got != want {
				t.Errorf("%#x and %#x, subtract %v: got %#x, want %#x", c.a, c.b, sub, got, want)
			}
		}
	}
}

// TestSetp checks comparisons and their second predicate.
func TestSetp(t *testing.T) {
	for _, c := range []struct {
		text string
		a, b uint32
		p, q uint32
	}{
		{"ISETP.LT.AND P0, P1, R1, R2, PT", 0xffffffff, 1, 1, 0},
		{"ISETP.LT.U32.AND P0, P1, R1, R2, PT", 0xffffffff, 1, 0, 1},
		{"ISETP.NE.OR P0, P1, R1, R2, PT", 1, 1, 1, 1},
		{"ISETP.GT.AND.EX P0, P1, R1, R2, PT, PT", 4, 4, 1, 0},
		{"ISETP.GT.AND.EX P0, P1, R1, R2, PT, !PT", 4, 4, 0, 1},
		{"FSETP.NE.AND P0, P1, R1, R2, PT", 0x7fc00000, 0x3f800000, 0, 1},
		{"FSETP.NEU.AND P0, P1, R1, R2, PT", 0x7fc00000, 0x3f800000, 1, 0},
		{"FSETP.EQ.FTZ.AND P0, P1, R1, R2, PT", 0x123, 0x80000123, 1, 0},
		{"FSETP.LT.AND P0, P1, |R1|, -R2, PT", 0xc0000000, 0xc0400000, 1, 0},
		{"HSETP2.LT.AND P0, P1, R1, R2, PT", 0x40003c00, 0x3c004000, 1, 0},
	} {
		w, i := bench(t, c.text)
		w.R[1][0], w.R[2][0] = c.a, c.b
		i.Run(w, i, 1)
		if w.P[0]&1 != c.p || w.P[1]&1 != c.q {
			t.Errorf("%s with %08x %08x: %d %d, want %d %d", c.text, c.a, c.b, w.P[0]&1, w.P[1]&1, c.p, c.q)
		}
	}
}

// TestUniformBranch: BRA.U takes all lanes of the group or none, BRA those whose
// guard holds, and BRA.U.ANY all of them where one goes.
func TestUniformBranch(t *testing.T) {
	for _, c := range []struct {
		text        string
		guard, stay uint32
		gone        bool // all of the group
	}{
		{"@P0 BRA 0x40", 0xffff, 0xffff0000, false},
		{"@P0 BRA 0x40", 0xffffffff, 0xffffffff, true},
		{"@P0 BRA.U 0x40", 0xffff, 0xffffffff, false},
		{"@P0 BRA.U 0x40", 0xffffffff, 0xffffffff, true},
		{"@P0 BRA.U.ANY 0x40", 0x100, 0xffffffff, true},
		{"@P0 BRA.U.ANY 0x40", 0, 0xffffffff, false},
	} {
		w, i := benchOn(t, "sm_120a", c.text)
		if w.Active() != 0xffffffff {
			t.Fatalf("lanes %08x begin", w.Active())
		}
		at := w.Next()
		if i.Run(w, i, c.guard); w.Active() != c.stay || (w.Next() != at) != c.gone {
			t.Errorf("%s of %08x: lanes %08x at %d, want %08x (gone: %v)", c.text, c.guard, w.Active(), w.Next(), c.stay, c.gone)
		}
	}
}

// TestShfl checks every way against its definition in the PTX manual.
func TestShfl(t *testing.T) {
	for _, mode := range []string{"IDX", "UP", "DOWN", "BFLY"} {
		for _, b := range []int{0, 1, 5, 16, 31} {
			for _, c := range []int{0x1f, 0, 0x181f, 0x1807} {
				w, i := bench(t, fmt.Sprintf("SHFL.%s P0, R0, R1, %#x, %#x", mode, b, c))
				for l := range uint32(32) {
					w.R[1][l] = 100 + l
				}
				i.Run(w, i, ^uint32(0))
				for l := range 32 {
					clamp, seg := c&31, c>>8&31
					top, from, ok := l&seg|clamp&^seg, 0, false
					switch mode {
					case "IDX":
						from = l&seg | b&^seg
						ok = from <= top
					case "UP":
						from = l - b
						ok = from >= top
					case "DOWN":
						from = l + b
						ok = from <= top
					case "BFLY":
						from = l ^ b
						ok = from <= top
					}
					if !ok {
						from = l
					}
					if w.R[0][l] != 100+uint32(from) || w.P[0]>>l&1 != 0 != ok {
						t.Fatalf("SHFL.%s %d %#x lane %d: %d %v, want %d %v", mode, b, c, l, w.R[0][l], w.P[0]>>l&1, from, ok)
					}
				}
			}
		}
	}
}

// TestEveryForm decodes random words of every known operation: no panic, and
// those without a meaning say so.
func TestEveryForm(t *testing.T) {
	a := target.Find("sm_90a")
	with, without := 0, map[string]bool{}
	for op := sass.Op(1); op.String() != ""; op++ {
		sass.Forms(a, op, func(f sass.FormID) bool {
			if _, _, err := machine.Bench(a, sass.New(f), meaning.Of, &machine.Launch{}); err != nil {
				without[op.String()] = true
			} else {
				with++
			}
			return true
		})
	}
	names := ""
	for op := sass.Op(1); op.String() != ""; op++ {
		if without[op.String()] {
			names += " " + op.String()
		}
	}
	t.Logf("%d forms have a meaning; without, at least in part:%s", with, names)
}
