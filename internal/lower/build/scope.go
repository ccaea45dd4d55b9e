package build

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// Scope is what belongs to one body: the kernel's, or that of a function
// lowered in place of a call.
type Scope struct {
	known     []*sema.Operand // constant that a PTX register always holds, or nil
	Body      *sema.Body
	Fn        *sema.Func
	Regs      []ori.Reg // of each PTX register
	first     ori.Reg   // registers from this one
	ptx       ori.Reg   // below this one stand for PTX registers
	At        []*ori.Block
	In        *sema.Inst
	index     int // of In
	Args      []sema.Operand
	Guard     ori.Operand
	locals    []int64       // frame offset of each variable of the body, by Body.Vars
	shared    []int64       // offset in shared memory
	params    []*Variable   // .param variables of the body, by Body.Vars
	Formals   []*Variable   // of the function's results and parameters; of kernels too
	Out       *ori.Block    // where ret leads in a function
	Inner     bool          // a function's body in place of a call
	uniform   []bool        // by PTX register: all threads have the same value
	FromParam []int64       // by PTX register: where bank 0 holds its value, 0 if nowhere; nil until asked
	elected   []election    // by PTX register: what it has to do with the thread that gives orders
	reaching  []threads     // by instruction: which threads reach it; like elected
	ways      map[int][]int // by instruction: the branches to labels before it; nil until asked
	tables    bool          // some branches find their labels in tables

	Ors map[[2]int32]bool // registers that are combined as pairs, nil until asked
}

// election is what is known about a register.
type election uint8

const (
	leader election = 1 << iota // a predicate that holds for the elected thread at most
	others                      // a predicate that fails for the elected thread at most
	counts                      // a number that is zero in all but the elected thread
	zero                        // a number that is zero
	ones                        // a number whose bits are all set
	number                      // one that no two threads of a warp share
	single                      // a predicate, written once, that holds for one thread of a warp at most
	rest                        // a predicate, written once, that fails for one at most
)

// threads says which threads reach an instruction. Two predicates that compare the number
// of a thread may name two threads: above elected, each has its own.
type threads int32

const (
	nobody  threads = iota // no way leads there, as far as is known by now
	anybody                // more than one thread
	elected                // the one that elect.sync names
)

// runWord says that a register's only word has the value of another word.
type runWord struct {
	as    ori.Operand
	block int32  // where that is so
	wrote uint32 // how often both had been written
	run   uint32
}

// runWords remembers copies, and how often each register was written.
type runWords struct {
	words  []runWord
	writes []uint32
}

// syncSite is an instruction of the text for which threads of a warp gather.
type syncSite struct {
	scope      Scope
	loc        int32
	pos        int32
	kind       int
	begin, end *ori.Instr // the marks
	call       func(routine int)
	now        int // the routine that it calls, or one of those below
}

// Value is the words of a value, low word first.
type Value = expand.Value

// Variable is a variable of parameter space: a kernel's parameter in the
// constant bank, or what a call passes, in registers or in the frame.
type Variable struct {
	Size  int64
	Words Value   // its words, if it lies in registers
	Elems []Value // or its elements, each of so many bits, if it is a vector register
	Bits  int
	Off   int64       // in the frame or the constant bank
	Bank  bool        // of a kernel
	Out   bool        // on the stack, where a call passes it
	Base  ori.Operand // what off counts from, if not the stack
	param int64       // address in the parameter space of a kernel
}

// SharedReserved is what the system keeps at the start of shared memory on
// sm_90 and later.
const SharedReserved = target.SystemShared
