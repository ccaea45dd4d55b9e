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
	Args      []sema.Operand
	Guard     ori.Operand
	locals    []int64     // frame offset of each variable of the body, by Body.Vars
	shared    []int64     // offset in shared memory
	params    []*Variable // .param variables of the body, by Body.Vars
	Formals   []*Variable // of the function's results and parameters; of kernels too
	Out       *ori.Block  // where ret leads in a function
	Inner     bool        // a function's body in place of a call
	uniform   []bool      // by PTX register: all threads have the same value
	FromParam []int64     // by PTX register: where bank 0 holds its value, 0 if nowhere; nil until asked
	elected   []election  // by PTX register: what it has to do with the thread that gives orders

	Ors map[[2]int32]bool // registers that are combined as pairs, nil until asked
}

// Builder lowers one function.
type Builder struct {
	Scope
	Module *sema.Module
	Arch   *target.Arch
	Layout *Layout
	Opts   Options
	F      *ori.Func
	Plan   *Plan    // what becomes of calls
	Rooms  []*Table // how each instruction is lowered

	Cur    *ori.Block
	order  []*ori.Block // blocks in the order they are filled
	Placed []bool       // by block: it is in order
	turn   uint32       // counts instructions
	asked  [isa.NumWords]uint32
	sums   uint64               // arguments of the instruction that are sums nobody has read
	Loc    int32                // of list, -1: none yet
	List   []Line               // the .loc directives of all bodies
	bases  map[int32]int32      // where those of a function begin
	Top    int64                // bytes of the frame in use
	Desc   ori.Reg              // memory descriptor, NoReg until needed
	Carry  ori.Reg              // condition code of add.cc and its kin
	rank   ori.Reg              // shared memory window of this block in its cluster
	frame  ori.Reg              // what locals are addressed from
	SP     ori.Reg              // stack pointer
	Sites  routine.Sites        // of routines
	global map[[2]int32]ori.Reg // registers of the module, by symbol and element
	Back   Value                // return address of a function compiled by itself
	Buffer Value                // where its result goes if registers do not hold it
	entry  *ori.Instr

	Open     *ori.Instr // last warp-group matrix operation since a commit
	Gathered *ori.Block // where the warp was brought together for those
	runs     runWords   // of matrix fragments
}

// Table says how the PTX instructions of one room are lowered; nil: not here.
type Table [isa.NumWords]func(*Builder)

// New returns a builder that has made nothing yet.
func New(arch *target.Arch) *Builder {
	return &Builder{Arch: arch, Desc: ori.NoReg, Carry: ori.NoReg, rank: ori.NoReg, frame: ori.NoReg, SP: ori.NoReg, Loc: -1}
}

// Begin sets up the registers, variables and blocks of a body.
func (l *Builder) Begin() {
	l.registers()
	l.variables()
	l.blocks()
	l.cuts()
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

// registers gives each PTX register a virtual one.
func (l *Builder) registers() {
	l.first = ori.Reg(len(l.F.Regs))
	l.constants()
	l.Regs = make([]ori.Reg, len(l.Body.Regs))
	for n := range l.Body.Regs {
		t := l.Body.Regs[n].Type
		switch {
		case t == isa.Pred:
			l.Regs[n] = l.F.NewReg(ori.P, 1)
		default:
			l.Regs[n] = l.F.NewReg(ori.R, Words(t))
		}
	}
	l.moduleRegisters()
	l.ptx = ori.Reg(len(l.F.Regs))
	l.Plan.Regs[l.Body.Func] = l.Regs
}

// moduleRegisters gives registers of the module the same virtual ones in a
// kernel and in all bodies that stand in it in place of calls.
func (l *Builder) moduleRegisters() {
	for _, m := range l.Body.Module {
		if !l.Fn.Entry && !l.Inner {
			l.Fail("Register '%s' of the module cannot be used in function '%s', which is called", l.Module.Syms[m.Sym].Name, l.Fn.Name)
		}
		key := [2]int32{m.Sym, m.Elem}
		if r, ok := l.global[key]; ok {
			l.Regs[m.Reg] = r
			continue
		}
		if l.global == nil {
			l.global = map[[2]int32]ori.Reg{}
		}
		l.global[key] = l.Regs[m.Reg]
	}
}

// variables lays out the body's local, shared and parameter variables.
func (l *Builder) variables() {
	n := len(l.Body.Vars)
	l.locals = make([]int64, n)
	l.params = make([]*Variable, n)
	l.shared = l.Plan.SharedOf[l.Body.Func]
	frame := l.Top
	for n := range l.Body.Vars {
		v := &l.Body.Vars[n]
		if v.Space == isa.SpaceLocal {
			frame = AlignUp(frame, int64(v.Shape.Align))
			l.locals[n] = frame
			frame += int64(v.Shape.Size())
			l.F.Props.Variables += int32(v.Shape.Size())
		}
	}
	l.Top = frame
	l.Plan.Locals[l.Body.Func] = l.locals
	l.parameters()
	l.ptx = ori.Reg(len(l.F.Regs))
	l.F.Props.LocalBytes = max(l.F.Props.LocalBytes, int32(AlignUp(l.Top, 8)))
}

// AlignUp rounds n up to a multiple of a.
func AlignUp(n, a int64) int64 {
	a = max(a, 1)
	return (n + a - 1) / a * a
}

// blocks cuts the instruction list at labels and after branches.
func (l *Builder) blocks() {
	n := len(l.Body.Instrs)
	l.At = make([]*ori.Block, n+1)
	cut := make([]bool, n+1)
	cut[0] = true
	for k := range l.Body.Labels {
		cut[l.Body.Labels[k].At] = true
	}
	for k := range l.Body.Instrs {
		if ends(l.Body.Instrs[k].Op) {
			cut[k+1] = true
		}
	}
	for k, c := range cut {
		if c {
			l.At[k] = l.F.NewBlock()
		}
	}
}

// ends reports whether an instruction ends its block.
func ends(w isa.Word) bool {
	switch w {
	case isa.WBra, isa.WBrx, isa.WRet, isa.WExit:
		return true
	}
	return false
}

// Code lowers the instructions in order, from the block that the caller has
// entered.
func (l *Builder) Code() {
	line, base := 0, l.lines()
	for n := range l.Body.Instrs {
		if b := l.At[n]; b != nil && b != l.Cur {
			l.Fall(b)
		}
		l.In = &l.Body.Instrs[n]
		l.Args = l.Body.Of(l.In.Args)
		l.noteSums()
		for line < len(l.Body.Lines) && int(l.Body.Lines[line].At) <= n {
			l.Loc = base + int32(line)
			line++
		}
		l.setGuard()
		l.turn++
		l.handler()(l)
		if l.sums != 0 {
			l.Fail("a register plus a constant, where only a register can stand")
		}
		l.check()
		l.endInst(n)
	}
	l.In = nil
	if b := l.At[len(l.Body.Instrs)]; b != nil && b != l.Cur {
		l.Fall(b)
	}
	if !l.closed() {
		l.Guard = ori.Operand{}
		l.finish()
	}
}

// handler returns what lowers the current instruction.
func (l *Builder) handler() func(*Builder) {
	for _, t := range l.Rooms {
		if h := t[l.In.Op]; h != nil {
			return h
		}
	}
	l.Unsupported()
	return nil
}

// closed reports whether control never reaches the end of the current
// block.
func (l *Builder) closed() bool {
	i := l.Cur.Last()
	return i != nil && i.Op.Has(op.Terminator) && i.Guard.Kind == ori.KNone
}

// endInst adds the fall-through edge after a guarded branch or exit.
func (l *Builder) endInst(n int) {
	if !ends(l.In.Op) || l.closed() {
		return
	}
	next := l.At[n+1]
	l.Fall(next)
}

// finish ends the function where control leaves it.
func (l *Builder) finish() {
	if l.Fn.Entry {
		l.Exit()
		return
	}
	l.Ret()
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

// Arrange puts the blocks into the order in which they were filled.
func (l *Builder) Arrange() {
	for _, b := range l.F.Blocks {
		if int(b.ID) >= len(l.Placed) || !l.Placed[b.ID] {
			l.order = append(l.order, b)
		}
	}
	l.F.Blocks = l.order
}

// setGuard reads the guard of the current instruction. One that is among two
// results is copied: writing the first must not change it for the second.
func (l *Builder) setGuard() {
	l.Guard = ori.Operand{}
	if l.In.Guard < 0 {
		return
	}
	g := l.F.Words(l.Regs[l.In.Guard])
	if l.In.GuardNot {
		g = g.Not()
	}
	if len(l.Args) > 0 && l.Args[0].Pair >= 0 && (l.Args[0].Pair == l.In.Guard || l.Args[0].Kind == isa.KReg && l.Args[0].Ref == l.In.Guard) {
		g = l.Plop(LutAnd, g, PT())
	}
	l.Guard = g
}
