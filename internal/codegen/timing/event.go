// Package timing describes instructions as the schedulers see them: which
// registers they read and write, in which class they are timed and which of
// their operands are needed when.
package timing

import (
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Cells number the registers of all files in one row.
const (
	cellR    = 0
	cellUR   = 256
	cellP    = 512
	cellUP   = 520
	cellB    = 528
	NumCells = 544 // of all files
)

// FirstCell is the cell of register 0 of each file.
var FirstCell = [target.NumFiles]uint16{
	target.FileR: cellR, target.FileUR: cellUR, target.FileP: cellP, target.FileUP: cellUP, target.FileB: cellB,
}

// FileOf returns the register file of a cell.
func FileOf(cell uint16) target.File {
	switch {
	case cell < cellUR:
		return target.FileR
	case cell < cellP:
		return target.FileUR
	case cell < cellUP:
		return target.FileP
	case cell < cellB:
		return target.FileUP
	}
	return target.FileB
}

// NumBarriers is how many barriers the machine has.
const NumBarriers = 6

// Role says how an instruction uses a register.
type Role uint8

// Roles of registers.
const (
	Data    Role = iota // source Index
	Address             // part of a memory address
	Desc                // memory descriptor
	Index               // offset into a constant bank
	Guard
	Result
	Cleared // nothing may be pending in it, but it is not touched here
)

// Use is one run of registers that an instruction reads or writes.
type Use struct {
	File target.File
	Role Role
	Reg  uint8
	N    uint8
	Arg  uint8 // number of the source it is or belongs to

	Negated bool // of a guard
}

// Ctrl are the control fields of an instruction.
type Ctrl struct {
	Stall uint8
	WrBar int8
	RdBar int8
	Wait  uint8
}

// Access is a use as timing sees it.
type Access struct {
	Cell uint16
	N    uint8
	Sink target.Sink  // of a read
	Row  target.Class // of a write
}

// Event is an instruction as timing sees it.
type Event struct {
	Class   target.Class
	Guarded bool    // results may not be written
	Guard   uint16  // cell of the guard, if guarded
	Negated bool    // the guard is taken when false
	Drains  bool    // nothing may be pending: code elsewhere follows
	Fences  bool    // what it holds back must wait for the barrier it sets
	Passes  bool    // no fence holds it back: it computes, and touches nothing but registers and constants
	Leaves  op.Work // goes on behind it until its barrier says otherwise
	Awaits  op.Work // must be over before it
	Reads   []Access
	Writes  []Access
	Clears  []Access // registers that nothing before it may still read or write
	Behind  []Access // registers whose results it lets come first, though it does not read them
	Ctrl    Ctrl
}

// builder makes events; their accesses live in one slice.
type builder struct {
	pool []Access
}

// event describes an instruction of class c. uses is not kept.
func (b *builder) event(c target.Class, uses []Use) Event {
	e := Event{Class: c, Drains: c == target.ClassCall}
	e.Guard, e.Negated, e.Guarded = guard(uses)
	start := len(b.pool)
	for _, u := range uses {
		if u.Role != Result && u.Role != Cleared {
			b.read(c, u)
		}
	}
	mid := len(b.pool)
	for _, u := range uses {
		if u.Role == Result {
			b.write(c, u)
		}
	}
	last := len(b.pool)
	for _, u := range uses {
		if u.Role == Cleared {
			b.pool = append(b.pool, Access{Cell: FirstCell[u.File] + uint16(u.Reg), N: u.N})
		}
	}
	e.Reads = b.pool[start:mid:mid]
	e.Writes = b.pool[mid:last:last]
	e.Clears = b.pool[last:len(b.pool):len(b.pool)]
	return e
}

// guard finds the guard among uses.
func guard(uses []Use) (cell uint16, negated, ok bool) {
	for _, u := range uses {
		if u.Role == Guard {
			return FirstCell[u.File] + uint16(u.Reg), u.Negated, true
		}
	}
	return 0, false, false
}

// read adds the accesses of a source. The words of the addend of IMAD.WIDE
// are needed at different times.
func (b *builder) read(c target.Class, u Use) {
	cell := FirstCell[u.File] + uint16(u.Reg)
	if c == target.ClassWide && u.File == target.FileR && u.Role == Data && u.Arg == 2 {
		b.pool = append(b.pool, Access{Cell: cell, N: 1, Sink: target.SinkWideLo})
		if u.N > 1 {
			b.pool = append(b.pool, Access{Cell: cell + 1, N: u.N - 1, Sink: target.SinkWideHi})
		}
		return
	}
	b.pool = append(b.pool, Access{Cell: cell, N: u.N, Sink: SinkOf(c, u)})
}

func (b *builder) write(c target.Class, u Use) {
	cell := FirstCell[u.File] + uint16(u.Reg)
	if c == target.ClassWide && u.File == target.FileR && u.N == 2 {
		b.pool = append(b.pool, Access{Cell: cell, N: 1, Row: c}, Access{Cell: cell + 1, N: 1, Row: target.ClassWideHi})
		return
	}
	b.pool = append(b.pool, Access{Cell: cell, N: u.N, Row: c})
}

// SinkOf returns which kind of reader a use by an instruction of class c is.
func SinkOf(c target.Class, u Use) target.Sink {
	switch u.File {
	case target.FileR:
		return gprSink(c, u)
	case target.FileUR:
		return uniSink(c, u)
	case target.FileP:
		return predSink(c, u)
	case target.FileUP:
		return upSink(c, u)
	}
	return 0
}

// plainSinks are the readers of general registers whose operands are all
// alike. What is not listed is given the slowest.
var plainSinks = [target.NumClasses]target.Sink{
	target.ClassOther:   target.SinkBar,
	target.ClassAlu:     target.SinkAlu,
	target.ClassFma:     target.SinkFma,
	target.ClassImad:    target.SinkImad,
	target.ClassImadHi:  target.SinkImadHi,
	target.ClassWide:    target.SinkWide,
	target.ClassHalf:    target.SinkHalf,
	target.ClassHalf32:  target.SinkHalf32,
	target.ClassHalfCmp: target.SinkHalfCmp,
	target.ClassHmmaFma: target.SinkHmmaFma,
	target.ClassFp64:    target.SinkFp64,
	target.ClassImma88:  target.SinkMmaAB,
	target.ClassMma1:    target.SinkMmaAB,
	target.ClassMma2:    target.SinkMmaAB,
	target.ClassQmma:    target.SinkMmaAB,
	target.ClassDmma:    target.SinkDmma,
	target.ClassGmma:    target.SinkGmmaA,
	target.ClassXu:      target.SinkXu,
	target.ClassXu64:    target.SinkXu,
	target.ClassRedux:   target.SinkXu,
	target.ClassMatch:   target.SinkBar,
	target.ClassCredux:  target.SinkXu,
	target.ClassLds:     target.SinkData,
	target.ClassSts:     target.SinkData,
	target.ClassLdg:     target.SinkData,
	target.ClassStg:     target.SinkData,
	target.ClassLdgsts:  target.SinkData,
	target.ClassTex:     target.SinkXu,
	target.ClassTmem:    target.SinkData,
	target.ClassTma:     target.SinkData,
	target.ClassLdc:     target.SinkLdc,
	target.ClassR2ur:    target.SinkR2ur,
	target.ClassP2r:     target.SinkAlu,
	target.ClassR2p:     target.SinkR2p,
	target.ClassVote:    target.SinkAlu,
	target.ClassVoteu:   target.SinkAlu,
	target.ClassSyncs:   target.SinkSyncs,
	target.ClassBra:     target.SinkBranch,
	target.ClassCall:    target.SinkBranch,
	target.ClassExit:    target.SinkBranch,
	target.ClassCbu:     target.SinkCbu,
	target.ClassBmov:    target.SinkCbu,
	target.ClassBar:     target.SinkBar,
	target.ClassMembar:  target.SinkBar,
}

func gprSink(c target.Class, u Use) target.Sink {
	s := plainSinks[c]
	switch {
	case u.Role == Index:
		return target.SinkLdc
	case u.Role == Address && s == target.SinkData:
		return target.SinkAddress
	case c == target.ClassArrive && u.Arg == 0:
		return target.SinkArriveA
	case c == target.ClassArrive:
		return target.SinkArriveC
	case u.Arg == 2 && s == target.SinkMmaAB:
		return target.SinkMmaC
	case u.Arg >= 1 && s == target.SinkGmmaA:
		return target.SinkGmmaC
	case s == target.SinkAlu && !aluLike(c):
		return target.SinkBar
	}
	return s
}

// aluLike reports whether operands of the class reach the ALU.
func aluLike(c target.Class) bool {
	switch c {
	case target.ClassAlu, target.ClassP2r, target.ClassVote, target.ClassVoteu:
		return true
	}
	return false
}

func predSink(c target.Class, u Use) target.Sink {
	if u.Role == Guard {
		return target.SinkPredSlow
	}
	switch c {
	case target.ClassAlu, target.ClassR2p:
		return target.SinkPredAlu
	case target.ClassP2r:
		return target.SinkPredP2r
	case target.ClassImad, target.ClassImadHi:
		return target.SinkPredImad
	case target.ClassWide:
		return target.SinkPredWide
	case target.ClassCbu:
		return target.SinkPredBreak
	case target.ClassHalf, target.ClassHalf32, target.ClassHalfCmp:
		return target.SinkPredHalf
	case target.ClassFp64:
		return target.SinkPredFp64
	}
	return target.SinkPredSlow
}

func uniSink(c target.Class, u Use) target.Sink {
	switch {
	case c == target.ClassGmma:
		return target.SinkUniGmma
	case u.Role == Desc && c == target.ClassLdgsts:
		return target.SinkUniDescAsync
	case u.Role == Desc:
		return target.SinkUniDesc
	case u.Role == Index:
		return target.SinkUniIndex
	}
	switch c {
	case target.ClassUdp, target.ClassVoteu:
		return target.SinkUniUdp
	case target.ClassUwide, target.ClassUfp:
		return target.SinkUniWide
	case target.ClassUmov:
		return target.SinkUniMov
	case target.ClassAlu, target.ClassFma, target.ClassImad, target.ClassImadHi, target.ClassWide, target.ClassHalf,
		target.ClassHalf32, target.ClassHalfCmp, target.ClassFp64, target.ClassHmmaFma:
		return target.SinkUniVector
	case target.ClassXu, target.ClassXu64, target.ClassRedux, target.ClassMatch, target.ClassCredux:
		return target.SinkUniXu
	case target.ClassLdg, target.ClassStg, target.ClassLds, target.ClassSts, target.ClassLdgsts:
		return target.SinkUniAddress
	case target.ClassTex, target.ClassTmem: // the handle; the place
		return target.SinkUniDesc
	case target.ClassTma:
		return target.SinkUniTma
	case target.ClassSyncs:
		if u.Role == Address {
			return target.SinkUniSyncs
		}
	case target.ClassBra, target.ClassCall, target.ClassExit:
		return target.SinkUniBranch
	}
	return target.SinkUniIndex
}

func upSink(c target.Class, u Use) target.Sink {
	switch {
	case c == target.ClassBra || c == target.ClassExit || c == target.ClassCall:
		return target.SinkUPBranch
	case u.Role == Guard && (c == target.ClassSyncs || c == target.ClassTma):
		return target.SinkUPAsync
	case u.Role == Guard:
		return target.SinkUPGuard
	case c == target.ClassUdp:
		return target.SinkUPUdp
	case c == target.ClassUwide || c == target.ClassUfp:
		return target.SinkUPWide
	case !c.Coupled(): // whether a warp-group product adds to its result is read like a guard
		return target.SinkUPGuard
	}
	return target.SinkUPVector
}

// Late reports whether the instruction reads the cell at a time that only a
// barrier tells.
func Late(t *target.Timing, c target.Class, cell uint16) bool {
	switch FileOf(cell) {
	case target.FileR:
		return t.ReadsLate(c)
	case target.FileUR:
		return target.UniformLate(c)
	}
	return false
}

// Describe returns the event of an instruction of class c with its control
// fields; uses is not kept.
func Describe(c target.Class, uses []Use, ctrl Ctrl) Event {
	var b builder
	e := b.event(c, uses)
	e.Ctrl = ctrl
	return e
}
