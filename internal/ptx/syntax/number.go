package syntax

import (
	"math"
	"strconv"
	"unsafe"
)

// number reads a literal at l.pos. Of the forms that fit the longest wins;
// what follows is another token, so that "0x12G4" is "0x12" and "G4".
func (l *lexer) number() {
	text, i := l.text, l.pos
	if text[i] == '0' && i+1 < len(text) {
		switch text[i+1] | 0x20 {
		case 'x':
			if j := hexDigits(text, i+2); j > i+2 {
				l.set(tInt, i, suffix(text, j))
				return
			}
		case 'b':
			j := i + 2
			for j < len(text) && text[j]|1 == '1' {
				j++
			}
			if j > i+2 {
				l.set(tInt, i, suffix(text, j))
				return
			}
		case 'f':
			if hexDigits(text[:min(len(text), i+10)], i+2) == i+10 {
				l.set(tRaw, i, i+10)
				return
			}
		case 'd':
			if hexDigits(text[:min(len(text), i+18)], i+2) == i+18 {
				l.set(tFloat, i, i+18)
				return
			}
		}
	}
	j := digits(text, i)
	if j < len(text) {
		if text[j] == '.' {
			l.set(tFloat, i, exponent(text, digits(text, j+1)))
			return
		}
		if k := exponent(text, j); k > j {
			l.set(tFloat, i, k)
			return
		}
	}
	if text[i] == '0' {
		j = i
		for j < len(text) && text[j]&^7 == '0' {
			j++
		}
	}
	l.set(tInt, i, suffix(text, j))
}

// exponent returns the place after an exponent at j, or j.
func exponent(text []byte, j int) int {
	if j >= len(text) || text[j]|0x20 != 'e' {
		return j
	}
	k := j + 1
	if k < len(text) && (text[k] == '+' || text[k] == '-') {
		k++
	}
	if e := digits(text, k); e > k {
		return e
	}
	return j
}

func suffix(text []byte, j int) int {
	if j < len(text) && text[j] == 'U' {
		return j + 1
	}
	return j
}

func hexDigits(text []byte, i int) int {
	for i < len(text) && hexValue(text[i]) < 16 {
		i++
	}
	return i
}

func hexValue(c byte) uint64 {
	switch {
	case c >= '0' && c <= '9':
		return uint64(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return uint64(c|0x20-'a') + 10
	}
	return 16
}

// intValue evaluates an integer literal. A digit that arrives when bit 63
// is already set is an overflow; short of that the value wraps.
func intValue(s []byte) (v uint64, flags ExprFlags) {
	if s[len(s)-1] == 'U' {
		flags, s = FlagUnsigned, s[:len(s)-1]
	}
	base := uint64(10)
	if s[0] == '0' && len(s) > 1 {
		switch s[1] | 0x20 {
		case 'x':
			base, s = 16, s[2:]
		case 'b':
			base, s = 2, s[2:]
		default:
			base, s = 8, s[1:]
		}
	}
	for _, c := range s {
		if v>>63 != 0 {
			flags |= FlagOverflow
		}
		v = v*base + hexValue(c)
	}
	return v, flags
}

// floatValue evaluates a decimal or 0d literal. Decimal values outside the
// normal range of a float64 overflow, small ones too.
func floatValue(s []byte) (bits uint64, flags ExprFlags) {
	if len(s) == 18 && s[1]|0x20 == 'd' {
		return hexBits(s[2:]), FlagHexFloat
	}
	f, err := strconv.ParseFloat(unsafe.String(&s[0], len(s)), 64)
	if err != nil || f != 0 && f < 0x1p-1022 || f == 0 && !zeroDigits(s) {
		flags = FlagOverflow
	}
	return math.Float64bits(f), flags
}

// zeroDigits reports whether the mantissa of s is zero.
func zeroDigits(s []byte) bool {
	for _, c := range s {
		if c|0x20 == 'e' {
			return true
		}
		if c != '0' && c != '.' {
			return false
		}
	}
	return true
}

func hexBits(s []byte) (v uint64) {
	for _, c := range s {
		v = v<<4 | hexValue(c)
	}
	return v
}
