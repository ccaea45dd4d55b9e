package ori

import (
	"strings"

	"github.com/goptxas/goptxas/internal/ori/op"
)

// Routine says whether a function is one that the compiler wrote itself, and
// what threads do in it.
type Routine uint8

// The kinds of functions.
const (
	NoRoutine  Routine = iota // a function of the program
	Straight                  // reads and writes registers only: threads that enter it together leave it together
	Gathering                 // threads of a warp gather in it from several places, and may leave it apart
	Collective                // the same, in some instructions that stand where the call did: whoever comes last runs them for all
)

// Names of routines end so; no name of a program ends in a dot. Dumps and
// records carry the kind in this spelling; whoever reads them reads it here.
const (
	routineSuffix    = "."
	gatheringSuffix  = ".sync."
	collectiveSuffix = ".collective."
)

// Named returns the name of a routine of kind r that bears a plain one.
func (r Routine) Named(name string) string {
	switch r {
	case Straight:
		return name + routineSuffix
	case Gathering:
		return name + gatheringSuffix
	case Collective:
		return name + collectiveSuffix
	}
	return name
}

// routineOf reads the kind from a name in a dump.
func routineOf(name string) Routine {
	switch {
	case strings.HasSuffix(name, collectiveSuffix):
		return Collective
	case strings.HasSuffix(name, gatheringSuffix):
		return Gathering
	case strings.HasSuffix(name, routineSuffix):
		return Straight
	}
	return NoRoutine
}

// CallsRoutine reports whether i calls a routine in which threads stay
// together.
func (f *Func) CallsRoutine(i *Instr) bool { return f.callee(i) == Straight }

// CallsGathering reports whether i calls a routine in which threads gather.
func (f *Func) CallsGathering(i *Instr) bool {
	r := f.callee(i)
	return r == Gathering || r == Collective
}

// IsCollective reports whether i stands for instructions that threads of a
// warp run together from wherever they are. It writes what it names and
// nothing else.
func (f *Func) IsCollective(i *Instr) bool { return f.callee(i) == Collective }

// callee is the kind of the function that i calls, if it does.
func (f *Func) callee(i *Instr) Routine {
	if i.Op != op.CALL || len(i.Srcs()) == 0 {
		return NoRoutine
	}
	to := i.Srcs()[0]
	if to.Kind != KSymbol || int(to.Reg) >= len(f.Module.Symbols) {
		return NoRoutine
	}
	return f.Module.Symbols[to.Reg].Routine
}
