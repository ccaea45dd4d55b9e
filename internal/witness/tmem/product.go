package tmem

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/engine/fp"
)

// Kind is what an instruction says of the elements of a product; the
// instruction descriptor says the rest.
type Kind uint8

// Kinds.
const (
	F16    Kind = iota // f16 and bf16
	TF32               // in the same unit as F16
	F8F6F4             // floats of 8, 6 and 4 bits
	I8                 // bytes
	MXF8F6F4
	MXF4 // e2m1 with scales, of any type: mxf4 and mxf4nvf4
)

// Order is a product D = A×B + D as an instruction asks for it.
type Order struct {
	Kind      Kind
	Pair      bool // of a pair of blocks
	WS        bool // weights are stationary
	ShiftRows bool // .ashift

	D      Address
	A      Descriptor // where AInside does not say that it is a place in tensor memory
	APlace Address
	Inside bool // A lies in tensor memory
	B      Descriptor
	I      uint32 // instruction descriptor
	Meta   Address
	ScaleA Address
	ScaleB Address
	Block  int // elements that a scale counts for

	Off   [8]uint32 // lanes to leave alone
	Zero  uint64    // descriptor of columns of B that are zero
	Keep  bool      // D counts
	Minus int       // it counts divided by that power of two
}

// Block is one of the blocks of a product.
type Block struct {
	Mem    *Memory
	Shared Shared
}

// element is the type of the elements of a matrix.
type element struct {
	format fp.Format
	bits   int // that it takes
	signed bool
	slot   int // bits from one element to the next, where they lie in groups of sixteen
}

// plan is an order with its descriptor read.
type plan struct {
	*Order
	m, n, k  int // k counts all elements of a row, also those left out
	a, b     element
	sum      fp.Format
	integer  bool
	clamp    bool
	sparse   bool
	negA     bool
	negB     bool
	acrossA  bool
	acrossB  bool
	selector int
	scale    fp.Format
	block    int // elements that a scale counts for, also those left out
	idA, idB int
	zero     []bool
	shiftB   int
}

// narrow are the floats of 8, 6 and 4 bits by their number in a descriptor.
var narrow = [8]struct {
	f  fp.Format
	ok bool
}{0: {fp.E4M3, true}, 1: {fp.E5M2, true}, 3: {fp.E2M3, true}, 4: {fp.E3M2, true}, 5: {fp.E2M1, true}}

// element reads a type of a descriptor.
func (p *plan) element(n uint32) (element, error) {
	bad := fmt.Errorf("an instruction descriptor with type %d does not fit the kind", n)
	switch p.Kind {
	case F16:
		if n > 1 {
			return element{}, bad
		}
		return element{format: [...]fp.Format{fp.F16, fp.BF16}[n], bits: 16, slot: 16}, nil
	case TF32:
		if n != 2 {
			return element{}, bad
		}
		return element{format: fp.TF32, bits: 32, slot: 32}, nil
	case I8:
		if n > 1 {
			return element{}, bad
		}
		return element{bits: 8, slot: 8, signed: n == 1}, nil
	case MXF4:
		if n != 1 {
			return element{}, bad
		}
		return element{format: fp.E2M1, bits: 4, slot: 4}, nil
	}
	if !narrow[n&7].ok {
		return element{}, bad
	}
	f := narrow[n&7].f
	return element{format: f, bits: f.Bits(), slot: 8}, nil
}

// depth is how many elements of a row a dense product multiplies, by kind.
var depth = [...]int{F16: 16, TF32: 8, F8F6F4: 32, I8: 32, MXF8F6F4: 32, MXF4: 64}

// deep is the other depth of dense products of 4 bits, which sm_103 has.
const deep = 96

// read reads the instruction descriptor (PTX ISA, Instruction descriptor).
func (o *Order) read() (*plan, error) {
	d := o.I
	p := &plan{Order: o, sparse: d>>2&1 != 0, negA: d>>13&1 != 0, negB: d>>14&1 != 0, acrossA: d>>15&1 != 0, acrossB: d>>16&1 != 0}
	p.n, p.m = int(d>>17&63)*8, int(d>>24&31)*16
	switch p.k = depth[o.Kind]; {
	case o.Kind == MXF4 && d>>31 != 0 && !p.sparse:
		p.k = deep
	case o.Kind >= MXF8F6F4 && d>>31 != 0:
		return nil, fmt.Errorf("an instruction descriptor with depth 1 does not fit the kind")
	case p.sparse:
		p.k *= 2
	}
	btype := d >> 10 & 7
	if o.Kind == MXF4 {
		btype &= 3
	}
	var err error
	if p.a, err = p.element(d >> 7 & 7); err == nil {
		p.b, err = p.element(btype)
	}
	if err != nil {
		return nil, err
	}
	if o.Kind >= MXF8F6F4 {
		err = p.readScales()
	} else {
		err = p.readSum()
	}
	if err != nil {
		return nil, err
	}
	if o.WS {
		if err := p.readZero(); err != nil {
			return nil, err
		}
	}
	return p, p.shape()
}

// readSum reads the type of the sums.
func (p *plan) readSum() error {
	d := p.I
	p.selector = int(d & 3)
	p.clamp = d>>3&1 != 0
	switch t := d >> 4 & 3; {
	case p.Kind == I8 && t == 2:
		p.integer = true
	case p.Kind != I8 && t == 1:
		p.sum = fp.F32
	case (p.Kind == F16 || p.Kind == F8F6F4) && t == 0:
		p.sum = fp.F16
	default:
		return fmt.Errorf("an instruction descriptor with sums of type %d does not fit the kind", t)
	}
	return nil
}

// readScales reads which bytes the scales are and of which type.
func (p *plan) readScales() error {
	d := p.I
	p.sum, p.scale = fp.F32, fp.E4M3
	p.idA, p.idB = int(d>>29&3), int(d>>4&3)
	if d>>23&1 != 0 {
		p.scale = fp.UE8M0
	}
	if p.block = p.Block; p.sparse {
		p.block *= 2
	}
	step := p.k / p.block // scales of a row; the first is one of these
	if p.k == deep {
		step = 32 / p.block
	}
	switch {
	case p.Kind == MXF8F6F4 && p.scale != fp.UE8M0, p.Block == 32 && p.scale != fp.UE8M0:
		return fmt.Errorf("scales of type e4m3 for blocks of %d elements", p.Block)
	case p.idA%step != 0 || p.idB%step != 0:
		return fmt.Errorf("scales %d and %d of %d", p.idA, p.idB, step)
	}
	return nil
}

// shape checks the sizes (PTX ISA, Matrix Shape).
func (p *plan) shape() error {
	ok := false
	switch {
	case p.WS:
		ok = (p.m == 32 || p.m == 64 || p.m == 128) && (p.n == 64 || p.n == 128 || p.n == 256 && !p.sparse)
	case p.Pair:
		ok = (p.m == 128 || p.m == 256) && p.n%16 == 0
	default:
		ok = p.m == 128 || p.m == 64 && p.Kind < MXF8F6F4
	}
	if !ok || p.n < 8 || p.n > 256 {
		return fmt.Errorf("a product of %d rows and %d columns", p.m, p.n)
	}
	if p.ShiftRows && (p.m < 128 || !p.Inside) {
		return fmt.Errorf("rows of a product of %d rows shifted", p.m)
	}
	return nil
}

// rows is how many rows a block has.
func (p *plan) rows() int {
	if p.Pair {
		return p.m / 2
	}
	return p.m
}

// Organisations of the lanes (PTX ISA, Data Path Layout Organization).
const (
	whole  = iota // a row is a lane
	halves        // sixteen lanes of each 32
	twice         // 64 lanes hold half of the columns, the next the others
	four          // 32 lanes hold a quarter each
)

func (p *plan) organisation() int {
	switch {
	case p.WS && p.m == 32:
		return four
	case p.WS && p.m == 64, p.Pair && p.m == 128 && !p.sparse:
		return twice
	case p.rows() == 64:
		return halves
	}
	return whole
}

// lane is where a row lies that is not spread over columns.
func (p *plan) lane(row int) int {
	if p.organisation() == halves {
		return row%16 + row/16*32
	}
	return row
}

// place is where element row, n of D lies, relative to its address.
func (p *plan) place(row, n int) (lane, column int) {
	switch p.organisation() {
	case twice:
		return row + n/(p.n/2)*64, n % (p.n / 2)
	case four:
		return row + n/(p.n/4)*32, n % (p.n / 4)
	}
	return p.lane(row), n
}

// width is how many columns D takes.
func (p *plan) width() int {
	switch p.organisation() {
	case twice:
		return p.n / 2
	case four:
		return p.n / 4
	}
	return p.n
}

// readZero makes the columns of B that are zero (PTX ISA, Zero-Column Mask
// Descriptor).
func (p *plan) readZero() error {
	z := p.Zero
	p.shiftB = int(z >> 56 & 63)
	if z>>39&1 == 0 {
		return nil
	}
	masks := map[int]int{32: 4, 64: 2, 128: 1}[p.m]
	if masks == 0 {
		return fmt.Errorf("a product of %d rows with columns left out", p.m)
	}
	skip, use := int(z>>40&255)+1, int(z>>48&255)+1
	for m := range masks {
		at, first := int(z>>(8*m)&255), z>>(32+m)&1 != 0
		for k := range p.n / masks {
			p.zero = append(p.zero, zeroAt(at+k, skip, use, first))
		}
	}
	return nil
}

// zeroAt tells whether bit n of an endless mask is set: it begins with a span
// of set bits or of others, which take turns.
func zeroAt(n, skip, use int, first bool) bool {
	n %= skip + use
	if first {
		return n < skip
	}
	return n >= use
}
