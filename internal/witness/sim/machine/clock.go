package machine

import (
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/hazard"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
	"github.com/goptxas/goptxas/internal/witness/sim/timing"
)

// issue lets the clock of the warp look at an instruction about to run, and
// spoils the registers that it reads too early.
func (w *Warp) issue(i *Inst, mask uint32) {
	x := timing.Issue{Pc: w.At, Active: w.act, Mask: mask, Full: i.Full}
	x.Depbar, x.Keep = waitsFor(i)
	stalled, pc, early := w.timed.Issue(&x)
	if stalled > 0 {
		w.m.stats.StallsBy[w.m.prog.insts[pc].kind] += uint64(stalled)
	}
	for _, e := range early {
		if e.Reg >= code.RowZero {
			continue
		}
		for l := e.Lanes; l != 0; l &= l - 1 {
			w.R[e.Reg][Lane(l)] = poisonReg | uint32(e.Reg)
		}
	}
}

// waitsFor returns the barriers that DEPBAR waits for and how many of their
// announcements may be missing.
func waitsFor(i *Inst) (uint8, int) {
	if i.Mnemonic != "DEPBAR.LE" || i.NS == 0 {
		return 0, 0
	}
	return 1 << (i.Bar & 7), int(i.S[0].Imm)
}

// newClocks makes ready for timed mode.
func newClocks(p *Program) (*timing.Machine, error) {
	m, err := p.described()
	if err != nil {
		return nil, err
	}
	return timing.New(m, p.kernel.Name, func(pc uint32) (string, uint64) { return p.text(pc), p.Offset(pc) }), nil
}

// describe makes what clocks know of the module's instructions, for all
// launches.
func (m *Module) describe() (*hazard.Model, error) {
	list := make([]sass.Inst, len(m.insts))
	for n := range m.insts {
		list[n] = m.insts[n].In
	}
	return hazard.NewModel(m.Arch, list)
}

// clockOut takes a finished warp's clock into the statistics.
func (m *machine) clockOut(w *Warp) {
	cycles, stalls := w.timed.Take()
	m.stats.Cycles = max(m.stats.Cycles, cycles)
	m.stats.Stalls += stalls
}
