package target

// Pipe is the unit of an SM that executes an operation. Instructions of
// different pipes do not wait for each other's turn.
type Pipe uint8

// The pipes. Every latency class has one.
const (
	noPipe       Pipe = iota
	PipeControl       // branches, barriers, waits
	PipeAlu           // integer, logic, comparisons, moves
	PipeMultiply      // integer products
	PipeFloat         // f32 and pairs of halves; shares a unit with PipeMultiply
	PipeHalf          // comparisons of halves; HFMA2.MMA
	PipeDouble
	PipeSpecial // roots, conversions, reductions
	PipeTensor  // matrix products and their memory
	PipeMemory  // loads, stores, atomics, shuffles
	PipeTexture
	PipeConstant // constant banks, special registers
	PipeUniform  // the uniform datapath
	PipeAsync    // copies that go on by themselves
)

// Pipe returns the unit that executes operations of class c.
func (c Class) Pipe() Pipe { return classes[c].pipe }
