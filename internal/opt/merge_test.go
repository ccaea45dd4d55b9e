package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt/float"
	"github.com/goptxas/goptxas/internal/ori"
)

func TestMerge(t *testing.T) {
	all := []func(*ori.Func) bool{func(f *ori.Func) bool { return float.MergeHalves(f, func(*ori.Instr) bool { return true }) }}
	none := []func(*ori.Func) bool{func(f *ori.Func) bool { return float.MergeHalves(f, func(*ori.Instr) bool { return false }) }}
	const load, store = "LDS r0 = [0x0]\nLDS r1 = [0x4]\nLDS r2 = [0x8]\n", "\nSTS [0x0], r4"
	of := func(i ...string) string {
		s := load
		for n, x := range i {
			if n > 0 {
				s += "\n"
			}
			s += x
		}
		return s + store
	}
	const pair, join = "F2FP.SATFINITE.E5M2.F32.PACK_AB_MERGE_C r3 = r0, -r1, rz", "PRMT r4 = r3, 0x5410, r2"
	left := func(name string, i ...string) phaseCase { return phaseCase{name, of(i...), of(i...), all} }
	runCases(t, []phaseCase{
		{"two floats", of(pair, join), of("F2FP.SATFINITE.E5M2.F32.PACK_AB_MERGE_C r4 = r0, -r1, r2"), all},
		{"from the other side", of(pair, "PRMT r4 = r2, 0x1054, r3"), of("F2FP.SATFINITE.E5M2.F32.PACK_AB_MERGE_C r4 = r0, -r1, r2"), all},
		{"two halves", of("F2FP.E4M3.F16.UNPACK_B_MERGE_C r3 = r0, rz", join), of("F2FP.E4M3.F16.UNPACK_B_MERGE_C r4 = r0, r2"), all},
		{"no form", of(pair, join), of(pair, join), none},
		left("a high half", pair, "PRMT r4 = r3, 0x7610, r2"),
		left("the upper half", pair, "PRMT r4 = r2, 0x5410, r3"),
		left("read twice", pair, join+"\nSTS [0x4], r3"),
		left("something is there", "F2FP.SATFINITE.E5M2.F32.PACK_AB_MERGE_C r3 = r0, r1, r2", join),
		left("four bits", "F2FP.SATFINITE.E2M1.F32.PACK_AB_MERGE_C r3 = r0, r1, rz", join),
		left("random bits", "F2FP.RS.SATFINITE.E5M2.F32.PACK_AB_MERGE_C r3 = r0, r1, rz", join),
		left("halves", "F2FP.F16.F32.PACK_AB r3 = r0, r1", join),
		left("changed since", pair+"\nLDS r0 = [0xc]", join),
	})
}
