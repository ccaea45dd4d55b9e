// Package tmem is the meaning of tensor memory: 512 columns of 128 lanes of 32
// bits for each block, what moves data to and from it, and the products that
// read and write it (PTX ISA, TensorCore 5th Generation). The PTX interpreter
// and the SASS simulator share it, as the layouts are the machine's; what an
// instruction asks for each reads in its own way. docs/blackwell.md tells what
// the text leaves open.
package tmem

import "fmt"

// Lanes and Columns are the size of the memory.
const (
	Lanes   = 128
	Columns = 512
)

// Unit is how many columns are allocated together, Units how many such there
// are.
const (
	Unit  = 32
	Units = Columns / Unit
)

// Part is how many lanes a warp of a warp group reaches.
const Part = 32

// Memory is the tensor memory of one block.
type Memory struct {
	words [Columns][Lanes]uint32
	held  uint32 // units that are allocated

	// Touch, where set, is told of the columns that an operation reads and
	// writes, by quarter of the lanes.
	Touch func(part, column int, write bool)
}

// New returns memory that holds a pattern nobody wrote.
func New(pattern uint32) *Memory {
	m := &Memory{}
	for c := range m.words {
		for l := range m.words[c] {
			m.words[c][l] = pattern
		}
	}
	return m
}

// Find looks for n free units beside each other, the first of which is a
// multiple of n where they are aligned, and takes them.
func (m *Memory) Find(n int, aligned bool) (first int, ok bool) {
	if n < 1 || n > Units {
		return 0, false
	}
	step := 1
	if aligned {
		step = n
	}
	for first = 0; first+n <= Units; first += step {
		if run := uint32(1<<n-1) << first; m.held&run == 0 {
			m.held |= run
			return first, true
		}
	}
	return 0, false
}

// Held are the units that are allocated, a bit for each.
func (m *Memory) Held() uint32 { return m.held }

// Hold changes them.
func (m *Memory) Hold(units uint32) { m.held = units & (1<<Units - 1) }

// Address is a place: the lane above, the column below.
type Address uint32

// Lane and Column are its parts.
func (a Address) Lane() int   { return int(a >> 16) }
func (a Address) Column() int { return int(a & 0xffff) }

// String tells both.
func (a Address) String() string { return fmt.Sprintf("lane %d column %d", a.Lane(), a.Column()) }

// span checks that columns from a on are there and allocated.
func (m *Memory) span(a Address, columns int) error {
	first, last := a.Column(), a.Column()+columns-1
	if a.Lane() >= Lanes || last >= Columns {
		return fmt.Errorf("tensor memory at %v and %d columns: there are %d lanes and %d columns", a, columns, Lanes, Columns)
	}
	for u := first / Unit; u <= last/Unit; u++ {
		if m.held>>u&1 == 0 {
			return fmt.Errorf("tensor memory at %v and %d columns: column %d is not allocated", a, columns, max(first, u*Unit))
		}
	}
	return nil
}

// touch tells of a column of some lanes.
func (m *Memory) touch(lane, lanes, column, columns int, write bool) {
	if m.Touch == nil {
		return
	}
	for p := lane / Part; p <= (lane+lanes-1)/Part && p < Lanes/Part; p++ {
		for c := column; c < column+columns; c++ {
			m.Touch(p, c, write)
		}
	}
}
