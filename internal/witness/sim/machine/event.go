package machine

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/sim/code"
)

// Event is an instruction about to run, as a Hook sees it. It is valid
// during the call only.
type Event struct {
	w *Warp
	i *Inst
}

// call shows the next instruction to the hook.
func (m *machine) call(w *Warp, i *Inst) bool {
	m.event = Event{w, i}
	if err := m.hook(&m.event); err != nil {
		if m.err == nil {
			m.err = err
		}
		return false
	}
	return true
}

// Text prints the instruction.
func (e *Event) Text() string { return e.w.m.prog.text(e.w.At) }

// PC is the offset of the instruction in its section.
func (e *Event) PC() uint64 { return e.w.m.prog.Offset(e.w.At) }

// Section names the code section of the instruction.
func (e *Event) Section() string {
	if r := e.w.m.prog.RangeOf(e.w.At); r != nil {
		return r.Name
	}
	return ""
}

// Block is the block of the warp.
func (e *Event) Block() [3]uint32 { return e.w.cta.id }

// Warp is the number of the warp in its block.
func (e *Event) Warp() int { return e.w.ID }

// Active is the mask of lanes of the running group, Exited of those gone.
func (e *Event) Active() uint32 { return e.w.act }

// Exited is the mask of lanes that are gone.
func (e *Event) Exited() uint32 { return e.w.exited }

// Executes is the mask of lanes whose guard is true.
func (e *Event) Executes() uint32 { return e.w.act & (e.w.P[e.i.Guard] ^ e.i.GuardNot) }

// Reg reads vector register r of a lane.
func (e *Event) Reg(r, lane int) uint32 { return e.w.R[r&255][lane&31] }

// Uniform reads a uniform register.
func (e *Event) Uniform(r int) uint32 { return e.w.R[code.RowUni+(r&255)][0] }

// Pred reads the lanes of predicate p.
func (e *Event) Pred(p int) uint32 { return e.w.P[p&7] }

// Shared returns the block's shared memory.
func (e *Event) Shared() []byte { return e.w.cta.shared }

// Registers is the number of registers the kernel says it uses.
func (e *Event) Registers() int { return e.w.m.prog.kernel.Regs }

// Result returns a function that, called once the instruction has run, says
// what it wrote for a lane.
func (e *Event) Result(lane int) func() string {
	w, i := e.w, e.i
	return func() string {
		s := ""
		for n := range uint16(i.Width) {
			row := i.D[0] + n
			switch {
			case i.D[0] == code.RowSink || row >= code.NumRows:
				continue
			case row >= code.RowUni:
				s += fmt.Sprintf(" UR%d=%08x", row-code.RowUni, w.R[row][0])
			default:
				s += fmt.Sprintf(" R%d=%08x", row, w.R[row][lane])
			}
		}
		for _, p := range i.PD {
			switch {
			case p == code.PredSink:
			case p >= code.PredUni:
				s += fmt.Sprintf(" UP%d=%d", p-code.PredUni, w.P[p]&1)
			default:
				s += fmt.Sprintf(" P%d=%08x", p, w.P[p])
			}
		}
		return s
	}
}

// UniformWritten reports whether a uniform register holds something.
func (e *Event) UniformWritten(r int) bool {
	return e.w.R[code.RowUni+(r&255)][0] != poisonReg|uint32(code.RowUni+(r&255))
}

// Near prints the instruction k places from this one, in the same section.
func (e *Event) Near(k int) (string, bool) {
	r := e.w.m.prog.RangeOf(e.w.At)
	pc := int64(e.w.At) + int64(k)
	if r == nil || pc < int64(r.First) || pc >= int64(r.First+r.N) {
		return "", false
	}
	return e.w.m.prog.text(uint32(pc)), true
}

// Index is the number of the instruction in the program.
func (e *Event) Index() int { return int(e.w.At) }

// Mnemonic names the operation with its modifiers.
func (e *Event) Mnemonic() string { return e.i.Mnemonic }

// Ctrl is the instruction's scheduling control.
func (e *Event) Ctrl() sass.Ctrl { return e.i.In.Ctrl() }
