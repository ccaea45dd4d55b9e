package fp

// Relation is how two numbers stand to each other.
type Relation uint8

// The relations, as a set of bits so that a comparison is a mask.
const (
	Less Relation = 1 << iota
	Equal
	Greater
	Unordered
)

// Cmp is a comparison: the set of relations that make it true.
type Cmp uint8

// The comparisons of setp on floating point.
const (
	EQ   = Cmp(Equal)
	NE   = Cmp(Less | Greater)
	LT   = Cmp(Less)
	LE   = Cmp(Less | Equal)
	GT   = Cmp(Greater)
	GE   = Cmp(Greater | Equal)
	NUM  = Cmp(Less | Equal | Greater)
	NAN  = Cmp(Unordered)
	EQU  = EQ | NAN
	NEU  = NE | NAN
	LTU  = LT | NAN
	LEU  = LE | NAN
	GTU  = GT | NAN
	GEU  = GE | NAN
	Any  = NUM | NAN
	None = Cmp(0)
)

// Holds reports whether the comparison is true of a relation.
func (c Cmp) Holds(r Relation) bool { return Cmp(r)&c != 0 }

// Relate compares a and b; with ftz subnormals count as zeros.
func (f Format) Relate(a, b uint64, ftz bool) Relation {
	if f.IsNaN(a) || f.IsNaN(b) {
		return Unordered
	}
	if ftz {
		a, b = f.Flush(a), f.Flush(b)
	}
	x, y := f.order(a), f.order(b)
	switch {
	case x < y:
		return Less
	case x > y:
		return Greater
	}
	return Equal
}

// order maps numbers to integers in the same order, the zeros to one.
func (f Format) order(x uint64) int64 {
	m := int64(x & f.magMask())
	if f.Sign(x) {
		return -m
	}
	return m
}

// Neg returns -a. NaN follows the NaN rule, its sign unchanged in f64.
func (f Format) Neg(a uint64, ftz bool) uint64 {
	if f.IsNaN(a) {
		return f.nan(a)
	}
	if ftz {
		a = f.Flush(a)
	}
	return a&f.mask() ^ f.signBit()
}

// Abs returns |a|. NaN follows the NaN rule, its sign unchanged in f64.
func (f Format) Abs(a uint64, ftz bool) uint64 {
	if f.IsNaN(a) {
		return f.nan(a)
	}
	if ftz {
		a = f.Flush(a)
	}
	return a & f.magMask()
}

// CopySign returns the sign of a on the magnitude of b, bit by bit, in the
// order of PTX's operands.
func (f Format) CopySign(a, b uint64) uint64 { return a&f.signBit() | b&f.magMask() }

// Extremum is the mode of Min and Max.
type Extremum struct {
	Ftz     bool
	NaN     bool // any NaN operand makes the result NaN
	XorSign bool // .xorsign.abs: magnitudes are compared, the sign is the product's
}

// Min returns the lesser of a and b; -0 is less than +0. One NaN operand
// loses unless x.NaN.
func (f Format) Min(a, b uint64, x Extremum) uint64 { return f.extremum(a, b, x, Less) }

// Max returns the greater of a and b.
func (f Format) Max(a, b uint64, x Extremum) uint64 { return f.extremum(a, b, x, Greater) }

func (f Format) extremum(a, b uint64, x Extremum, want Relation) uint64 {
	if x.Ftz {
		a, b = f.Flush(a), f.Flush(b)
	}
	na, nb := f.IsNaN(a), f.IsNaN(b)
	if na && nb || x.NaN && (na || nb) {
		return f.nan(b, a) // of two f64 NaNs the second is returned
	}
	sign := (a ^ b) & f.signBit()
	if x.XorSign {
		a, b = a&f.magMask(), b&f.magMask()
	}
	r := a
	if na || !nb && f.totalLess(b, a) == (want == Less) {
		r = b
	}
	if x.XorSign {
		return r&f.magMask() | sign
	}
	return r & f.mask()
}

// totalLess is the order of numbers with -0 before +0.
func (f Format) totalLess(a, b uint64) bool {
	sa, sb := f.Sign(a), f.Sign(b)
	if sa != sb {
		return sa
	}
	ma, mb := a&f.magMask(), b&f.magMask()
	if sa {
		return ma > mb
	}
	return ma < mb
}

// Test is a class of numbers that testp asks for.
type Test uint8

// The classes of testp.
const (
	TestFinite Test = iota
	TestInfinite
	TestNumber
	TestNotANumber
	TestNormal // zero counts as normal
	TestSubnormal
)

// Is reports whether x is of the class.
func (f Format) Is(x uint64, t Test) bool {
	switch t {
	case TestFinite:
		return !f.IsNaN(x) && !f.IsInf(x)
	case TestInfinite:
		return f.IsInf(x)
	case TestNumber:
		return !f.IsNaN(x)
	case TestNotANumber:
		return f.IsNaN(x)
	case TestNormal:
		return !f.IsNaN(x) && !f.IsInf(x) && !f.IsSubnormal(x)
	}
	return f.IsSubnormal(x)
}
