package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// steerTime is for how long threads sleep at most, in nanoseconds, as the
// reference has it.
const steerTime = 1000

// steer lets threads sleep for a random time before each access by which
// other threads can tell how far they are: races show that a steady machine
// hides. Loads do not count, nor does what goes through barriers in memory or
// is copied by the machine itself.
func steer(f *ori.Func) {
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op.Has(op.Steered) {
				s := f.NewInstr(op.NANOSLEEP, op.M(op.MRAND), nil, []ori.Operand{ori.Imm(steerTime)})
				s.Guard, s.Line, s.Loc = i.Guard, i.Line, i.Loc
				b.InsertBefore(s, i)
			}
		}
	}
}
