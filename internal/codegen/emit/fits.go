package emit

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Fits returns the question whether architecture a has a form for an
// instruction of function f, whatever the numbers of its registers. One
// goroutine may ask.
func Fits(a *target.Arch, f *ori.Func) func(i *ori.Instr) bool {
	e := &emitter{f: f, a: a, loose: true}
	return func(i *ori.Instr) bool {
		if i.Op == op.BRX { // has as many labels as its table
			return i.Srcs()[0].Class == ori.R
		}
		_, err := e.assemble(i)
		return err == nil
	}
}
