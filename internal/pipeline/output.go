package pipeline

import (
	"fmt"
	"time"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/link"
)

// Failure is a kernel that could not be compiled.
type Failure struct {
	Func int32
	File *src.File
	Pos  src.Pos
	Text string
}

// Output is a compiled module.
type Output struct {
	Cubin    []byte // nil if something failed
	Kernels  []*link.Kernel
	Funcs    []int32 // Module.Funcs of each kernel
	Failures []Failure
	Global   int    // bytes of global memory
	Consts   [5]int // bytes of the module's constant banks: 3 has variables, 4 addresses
	Setup    Cost
	Debug    Cost // line tables and debug sections
	ELF      Cost
}

// Cost is what a part of the work took: its time, and the bytes the process
// held at its end where Options.Heap tells.
type Cost struct {
	Time time.Duration
	Heap int64
}

// String names the place of a failure.
func (f *Failure) String() string {
	if f.Pos == src.NoPos {
		return f.Text
	}
	name, line := f.File.Line(f.Pos)
	return fmt.Sprintf("%s, line %d; %s", name, line, f.Text)
}
