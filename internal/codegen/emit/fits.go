package emit

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Fits reports whether architecture a has a form for i of function f,
// whatever the numbers of its registers.
func Fits(a *target.Arch, f *ori.Func, i *ori.Instr) bool {
	if i.Op == op.BRX { // has as many labels as its table
		return i.Srcs()[0].Class == ori.R
	}
	e := emitter{f: f, a: a, loose: true}
	_, err := e.assemble(i)
	return err == nil
}
