package fp

// NaN rules, measured on an H200 (h200_test.go). f32, f16, bf16 and the narrow
// formats give one fixed NaN from every operation (layout.quiet). f64 keeps an
// operand: the NaN with its quiet bit set, sign and payload as they were; an
// invalid operation without NaN operands gives the negative quiet NaN
// 0xfff8000000000000. Of several NaNs the adder and multiplier keep the second
// operand before the third and that before the first; division, which is a
// routine, keeps the first.

// quietF64 is the quiet bit of an f64 NaN.
const quietF64 = 1 << 51

// nan returns the NaN an operation gives for the operands, in the order of
// precedence: of several f64 NaNs the first listed wins.
func (f Format) nan(ops ...uint64) uint64 {
	if f == F64 {
		for _, x := range ops {
			if f.IsNaN(x) {
				return x | quietF64
			}
		}
	}
	return f.NaN()
}

// nanResult finishes an operation that gives NaN: .sat turns it into +0.
func (f Format) nanResult(m Mode, ops ...uint64) uint64 {
	if m.Sat {
		return f.Zero(false)
	}
	return f.nan(ops...)
}
