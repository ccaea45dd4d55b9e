package machine

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/texture"
)

// Options say how to run and what to watch for.
type Options struct {
	// Schedule picks another order of warps and of parted threads for each
	// value; zero is the plain one, where parted threads meet as early as
	// they can. Any other value lets blocks, warps, and lanes that update one
	// place come in any order.
	Schedule uint64
	// Undefined makes a read of a register that was never written a fault.
	Undefined bool
	// Races makes two accesses to a byte of shared memory a fault when one is
	// a plain write and nothing orders them.
	Races bool
	// MaxSteps bounds the instructions of all warps; zero is a bound large
	// enough for any test.
	MaxSteps int64
	// Until, when set, ends the launch with a fault when that time has come.
	Until time.Time
	// Garbage, when not zero, is what registers, local and shared memory that
	// nobody wrote are filled from, and what clocks are ahead.
	Garbage uint64
	// Late lets asynchronous copies happen at the last moment.
	Late bool
	// Hash makes Stats tell the contents of the buffers.
	Hash bool
	// Probe, when set, is told of tensor copies, which then bring nothing.
	Probe *Probe
	// Watch, when set, is told of every access to global and shared memory.
	Watch func(a *Access)
}

// defaultSteps ends programs that never end by themselves.
const defaultSteps = 400_000_000

// Fault is something the program did wrong, or an instruction that has no
// meaning here.
type Fault struct {
	File string
	Line int
	Inst string // the instruction, without operands
	Who  string // block and thread, if one is to blame
	What string
}

// Error says where, who and what.
func (f *Fault) Error() string {
	s := fmt.Sprintf("%s:%d: %s: ", f.File, f.Line, f.Inst)
	if f.Who != "" {
		s += f.Who + ": "
	}
	return s + f.What
}

// Program is a checked module made ready to run.
type Program struct {
	m        *sema.Module
	meanings *Meanings
	funcs    []*function // by Module.Funcs; nil without a body
	names    map[string]*function
	lay      layout
	cancels  bool // blocks take over others that have not started
}

// function is a decoded body.
type function struct {
	p      *Program
	index  int32
	def    *sema.Func
	body   *sema.Body
	code   []Inst
	slots  []int32 // first column of each register
	nslots int32
	vars   []int64 // place of each variable of the body in its space
	formal []int64 // place of each formal in the frame, results first
	frame  int64   // bytes of local memory
	align  int64   // what the strictest variable there asks of its address
	regsOf []int32 // register of each formal in .reg space, or -1
}

// New makes a program of a checked module and its bodies, by function, with
// the meanings of instructions. The bodies must stay valid: each needs a
// Scratch of its own.
func New(m *sema.Module, bodies map[int32]*sema.Body, meanings *Meanings) (*Program, error) {
	p := &Program{m: m, meanings: meanings, funcs: make([]*function, len(m.Funcs)), names: map[string]*function{}}
	for n := range m.Funcs {
		if b := bodies[int32(n)]; b != nil {
			f := &function{p: p, index: int32(n), def: &m.Funcs[n], body: b}
			p.funcs[n], p.names[f.def.Name] = f, f
		}
	}
	p.place()
	for _, f := range p.funcs {
		if f == nil {
			continue
		}
		if err := f.decode(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Kernels lists the names of the kernels in source order.
func (p *Program) Kernels() []string {
	var list []string
	for _, f := range p.funcs {
		if f != nil && f.def.Entry {
			list = append(list, f.def.Name)
		}
	}
	return list
}

// Stats counts what a launch did.
type Stats struct {
	Warps   int64 // instructions of warps
	Threads int64 // and of threads
	// Open tells that registers were read that nobody wrote, that there is
	// local memory, or that a clock or a multiprocessor's number was read: what
	// Options.Garbage changes may change the result.
	Open bool
	Hash uint64 // of the buffers, where Options.Hash asks for it
	// Async tells that there were asynchronous copies: Options.Late may change
	// the result.
	Async  bool
	Inside [][]byte // what buffers behind pointers inside arguments hold at the end
}

// Run starts a kernel with fresh memory and returns the contents of each
// argument's buffer or surface afterwards, nil for arguments that are none.
func (p *Program) Run(l *launch.Launch, o Options) ([][]byte, error) {
	out, _, err := p.RunStats(l, o)
	return out, err
}

// RunStats is Run with counts.
func (p *Program) RunStats(l *launch.Launch, o Options) (out [][]byte, st Stats, err error) {
	f := p.names[l.Kernel]
	if f == nil || !f.def.Entry {
		return nil, st, fmt.Errorf("no kernel %s", l.Kernel)
	}
	if o.MaxSteps == 0 {
		o.MaxSteps = defaultSteps
	}
	g := &grid{p: p, fn: f, launch: l, opts: o, rand: o.Schedule, tex: texture.Bind(l)}
	g.mem.init(p)
	out, err = g.arguments()
	if err != nil {
		return nil, st, err
	}
	defer func() {
		if r := recover(); r != nil {
			fault, ok := r.(*Fault)
			if !ok {
				panic(r)
			}
			out, err = nil, fault
			st = Stats{Warps: g.steps, Threads: g.threads, Open: g.open, Async: g.async}
		}
	}()
	g.buffers = len(g.mem.segments) - len(p.lay.global)
	g.run()
	st = Stats{Warps: g.steps, Threads: g.threads, Open: g.open, Async: g.async, Inside: g.inside}
	if o.Hash {
		st.Hash = g.hash()
	}
	return out, st, nil
}

// arguments lays out the parameters and allocates the buffers.
func (g *grid) arguments() ([][]byte, error) {
	d, l := g.fn.def, g.launch
	if len(l.Args) != len(d.Params) {
		return nil, fmt.Errorf("%s takes %d arguments, the launch has %d", d.Name, len(d.Params), len(l.Args))
	}
	g.mem.params = make([]byte, d.ParamLen)
	out := make([][]byte, len(l.Args))
	for n, a := range l.Args {
		p := &d.Params[n]
		b := append([]byte(nil), a.Bytes...)
		if a.Buf > 0 {
			out[n] = launch.Data(a.Fill, a.Seed, a.Buf)
			b = binary.LittleEndian.AppendUint64(nil, g.mem.alloc(out[n]))
		}
		if a.Tex != nil {
			b, out[n] = binary.LittleEndian.AppendUint64(nil, g.tex.Handle(n)), g.tex.Contents(n)
		}
		inside, err := a.Place(b, g.mem.alloc)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", n, err)
		}
		g.inside = append(g.inside, inside...)
		if uint64(len(b)) > p.Shape.Size() {
			return nil, fmt.Errorf("argument %d has %d bytes, the parameter %d", n, len(b), p.Shape.Size())
		}
		copy(g.mem.params[p.Offset:p.Offset+p.Shape.Size()], b)
	}
	return out, nil
}

// spell writes an instruction without its operands.
func (f *function) spell(in *sema.Inst) string {
	s := in.Op.String()
	for _, w := range f.body.ModsOf(in) {
		s += "." + w.String()
	}
	return s
}

// fault makes a Fault about an instruction; nil is the end of the body.
func (f *function) fault(in *sema.Inst, who, what string) *Fault {
	x := &Fault{File: f.p.m.Files[f.def.File].File.Name, Inst: "end of " + f.def.Name, Who: who, What: what}
	if in != nil {
		x.File, x.Line = f.p.m.Files[f.def.File].File.Line(in.Pos)
		x.Inst = f.spell(in)
	}
	return x
}

// widthOf is the number of bits of a register of a type.
func widthOf(t isa.Type) int {
	if t == isa.Pred {
		return 1
	}
	return t.Bits()
}
