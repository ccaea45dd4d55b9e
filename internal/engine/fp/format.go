package fp

// Format names one number format.
type Format uint8

// The formats. TF32 values sit in the high 19 bits of a 32-bit word, as the
// machine keeps them; every other format is right-aligned.
const (
	F16 Format = iota
	BF16
	TF32
	E4M3
	E5M2
	E2M3
	E3M2
	E2M1
	UE8M0
	F32
	F64
	NumFormats
)

// nanStyle says how a format encodes NaN.
type nanStyle uint8

const (
	nanIEEE    nanStyle = iota // all-ones exponent, fraction not zero; infinities exist
	nanTop                     // only the all-ones pattern (either sign); no infinities
	nanMissing                 // neither NaN nor infinity
)

// layout describes a format. Bias and widths follow the PTX ISA section
// "Alternate floating point data formats"; the words are at their place in the
// word that holds a value.
type layout struct {
	name  string
	bits  uint8 // width without the alignment shift
	man   uint8 // fraction bits
	bias  int16
	nan   nanStyle
	shift uint8  // low bits of the word the format does not use
	sign  uint64 // the sign bit
	mag   uint64 // every other bit
	inf   uint64 // all-ones exponent
	max   uint64 // magnitude of the greatest finite number
	above uint64 // magnitudes beyond it are NaN
	least uint64 // least normal number
	quiet uint64 // NaN that arithmetic makes
}

var layouts = [NumFormats]layout{
	F16:   {"f16", 16, 10, 15, nanIEEE, 0, 0x8000, 0x7fff, 0x7c00, 0x7bff, 0x7c00, 0x0400, 0x7fff},
	BF16:  {"bf16", 16, 7, 127, nanIEEE, 0, 0x8000, 0x7fff, 0x7f80, 0x7f7f, 0x7f80, 0x0080, 0x7fff},
	TF32:  {"tf32", 19, 10, 127, nanIEEE, 13, 1 << 31, 0x7fffe000, 0x7f800000, 0x7f7fe000, 0x7f800000, 1 << 23, 0x7fffe000},
	E4M3:  {"e4m3", 8, 3, 7, nanTop, 0, 0x80, 0x7f, 0x78, 0x7e, 0x7e, 0x08, 0x7f},
	E5M2:  {"e5m2", 8, 2, 15, nanIEEE, 0, 0x80, 0x7f, 0x7c, 0x7b, 0x7c, 0x04, 0x7f},
	E2M3:  {"e2m3", 6, 3, 1, nanMissing, 0, 0x20, 0x1f, 0x18, 0x1f, 0x1f, 0x08, 0x1f},
	E3M2:  {"e3m2", 6, 2, 3, nanMissing, 0, 0x20, 0x1f, 0x1c, 0x1f, 0x1f, 0x04, 0x1f},
	E2M1:  {"e2m1", 4, 1, 1, nanMissing, 0, 0x8, 0x7, 0x6, 0x7, 0x7, 0x2, 0x7},
	UE8M0: {"ue8m0", 8, 0, 127, nanTop, 0, 0, 0xff, 0xff, 0xfe, 0xfe, 0, 0xff},
	F32:   {"f32", 32, 23, 127, nanIEEE, 0, 1 << 31, 1<<31 - 1, 0x7f800000, 0x7f7fffff, 0x7f800000, 1 << 23, 0x7fffffff},
	F64:   {"f64", 64, 52, 1023, nanIEEE, 0, 1 << 63, 1<<63 - 1, 0x7ff << 52, 0x7ff<<52 - 1, 0x7ff << 52, 1 << 52, 0xfff8 << 48},
}

// String returns the PTX spelling, without the dot.
func (f Format) String() string {
	if f < NumFormats {
		return layouts[f].name
	}
	return "format?"
}

// Bits returns the width of a value in bits, without tf32's unused low bits.
func (f Format) Bits() int { return int(layouts[f].bits) }

// Width returns the width of the word that holds a value.
func (f Format) Width() int { return int(layouts[f].bits) + int(layouts[f].shift) }

// Precision returns the number of significand bits, the hidden one included.
func (f Format) Precision() int { return int(layouts[f].man) + 1 }

// HasInf reports whether the format has infinities.
func (f Format) HasInf() bool { return layouts[f].nan == nanIEEE }

// HasNaN reports whether the format has NaNs.
func (f Format) HasNaN() bool { return layouts[f].nan != nanMissing }

// signed reports whether the format has a sign bit; only ue8m0 has none.
func (f Format) signed() bool { return f != UE8M0 }

// signBit is the place of the sign in the word, 0 without one.
func (f Format) signBit() uint64 { return layouts[f].sign }

// mask covers the bits of the word the format uses.
func (f Format) mask() uint64 { return layouts[f].sign | layouts[f].mag }

// magMask covers the bits of the word except the sign.
func (f Format) magMask() uint64 { return layouts[f].mag }

// infMag is the magnitude with an all-ones exponent.
func (f Format) infMag() uint64 { return layouts[f].inf }

// minNormal is the magnitude of the least normal number.
func (f Format) minNormal() uint64 { return layouts[f].least }

// maxMag is the magnitude of the greatest finite number.
func (f Format) maxMag() uint64 { return layouts[f].max }

// NaN returns the NaN that invalid operations give in the format; formats
// without NaN give their greatest number, as the conversions do.
func (f Format) NaN() uint64 { return layouts[f].quiet }

// Inf returns infinity of the given sign; formats without one give their
// greatest number.
func (f Format) Inf(neg bool) uint64 {
	if !f.HasInf() {
		return f.Greatest(neg)
	}
	return f.withSign(f.infMag(), neg)
}

// Greatest returns the greatest finite number of the given sign.
func (f Format) Greatest(neg bool) uint64 { return f.withSign(f.maxMag(), neg) }

// Zero returns the zero of the given sign. For ue8m0, which has none, it is
// the least number, 2^-127.
func (f Format) Zero(neg bool) uint64 { return f.withSign(0, neg) }

// One returns 1.
func (f Format) One() uint64 {
	l := &layouts[f]
	return uint64(l.bias) << (l.man + l.shift)
}

func (f Format) withSign(mag uint64, neg bool) uint64 {
	if neg {
		return mag | f.signBit()
	}
	return mag
}

// Sign reports whether the sign bit is set.
func (f Format) Sign(x uint64) bool { return x&f.signBit() != 0 }

// IsNaN reports whether x is a NaN.
func (f Format) IsNaN(x uint64) bool { return x&layouts[f].mag > layouts[f].above }

// IsInf reports whether x is an infinity.
func (f Format) IsInf(x uint64) bool { return f.HasInf() && x&f.magMask() == f.infMag() }

// IsZero reports whether x is a zero.
func (f Format) IsZero(x uint64) bool { return f != UE8M0 && x&f.magMask() == 0 }

// IsSubnormal reports whether x is subnormal.
func (f Format) IsSubnormal(x uint64) bool {
	m := x & f.magMask()
	return m != 0 && m < f.minNormal()
}

// Flush returns x, or a zero of its sign if x is subnormal.
func (f Format) Flush(x uint64) uint64 {
	if f.IsSubnormal(x) {
		return x & f.signBit()
	}
	return x
}
