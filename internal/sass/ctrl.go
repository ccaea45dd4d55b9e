package sass

import "fmt"

// The control field, the same on every architecture: stall 105..108, yield
// 109, write barrier 110..112, read barrier 113..115, wait mask 116..121,
// reuse 122..125.
const (
	ctrlBit  = 105
	ctrlBits = 21
)

// NoBar is the barrier of an instruction that sets none.
const NoBar = -1

// Ctrl is the scheduling control of an instruction.
type Ctrl struct {
	Stall uint8 // cycles before the next instruction of the warp, 0 to 15
	Stay  bool  // bit 109: the warp keeps its turn; without it another may have it
	WrBar int8  // barrier released when the result is written, 0 to 5 or NoBar
	RdBar int8  // barrier released when the sources are read, 0 to 5 or NoBar
	Wait  uint8 // barriers to wait for, bit n is barrier n
	Reuse uint8 // operand cache, bits 0 to 2 for the sources at bits 24, 32, 64
}

// Ctrl returns the scheduling control of i.
func (i *Inst) Ctrl() Ctrl {
	v := i.w.Field(ctrlBit, ctrlBits)
	return Ctrl{
		Stall: uint8(v & 15),
		Stay:  v>>4&1 != 0,
		WrBar: barOf(v >> 5),
		RdBar: barOf(v >> 8),
		Wait:  uint8(v >> 11 & 63),
		Reuse: uint8(v >> 17 & 15),
	}
}

// SetCtrl replaces the scheduling control of i. Values are cut to their
// fields: four bits of stall and reuse, six of wait; a barrier outside 0 to
// 6 is none.
func (i *Inst) SetCtrl(c Ctrl) {
	v := uint64(c.Stall&15) | barBits(c.WrBar)<<5 | barBits(c.RdBar)<<8 |
		uint64(c.Wait&63)<<11 | uint64(c.Reuse&15)<<17
	if c.Stay {
		v |= 1 << 4
	}
	i.w = i.w.With(ctrlBit, ctrlBits, v)
}

func barOf(v uint64) int8 {
	if v &= 7; v == 7 {
		return NoBar
	}
	return int8(v)
}

func barBits(b int8) uint64 {
	if b < 0 || b > 6 {
		return 7
	}
	return uint64(b)
}

// AppendText appends the control column of c, for example
//
//	B--2---:R-:W3:Y:S05:ab-
//
// that is: barriers waited for, read barrier, write barrier, yield (another
// warp may have the turn: bit 109 is not set), stall
// and, when any is set, the reuse flags of the first, second, third and
// fourth source (a, b, c, d).
func (c Ctrl) AppendText(dst []byte) []byte {
	dst = append(dst, 'B')
	for n := range 6 {
		dst = append(dst, mark(c.Wait>>n&1 != 0, byte('0'+n)))
	}
	dst = append(dst, ':', 'R', mark(c.RdBar >= 0, byte('0'+c.RdBar)))
	dst = append(dst, ':', 'W', mark(c.WrBar >= 0, byte('0'+c.WrBar)))
	dst = append(dst, ':', mark(!c.Stay, 'Y'), ':', 'S', '0'+c.Stall/10, '0'+c.Stall%10)
	if c.Reuse == 0 {
		return dst
	}
	dst = append(dst, ':')
	for n := range 4 {
		if n == 3 && c.Reuse>>3 == 0 {
			break
		}
		dst = append(dst, mark(c.Reuse>>n&1 != 0, byte('a'+n)))
	}
	return dst
}

// String returns the control column of c.
func (c Ctrl) String() string { return string(c.AppendText(nil)) }

func mark(on bool, b byte) byte {
	if on {
		return b
	}
	return '-'
}

// ParseCtrl reads a control column as AppendText writes it.
func ParseCtrl(s string) (Ctrl, error) {
	const shape = "B------:R-:W-:-:S00"
	c := Ctrl{WrBar: NoBar, RdBar: NoBar}
	bad := fmt.Errorf("control column %q: want the shape %s", s, shape)
	if len(s) < len(shape) || s[0] != 'B' || s[7:9] != ":R" || s[10:12] != ":W" || s[13] != ':' || s[15:17] != ":S" {
		return c, bad
	}
	for n := range 6 {
		switch s[1+n] {
		case byte('0' + n):
			c.Wait |= 1 << n
		case '-':
		default:
			return c, bad
		}
	}
	okR, okW := parseBar(s[9], &c.RdBar), parseBar(s[12], &c.WrBar)
	c.Stay = s[14] != 'Y'
	hi, lo := s[17]-'0', s[18]-'0'
	c.Stall = hi*10 + lo
	if !okR || !okW || (s[14] != 'Y' && s[14] != '-') || hi > 1 || lo > 9 || c.Stall > 15 {
		return c, bad
	}
	rest := s[len(shape):]
	if rest == "" {
		return c, nil
	}
	if rest[0] != ':' || len(rest) < 4 || len(rest) > 5 {
		return c, bad
	}
	for n := range len(rest) - 1 {
		switch rest[1+n] {
		case byte('a' + n):
			c.Reuse |= 1 << n
		case '-':
		default:
			return c, bad
		}
	}
	return c, nil
}

func parseBar(b byte, to *int8) bool {
	if b == '-' {
		return true
	}
	*to = int8(b - '0')
	return b >= '0' && b <= '6'
}

// ctrlMask covers the bits of the upper half of a word that Ctrl holds.
const ctrlMask = (1<<ctrlBits - 1) << (ctrlBit - 64)
