package sass

import (
	"math"
	"strconv"
	"strings"
)

// Float immediates print with 20 significant digits: like C's %.20g below
// a thousand million and %.20e from there on. Infinities, NaNs and minus
// zero print as words with a space of their own after them. A NaN's
// payload is not printed; nanBits gives the one that parsing assumes.

// floatFormat describes an immediate format.
type floatFormat struct {
	exp, man uint // field widths
	nan      uint64
}

var floatFormats = [...]floatFormat{
	kF32:  {8, 23, 0x7fc00000},
	kF64:  {11, 20, 0x7ff80000}, // the upper word of a double
	kF16:  {5, 10, 0x7fff},
	kBF16: {8, 7, 0x7fff},
}

// toFloat widens the bits of an immediate; ok is false for NaN and
// infinity.
func toFloat(k kind, v uint64) (x float64, ok bool) {
	f := &floatFormats[k]
	exp, man := v>>f.man&(1<<f.exp-1), v&(1<<f.man-1)
	if exp == 1<<f.exp-1 {
		return 0, false
	}
	bias := 1<<(f.exp-1) - 1
	if exp == 0 {
		x = math.Ldexp(float64(man), 1-bias-int(f.man))
	} else {
		x = math.Ldexp(float64(man|1<<f.man), int(exp)-bias-int(f.man))
	}
	if v>>(f.exp+f.man)&1 != 0 {
		x = -x
	}
	return x, true
}

func appendFloat(dst []byte, k kind, v uint64) []byte {
	f := &floatFormats[k]
	x, ok := toFloat(k, v)
	if !ok {
		sign := byte('+')
		if v>>(f.exp+f.man)&1 != 0 {
			sign = '-'
		}
		dst = append(dst, sign)
		switch man := v & (1<<f.man - 1); {
		case man == 0:
			return append(dst, "INF "...)
		case man>>(f.man-1) != 0:
			return append(dst, "QNAN "...)
		}
		return append(dst, "SNAN "...)
	}
	switch {
	case x == 0 && math.Signbit(x):
		return append(dst, "-0.0 "...)
	case x == math.Trunc(x) && math.Abs(x) < 1e9:
		return strconv.AppendInt(dst, int64(x), 10)
	case math.Abs(x) >= 1e9:
		return strconv.AppendFloat(dst, x, 'e', 20, 64)
	}
	return appendG20(dst, x)
}

// appendG20 is C's %.20g for a number that is no integer: trailing zeros
// are cut, and the exponent form is used below 1e-4.
func appendG20(dst []byte, x float64) []byte {
	start := len(dst)
	dst = strconv.AppendFloat(dst, x, 'g', 20, 64)
	body, exp := dst[start:], ""
	for n, c := range body {
		if c == 'e' {
			exp = string(body[n:])
			dst = dst[:start+n]
			break
		}
	}
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	if dst[len(dst)-1] == '.' {
		dst = dst[:len(dst)-1]
	}
	return append(dst, exp...)
}

// parseFloat reads an immediate of kind k from the start of s and returns
// its bits and what follows.
func parseFloat(k kind, s string) (v uint64, rest string, ok bool) {
	f := &floatFormats[k]
	sign := uint64(1) << (f.exp + f.man)
	inf := uint64(1<<f.exp-1) << f.man
	for _, w := range [...]struct {
		text string
		bits uint64
	}{
		{"+INF", inf},
		{"-INF", inf | sign},
		{"+QNAN", f.nan},
		{"-QNAN", inf | 1<<(f.man-1) | sign},
		{"+SNAN", inf | 1},
		{"-SNAN", inf | 1 | sign},
		{"-0.0", sign},
	} {
		if rest, ok := strings.CutPrefix(s, w.text); ok && !startsNumber(rest) {
			return w.bits, strings.TrimPrefix(rest, " "), true
		}
	}
	n := 0
	for n < len(s) && strings.IndexByte("0123456789+-.e", s[n]) >= 0 {
		n++
	}
	x, err := strconv.ParseFloat(s[:n], 64)
	if err != nil {
		return 0, s, false
	}
	return fromFloat(k, x), s[n:], true
}

// startsNumber reports whether s goes on with a number, as in -0.05.
func startsNumber(s string) bool { return s != "" && (s[0] >= '0' && s[0] <= '9' || s[0] == 'e') }

// fromFloat rounds x to the nearest value of the format. Text that
// appendFloat wrote comes back exactly.
func fromFloat(k kind, x float64) uint64 {
	f := &floatFormats[k]
	var sign uint64
	if math.Signbit(x) {
		sign, x = 1<<(f.exp+f.man), -x
	}
	if x == 0 {
		return sign
	}
	bias := 1<<(f.exp-1) - 1
	_, e := math.Frexp(x)
	e--
	if e < 1-bias {
		return sign | uint64(math.RoundToEven(math.Ldexp(x, bias-1+int(f.man))))
	}
	man := uint64(math.RoundToEven(math.Ldexp(x, int(f.man)-e)))
	v := uint64(e+bias)<<f.man + man - 1<<f.man
	return sign | min(v, uint64(1<<f.exp-1)<<f.man)
}
