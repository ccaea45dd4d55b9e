package sema

import (
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// Reg is a register of a body. Scalars only: a vector register is as many
// consecutive ones.
type Reg struct {
	Name syntax.Name // of the variable, or of the family
	Num  int32       // number within a family, or -1
	Type isa.Type
	Elem uint8 // component of a vector register
}

// OperandFlags are marks of a checked operand.
type OperandFlags uint8

// The marks.
const (
	Neg OperandFlags = 1 << iota
	Not
	Unified  // [address].unified
	Selected // a selector that is no component follows: Sel, or an unknown one
	Paired   // d|p
)

// Operand is a checked operand of an Inst. What Ref means depends on Kind,
// and for addresses on Base:
//
//	KReg      Regs                       KLabel  Labels
//	KSpecial  the isa.SpecialReg         KTable  Tables
//	KSymbol   Module.Syms, or Vars of the body below zero: see Local
//	KFunc     Module.Funcs               KVector, and KAddr with coordinates: Elems
type Operand struct {
	Kind  isa.Kind
	Base  isa.Kind // of KAddr
	Type  isa.Type
	Space isa.Space
	Flags OperandFlags
	Comp  uint8 // component of a special register, from one; 0 when none was named
	// PairKind and PairType tell what stands after the bar of d|p.
	PairKind isa.Kind
	PairType isa.Type
	Sel      isa.Word // selector of a video instruction
	Ref      int32
	Pair     int32 // Regs: p of d|p, or -1
	Index    int32 // Regs: the index of var[reg], or -1
	Elems    syntax.List
	// Value is a constant: the integer, the bits of a float64 (KDouble) or
	// of a float32 (KSingle), or the offset of an address or symbol; of a
	// register with a selector the selector's digits, as hexadecimal ones
	// below bit 16, and how many there are above.
	Value uint64
}

// Local returns the index in Body.Vars of a symbol operand that names a
// variable of the body, or -1.
func (o *Operand) Local() int32 {
	if o.Ref >= 0 {
		return -1
	}
	return -o.Ref - 1
}

// Inst is a checked instruction.
type Inst struct {
	Op       isa.Word
	GuardNot bool
	NTypes   uint8
	NSpaces  uint8
	Vec      uint8
	Row      *row.Row
	Form     *row.Form
	Types    [6]isa.Type
	Spaces   [2]isa.Space
	Guard    int32       // Regs, or -1
	Mods     syntax.List // Body.Words: the modifiers as written
	Args     syntax.List // Body.Operands
	Call     int32       // Body.Calls, or -1
	Pos      src.Pos
}

// Call is the callee and the actual parameters of a call.
type Call struct {
	Func    int32 // Module.Funcs of a direct call, or -1
	Table   int32 // Tables of an indirect call, or -1
	Target  Operand
	Rets    syntax.List // Operands
	Actuals syntax.List // Operands
}

// Table is a .branchtargets, .calltargets or .callprototype.
type Table struct {
	Name  syntax.Name
	Kind  isa.Word
	List  syntax.List // Body.Targets: Labels or Module.Funcs
	Proto int32       // Body.Protos, or -1
}

// Label is a place in a body.
type Label struct {
	Name syntax.Name
	At   int32 // Instrs: what follows it
}

// Line says that the instructions from At on come from a source line.
type Line struct {
	At   int32
	File uint32
	Line uint32
	Col  uint32
	// Inlined: the code of the function whose name starts at Func+Off in
	// .debug_str, called from Of, a Line of the body; -1 otherwise.
	Func syntax.Name
	Off  uint64
	Of   int32
}

// Body is the checked body of a function. It belongs to the Scratch it was
// made with and is valid until the next body.
type Body struct {
	Func     int32
	Tree     *syntax.Tree // names of registers, labels and variables
	Instrs   []Inst
	Words    []isa.Word
	Operands []Operand
	Regs     []Reg
	Vars     []Var
	Labels   []Label
	Tables   []Table
	Targets  []int32
	Protos   []Proto
	Calls    []Call
	Lines    []Line
	Pragmas  []Pragma
	Module   []ModuleReg
}

// ModuleReg is a register of the module, or an element of a vector of such,
// in a body that uses it. Only the first versions have them.
type ModuleReg struct {
	Sym, Elem int32
	Reg       int32
}

// Reset empties the body.
func (b *Body) Reset(fn int32, t *syntax.Tree) {
	n := len(t.Instrs)
	b.Func, b.Tree = fn, t
	b.Instrs = room(b.Instrs, n)
	b.Words = room(b.Words, len(t.Mods))
	b.Operands = room(b.Operands, len(t.Operands))
	b.Regs = b.Regs[:0]
	b.Vars, b.Labels, b.Tables, b.Targets = b.Vars[:0], b.Labels[:0], b.Tables[:0], b.Targets[:0]
	b.Protos, b.Calls, b.Lines, b.Pragmas = b.Protos[:0], b.Calls[:0], b.Lines[:0], b.Pragmas[:0]
	b.Module = b.Module[:0]
}

func room[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, 0, n)
	}
	return s[:0]
}

// Of returns the operands of a list.
func (b *Body) Of(l syntax.List) []Operand { return b.Operands[l.First : l.First+l.Len] }

// ModsOf returns the modifiers of an instruction as written.
func (b *Body) ModsOf(in *Inst) []isa.Word { return b.Words[in.Mods.First : in.Mods.First+in.Mods.Len] }

// Name returns the spelling of a name of the body.
func (b *Body) Name(n syntax.Name) string { return string(b.Tree.Names.Bytes(n)) }

// Facts is what the judgement of the whole text must know about a body after it is gone.
type Facts struct {
	Calls     []int32 // Module.Funcs called or named, in order of first use
	Addressed []int32 // functions named by initial values
	Taken     []TakenFunc
	Vars      []int32 // module-level variables named
	Shared    []Shape // of its own shared variables
	Consts    []Shape // of its own .const variables
	Own       []OwnVar
	Narrow    []NarrowUse
	Locs      bool
	Routines  bool        // some instruction may be a routine of the driver: gradients, copies to other blocks
	NarrowArg bool        // a call through a prototype passes what the convention cannot
	Inlined   []string    // function_name labels
	Unread    []Unwritten // parameters read that no call has written
	Inner     []string    // functions declared inside the body
	Indirect  bool        // it calls through pointers
	Groups    uint8       // of blocks for which it uses tensor memory: Group…
	Barred    []isa.Word  // its instructions that code for instrumentation tools must not have, in order
}

// Tensor memory belongs to a block or to a pair of blocks.
const (
	GroupOne = 1 << iota
	GroupTwo
)

// NarrowUse is an address in a register too small for the address space.
type NarrowUse struct {
	Line int
	Bits int
}

// TakenFunc is a function whose address is used as a value.
type TakenFunc struct {
	Fn    int32
	Line  int
	Arith bool
}

// Unwritten is a read of a local parameter that no call before it returns.
type Unwritten struct {
	Pos  src.Pos
	Name string
}

// NoRef is the reference of a symbol that does not exist.
const NoRef = -1 << 31

// Formal returns the number of the formal parameter a symbol operand names,
// results first, or -1.
func (o *Operand) Formal() int32 {
	if o.Ref > ParamBase {
		return -1
	}
	return ParamBase - o.Ref
}

// ParamBase separates the references of formal parameters from those of
// variables of the body: both are below zero.
const ParamBase = -1 << 30

// Pragma is a pragma inside a body: it concerns the instruction after it.
type Pragma struct {
	Text  string
	At    int32 // Instrs of the body
	Label int32 // Labels of the body that stand behind it, from here
}
