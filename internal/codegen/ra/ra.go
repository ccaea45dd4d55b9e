package ra

import (
	"fmt"
	"io"
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/regalloc"
	"github.com/goptxas/goptxas/internal/codegen/regalloc/check"
	"github.com/goptxas/goptxas/internal/codegen/timing"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/flow"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// Options say how many registers there are.
type Options struct {
	Registers int // of file R; at most 255
	// Limits tells how many registers of file R there are in a block, at most
	// Registers; nil: all of them everywhere.
	Limits     func(*ori.Block) int
	Uniforms   int   // of file UR
	First      int   // of these, so many at the start are not free
	Barriers   int   // of file B
	StackReg   int   // register of file R that spills are addressed from
	StackFree  bool  // and nothing else is: without spills it is a register like others
	Taken      []int // further registers of file R that are not free
	FrameBytes int32 // local memory in use below the spills
	// Routines says what the call of a routine destroys, which is less than
	// the convention allows; nil or no answer: the convention holds.
	Routines func(call *ori.Instr) ([]regalloc.Clobber, bool)
	Arch     *target.Arch // what is compiled for; nil: registers are given out as low as they can be
	Hidden   int          // registers the machine takes for itself above the highest
	NoSplit  bool         // what is spilled is in memory everywhere
	Quick    bool         // one try of everything
	Plain    bool         // nobody orders instructions behind: where registers are is no matter
	Effort   Effort       // zero: as usual
	Trace    io.Writer    // receives the allocator's lines, if set
	Known    *Judge       // may have allocated the function before with the same options; nil: nobody has
	Check    bool         // replay the allocation against the original
}

// Effort is how long the allocator looks for places.
type Effort = regalloc.Effort

// The files in the order the allocator takes them: each before the one it
// spills to.
const (
	fileUP = iota
	fileP
	fileUR
	fileB
	fileR
)

var fileOf = [...]uint8{ori.R: fileR, ori.UR: fileUR, ori.P: fileP, ori.UP: fileUP, ori.B: fileB}

// Result tells what the allocation came to.
type Result struct {
	Registers  int // of file R: highest used + 1
	SpillBytes int32
	Stores     int // words of spill traffic
	Loads      int
	Moves      int     // words that go between register files, or are made again
	Weight     float64 // words of spill traffic, eight times for each loop around it
}

// Run allocates f. The error is a *regalloc.Overflow when the program needs
// more registers than there are.
func Run(f *ori.Func, o Options) (*Result, error) {
	x := o.Known.found()
	if x == nil {
		how := regalloc.Options{Trace: o.Trace, NoSplit: o.NoSplit, Once: o.Quick, Plain: o.Plain, Effort: o.Effort, Poll: f.Poll}
		if o.Known != nil {
			how.Scratch = &o.Known.mem
		}
		if o.Quick {
			how.Trials = 1
		}
		var err error
		if x, err = solve(f, &o, how, &held{}); err != nil {
			return nil, err
		}
	}
	if o.Check {
		if err := check.Check(x.p, x.s); err != nil {
			return nil, fmt.Errorf("register allocation of %s is wrong: %w", f.Name, err)
		}
	}
	a := &applier{f: f, opts: &o, sol: x.s, instrs: x.b.instrs}
	r, err := a.apply()
	if err == nil && o.Trace != nil {
		fmt.Fprintf(o.Trace, "-REGALLOC %s: %d registers, %d splits, %d stores, %d loads, weight %.0f, %d moves\n",
			f.Name, r.Registers, x.s.Splits, r.Stores, r.Loads, r.Weight, r.Moves)
	}
	return r, err
}

// builder makes the plain-data problem.
type builder struct {
	f      *ori.Func
	opts   *Options
	p      regalloc.Problem
	instrs []*ori.Instr // by instruction number
	timing *timing.Describer
	keep   bool  // registers of warp-group matrix operations are not spilled
	waits  bool  // matrices they read are not held, but waited for
	reads  bool  // there are such matrices at waits
	held   *held // what blocks hold, in other orders of their instructions, too
}

func (b *builder) problem() *regalloc.Problem {
	f, o := b.f, b.opts
	b.p.Files = []regalloc.File{
		fileUP: {Name: "UP", Size: 7, Budget: 7, SpillTo: fileUR, Free: f.Kernel}, // who calls a function loses what it uses
		fileP:  {Name: "P", Size: 7, Budget: 7, SpillTo: fileR, Rotate: true, Free: f.Kernel},
		fileUR: {Name: "UR", Size: o.Uniforms, Budget: o.Uniforms, SpillTo: fileR, Free: f.Kernel},
		fileB:  {Name: "B", Size: o.Barriers, Budget: o.Barriers, SpillTo: fileR, Free: f.Kernel}, // none is spilled

		fileR: {Name: "R", Size: 255, Budget: o.Registers, SpillTo: regalloc.Memory, Banks: 2, Taken: o.Taken},
	}
	if o.Plain {
		b.p.Files[fileR].Banks, b.p.Files[fileP].Rotate = 0, false
	}
	for n := range o.First {
		b.p.Files[fileUR].Taken = append(b.p.Files[fileUR].Taken, n)
	}
	b.stack()
	b.saved()
	b.spread()
	b.room()
	for r := range f.Regs {
		i := &f.Regs[r]
		v := regalloc.VReg{Class: fileOf[i.Class], Width: i.Width, Align: i.Align, Fixed: -1, Lo: i.Lo, Hi: i.Hi, Remat: -1, Of: -1}
		if i.Fixed {
			v.Fixed = i.Phys
		}
		v.Keep = i.Class == ori.B // threads wait at it: SpareBarriers leaves as many as there is room for
		b.p.VRegs = append(b.p.VRegs, v)
	}
	dom := flow.DomOf(f)
	loops := flow.LoopsOf(f, dom)
	index := make([]int32, f.NumBlocks())
	for n, blk := range f.Blocks {
		index[blk.ID] = int32(n)
	}
	loopOf := b.loops(loops)
	for _, blk := range f.Blocks {
		x := regalloc.Block{First: int32(len(b.p.Insts)), Depth: uint8(min(loops.Depth(blk), 7)), Loop: loopOf[loops.Of(blk)]}
		for i := range blk.Instrs {
			b.instr(i)
		}
		x.N = int32(len(b.p.Insts)) - x.First
		if last := blk.Last(); last != nil && last.Op == op.CALL {
			x.Closed = true // it returns to the next block
		}
		for _, s := range blk.Succs {
			x.Succs = append(x.Succs, index[s.ID])
		}
		b.p.Blocks = append(b.p.Blocks, x)
		if r := &b.p.Files[fileR]; o.Limits != nil {
			r.Limits = append(r.Limits, int16(min(r.Budget, o.Limits(blk))))
		}
	}
	b.holds()
	b.holdGroups()
	b.remats()
	return &b.p
}

// stack keeps the stack pointer's register from being given out, or has it
// taken once something is spilled.
func (b *builder) stack() {
	r, n := &b.p.Files[fileR], b.opts.StackReg
	if b.opts.StackFree && !slices.ContainsFunc(b.f.Regs, func(x ori.RegInfo) bool {
		return x.Fixed && x.Class == ori.R && int(x.Phys) <= n && n < int(x.Phys)+int(x.Width)
	}) {
		r.Spare = []int{n}
		return
	}
	r.Taken = append([]int{n}, r.Taken...)
}

// saved keeps R2 from being given out in a function that others call: others
// are free, or cost no more to save.
func (b *builder) saved() {
	if r := &b.p.Files[fileR]; !b.f.Kernel && b.f.Routine == ori.NoRoutine {
		r.Taken = append([]int{abi.FrameReg}, r.Taken...)
	}
}

// usualOps is about how many registers an instruction names.
const usualOps = 3

// room makes room for the whole function at once.
func (b *builder) room() {
	n := 0
	for _, blk := range b.f.Blocks {
		n += blk.Len()
	}
	b.p.VRegs = make([]regalloc.VReg, 0, len(b.f.Regs))
	b.p.Blocks = make([]regalloc.Block, 0, len(b.f.Blocks))
	b.p.Insts, b.instrs = make([]regalloc.Inst, 0, n), make([]*ori.Instr, 0, n)
	b.p.Ops = make([]regalloc.Operand, 0, usualOps*n)
}

// loops numbers the loops, outer ones before inner ones, from one on.
func (b *builder) loops(l *flow.Loops) map[*flow.Loop]int32 {
	all := slices.Clone(l.All)
	slices.SortStableFunc(all, func(x, y *flow.Loop) int { return x.Depth - y.Depth })
	number := map[*flow.Loop]int32{nil: 0}
	b.p.Loops = []int32{0}
	for _, x := range all {
		number[x] = int32(len(b.p.Loops))
		b.p.Loops = append(b.p.Loops, number[x.Parent])
	}
	return number
}

func (b *builder) instr(i *ori.Instr) {
	x := regalloc.Inst{First: int32(len(b.p.Ops)), Last: i.Op.Has(op.Terminator)}
	if isCopy(i) {
		x.Kind = regalloc.Move
	}
	if i.Op == op.CALL {
		x.Clobbers = b.destroyed(i)
	}
	x.Constant = i.Guard.Kind == ori.KNone && repeatable(i)
	b.late(i, &x)
	may := i.Guard.Kind != ori.KNone
	for k, a := range i.Args {
		if !a.HasReg() {
			continue
		}
		role := regalloc.Use
		if k < int(i.NDst) {
			role = regalloc.Def
			if may {
				role = regalloc.DefMay
			}
			if i.IsGroupMMA() { // works on while it is read, and adds in place
				role = regalloc.DefEarly
				if i.Accumulates() {
					role = regalloc.UseDef
				}
			}
		} else if i.Op == op.BREAK {
			role = regalloc.UseDef // takes threads out of its barrier
		}
		b.add(a, role)
	}
	if i.Guard.Kind == ori.KReg {
		b.add(i.Guard, regalloc.Use)
	}
	x.N = int32(len(b.p.Ops)) - x.First
	b.p.Insts = append(b.p.Insts, x)
	b.instrs = append(b.instrs, i)
}

func (b *builder) add(a ori.Operand, role regalloc.Role) {
	b.p.Ops = append(b.p.Ops, regalloc.Operand{V: int32(a.Reg), Sub: sub(a), N: max(1, a.N), Role: role})
}

// sub is the first word an operand names; in a constant operand that field
// holds the bank.
func sub(a ori.Operand) uint8 {
	if a.Kind == ori.KConst {
		return 0
	}
	return a.Sub
}

// isCopy reports whether i copies a register and does nothing else.
func isCopy(i *ori.Instr) bool {
	return (i.Op == op.COPY || i.Op == op.MOV) && i.Guard.Kind == ori.KNone && len(i.Args) == 2 && i.NDst == 1 &&
		i.Args[0].Kind == ori.KReg && i.Args[1].Kind == ori.KReg && i.Args[1].Flags&^ori.Reuse == 0 &&
		i.Args[0].Class == i.Args[1].Class && i.Args[0].N == i.Args[1].N
}
