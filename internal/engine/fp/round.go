package fp

// Round is a rounding direction.
type Round uint8

// The rounding directions, named as PTX names them.
const (
	RN  Round = iota // nearest, ties to even
	RZ               // toward zero
	RM               // toward minus infinity
	RP               // toward plus infinity
	RNA              // nearest, ties away from zero
)

var roundNames = [...]string{"rn", "rz", "rm", "rp", "rna"}

// String returns the PTX spelling, without the dot.
func (r Round) String() string {
	if int(r) < len(roundNames) {
		return roundNames[r]
	}
	return "round?"
}

// Mode is how a result is made from an exact value.
type Mode struct {
	Round     Round
	Ftz       bool // subnormal inputs and results become zeros of their sign
	Sat       bool // clamp to [0, 1]; NaN becomes +0
	SatFinite bool // infinities and overflow become the greatest finite number
	Relu      bool // negative results become +0; NaN stays
}

// roundUp reports whether a magnitude with the given last bit, first lost
// bit and rest is rounded away from zero.
func roundUp(r Round, neg, odd, half, rest bool) bool {
	switch r {
	case RN:
		return half && (odd || rest)
	case RNA:
		return half
	case RM:
		return neg && (half || rest)
	case RP:
		return !neg && (half || rest)
	}
	return false
}

// cut rounds the significand to an integer after dropping n low bits.
func cut(n Num, drop int, r Round) uint64 {
	// A first lost bit and a sticky rest: shift one bit less, with jamming.
	if drop > 128 {
		drop = 129
	}
	hi, lo := shiftRightJam(n.Hi, n.Lo, drop-2)
	q := hi<<62 | lo>>2
	if roundUp(r, n.Neg, q&1 != 0, lo&2 != 0, lo&1 != 0) {
		q++
	}
	return q
}

// overflow returns the result of a value too great for the format.
func (f Format) overflow(neg bool, m Mode) uint64 {
	if m.SatFinite || m.Round == RZ || m.Round == RM && !neg || m.Round == RP && neg {
		return f.Greatest(neg)
	}
	if f == E4M3 || f == UE8M0 {
		return f.NaN() | f.signBit()&f.withSign(0, neg)
	}
	return f.Inf(neg)
}

// Pack rounds n to the format. A NaN gives the format's own NaN.
func (f Format) Pack(n Num, m Mode) uint64 {
	switch n.Kind {
	case NaN:
		if m.Sat {
			return f.Zero(false)
		}
		return f.NaN()
	case Inf:
		if m.SatFinite || !f.HasInf() {
			return f.clamp(f.Greatest(n.Neg), m)
		}
		return f.clamp(f.Inf(n.Neg), m)
	case Zero:
		return f.clamp(f.Zero(n.Neg), m)
	}
	l := &layouts[f]
	emin := 1 - int(l.bias)
	if f == UE8M0 {
		emin-- // exponent field 0 is a number like the others
	}
	e := max(n.Exp, emin)
	q := cut(n, top-int(l.man)+e-n.Exp, m.Round)
	var mag uint64
	if f == UE8M0 {
		mag = packExponent(q, e-emin)
	} else {
		mag = uint64(e-emin)<<l.man + q
	}
	mag <<= l.shift
	if mag > f.maxMag() || e-emin > 1<<(l.bits-l.man) {
		return f.clamp(f.overflow(n.Neg, m), m)
	}
	if m.Ftz && n.Exp < emin && tiny(n, emin, int(l.man), m.Round) {
		mag = 0
	}
	return f.clamp(f.withSign(mag, n.Neg), m)
}

// packExponent is Pack's composition for ue8m0: q is 1 or 2 (or 0, below the
// least number), and there is no fraction to add it to.
func packExponent(q uint64, e int) uint64 {
	if q > 1 {
		e++
	}
	return uint64(e)
}

// tiny reports whether .ftz flushes a result whose exponent is below emin:
// the machine rounds to full precision first, as if there were no least
// exponent, and keeps what then reaches the least normal number.
func tiny(n Num, emin, man int, r Round) bool {
	return n.Exp < emin-1 || cut(n, top-man, r)>>(man+1) == 0
}

// clamp applies .sat and .relu to a finished result that is not NaN.
func (f Format) clamp(x uint64, m Mode) uint64 {
	if m.Relu && f.Sign(x) {
		return f.Zero(false)
	}
	if m.Sat {
		if f.Sign(x) {
			return f.Zero(false)
		}
		return min(x, f.One())
	}
	return x
}
