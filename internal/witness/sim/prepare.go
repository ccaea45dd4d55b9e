package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/fp"
	"github.com/goptxas/goptxas/internal/sass"
)

// What operations want to know from their mnemonic, beside the flags that
// inst.modifiers reads for all.

// pick returns the position in names of the first part that stands there,
// or none.
func pick(parts []string, none int, names ...string) int {
	for _, p := range parts {
		if n := slices.Index(names, p); n >= 0 {
			return n
		}
	}
	return none
}

func prepHi(i *inst, _ []string) error { i.sub = 1; return nil }

// prepUiadd3 tells sums of three words of 64 bits, which have no carries.
func prepUiadd3(i *inst, parts []string) error {
	if slices.Contains(parts, "64") {
		if i.has(fX) || i.pd != [2]uint8{predSink, predSink} {
			return fmt.Errorf("carries of the 64-bit form have no meaning in the simulator")
		}
		i.fn = uiadd64
	}
	return nil
}

// prepIadd makes a two-source IADD an IADD3.
func prepIadd(i *inst, parts []string) error {
	i.s[2] = opnd{row: rowZero, hi: rowZero}
	i.ps[1] = predSrc{p: predTrue, neg: ^uint32(0)}
	i.fn = iadd3
	if slices.Contains(parts, "64") {
		i.fn = iadd64
	}
	return nil
}

func prepSel(i *inst, parts []string) error {
	if slices.Contains(parts, "64") {
		i.fn = sel64
	}
	return nil
}

func prepMov(i *inst, parts []string) error {
	if slices.Contains(parts, "64") {
		i.fn = mov64
	}
	return nil
}

func prepShf(i *inst, parts []string) error {
	switch pick(parts, 3, "S64", "U64", "S32", "U32") {
	case 0:
		i.sub = shf64 | shfSigned
	case 1:
		i.sub = shf64
	case 2:
		i.sub = shfSigned
	}
	return nil
}

func prepPrmt(i *inst, parts []string) error {
	i.sub = uint8(pick(parts, 0, "", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16"))
	return nil
}

// The comparisons, so that the number is the set of relations that make it
// true: 1 less, 2 equal, 4 greater, 8 unordered.
var cmpNames = []string{"F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"}

func prepIcmp(i *inst, parts []string) error {
	if slices.Contains(parts, "S64") || slices.Contains(parts, "U64") {
		if i.has(fEX) {
			return fmt.Errorf(".EX of 64 bits has no meaning in the simulator")
		}
		i.fn, i.it.Signed = isetp64, slices.Contains(parts, "S64")
	}
	if i.cmp = uint8(pick(parts, 0, cmpNames...)); i.cmp == 15 {
		i.cmp = 7
	}
	return nil
}

func prepFcmp(i *inst, parts []string) error {
	i.cmp = uint8(pick(parts, 0, cmpNames...))
	return nil
}

func prepDcmp(i *inst, parts []string) error {
	i.cmp = uint8(pick(parts, 0, cmpNames...))
	i.sub = uint8(pick(parts, 0, "", "MIN", "MAX"))
	return doubleImm(i, parts)
}

func prepHalf(i *inst, parts []string) error {
	if slices.Contains(parts, "OOB") {
		return fmt.Errorf(".OOB has no meaning in the simulator")
	}
	if i.src = fp.F16; i.has(fBF16) {
		i.src = fp.BF16
	}
	if i.op != sass.OpHADD2 && i.has(fF32) {
		return fmt.Errorf(".F32 has no meaning in the simulator")
	}
	return nil
}

func prepHalfCmp(i *inst, parts []string) error {
	i.cmp = uint8(pick(parts, 0, cmpNames...))
	return prepHalf(i, parts)
}

func prepMinmax(i *inst, parts []string) error {
	switch pick(parts, 0, "", "U32", "U16x2", "S16x2", "S32", "U64", "S64", "U8x4", "S8x4") {
	case 0, 4:
		i.it.Signed = true
	case 1:
	case 2:
		i.sub = v16
	case 3:
		i.sub, i.it.Signed = v16, true
	case 5, 6:
		i.fn, i.it.Signed = imnmx64, slices.Contains(parts, "S64")
	case 7:
		i.sub = v8
	case 8:
		i.sub, i.it.Signed = v8, true
	}
	if i.pd != [2]uint8{predSink, predSink} {
		return fmt.Errorf("its predicates have no meaning in the simulator")
	}
	return nil
}

func prepViadd(i *inst, parts []string) error {
	switch pick(parts, 0, "32", "16x2", "S32", "S16x2", "U8x4", "S8x4") {
	case 1:
		i.sub = v16
	case 2:
		i.it.Signed = true
	case 3:
		i.sub, i.it.Signed = v16, true
	case 4:
		i.sub = v8
	case 5:
		i.sub, i.it.Signed = v8, true
	}
	i.mode.Sat = slices.Contains(parts, "ISAT")
	return nil
}

func prepAbsdiff4(i *inst, parts []string) error {
	i.it.Signed = !slices.Contains(parts, "U8")
	return nil
}

func prepIdp(i *inst, parts []string) error {
	if len(parts) < 3 {
		return fmt.Errorf("unknown form")
	}
	if parts[0] == "2A" {
		i.sub |= idp2A
		parts = parts[1:]
	}
	if parts[1][0] == 'S' {
		i.sub |= idpA
	}
	if parts[2][0] == 'S' {
		i.sub |= idpB
	}
	return nil
}

// intType reads U8 to S64.
func intType(name string) (fp.Int, bool) {
	switch name {
	case "U2", "S2":
		return fp.Int{Bits: 2, Signed: name[0] == 'S'}, true
	case "U4", "S4":
		return fp.Int{Bits: 4, Signed: name[0] == 'S'}, true
	case "U8", "S8":
		return fp.Int{Bits: 8, Signed: name[0] == 'S'}, true
	case "U16", "S16":
		return fp.Int{Bits: 16, Signed: name[0] == 'S'}, true
	case "U32", "S32":
		return fp.Int{Bits: 32, Signed: name[0] == 'S'}, true
	case "U64", "S64":
		return fp.Int{Bits: 64, Signed: name[0] == 'S'}, true
	}
	return fp.Int{Bits: 32, Signed: true}, false
}

func firstInt(parts []string) fp.Int {
	for _, p := range parts {
		if t, ok := intType(p); ok {
			return t
		}
	}
	return fp.Int{Bits: 32, Signed: true}
}

func prepI2i(i *inst, parts []string) error {
	i.it = firstInt(parts)
	return nil
}

// formats reads the float formats of a mnemonic in order.
func formats(parts []string) []fp.Format {
	var list []fp.Format
	for _, p := range parts {
		for f, name := range formatNames {
			if name != "" && name == p {
				list = append(list, fp.Format(f))
			}
		}
	}
	return list
}

var formatNames = [...]string{
	fp.F16: "F16", fp.BF16: "BF16", fp.TF32: "TF32", fp.E4M3: "E4M3", fp.E5M2: "E5M2", fp.E2M3: "E2M3", fp.E3M2: "E3M2",
	fp.E2M1: "E2M1", fp.UE8M0: "E8", fp.F32: "F32", fp.F64: "F64",
}

// firstFormat reads the first float format of a mnemonic; f32 has no name.
func firstFormat(parts []string) fp.Format {
	if f := formats(parts); len(f) > 0 {
		return f[0]
	}
	return fp.F32
}

func prepF2f(i *inst, parts []string) error {
	f := formats(parts)
	if len(f) != 2 {
		return fmt.Errorf("unknown formats")
	}
	i.dst, i.src = f[0], f[1]
	return sourceImm(i, parts)
}

func prepF2i(i *inst, parts []string) error {
	i.it, i.src = firstInt(parts), firstFormat(parts)
	return sourceImm(i, parts)
}

func prepI2f(i *inst, parts []string) error {
	i.it, i.dst = firstInt(parts), firstFormat(parts)
	return nil
}

func prepFrnd(i *inst, parts []string) error {
	i.src = firstFormat(parts)
	return sourceImm(i, parts)
}

// sourceImm places an immediate in the upper word of a source of f64.
func sourceImm(i *inst, parts []string) error {
	if i.src == fp.F64 {
		return doubleImm(i, parts)
	}
	return nil
}

func prepF2fp(i *inst, parts []string) error {
	f := formats(parts)
	switch {
	case len(f) == 2:
		i.dst, i.src = f[0], f[1]
	case len(f) == 1: // sm_80: only BF16 is printed
		i.dst, i.src = f[0], fp.F32
	case len(f) == 0:
		i.dst, i.src = fp.F16, fp.F32
	default:
		return fmt.Errorf("unknown formats")
	}
	if slices.Contains(parts, "RS") {
		return fmt.Errorf(".RS has no meaning in the simulator")
	}
	n := pick(parts, -1, "PACK_AB", "MERGE_C", "PACK_AB_MERGE_C", "PACK_B", "UNPACK_B", "UNPACK_B_MERGE_C")
	if n < 0 {
		return fmt.Errorf("unknown form")
	}
	i.sub = uint8(n)
	return nil
}

func prepF2ip(i *inst, parts []string) error {
	i.it = firstInt(parts)
	return nil
}

func prepFmul(i *inst, parts []string) error {
	for n, name := range [...]string{"D8", "D4", "D2", "", "M2", "M4", "M8"} {
		if name != "" && slices.Contains(parts, name) {
			i.fn, i.rel = fmulScaled, int64(n-3)
		}
	}
	return nil
}

func prepFmnmx(i *inst, parts []string) error {
	if slices.Contains(parts, "IS_A") {
		return fmt.Errorf(".IS_A has no meaning in the simulator")
	}
	return nil
}

func prepFmnmx3(i *inst, parts []string) error {
	if i.ns != 3 || i.has(fXS) {
		return fmt.Errorf("this form has no meaning in the simulator")
	}
	return prepFmnmx(i, parts)
}

func prepMufu(i *inst, parts []string) error {
	i.src = fp.F32
	if f := formats(parts); len(f) > 0 {
		i.src = f[0]
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
			i.sub = uint8(f.fn)
			if strings.HasSuffix(f.name, "64H") {
				i.src = fp.F64
			}
			return nil
		}
	}
	return fmt.Errorf("unknown function")
}

// accessSize reads the width of a memory access.
func accessSize(i *inst, parts []string) error {
	i.size = 4
	switch pick(parts, 4, "U8", "S8", "U16", "S16", "32", "64", "128", "256") {
	case 0:
		i.size = 1
	case 1:
		i.size, i.sext = 1, true
	case 2:
		i.size = 2
	case 3:
		i.size, i.sext = 2, true
	case 5:
		i.size = 8
	case 6:
		i.size = 16
	case 7:
		i.size = 32
	}
	return nil
}

func prepLoad(space uint8) func(*inst, []string) error {
	return func(i *inst, parts []string) error {
		i.sub = space
		return accessSize(i, parts)
	}
}

func prepLdgsts(i *inst, parts []string) error { return accessSize(i, parts) }

// prepLdc finds the bank, which is the first number of the address.
func prepLdc(i *inst, parts []string) error {
	for n := range i.in.NArg() {
		if o := i.in.Arg(n); o.Role == sass.Address && o.Kind == sass.KindImm {
			i.bar = uint8(o.Imm)
			i.addr[0].imm -= o.Imm
			break
		}
	}
	if pick(parts, -1, "IL") >= 0 {
		return fmt.Errorf(".IL has no meaning in the simulator")
	}
	if pick(parts, -1, "IS", "ISL") >= 0 {
		i.cmp = 1
	}
	return accessSize(i, parts)
}

func prepQspc(i *inst, parts []string) error {
	switch pick(parts, -1, "G", "L", "S", "D") {
	case 0:
		i.sub = spGlobal
	case 1:
		i.sub = spLocal
	case 2, 3:
		i.sub = spShared
	default:
		return fmt.Errorf("unknown space")
	}
	return nil
}

func prepAtomic(space uint8) func(*inst, []string) error {
	return func(i *inst, parts []string) error {
		i.sub = space
		if len(parts) > 1 && parts[0] == "POPC" {
			i.fn = popcInc
			return nil
		}
		if slices.Contains(parts, "ARRIVE") {
			i.fn, i.size = oldArrive, 8
			return nil
		}
		op := pick(parts, -1, "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "CAS", "CAST")
		if op < 0 {
			return fmt.Errorf("unknown operation")
		}
		i.cmp = uint8(op)
		return atomicType(i, parts)
	}
}

// atomicType reads the type: an integer, a float, or several floats.
func atomicType(i *inst, parts []string) error {
	i.size, i.it = 4, fp.Int{Bits: 32}
	for _, p := range parts {
		switch p {
		case "S32":
			i.it = fp.Int{Bits: 32, Signed: true}
		case "64", "U64":
			i.size, i.it = 8, fp.Int{Bits: 64}
		case "S64":
			i.size, i.it = 8, fp.Int{Bits: 64, Signed: true}
		case "128":
			i.size, i.it = 16, fp.Int{Bits: 128}
		case "F64":
			i.size, i.it, i.src = 8, fp.Int{}, fp.F64
		}
		name, count, _ := strings.Cut(p, "x")
		switch name {
		case "F32":
			i.it, i.src, i.size = fp.Int{}, fp.F32, 4*max(1, digit(count))
		case "F16", "BF16":
			i.it, i.src, i.size = fp.Int{}, fp.F16, 2*max(2, digit(count))
			if name == "BF16" {
				i.src = fp.BF16
			}
		}
	}
	return nil
}

func digit(s string) uint8 {
	if len(s) == 1 {
		return s[0] - '0'
	}
	return 0
}

func prepSyncs(i *inst, parts []string) error {
	switch {
	case i.op == sass.OpARRIVES:
		// a copy raises the count and its end lowers it again, unless the
		// code counted it already (.ARVCNT)
		switch {
		case slices.Contains(parts, "ARVCNT"):
			i.fn, i.sub = copiesArrive, arrLdgsts
		case slices.Contains(parts, "TRANSCNT"):
			i.fn, i.sub = copiesArrive, arrTxCopy
		default:
			i.fn, i.sub, i.d[0] = oldArrive, spShared, rowSink
		}
	case parts[0] == "EXCH":
		i.fn = syncsExch
	case parts[0] == "PHASECHK":
		i.fn = syncsCheck
	case parts[0] == "LD":
		i.fn = syncsLoad
	case parts[0] == "CCTL":
		i.fn = nothing
	case parts[0] == "ARRIVE" && !slices.Contains(parts, "TMASK"):
		i.fn = syncsArrive
		i.sub = uint8(arrOneTx + 1 + pick(parts, -1, "A1T0", "A0TR", "ART0", "A0T1", "A0TX"))
		i.cmp = 0
		if slices.Contains(parts, "OPTOUT") {
			i.cmp = 1
		}
	}
	return nil
}

// prepNamed notes whether the mnemonic has one of some parts.
func prepNamed(names ...string) func(*inst, []string) error {
	return func(i *inst, parts []string) error {
		i.sub = uint8(pick(parts, -1, names...) + 1)
		return nil
	}
}

func prepBra(i *inst, parts []string) error {
	i.sub = uint8(pick(parts, braPlain, "", "DIV", "CONV", "ANY"))
	return nil
}

// prepBmov finds the barrier: B0 to B15.
func prepBmov(i *inst, _ []string) error {
	v, _ := i.in.Mod(sass.ModBreg)
	n := v.String()
	i.sub = 16
	if len(n) >= 2 && n[0] == 'B' && n[1] >= '0' && n[1] <= '9' {
		i.sub = 0
		for _, c := range n[1:] {
			i.sub = i.sub*10 + uint8(c-'0')
		}
	}
	return nil
}

func prepBar(i *inst, parts []string) error {
	i.sub = uint8(pick(parts, barSync, "SYNC", "ARV", "RED"))
	i.cmp = uint8(pick(parts, redPopc, "POPC", "AND", "OR"))
	return nil
}

func prepSR(i *inst, _ []string) error {
	i.sub = uint8(i.in.Word().Field(72, 8))
	if !knownSR(i.sub) {
		return fmt.Errorf("the special register has no meaning in the simulator")
	}
	return nil
}

func prepVote(i *inst, parts []string) error {
	i.sub = uint8(pick(parts, voteAll, "ALL", "ANY", "EQ"))
	return nil
}

func prepShfl(i *inst, parts []string) error {
	i.sub = uint8(pick(parts, shflIdx, "IDX", "UP", "DOWN", "BFLY"))
	return nil
}

func prepMatch(i *inst, parts []string) error {
	i.size = 4
	if slices.Contains(parts, "U64") {
		i.size = 8
	}
	if i.has(fALL) {
		i.sub = 1
	}
	return nil
}

func prepCredux(i *inst, parts []string) error {
	if slices.Contains(parts, "F32") {
		i.fn, i.sub = reduxFloat, uint8(pick(parts, 0, "MIN", "MAX", "MINABS", "MAXABS"))
		return nil
	}
	switch pick(parts, -1, "MIN", "MAX") {
	case 0:
		i.sub = reduxMin
	case 1:
		i.sub = reduxMax
	default:
		return fmt.Errorf("unknown operation")
	}
	i.it.Signed = slices.Contains(parts, "S32")
	return nil
}

func prepRedux(i *inst, parts []string) error {
	i.sub = uint8(pick(parts, reduxAnd, "AND", "OR", "XOR", "SUM", "MIN", "MAX"))
	i.it.Signed = slices.Contains(parts, "S32")
	return nil
}
