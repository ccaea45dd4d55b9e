package bodies

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

const doubleText = "Program is doing double precision computations."

// The reference puts texts of its own in place of some instructions and
// warns of every instruction on 64-bit floats in them at the line of the one
// they replace. What it says of the routines those texts call, in files of
// its own, is nobody's to mend and not repeated.

// doubleTexts says how often it warns; the first row that fits counts. mods
// are modifiers that the instruction must have.
var doubleTexts = [...]struct {
	op    isa.Word
	mods  []isa.Word
	times int
}{
	{isa.WCvt, nil, 2},
	{isa.WTestp, nil, 2},
	{isa.WCopysign, nil, 3},
	{isa.WDiv, []isa.Word{isa.WRn}, 19},
	{isa.WRcp, []isa.Word{isa.WRn}, 14},
	{isa.WRcp, []isa.Word{isa.WApprox}, 2},
	{isa.WSqrt, []isa.Word{isa.WRn}, 20},
	{isa.WRsqrt, []isa.Word{isa.WFtz}, 2},
	{isa.WRsqrt, nil, 16},
	{isa.WMma, nil, 2},
	{isa.WWmma, []isa.Word{isa.WLoad, isa.WC}, 4},
	{isa.WWmma, []isa.Word{isa.WLoad}, 3},
	{isa.WWmma, []isa.Word{isa.WStore}, 4},
	{isa.WWmma, nil, 2},
}

// double warns of double precision when the user asks for it.
func (k *checker) double(out *sema.Inst) {
	if !slices.Contains(out.Types[:min(int(out.NTypes), len(out.Types))], isa.F64) {
		return
	}
	times, mods := 1, k.body.ModsOf(out)
	for _, r := range doubleTexts {
		if r.op == out.Op && !slices.ContainsFunc(r.mods, func(w isa.Word) bool { return !slices.Contains(mods, w) }) {
			times = r.times
			break
		}
	}
	for range times {
		k.Warning(k.instrPos(), doubleText)
	}
}
