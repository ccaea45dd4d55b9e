// Package ori is the compiler's intermediate representation: functions of
// basic blocks of machine operations on virtual registers.
//
// A register is a run of one or more consecutive 32-bit words (or one
// predicate) of one register file. An operand names words of a register, so
// the halves of a 64-bit value, the members of a vector load and the 128
// words of a matrix accumulator are all the same thing: words of one
// register that must stand side by side. Results come before sources in an
// instruction's operand list.
package ori

import (
	"github.com/goptxas/goptxas/internal/engine/pool"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Class is a register file.
type Class uint8

const (
	R  Class = iota // general, one word for each thread
	UR              // uniform, one word for each warp
	P               // predicate
	UP              // uniform predicate
	B               // convergence barrier
	NumClasses
)

var classNames = [...]string{"R", "UR", "P", "UP", "B"}

func (c Class) String() string { return classNames[c] }

// Reg is a virtual register, an index into Func.Regs.
type Reg int32

// NoReg means no register.
const NoReg Reg = -1

// RegInfo describes a register.
type RegInfo struct {
	Class Class
	Width uint8 // words
	Align uint8 // the first physical register is a multiple of this
	Phys  int16 // first physical register, -1 before allocation or if free
	Fixed bool  // Phys is given by the calling convention
	Var   bool  // in SSA form: a variable, which may be written more than once
	Lo    int16 // physical registers allowed: [Lo, Hi), Hi 0 = no bound
	Hi    int16
}

// Kind is the kind of an operand.
type Kind uint8

const (
	KNone    Kind = iota // an optional operand that is absent
	KReg                 // words Sub to Sub+N of register Reg
	KZero                // RZ, URZ, PT or UPT, by Class
	KImm                 // Imm, as bits
	KConst               // constant bank Sub at byte Imm, plus register Reg of Class if any
	KSpecial             // special register Imm (an op.Special)
	KLabel               // block Reg of the function
	KSymbol              // address of symbol Reg of the module plus Imm; Sub says which part
	KAddr                // memory at register Reg (N words) plus Imm; Reg may be NoReg
	KUAddr               // uniform register Reg added to the address before it
	KDesc                // memory descriptor in uniform registers Reg; NoReg: none is named
	KTarget              // function Reg of the module, as a call's target
	KGdesc               // matrix descriptors in uniform registers Reg; Imm are marks, see NegA
	KLiteral             // the two words Imm, which the kernel's own constant bank holds
	KTmem                // tensor memory at uniform register Reg plus Imm; as a matrix that is multiplied Imm are marks
)

// Flags are marks on an operand.
type Flags uint8

const (
	Neg   Flags = 1 << iota // -x
	Abs                     // |x|
	Inv                     // ~x of a word, !p of a predicate
	Reuse                   // kept in the operand cache, set by the scoreboard phase
	Wide                    // address register is 64 bits, printed .64
	H0                      // low half in both lanes: .H0_H0
	H1                      // high half in both lanes: .H1_H1
	B1                      // the second byte, or the fourth of the high half
)

// Marks on the matrices that a KGdesc operand describes.
const (
	NegA  = 1 << iota // the first matrix is negated
	NegB              // the second is
	TnspA             // the first matrix is transposed
	TnspB             // the second is

	// of operations on tensor memory
	KeepA   // the first matrix stays in the collector
	ReuseA  // the first matrix is taken from there
	KeepB   // the second stays in one of four
	ReuseB  // the second is taken from there
	Buffer1 // which one: its number, times Buffer1
	Buffer2
)

// Part says which bits of a symbol's address an operand stands for.
type Part uint8

const (
	PartLo  Part = iota // low 32 bits
	PartHi              // high 32 bits
	PartAbs             // low 32 bits of an address in a 32-bit space
	PartRef             // place in bank 0 of the number of a texture, sampler or surface
)

// Operand is one operand. It holds no pointers and is comparable.
type Operand struct {
	Kind  Kind
	Flags Flags
	Class Class
	Sub   uint8 // first word, constant bank or Part
	N     uint8 // words
	Reg   Reg   // register, block, symbol or function number
	Imm   int64
}

// Sched is what the scheduler decides about an instruction.
type Sched struct {
	Stall uint8 // cycles before the next instruction issues
	Yield bool  // the warp may be switched out after it
	WrBar int8  // barrier set when results arrive, -1 = none
	RdBar int8  // barrier released when sources are read, -1 = none
	Wait  uint8 // barriers waited for before issue, one bit each
	Pad   bool  // a NOP that only continues the stall of the instruction before it
}

// NoSched is the Sched of an instruction that was not scheduled.
var NoSched = Sched{WrBar: -1, RdBar: -1}

// Instr is one instruction. It belongs to one block, or to none after
// Remove.
type Instr struct {
	ID    int32 // dense, unique in the function
	Op    op.Op
	NDst  uint8 // leading operands that are results
	Mods  op.Mods
	Guard Operand // predicate; KNone = always
	Args  []Operand
	Old   []Operand // in SSA form: what each result is if the guard does not hold, KNone = anything; nil = see Guard
	Line  int32     // where in the source text it comes from, in bytes; 0 = nowhere
	Loc   int32     // index of the .loc directive in force, -1 = none
	Sched Sched

	block      *Block
	prev, next *Instr
}

// IsVolatile reports whether an access to memory happens even if nobody wants
// its result, in its order among its like.
func (i *Instr) IsVolatile() bool {
	return i.Mods.Has(op.MSTRONG) || i.Mods.Has(op.MMMIO) || i.Mods.Has(op.MVOLATILE)
}

// Block is a basic block.
type Block struct {
	ID    int32
	Preds []*Block
	Succs []*Block // the fall-through successor, if any, is last
	Kept  bool     // an instruction that is no jump names it: it must stay a block

	// Rolled: the source asks that a loop with this header keeps its turns.
	Rolled bool

	first, last *Instr
	f           *Func
	n           int // instructions
}

// Func is one function.
type Func struct {
	Name    string
	Kernel  bool
	Routine Routine
	Blocks  []*Block // in layout order; the first is the entry
	Regs    []RegInfo
	Props   Props

	// Cuts are the positions in the text, in order, where the flow of
	// control splits or joins: see Together.
	Cuts []int32

	// Syncs are the instructions of the text for which threads of a warp
	// gather, in the order they were lowered.
	Syncs []Sync

	// Mbarriers says what instructions of the text do with an mbarrier, by
	// their Line. The file tells it to checkers.
	Mbarriers map[int32]MbarrierUse

	// Used says which bytes of loads of the text are needed, by their Line,
	// where the text does. The file tells it to checkers.
	Used map[int32]UsedBytes

	// Atomics has the Line of every instruction of the text that became an
	// atomic: what a warp does together there the compiler added.
	Atomics map[int32]bool

	Module *Module

	// Ask, if there is one, tells whether an optional rewrite may be done:
	// see Should.
	Ask func(kind string, id int) bool

	instrs    pool.Of[Instr]
	operands  pool.Of[Operand]
	blocks    pool.Of[Block]
	nextInstr int32
	nextBlock int32
	nextPhi   int64
	cfg       uint32 // changes when an edge or block changes
	code      uint32 // changes when an instruction changes
	facts     facts  // what analyses found
}

// Sync is an instruction of the text for which threads of a warp gather.
type Sync struct {
	Pos  int32 // in the text: Line of what it became
	Kind uint8 // threads at instructions of one kind gather, wherever they are
	Full bool  // it names all threads
}

// Props are facts about a function that later stages need.
type Props struct {
	ParamBytes  int32 // size of the kernel's parameters
	ParamBase   int32 // where they start in constant bank 0
	SharedBytes int32
	LocalBytes  int32 // local memory the source asks for; spills come on top
	Variables   int32 // bytes of variables among them
	Own         int32 // where those of bodies begin that stand in place of calls
	Unnamed     int32 // bytes of those that no instruction names: as in the reference's frames, they stay
	LocalAlign  int32 // what the strictest of them asks of its address, where that is more than 8
	SpillBytes  int32
	SpillStores int32 // words that spill code stores and loads
	SpillLoads  int32
	Barriers    int32 // named barriers used: highest + 1
	MaxNReg     int32 // .maxnreg, 0 = none
	LocalNReg   int32 // .local_maxnreg, which the file does not tell of
	MinNCTA     int32
	ReqNTid     [3]int32
	MaxNTid     [3]int32
	Cluster     [3]int32
	Registers   int32 // of each file R, after allocation
	Tensor      int32 // how tensor memory is used: Tensor…
	Copies      int32 // bodies of functions that stand in place of calls
	Copied      int32 // functions they are of
	Untraded    int32 // why setmaxnreg has no effect: Untraded…; 0: it has
	HasCalls    bool
	MovesStack  bool // the stack pointer moves: a copy of it holds the frame
	HasExit     bool
	Pool        bool // its warps trade registers
	Serial      bool // every warp-group matrix operation is waited for at once
	SSA         bool // registers that are no variables have one definition, which dominates its uses
}

// Why warps do not trade registers.
const (
	UntradedDebug   = 1 + iota // a debugger follows
	UntradedUnits              // code of other units knows nothing of it
	UntradedCalls              // nor do functions that are called
	UntradedUnknown            // nobody knows how many there are at launch
)

// Uses of tensor memory.
const (
	TensorTouched  = 1 << iota // something reads or writes it, or asks for it
	TensorOne                  // by one block
	TensorTwo                  // by a pair of blocks
	TensorAccount              // a block keeps account of what it holds
	TensorAccount2             // a pair does
)

// Symbol is a variable or function that code refers to.
type Symbol struct {
	Name    string
	Routine Routine // what a function is
	// Placed says that Place is where a variable of a 32-bit space lies, though
	// code names it.
	Placed bool
	Place  int64
}

// Module is a compilation unit.
type Module struct {
	Funcs   []*Func
	Symbols []Symbol
	Pool    *pool.Pool    // gives functions their memory and takes it back with itself; nil: the heap
	Source  *src.File     // the text they come from, for dumps; may be nil
	Head    string        // of a dump: where it comes from
	Scratch *pool.Scratch // for what a phase forgets at its end; nil: the heap
	// Poll is called now and then by phases that may take long, and panics
	// where the work shall end; may be nil.
	Poll func()
}

// Scratch returns the memory for what a phase forgets at its end. No fact that
// the function keeps lies there.
func (f *Func) Scratch() *pool.Scratch {
	if f.Module == nil {
		return nil
	}
	return f.Module.Scratch
}

// Poll gives whoever ends the work of the block's module the chance to.
func (b *Block) Poll() { b.f.Poll() }

// Poll gives whoever ends the work of the module the chance to.
func (f *Func) Poll() {
	if f.Module != nil && f.Module.Poll != nil {
		f.Module.Poll()
	}
}

// Symbol returns the number of the symbol of the program with a name, adding
// it if it is new.
func (m *Module) Symbol(name string) Reg { return m.RoutineSymbol(name, NoRoutine) }

// RoutineSymbol returns the number of the symbol of a function of a kind,
// adding it if it is new.
func (m *Module) RoutineSymbol(name string, kind Routine) Reg {
	for n := range m.Symbols {
		if m.Symbols[n].Name == name {
			return Reg(n)
		}
	}
	m.Symbols = append(m.Symbols, Symbol{Name: name, Routine: kind})
	return Reg(len(m.Symbols) - 1)
}
