package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt/dead"
	"github.com/goptxas/goptxas/internal/opt/machine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// TestUnread takes results away where nobody reads them, and nowhere else.
func TestUnread(t *testing.T) {
	all := func(f *ori.Func) bool { return machine.UnreadResults(f, func(*ori.Instr) bool { return true }) }
	old := func(f *ori.Func) bool {
		return machine.UnreadResults(f, func(i *ori.Instr) bool { return i.Op != op.REDG && !i.Mods.Has(op.MPOPC) })
	}
	const (
		add  = "LDS r0 = [0x0]\nATOMG.E.ADD.STRONG.GPU pt, r1 = desc[u8], [r4.64+0x0], r0"
		one  = "LDS r0 = [0x0]\nMOV r2 = 0x1\nATOMS.ADD r1 = [r0+0x10], r2"
		swap = "LDS r0 = [0x0]\nATOMG.E.EXCH.STRONG.GPU pt, r1 = desc[u8], [r4.64+0x0], r0"
		most = "LDS r0 = [0x0]\nATOMS.MAX r1 = [r0+0x0], r0"
	)
	runCases(t, []phaseCase{
		{"global", add, "LDS r0 = [0x0]\nREDG.E.ADD.STRONG.GPU desc[u8], [r4.64+0x0], r0", []func(*ori.Func) bool{all}},
		{"before sm_90", add, "LDS r0 = [0x0]\nRED.E.ADD.STRONG.GPU desc[u8], [r4.64+0x0], r0", []func(*ori.Func) bool{old}},
		{"exchange", swap, "LDS r0 = [0x0]\nATOMG.E.EXCH.STRONG.GPU pt, rz = desc[u8], [r4.64+0x0], r0", []func(*ori.Func) bool{all}},
		{"acquire", add + "\nCCTL.IVALL", "LDS r0 = [0x0]\nATOMG.E.ADD.STRONG.GPU pt, rz = desc[u8], [r4.64+0x0], r0\nCCTL.IVALL", []func(*ori.Func) bool{all}},
		{"fence", "MEMBAR.SC.GPU\n" + add, "MEMBAR.SC.GPU\nLDS r0 = [0x0]\nATOMG.E.ADD.STRONG.GPU pt, rz = desc[u8], [r4.64+0x0], r0", []func(*ori.Func) bool{all}},
		{"fence far behind", add + "\nSTS [0x0], r0\nMEMBAR.ALL.GPU\nERRBAR\nCGAERRBAR\nCCTL.IVALL", "LDS r0 = [0x0]\nATOMG.E.ADD.STRONG.GPU pt, rz = desc[u8], [r4.64+0x0], r0\nSTS [0x0], r0\nMEMBAR.ALL.GPU\nERRBAR\nCGAERRBAR\nCCTL.IVALL", []func(*ori.Func) bool{all}},
		{"fence before sm_90", "MEMBAR.SC.GPU\n" + add, "MEMBAR.SC.GPU\nLDS r0 = [0x0]\nRED.E.ADD.STRONG.GPU desc[u8], [r4.64+0x0], r0", []func(*ori.Func) bool{old}},
		{"release", add + "\nMEMBAR.ALL.GPU\nERRBAR\nCGAERRBAR\nSTS [0x0], r0", "LDS r0 = [0x0]\nREDG.E.ADD.STRONG.GPU desc[u8], [r4.64+0x0], r0\nMEMBAR.ALL.GPU\nERRBAR\nCGAERRBAR\nSTS [0x0], r0", []func(*ori.Func) bool{all}},
		{"shared", most, "LDS r0 = [0x0]\nATOMS.MAX rz = [r0+0x0], r0", []func(*ori.Func) bool{all}},
		{"count", one, "LDS r0 = [0x0]\nATOMS.POPC.INC.32 rz = [r0+0x10], +[urz]", []func(*ori.Func) bool{all, dead.DeadCode}},
		{"count before sm_80", one, "LDS r0 = [0x0]\nMOV r2 = 0x1\nATOMS.ADD rz = [r0+0x10], r2", []func(*ori.Func) bool{old, dead.DeadCode}},
		{"mask", "ELECT p7, u8[0] = pt\n@p7 STS [0x0], rz", "ELECT p7, urz = pt\n@p7 STS [0x0], rz", []func(*ori.Func) bool{all}},
		{"read", most + "\nSTS [0x0], r1", most + "\nSTS [0x0], r1", []func(*ori.Func) bool{all}},
	})
}
