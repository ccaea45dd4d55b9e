package code

import (
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/witness/matrix"
	"github.com/goptxas/goptxas/internal/witness/tmem"
)

// GroupForm is what the word of such a product says.
type GroupForm struct {
	matrix.Group
	D, C, A, Meta uint16 // rows; a is rowSink where A is in shared memory
	Gdesc         uint16 // of four uniform registers
	Scale         Pred
	Commits       bool
	Regs          int // of the accumulator
}

// ARegs is how many registers hold the first factor.
func (f *GroupForm) ARegs() uint16 {
	if f.A == RowSink {
		return 0
	}
	return uint16(f.Words('a'))
}

// TensorForm is what the word of such an instruction says.
type TensorForm struct {
	Move    tmem.Move
	Copy    tmem.Copy
	Product tmem.Order

	Place uint16 // row of the address, added to imm
	Imm   int64
	From  uint16 // row of a descriptor
	Regs  uint16 // first row of registers that are moved
	Count int
	Best  uint16   // row of what .STAT finds
	Stat  []string // how

	A, B, D, Pair, Extra uint16 // rows of a product
	Keep                 Pred
	Two                  bool // of a pair of blocks
	Aligned              bool
	Multicast            bool
}

// Uniforms lists the rows of the uniform registers that an instruction names,
// and the constants.
func Uniforms(i *Inst) (rows []uint16, imms []int64) {
	for n := range i.In.NArg() {
		o := i.In.Arg(n)
		switch {
		case o.Kind == sass.KindReg && o.File == sass.FileU && o.Role != sass.Write:
			lo, _ := SrcRow(&o)
			rows = append(rows, lo)
		case o.Kind == sass.KindImm:
			imms = append(imms, o.Imm)
		}
	}
	return rows, imms
}
