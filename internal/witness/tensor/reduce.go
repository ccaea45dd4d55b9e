package tensor

import "github.com/goptxas/goptxas/internal/engine/fp"

// Op is the operation of a reduction, numbered as the machine does.
type Op uint8

// Operations.
const (
	Add Op = iota
	Min
	Max
	Inc
	Dec
	And
	Or
	Xor
)

// Reduce applies an operation to one element of memory.
func Reduce(typ int, op Op, to, from []byte) {
	var x, y uint64
	for k := range to {
		x |= uint64(to[k]) << (8 * k)
		y |= uint64(from[k]) << (8 * k)
	}
	z := combined(typ, op, x, y, 8*len(to))
	for k := range to {
		to[k] = byte(z >> (8 * k))
	}
}

// floatOf is the format of a type of floats.
func floatOf(typ int) (fp.Format, bool) {
	switch typ {
	case F16:
		return fp.F16, true
	case BF16:
		return fp.BF16, true
	case F32, F32Ftz:
		return fp.F32, true
	case F64:
		return fp.F64, true
	}
	return 0, false
}

func combined(typ int, op Op, x, y uint64, bits int) uint64 {
	if f, ok := floatOf(typ); ok {
		mode := fp.Mode{Ftz: typ == F32Ftz}
		switch op {
		case Add:
			return f.Add(x, y, mode)
		case Min:
			return f.Min(x, y, fp.Extremum{})
		case Max:
			return f.Max(x, y, fp.Extremum{})
		}
	}
	less := x < y
	if typ == S32 || typ == S64 {
		less = int64(x<<(64-bits)) < int64(y<<(64-bits))
	}
	switch op {
	case Add:
		return x + y
	case Min:
		if less {
			return x
		}
	case Max:
		if !less {
			return x
		}
	case Inc:
		if x >= y {
			return 0
		}
		return x + 1
	case Dec:
		if x == 0 || x > y {
			return y
		}
		return x - 1
	case And:
		return x & y
	case Or:
		return x | y
	case Xor:
		return x ^ y
	}
	return y
}
