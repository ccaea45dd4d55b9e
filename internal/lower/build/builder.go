// Package build is what all of lowering stands on: the builder of one
// function. It reads the operands of the current PTX instruction as words,
// knows where variables and symbols lie, and emits Ori.
//
// Conventions. A value of up to 32 bits is one word, a 64-bit value two
// words (low first), a 128-bit value four. A value narrower than 32 bits
// lies in the low bits of its word with whatever above them: an operation
// that cares extends it first. A predicate is a register of file P.
//
// A guarded PTX instruction may become several machine instructions. Only
// those that write a PTX register, touch memory or have another effect
// carry the guard; temporaries are computed either way, which costs no more
// and keeps their lives short.
package build

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/lower/routine"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// Unsupported is an instruction that cannot be compiled, with its place.
type Unsupported struct {
	Pos  src.Pos
	Text string
}

func (u *Unsupported) Error() string { return u.Text }

// Builder lowers one function.
type Builder struct {
	Scope
	expand.Writer
	Module *sema.Module
	Layout *Layout
	Opts   Options
	Plan   *Plan    // what becomes of calls
	Tables []*Table // how each instruction is lowered

	Cur     *ori.Block
	order   []*ori.Block // blocks in the order they are filled
	Placed  []bool       // by block: it is in order
	turn    uint32       // counts instructions
	used    uint32       // bytes of this load that the text says are used, 0: it does not
	asked   [isa.NumWords]uint32
	sums    uint64               // arguments of the instruction that are sums nobody has read
	Loc     int32                // of list, -1: none yet
	List    []Line               // the .loc directives of all bodies
	Repeats []*ori.Block         // heads of the loops that the text does not have
	bases   map[int32]int32      // where those of a function begin
	Top     int64                // bytes of the frame in use
	Desc    ori.Reg              // memory descriptor, NoReg until needed
	Carry   ori.Reg              // condition code of add.cc and its kin
	rank    ori.Reg              // shared memory window of this block in its cluster
	frame   ori.Reg              // what locals are addressed from
	SP      ori.Reg              // stack pointer
	Sites   routine.Sites        // of routines
	global  map[[2]int32]ori.Reg // registers of the module, by symbol and element
	Back    Value                // return address of a function compiled by itself
	Buffer  Value                // where its result goes if registers do not hold it
	entry   *ori.Instr

	Open     *ori.Instr // last warp-group matrix operation since a commit
	Gathered *ori.Block // where the warp was brought together for those
	runs     runWords   // of matrix fragments
	syncs    []syncSite // for which threads of a warp gather
}

// Table says how the PTX instructions of one package are lowered; nil: not here.
type Table [isa.NumWords]func(*Builder)

// New returns a builder that has made nothing yet.
func New(arch *target.Arch) *Builder {
	l := &Builder{Desc: ori.NoReg, Carry: ori.NoReg, rank: ori.NoReg, frame: ori.NoReg, SP: ori.NoReg, Loc: -1}
	l.Writer = expand.NewWriter(arch, l)
	return l
}

// Fail ends the lowering of the function with an error about the current
// instruction.
func (l *Builder) Fail(format string, args ...any) {
	pos := src.NoPos
	if l.In != nil {
		pos = l.In.Pos
	}
	panic(&Unsupported{Pos: pos, Text: fmt.Sprintf(format, args...)})
}

// Unsupported fails with the spelling of the current instruction.
func (l *Builder) Unsupported() {
	s := l.In.Op.String()
	for _, w := range l.Body.ModsOf(l.In) {
		s += "." + w.String()
	}
	l.Fail("Instruction '%s' cannot be compiled yet for %s", s, l.Arch.Name)
}

// AlignUp rounds n up to a multiple of a.
func AlignUp(n, a int64) int64 {
	a = max(a, 1)
	return (n + a - 1) / a * a
}

// closed reports whether control never reaches the end of the current
// block.
func (l *Builder) closed() bool {
	i := l.Cur.Last()
	return i != nil && i.Op.Has(op.Terminator) && i.Guard.Kind == ori.KNone
}

// Fall goes on in block b, which the current block leads to unless control
// never reaches its end.
func (l *Builder) Fall(b *ori.Block) {
	if !l.closed() {
		l.Cur.AddEdge(b)
	}
	l.Enter(b)
}

// Enter goes on in block b.
func (l *Builder) Enter(b *ori.Block) {
	for len(l.Placed) <= int(b.ID) {
		l.Placed = append(l.Placed, false)
	}
	if !l.Placed[b.ID] {
		l.Placed[b.ID] = true
		l.order = append(l.order, b)
	}
	l.Cur = b
}
