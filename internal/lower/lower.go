// Package lower turns checked PTX into Ori: registers become virtual
// registers of words, instructions become machine operations, labels become
// blocks. Operands are left as they come (immediates and constants
// anywhere); instruction selection puts them where a form allows them.
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
package lower

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/engine/src"
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

// Layout is where the module's variables lie, as code must know them.
type Layout struct {
	Shared      map[string]int64 // offset of each shared variable of the module
	SharedBytes int64            // what they take together
	Fixed       bool             // they lie there in every kernel, because initial values say so
	Dynamic     map[string]int64 // alignment of each array of dynamic shared memory
	Const       map[string]int64 // offset of each variable in constant bank 3
	ConstBytes  int64            // what they take together, whole words
	Local       map[string]int64 // distance of each local variable of the module below the top of the stack
	LocalBytes  int64            // what they take together
	Object      bool             // only the linker knows where anything lies
	Apart       bool             // functions are called, never put in place of a call: a debugger steps into them
}

// Options are the wishes of the command line that lowering knows about.
type Options struct {
	NoFMA    bool  // --fmad=false
	Routines bool  // long ways may be routines that are called
	Meet     *Meet // .sync instructions that are routines
	Plan     *Plan
	Errors   bool    // late faults of memory show at exit
	Caches   Caches  // -dlcm and its kin
	Lines    *[]Line // receives the .loc directives that Instr.Loc counts; nil: nobody asks
}

// scope is what belongs to one body: the kernel's, or that of a function
// lowered in place of a call.
type scope struct {
	known     []*sema.Operand // constant that a PTX register always holds, or nil
	body      *sema.Body
	fn        *sema.Func
	regs      []ori.Reg // of each PTX register
	first     ori.Reg   // registers from this one
	ptx       ori.Reg   // below this one stand for PTX registers
	at        []*ori.Block
	in        *sema.Inst
	args      []sema.Operand
	guard     ori.Operand
	locals    []int64     // frame offset of each variable of the body, by Body.Vars
	shared    []int64     // offset in shared memory
	params    []*variable // .param variables of the body, by Body.Vars
	formals   []*variable // of the function's results and parameters; of kernels too
	out       *ori.Block  // where ret leads in a function
	inner     bool        // a function's body in place of a call
	alike     []bool      // by PTX register: all threads have the same value
	fromParam []int64     // by PTX register: where bank 0 holds its value, 0 if nowhere; nil until asked
	elected   []bool      // by PTX register: a predicate that holds for one thread of a warp at most

	ors map[[2]int32]bool // registers that are combined as pairs, nil until asked
}

// lowerer lowers one function.
type lowerer struct {
	scope
	m      *sema.Module
	arch   *target.Arch
	layout *Layout
	opts   Options
	f      *ori.Func
	plan   *Plan // what becomes of calls
	rooms  []*table // how each instruction is lowered

	cur    *ori.Block
	order  []*ori.Block // blocks in the order they are filled
	placed []bool       // by block: it is in order
	turn   uint32       // counts instructions
	asked  [isa.NumWords]uint32
	sums   uint64               // arguments of the instruction that are sums nobody has read
	loc    int32                // of list, -1: none yet
	list   []Line               // the .loc directives of all bodies
	bases  map[int32]int32      // where those of a function begin
	top    int64                // bytes of the frame in use
	desc   ori.Reg              // memory descriptor, NoReg until needed
	carry  ori.Reg              // condition code of add.cc and its kin
	rank   ori.Reg              // shared memory window of this block in its cluster
	frame  ori.Reg              // what locals are addressed from
	sp     ori.Reg              // stack pointer
	sites  sites                // of routines
	global map[[2]int32]ori.Reg // registers of the module, by symbol and element
	back   value                // return address of a function compiled by itself
	buffer value                // where its result goes if registers do not hold it
	entry  *ori.Instr

	open     *ori.Instr // last warp-group matrix operation since a commit
	gathered *ori.Block // where the warp was brought together for those
	runs     heldWords  // of matrix fragments
}

// table says how the PTX instructions of one room are lowered; nil: not here.
type table [isa.NumWords]func(*lowerer)

// newLowerer returns a lowerer that has made nothing yet.
func newLowerer(arch *target.Arch) *lowerer {
	return &lowerer{arch: arch, desc: ori.NoReg, carry: ori.NoReg, rank: ori.NoReg, frame: ori.NoReg, sp: ori.NoReg, loc: -1}
}

// Func lowers a checked body.
func Func(mod *ori.Module, m *sema.Module, body *sema.Body, arch *target.Arch, layout *Layout, opts Options) (f *ori.Func, err error) {
	l := newLowerer(arch)
	l.m, l.layout, l.opts, l.rooms = m, layout, opts, rooms[:]
	l.body, l.fn = body, &m.Funcs[body.Func]
	l.f = mod.NewFunc(l.fn.Name)
	defer func() {
		if r := recover(); r != nil {
			u, ok := r.(*Unsupported)
			if !ok {
				panic(r)
			}
			err = u
		}
	}()
	l.properties()
	l.plan = opts.Plan
	if l.plan == nil {
		l.plan = NewPlan(m, body, layout, func(fn int32) *sema.Body { return m.Body(fn, new(sema.Scratch)) })
	}
	if opts.Routines && l.f.Kernel && !layout.Object && !l.plan.moves {
		l.plan.sites(body, &l.sites)
	}
	l.f.Props.SharedBytes = int32(l.plan.bytes)
	l.f.Props.MovesStack = l.plan.moves
	l.top = l.plan.outgoing
	l.begin()
	l.enter(l.at[0])
	if !l.fn.Entry {
		l.out = l.f.NewBlock()
		l.enterFunc()
	}
	l.code()
	if !l.fn.Entry {
		l.enter(l.out)
		l.leaveFunc()
	}
	l.arrange()
	sortCuts(l.f)
	if opts.Lines != nil {
		*opts.Lines = l.list
	}
	return l.f, nil
}

// begin sets up the registers, variables and blocks of a body.
func (l *lowerer) begin() {
	l.registers()
	l.variables()
	l.blocks()
	l.cuts()
}

// fail ends the lowering of the function with an error about the current
// instruction.
func (l *lowerer) fail(format string, args ...any) {
	pos := src.NoPos
	if l.in != nil {
		pos = l.in.Pos
	}
	panic(&Unsupported{Pos: pos, Text: fmt.Sprintf(format, args...)})
}

// unsupported fails with the spelling of the current instruction.
func (l *lowerer) unsupported() {
	s := l.in.Op.String()
	for _, w := range l.body.ModsOf(l.in) {
		s += "." + w.String()
	}
	l.fail("Instruction '%s' cannot be compiled yet for %s", s, l.arch.Name)
}

func (l *lowerer) properties() {
	p, a := &l.f.Props, &l.fn.Launch
	l.f.Kernel = l.fn.Entry
	p.ParamBytes = int32(l.fn.ParamLen)
	p.ParamBase = int32(l.arch.Bank0().Param)
	p.MaxNReg = int32(a.MaxNReg)
	p.MinNCTA = int32(a.MinNCTAPerSM)
	for k := range 3 {
		p.ReqNTid[k], p.MaxNTid[k] = int32(a.ReqNTid[k]), int32(a.MaxNTid[k])
		p.Cluster[k] = int32(a.Cluster[k])
	}
}

// registers gives each PTX register a virtual one.
func (l *lowerer) registers() {
	l.first = ori.Reg(len(l.f.Regs))
	l.constants()
	l.regs = make([]ori.Reg, len(l.body.Regs))
	for n := range l.body.Regs {
		t := l.body.Regs[n].Type
		switch {
		case t == isa.Pred:
			l.regs[n] = l.f.NewReg(ori.P, 1)
		default:
			l.regs[n] = l.f.NewReg(ori.R, words(t))
		}
	}
	l.moduleRegisters()
	l.ptx = ori.Reg(len(l.f.Regs))
	l.plan.regs[l.body.Func] = l.regs
}

// moduleRegisters gives registers of the module the same virtual ones in a
// kernel and in all bodies that stand in it in place of calls.
func (l *lowerer) moduleRegisters() {
	for _, m := range l.body.Module {
		if !l.fn.Entry && !l.inner {
			l.fail("Register '%s' of the module cannot be used in function '%s', which is called", l.m.Syms[m.Sym].Name, l.fn.Name)
		}
		key := [2]int32{m.Sym, m.Elem}
		if r, ok := l.global[key]; ok {
			l.regs[m.Reg] = r
			continue
		}
		if l.global == nil {
			l.global = map[[2]int32]ori.Reg{}
		}
		l.global[key] = l.regs[m.Reg]
	}
}

// words is how many registers a value of type t takes.
func words(t isa.Type) int { return max(1, (t.Bits()+31)/32) }

// variables lays out the body's local, shared and parameter variables.
func (l *lowerer) variables() {
	n := len(l.body.Vars)
	l.locals = make([]int64, n)
	l.params = make([]*variable, n)
	l.shared = l.plan.shared[l.body.Func]
	frame := l.top
	for n := range l.body.Vars {
		v := &l.body.Vars[n]
		if v.Space == isa.SpaceLocal {
			frame = alignUp(frame, int64(v.Shape.Align))
			l.locals[n] = frame
			frame += int64(v.Shape.Size())
		}
	}
	l.top = frame
	l.plan.locals[l.body.Func] = l.locals
	l.parameters()
	l.ptx = ori.Reg(len(l.f.Regs))
	l.f.Props.LocalBytes = max(l.f.Props.LocalBytes, int32(alignUp(l.top, 8)))
}

// alignUp rounds n up to a multiple of a.
func alignUp(n, a int64) int64 {
	a = max(a, 1)
	return (n + a - 1) / a * a
}

// blocks cuts the instruction list at labels and after branches.
func (l *lowerer) blocks() {
	n := len(l.body.Instrs)
	l.at = make([]*ori.Block, n+1)
	cut := make([]bool, n+1)
	cut[0] = true
	for k := range l.body.Labels {
		cut[l.body.Labels[k].At] = true
	}
	for k := range l.body.Instrs {
		if ends(l.body.Instrs[k].Op) {
			cut[k+1] = true
		}
	}
	for k, c := range cut {
		if c {
			l.at[k] = l.f.NewBlock()
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

// code lowers the instructions in order, from the block that the caller has
// entered.
func (l *lowerer) code() {
	line, base := 0, l.lines()
	for n := range l.body.Instrs {
		if b := l.at[n]; b != nil && b != l.cur {
			l.fall(b)
		}
		l.in = &l.body.Instrs[n]
		l.args = l.body.Of(l.in.Args)
		l.noteSums()
		for line < len(l.body.Lines) && int(l.body.Lines[line].At) <= n {
			l.loc = base + int32(line)
			line++
		}
		l.setGuard()
		l.turn++
		l.handler()(l)
		if l.sums != 0 {
			l.fail("a register plus a constant, where only a register can stand")
		}
		l.check()
		l.endInst(n)
	}
	l.in = nil
	if b := l.at[len(l.body.Instrs)]; b != nil && b != l.cur {
		l.fall(b)
	}
	if !l.closed() {
		l.guard = ori.Operand{}
		l.finish()
	}
}

// handler returns what lowers the current instruction.
func (l *lowerer) handler() func(*lowerer) {
	for _, t := range l.rooms {
		if h := t[l.in.Op]; h != nil {
			return h
		}
	}
	l.unsupported()
	return nil
}

// closed reports whether control never reaches the end of the current
// block.
func (l *lowerer) closed() bool {
	i := l.cur.Last()
	return i != nil && i.Op.Has(op.Terminator) && i.Guard.Kind == ori.KNone
}

// endInst adds the fall-through edge after a guarded branch or exit.
func (l *lowerer) endInst(n int) {
	if !ends(l.in.Op) || l.closed() {
		return
	}
	next := l.at[n+1]
	l.fall(next)
}

// finish ends the function where control leaves it.
func (l *lowerer) finish() {
	if l.fn.Entry {
		l.exit()
		return
	}
	l.ret()
}

// fall goes on in block b, which the current block leads to unless control
// never reaches its end.
func (l *lowerer) fall(b *ori.Block) {
	if !l.closed() {
		l.cur.AddEdge(b)
	}
	l.enter(b)
}

// enter goes on in block b.
func (l *lowerer) enter(b *ori.Block) {
	for len(l.placed) <= int(b.ID) {
		l.placed = append(l.placed, false)
	}
	if !l.placed[b.ID] {
		l.placed[b.ID] = true
		l.order = append(l.order, b)
	}
	l.cur = b
}

// arrange puts the blocks into the order in which they were filled.
func (l *lowerer) arrange() {
	for _, b := range l.f.Blocks {
		if int(b.ID) >= len(l.placed) || !l.placed[b.ID] {
			l.order = append(l.order, b)
		}
	}
	l.f.Blocks = l.order
}

// setGuard reads the guard of the current instruction. One that is among two
// results is copied: writing the first must not change it for the second.
func (l *lowerer) setGuard() {
	l.guard = ori.Operand{}
	if l.in.Guard < 0 {
		return
	}
	g := l.f.Words(l.regs[l.in.Guard])
	if l.in.GuardNot {
		g = g.Not()
	}
	if len(l.args) > 0 && l.args[0].Pair >= 0 && (l.args[0].Pair == l.in.Guard || l.args[0].Kind == isa.KReg && l.args[0].Ref == l.in.Guard) {
		g = l.plop(lutAnd, g, pt())
	}
	l.guard = g
}
