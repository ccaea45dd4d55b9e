package machine

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/goptxas/goptxas/internal/witness/launch"
	"github.com/goptxas/goptxas/internal/witness/sim/order"
	"github.com/goptxas/goptxas/internal/witness/sim/timing"
	"github.com/goptxas/goptxas/internal/witness/texture"
)

// Launch is what one run needs.
type Launch struct {
	Grid, Block [3]uint32
	Cluster     [3]uint32 // blocks of a cluster; zero: as the kernel says
	Smem        uint32    // bytes of dynamic shared memory
	Params      []byte    // as they lie in constant bank 0
	Memory      *Memory   // nil: the module's variables alone
	MaxSteps    uint64    // instructions of all warps, 0 = no limit
	Blocks      uint64    // how many blocks (or clusters) run, the first of the grid; 0 = all
	Timed       bool      // results arrive late: see timing
	Async       Async     // when asynchronous work happens: see async.go
	Paths       uint64    // which lanes run first where they part: 0 those that do not jump, else by this seed
	Lenient     bool      // faults of the program are overlooked: see blind.go
	Textures    *texture.Set

	// Hook, when set, is called before every instruction of every warp.
	Hook func(*Event) error
	// Touch, when set, is told every access that the clocks of order look
	// at, in the order in which they happen.
	Touch func(Touch)
}

// Touch is one access to shared or global memory.
type Touch struct {
	Block   [3]uint32
	Warp    int // that makes it, or ordered it
	PC      uint64
	Addr, N uint64
	Shared  bool
	Write   bool
	Proxy   bool // made by the asynchronous proxy
}

// Fault is something the program did wrong.
type Fault struct {
	Kernel string
	PC     uint64 // offset in the kernel's section
	Block  [3]uint32
	Thread [3]uint32
	Warp   int
	Lane   int // -1: the whole warp
	Text   string
	What   string
}

// Error says what, where and who.
func (f *Fault) Error() string {
	who := fmt.Sprintf("block %d,%d,%d warp %d", f.Block[0], f.Block[1], f.Block[2], f.Warp)
	if f.Lane >= 0 {
		who += fmt.Sprintf(" lane %d (thread %d,%d,%d)", f.Lane, f.Thread[0], f.Thread[1], f.Thread[2])
	}
	return fmt.Sprintf("%s+%#x: %s: %s: %s", f.Kernel, f.PC, f.Text, who, f.What)
}

// Class groups operations for counting.
type Class uint8

// Classes.
const (
	ClassInt Class = iota
	ClassFloat
	ClassHalf
	ClassDouble
	ClassConvert
	ClassMove
	ClassUniform
	ClassGlobal
	ClassShared
	ClassLocal
	ClassConst
	ClassAtomic
	ClassControl
	ClassSync
	ClassWarp
	ClassMatrix
	ClassTexture
	ClassTensor
	ClassOther
	NumClasses
)

var classNames = [...]string{
	"integer", "float", "half", "double", "conversion", "move", "uniform", "global", "shared", "local", "constant",
	"atomic", "control", "synchronisation", "warp", "matrix", "texture", "tensor memory", "other",
}

// String names the class.
func (c Class) String() string { return classNames[c] }

// Stats counts what a launch did.
type Stats struct {
	Warps     [NumClasses]uint64 // instructions of warps
	Threads   [NumClasses]uint64 // and of threads
	Divergent uint64             // branches that parted a group
	Behind    uint64             // times that a convergence barrier left lanes behind
	Shared    uint64             // accesses of warps to shared memory
	Conflicts uint64             // passes they took beyond the first, by bank
	Cycles    uint64             // of the longest warp, in timed mode
	Stalls    uint64             // cycles in which warps waited, in timed mode
	StallsBy  [NumClasses]uint64 // the same, by what they waited for
	Reports   []timing.Early     // early reads, in timed mode
	Races     []order.Race       // places that no rule orders, where asynchronous work has a time
	Cut       bool               // the launch did not come to its end
}

// Total adds up the instructions.
func (s *Stats) Total() (warps, threads uint64) {
	for n := range s.Warps {
		warps += s.Warps[n]
		threads += s.Threads[n]
	}
	return warps, threads
}

// Case is a launch description made ready: memory, buffers, parameters.
type Case struct {
	Launch  Launch
	Buffers [][]byte // of the arguments, nil for scalars
	inside  [][]byte // those that structures point to
}

// All returns the contents of every buffer, those inside structures too.
func (c *Case) All() [][]byte { return slices.Concat(c.Buffers, c.inside) }

// Prepare lays out the arguments of a launch description.
func (p *Program) Prepare(l *launch.Launch, mem *Memory) (*Case, error) {
	if mem == nil {
		mem = p.module.Memory()
	}
	if len(l.Args) != len(p.kernel.Params) {
		return nil, fmt.Errorf("%s takes %d arguments, the launch has %d", p.kernel.Name, len(p.kernel.Params), len(l.Args))
	}
	c := &Case{Launch: Launch{Grid: l.Grid, Block: l.Block, Cluster: l.Cluster, Smem: l.Smem, Memory: mem, Textures: texture.Bind(l)}, Buffers: make([][]byte, len(l.Args))}
	for n, a := range l.Args {
		x := p.kernel.Params[n]
		end := int(x.Offset) + int(x.Size)
		if end > len(c.Launch.Params) {
			c.Launch.Params = append(c.Launch.Params, make([]byte, end-len(c.Launch.Params))...)
		}
		b := append([]byte(nil), a.Bytes...)
		if a.Buf > 0 {
			c.Buffers[n] = launch.Data(a.Fill, a.Seed, a.Buf)
			b = binary.LittleEndian.AppendUint64(nil, mem.Alloc(c.Buffers[n]))
		}
		if a.Tex != nil {
			b = binary.LittleEndian.AppendUint64(nil, c.Launch.Textures.Handle(n))
			c.Buffers[n] = c.Launch.Textures.Contents(n)
		}
		inside, err := a.Place(b, mem.Alloc)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", n, err)
		}
		c.inside = append(c.inside, inside...)
		if len(b) > int(x.Size) {
			return nil, fmt.Errorf("argument %d has %d bytes, the parameter %d", n, len(b), x.Size)
		}
		copy(c.Launch.Params[x.Offset:end], b)
	}
	return c, nil
}
