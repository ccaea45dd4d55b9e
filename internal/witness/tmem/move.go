package tmem

import "fmt"

// Shape is how a load or a store spreads registers over lanes and columns.
type Shape uint8

// Shapes.
const (
	S32x32 Shape = iota
	S16x64
	S16x128
	S16x256
	S16x32 // one half of 16x32bx2
)

// shapeRow is a shape: registers and columns of one repetition.
type shapeRow struct {
	regs, columns, lanes int
}

var shapeRows = [...]shapeRow{
	S32x32:  {1, 1, 32},
	S16x64:  {1, 2, 16},
	S16x128: {2, 4, 16},
	S16x256: {4, 8, 16},
	S16x32:  {1, 1, 16},
}

// Regs is how many registers one repetition has.
func (s Shape) Regs() int { return shapeRows[s].regs }

// at returns the lane and the column of a register of a thread, relative to
// the address (PTX ISA, Matrix fragments for shape …).
func (s Shape) at(reg, thread int) (lane, column int) {
	switch s {
	case S16x64:
		return thread>>2 + thread&1*8, 2*reg + thread>>1&1
	case S16x128:
		return thread>>2 + reg&1*8, reg>>1*4 + thread&3
	case S16x256:
		return thread>>2 + reg>>1&1*8, reg>>2*8 + thread&3*2 + reg&1
	case S16x32:
		return thread & 15, reg
	}
	return thread, reg
}

// Move is a load or a store of one warp.
type Move struct {
	Shape  Shape
	At     Address
	Repeat int
	Pack   bool // two columns of 16 bits to a register
	Upper  bool // of S16x32: the threads above the fifteenth
	Warp   int  // of its warp group
}

// reach checks that the warp may access the lanes.
func (x *Move) reach(m *Memory) error {
	row := shapeRows[x.Shape]
	columns := row.columns * x.Repeat
	if x.Pack {
		columns *= 2
	}
	if x.At.Lane()/Part != x.Warp {
		return fmt.Errorf("warp %d of its group reaches lanes %d to %d, not tensor memory at %v", x.Warp, x.Warp*Part, x.Warp*Part+Part-1, x.At)
	}
	if x.At.Lane()%Part+row.lanes > Part {
		return fmt.Errorf("%d lanes from %v on are not those of one warp", row.lanes, x.At)
	}
	return m.span(x.At, columns)
}

// each calls f for the words of the move: register and thread, and the word,
// or the two words whose lower halves the register packs.
func (x *Move) each(m *Memory, write bool, f func(reg, thread int, a, b *uint32)) error {
	if err := x.reach(m); err != nil {
		return err
	}
	row := shapeRows[x.Shape]
	per := 1
	if x.Pack {
		per = 2
	}
	first, last := 0, 32
	if x.Shape == S16x32 {
		last = 16
		if x.Upper {
			first, last = 16, 32
		}
	}
	lane0, col0 := x.At.Lane(), x.At.Column()
	m.touch(lane0, row.lanes, col0, row.columns*x.Repeat*per, write)
	for reg := range row.regs * x.Repeat {
		for t := first; t < last; t++ {
			lane, col := x.Shape.at(reg, t)
			lane, col = lane+lane0, col*per+col0
			a := &m.words[col][lane]
			b := a
			if x.Pack {
				b = &m.words[col+1][lane]
			}
			f(reg, t, a, b)
		}
	}
	return nil
}

// Load reads registers, for each the 32 threads.
func (x *Move) Load(m *Memory, regs [][32]uint32) error {
	return x.each(m, false, func(reg, t int, a, b *uint32) {
		regs[reg][t] = *a
		if x.Pack {
			regs[reg][t] = *a&0xffff | *b<<16
		}
	})
}

// Store writes them.
func (x *Move) Store(m *Memory, regs [][32]uint32) error {
	return x.each(m, true, func(reg, t int, a, b *uint32) {
		v := regs[reg][t]
		*a = v
		if x.Pack {
			*a, *b = v&0xffff, v>>16
		}
	})
}
