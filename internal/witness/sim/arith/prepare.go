package arith

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/machine"
)

// What operations want to know from their mnemonic, beside the flags that
// decoding reads for all.

// PrepHi marks products whose upper word is wanted.
func PrepHi(i *machine.Inst, _ []string) error { i.Sub = 1; return nil }

// PrepUiadd3 tells sums of three words of 64 bits, which have no carries.
func PrepUiadd3(i *machine.Inst, parts []string) error {
	if slices.Contains(parts, "64") {
		if i.Has(code.FlagX) || i.PD != [2]uint8{code.PredSink, code.PredSink} {
			return fmt.Errorf("carries of the 64-bit form have no meaning in the simulator")
		}
		i.Run = uiadd64
	}
	return nil
}

// PrepIadd makes a two-source IADD an IADD3.
func PrepIadd(i *machine.Inst, parts []string) error {
	i.S[2] = code.Operand{Row: code.RowZero, Hi: code.RowZero}
	i.PS[1] = code.Pred{P: code.PredTrue, Neg: ^uint32(0)}
	i.Run = Iadd3
	if slices.Contains(parts, "64") {
		i.Run = iadd64
	}
	return nil
}

// PrepSel tells SEL of 64 bits.
func PrepSel(i *machine.Inst, parts []string) error {
	if slices.Contains(parts, "64") {
		i.Run = sel64
	}
	return nil
}

// PrepMov tells MOV of 64 bits.
func PrepMov(i *machine.Inst, parts []string) error {
	if slices.Contains(parts, "64") {
		i.Run = mov64
	}
	return nil
}

// PrepShf reads the type of a shift.
func PrepShf(i *machine.Inst, parts []string) error {
	switch code.Pick(parts, 3, "S64", "U64", "S32", "U32") {
	case 0:
		i.Sub = shf64 | shfSigned
	case 1:
		i.Sub = shf64
	case 2:
		i.Sub = shfSigned
	}
	return nil
}

// PrepPrmt reads the mode of PRMT.
func PrepPrmt(i *machine.Inst, parts []string) error {
	i.Sub = uint8(code.Pick(parts, 0, "", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16"))
	return nil
}

// The comparisons, so that the number is the set of relations that make it
// true: 1 less, 2 equal, 4 greater, 8 unordered.
var cmpNames = []string{"F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"}

// PrepIcmp reads a comparison of integers.
func PrepIcmp(i *machine.Inst, parts []string) error {
	if slices.Contains(parts, "S64") || slices.Contains(parts, "U64") {
		if i.Has(code.FlagEX) {
			return fmt.Errorf(".EX of 64 bits has no meaning in the simulator")
		}
		i.Run, i.It.Signed = isetp64, slices.Contains(parts, "S64")
	}
	if i.Cmp = uint8(code.Pick(parts, 0, cmpNames...)); i.Cmp == 15 {
		i.Cmp = 7
	}
	return nil
}

// PrepFcmp reads a comparison of floats.
func PrepFcmp(i *machine.Inst, parts []string) error {
	i.Cmp = uint8(code.Pick(parts, 0, cmpNames...))
	return nil
}

// PrepDcmp reads a comparison of doubles.
func PrepDcmp(i *machine.Inst, parts []string) error {
	i.Cmp = uint8(code.Pick(parts, 0, cmpNames...))
	i.Sub = uint8(code.Pick(parts, 0, "", "MIN", "MAX"))
	return DoubleImm(i, parts)
}

// PrepHalf reads the format of halves.
func PrepHalf(i *machine.Inst, parts []string) error {
	if slices.Contains(parts, "OOB") {
		if i.Op != sass.OpHFMA2 {
			return fmt.Errorf(".OOB has no meaning in the simulator")
		}
		i.Run = hfma2Outside
	}
	if i.Src = fp.F16; i.Has(code.FlagBF16) {
		i.Src = fp.BF16
	}
	if i.Op != sass.OpHADD2 && i.Has(code.FlagF32) {
		return fmt.Errorf(".F32 has no meaning in the simulator")
	}
	return nil
}

// PrepVhmnmx reads an extreme of three halves.
func PrepVhmnmx(i *machine.Inst, parts []string) error {
	if i.Mode.Ftz || i.Has(code.FlagXS) {
		return fmt.Errorf(".FTZ and .XORSIGN have no meaning in the simulator")
	}
	return PrepHalf(i, parts)
}

// PrepHalfCmp reads a comparison of halves.
func PrepHalfCmp(i *machine.Inst, parts []string) error {
	i.Cmp = uint8(code.Pick(parts, 0, cmpNames...))
	return PrepHalf(i, parts)
}

// PrepMinmax reads the type of a minimum.
func PrepMinmax(i *machine.Inst, parts []string) error {
	switch code.Pick(parts, 0, "", "U32", "U16x2", "S16x2", "S32", "U64", "S64", "U8x4", "S8x4") {
	case 0, 4:
		i.It.Signed = true
	case 1:
	case 2:
		i.Sub = v16
	case 3:
		i.Sub, i.It.Signed = v16, true
	case 5, 6:
		i.Run, i.It.Signed = imnmx64, slices.Contains(parts, "S64")
	case 7:
		i.Sub = v8
	case 8:
		i.Sub, i.It.Signed = v8, true
	}
	if i.PD != [2]uint8{code.PredSink, code.PredSink} {
		return fmt.Errorf("its predicates have no meaning in the simulator")
	}
	return nil
}

// PrepViadd reads the type of a sum of lanes.
func PrepViadd(i *machine.Inst, parts []string) error {
	switch code.Pick(parts, 0, "32", "16x2", "S32", "S16x2", "U8x4", "S8x4") {
	case 1:
		i.Sub = v16
	case 2:
		i.It.Signed = true
	case 3:
		i.Sub, i.It.Signed = v16, true
	case 4:
		i.Sub = v8
	case 5:
		i.Sub, i.It.Signed = v8, true
	}
	i.Mode.Sat = slices.Contains(parts, "ISAT")
	return nil
}

// PrepAbsdiff4 reads the sign of the bytes.
func PrepAbsdiff4(i *machine.Inst, parts []string) error {
	i.It.Signed = !slices.Contains(parts, "U8")
	return nil
}

// PrepIdp reads the types of a dot product.
func PrepIdp(i *machine.Inst, parts []string) error {
	if len(parts) < 3 {
		return fmt.Errorf("unknown form")
	}
	if parts[0] == "2A" {
		i.Sub |= idp2A
		parts = parts[1:]
	}
	if parts[1][0] == 'S' {
		i.Sub |= idpA
	}
	if parts[2][0] == 'S' {
		i.Sub |= idpB
	}
	return nil
}

// PrepI2i reads the type of the result.
func PrepI2i(i *machine.Inst, parts []string) error {
	i.It = code.FirstInt(parts)
	return nil
}

// PrepF2f reads both formats.
func PrepF2f(i *machine.Inst, parts []string) error {
	f := code.Formats(parts)
	if len(f) != 2 {
		return fmt.Errorf("unknown formats")
	}
	i.Dst, i.Src = f[0], f[1]
	return sourceImm(i, parts)
}

// PrepF2i reads type and format.
func PrepF2i(i *machine.Inst, parts []string) error {
	i.It, i.Src = code.FirstInt(parts), code.FirstFormat(parts)
	return sourceImm(i, parts)
}

// PrepI2f reads type and format.
func PrepI2f(i *machine.Inst, parts []string) error {
	i.It, i.Dst = code.FirstInt(parts), code.FirstFormat(parts)
	return nil
}

// PrepFrnd reads the format.
func PrepFrnd(i *machine.Inst, parts []string) error {
	i.Src = code.FirstFormat(parts)
	return sourceImm(i, parts)
}

// sourceImm places an immediate in the upper word of a source of f64.
func sourceImm(i *machine.Inst, parts []string) error {
	if i.Src == fp.F64 {
		return DoubleImm(i, parts)
	}
	return nil
}

// PrepF2fp reads formats and packing.
func PrepF2fp(i *machine.Inst, parts []string) error {
	f := code.Formats(parts)
	switch {
	case len(f) == 2:
		i.Dst, i.Src = f[0], f[1]
	case len(f) == 1: // sm_80: only BF16 is printed
		i.Dst, i.Src = f[0], fp.F32
	case len(f) == 0:
		i.Dst, i.Src = fp.F16, fp.F32
	default:
		return fmt.Errorf("unknown formats")
	}
	if slices.Contains(parts, "RS") {
		i.Run = f2fpRandom
	}
	n := code.Pick(parts, -1, "PACK_AB", "MERGE_C", "PACK_AB_MERGE_C", "PACK_B", "UNPACK_B", "UNPACK_B_MERGE_C")
	if n < 0 {
		return fmt.Errorf("unknown form")
	}
	i.Sub = uint8(n)
	return nil
}

// PrepF2ip reads the type of the result.
func PrepF2ip(i *machine.Inst, parts []string) error {
	i.It = code.FirstInt(parts)
	return nil
}

// PrepFmul reads the power of two that scales a product.
func PrepFmul(i *machine.Inst, parts []string) error {
	for n, name := range [...]string{"D8", "D4", "D2", "", "M2", "M4", "M8"} {
		if name != "" && slices.Contains(parts, name) {
			i.Run, i.Rel = fmulScaled, int64(n-3)
		}
	}
	return nil
}

// PrepFmnmx refuses forms without a meaning.
func PrepFmnmx(i *machine.Inst, parts []string) error {
	if slices.Contains(parts, "IS_A") {
		return fmt.Errorf(".IS_A has no meaning in the simulator")
	}
	return nil
}

// PrepFmnmx3 does so for three sources.
func PrepFmnmx3(i *machine.Inst, parts []string) error {
	if i.NS != 3 || i.Has(code.FlagXS) {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	return PrepFmnmx(i, parts)
}

// PrepMufu reads the function.
func PrepMufu(i *machine.Inst, parts []string) error {
	i.Src = fp.F32
	if f := code.Formats(parts); len(f) > 0 {
		i.Src = f[0]
	}
	switch code.Pick(parts, -1, "F16x2", "BF16x2") {
	case 0:
		i.Src, i.Run = fp.F16, mufuPair
	case 1:
		i.Src, i.Run = fp.BF16, mufuPair
	}
	funcs := [...]struct {
		name string
		fn   fp.Func
	}{
		{"COS", fp.CosFn},
		{"SIN", fp.SinFn},
		{"EX2", fp.Ex2Fn},
		{"LG2", fp.Lg2Fn},
		{"RCP", fp.RcpFn},
		{"RSQ", fp.RsqFn},
		{"RCP64H", fp.RcpFn},
		{"RSQ64H", fp.RsqFn},
		{"SQRT", fp.SqrtFn},
		{"TANH", fp.TanhFn},
	}
	for _, f := range funcs {
		if len(parts) > 0 && parts[0] == f.name {
			i.Sub = uint8(f.fn)
			if strings.HasSuffix(f.name, "64H") {
				i.Src = fp.F64
			}
			return nil
		}
	}
	return fmt.Errorf("unknown function")
}
