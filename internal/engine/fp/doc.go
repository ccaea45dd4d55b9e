// Package fp is exact arithmetic on the number formats of the machine: f16,
// bf16, tf32, the 8-, 6- and 4-bit formats, f32 and f64. Values are raw bits
// in a uint64; a Format says how to read them, a Mode how to round and clamp.
//
// One generic implementation serves every format: operands are unpacked to a
// Num (sign, exponent, 127-bit significand), the operation is done exactly or
// with a sticky last bit, and Pack rounds once. Fast paths use the host's own
// f32 and f64 arithmetic where it is known to give the same bits.
//
// NaN results follow the hardware, not only IEEE 754: nan.go holds the rules
// and says which were measured. The approximate functions of approx.go are
// the one inexact part, and say so in their results.
package fp
