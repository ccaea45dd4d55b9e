package sass

import "strings"

// sieve is what an instruction shows at a glance: how many operands it has
// and with what each begins. Most forms of an operation differ in just that,
// so that few need to be tried on a text. The number of operands is in the
// top byte; each has three bits.
type sieve uint64

// What an operand may begin with, behind its signs and bars: the generator
// has the same numbers.
const (
	startsAny = iota
	startsReg
	startsUniform
	startsPred
	startsInteger
	startsConst
	startsAddress
	startsFloat
)

// border stands between two operands.
const border = ", "

const (
	sieveMost  = 16   // operands a sieve describes
	sieveBits  = 3    // for each
	sieveCount = 56   // where their number stands
	sieveOpen  = 0xff // it is not always the same, or not known
)

// sieveOf looks at the text of an instruction without its guard.
func sieveOf(s string) sieve {
	n := strings.IndexByte(s, ' ')
	if n < 0 || n+1 < len(s) && s[n+1] == ';' {
		return 0
	}
	v, k := sieve(0), 0
	for s = s[n+1:]; ; s = s[n+len(border):] {
		if k == sieveMost {
			return sieveOpen << sieveCount
		}
		v |= startOf(s) << (sieveBits * k)
		k++
		if n = strings.Index(s, border); n < 0 {
			return v | sieve(k)<<sieveCount
		}
	}
}

// startOf returns what the text of an operand begins with.
func startOf(s string) sieve {
	for n := range len(s) {
		switch c := s[n]; c {
		case '-', '~', '!', '|':
			continue
		case 'R':
			return startsReg
		case 'U':
			return startsUniform
		case 'P':
			return startsPred
		case 'c':
			return startsConst
		case '[':
			return startsAddress
		case '0':
			return startsInteger
		case '1', '2', '3', '4', '5', '6', '7', '8', '9', '+', 'I', 'Q', 'S', 'N':
			return startsFloat
		}
		break
	}
	return startsAny
}

// passes reports whether a form whose sieve is f could have a text whose
// sieve is v. It may be wrong only by saying yes.
func (v sieve) passes(f sieve) bool {
	n := f >> sieveCount
	if n == sieveOpen || v>>sieveCount == sieveOpen {
		return true
	}
	if n != v>>sieveCount {
		return false
	}
	for ; n > 0; n-- {
		if a, b := f&7, v&7; a != b && a != startsAny && b != startsAny && !(a == startsFloat && b == startsInteger) {
			return false
		}
		f, v = f>>sieveBits, v>>sieveBits
	}
	return true
}
