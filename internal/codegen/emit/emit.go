package emit

import (
	"encoding/binary"
	"fmt"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// InstSize is the size of one instruction in bytes.
const InstSize = 16

// textAlign is what the size of a function's code is padded to.
const textAlign = 128

// Options say what emit must know from outside the function.
type Options struct {
	// Slot returns the offset in constant bank 4 of the address of a
	// variable.
	Slot func(name string) (int64, bool)
	// Base is where the function's code begins in its section, and Target
	// where that of a called function does; Part leaves out what follows
	// the code of a whole section: see Join.
	Base   int64
	Target func(name string) (int64, bool)
	Part   bool
	Keep   bool // note in Resolved where code names variables
	// Literal returns where a literal of an object's function lies among its
	// own constants; the linker fills the operand.
	Literal func(v uint64) int64
}

// Table is a list of code addresses in constant bank 2.
type Table struct {
	Offset  int64
	Entries []uint32
}

// Line says where the code from Offset on comes from: from a .loc directive,
// -1 if there is none, and from a position in the text.
type Line struct {
	Offset uint32
	Loc    int32
	Pos    int32
}

// Code is the machine code of one function.
type Code struct {
	Text      []byte // padded
	Size      int    // without padding
	Lines     []Line
	Starts    []int64  // offset of each block, by its number
	Exits     []uint32 // offsets of EXIT instructions
	Calls     []uint32 // offsets of calls of routines outside the section
	Coops     []Coop   // instructions of several threads of a warp
	WarpWide  []uint32 // those of them that the compiler added
	Mbarriers []uint32 // instructions that use an mbarrier: see mbarrier
	Unused    []uint32 // loads with bytes nobody uses: place and mask of the used ones
	Converges bool     // threads part and come together, or functions of the section are called

	Tables []Table
	Relocs []Reloc // what an object leaves to the linker
	// Resolved are the places that name variables and have their numbers, where
	// Options.Keep asks for them.
	Resolved []Resolved
}

// Func emits f for architecture a.
func Func(f *ori.Func, a *target.Arch, o Options) (*Code, error) {
	e := &emitter{f: f, a: a, opts: o, start: make([]int64, f.NumBlocks())}
	e.code.Text = make([]byte, 0, (e.layout()-o.Base+InstSize+textAlign-1)/textAlign*textAlign)
	for n, b := range f.Blocks {
		for i := range b.Instrs {
			if err := e.instr(i); err != nil {
				return nil, err
			}
		}
		if t := e.jump(n); t != nil {
			if err := e.branch(t); err != nil {
				return nil, err
			}
		}
	}
	return e.finish()
}

// Layout returns the code of f without its words: its size and where blocks
// start.
func Layout(f *ori.Func) *Code {
	e := &emitter{f: f, start: make([]int64, f.NumBlocks())}
	return &Code{Size: int(e.layout()), Starts: e.start}
}

type emitter struct {
	f     *ori.Func
	a     *target.Arch
	opts  Options
	start []int64 // address of each block ID
	code  Code
	syncs []sync
	loose bool // registers need no numbers yet
	masks int  // whether the function names threads of warps

	// the operands of the instruction at hand
	units    [maxUnits]unit
	n        int
	sig      uint64 // their kinds
	negative bool   // an integer among them is below zero
}

// maxUnits is how many operands a form may have.
const maxUnits = 16

// sync is a BSYNC: its block, its barrier and the address behind it, which
// the BSSY of the same barrier names.
type sync struct {
	block   int32
	barrier ori.Reg
	after   int64
}

// reconvergence returns the address a BSSY must name for the block its label
// stands for.
func (e *emitter) reconvergence(i *ori.Instr, block ori.Reg) int64 {
	at := e.start[block]
	for _, s := range e.syncs {
		if s.block != int32(block) {
			continue
		}
		at = s.after
		if s.barrier == i.Args[0].Reg {
			break
		}
	}
	return at
}

// layout gives every block its address and returns the one behind the last.
func (e *emitter) layout() int64 {
	at := e.opts.Base
	for n, b := range e.f.Blocks {
		e.start[b.ID] = at
		k := int64(0)
		for i := range b.Instrs {
			k += InstSize
			if i.Op == op.BSYNC {
				e.syncs = append(e.syncs, sync{b.ID, i.Srcs()[0].Reg, at + k})
			}
		}
		at += InstSize * int64(b.Len())
		if e.jump(n) != nil {
			at += InstSize
		}
	}
	return at
}

// jump returns the block a branch must be added to at the end of block n,
// because control falls through to one that does not follow it.
func (e *emitter) jump(n int) *ori.Block {
	b := e.f.Blocks[n]
	last := b.Last()
	if len(b.Succs) == 0 || last != nil && last.Op.Has(op.Terminator) && last.Guard.Kind == ori.KNone {
		return nil
	}
	t := b.Succs[len(b.Succs)-1]
	if n+1 < len(e.f.Blocks) && e.f.Blocks[n+1] == t {
		return nil
	}
	return t
}

func (e *emitter) pc() int64 { return e.opts.Base + int64(len(e.code.Text)) }

func (e *emitter) put(w bits.Word) {
	e.code.Text = binary.LittleEndian.AppendUint64(e.code.Text, w.Lo)
	e.code.Text = binary.LittleEndian.AppendUint64(e.code.Text, w.Hi)
}

// branch adds a jump to a block.
func (e *emitter) branch(t *ori.Block) error {
	i := e.f.NewInstr(op.BRA, op.Mods{}, nil, []ori.Operand{ori.Label(t)})
	i.Sched = ori.Sched{Stall: 5, WrBar: -1, RdBar: -1, Wait: 0x3f}
	return e.instr(i)
}

// instr emits one instruction.
func (e *emitter) instr(i *ori.Instr) error {
	x, err := e.assemble(i)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", e.f.Name, e.f.AppendInstr(nil, i), err)
	}
	c := control(i)
	// the form knows the bits of the operands that are kept
	c.Reuse = x.Ctrl().Reuse
	x.SetCtrl(c)
	w, err := x.Encode(e.a)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", e.f.Name, e.f.AppendInstr(nil, i), err)
	}
	switch i.Op {
	case op.EXIT:
		e.code.Exits = append(e.code.Exits, uint32(e.pc()))
	case op.BSSY:
		e.code.Converges = true
	case op.RET:
		e.code.Converges = e.code.Converges || !i.Mods.Has(op.MABS)
	case op.CALL:
		if e.code.Converges = e.code.Converges || !i.Mods.Has(op.MABS); i.Mods.Has(op.MABS) {
			e.code.Calls = append(e.code.Calls, uint32(e.pc()))
		}
	case op.BRX:
		e.code.Tables = append(e.code.Tables, e.table(i))
	}
	e.coop(i)
	e.mbarrier(i)
	e.usedBytes(i)
	e.relocs(i)
	if n := len(e.code.Lines); (i.Loc >= 0 || i.Line > 0) && (n == 0 || e.code.Lines[n-1].Loc != i.Loc || e.code.Lines[n-1].Pos != i.Line) {
		e.code.Lines = append(e.code.Lines, Line{uint32(e.pc()), i.Loc, i.Line})
	}
	e.put(w)
	return nil
}

// control translates the scheduler's decisions. The machine's bit says the
// opposite of ours: set, the warp stays.
func control(i *ori.Instr) sass.Ctrl {
	s := i.Sched
	return sass.Ctrl{Stall: s.Stall, Stay: !s.Yield, WrBar: s.WrBar, RdBar: s.RdBar, Wait: s.Wait}
}

// finish adds the endless loop behind the code and pads it with NOPs, as
// instruction prefetch wants it.
func (e *emitter) finish() (*Code, error) {
	e.code.Size, e.code.Starts = len(e.code.Text), e.start
	if e.opts.Part {
		return &e.code, nil
	}
	trap, err := e.assemble(&ori.Instr{Op: op.BRA, Args: []ori.Operand{ori.Imm(e.pc())}})
	if err != nil {
		return nil, err
	}
	nop, err := e.assemble(&ori.Instr{Op: op.NOP})
	if err != nil {
		return nil, err
	}
	for first := true; first || len(e.code.Text)%textAlign != 0; first = false {
		x := nop
		if first {
			x = trap
		}
		x.SetCtrl(sass.Ctrl{WrBar: sass.NoBar, RdBar: sass.NoBar})
		w, err := x.Encode(e.a)
		if err != nil {
			return nil, err
		}
		e.put(w)
	}
	return &e.code, nil
}
