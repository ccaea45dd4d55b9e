package main

import "strings"

// What operand texts begin with, behind their signs and bars; the same
// numbers are in sieve.go of package sass.
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

var startOf = map[string]uint64{
	"Reg": startsReg, "UReg": startsUniform, "UPred": startsUniform, "Pred": startsPred,
	"UImm": startsInteger, "SImm": startsInteger, "Const": startsConst,
	"F32": startsFloat, "F64": startsFloat, "F16": startsFloat, "BF16": startsFloat,
}

const (
	border     = ", "
	sieveMost  = 16   // operands a sieve describes
	sieveBits  = 3    // for each
	sieveCount = 56   // where their number stands
	sieveOpen  = 0xff // it is not always the same
)

// sieve describes the operands of a form: how many there are and with what
// each begins.
func (c *compiler) sieve(f *cform) uint64 {
	const open = sieveOpen << sieveCount
	v, k, starts, begun := uint64(0), 0, false, false
	note := func(what uint64) {
		if k <= sieveMost {
			v |= what << (sieveBits * (k - 1))
		}
	}
	for n := 0; n < len(f.items); n++ {
		it := &f.items[n]
		if starts {
			note(startOf[it.kind])
			starts = false
		}
		switch it.kind {
		case "Opt", "Sum", "Term":
			for _, in := range f.items[n+1 : n+1+it.count] {
				if in.kind == "Lit" && strings.ContainsAny(c.texts[in.aux], " ,") {
					return open
				}
			}
			n += it.count
		case "Mod":
			for _, x := range c.enums[it.aux] {
				if x.ok && strings.Contains(x.text, border) {
					return open
				}
			}
		case "Lit":
			t := c.texts[it.aux]
			if !begun {
				_, rest, ok := strings.Cut(t, " ")
				if !ok {
					continue
				}
				begun, k, t = true, 1, rest
				starts = t == ""
				note(startOfText(t))
			}
			for {
				_, rest, ok := strings.Cut(t, border)
				if !ok {
					break
				}
				k, t = k+1, rest
				starts = t == ""
				note(startOfText(t))
			}
		}
	}
	if k > sieveMost {
		return open
	}
	return v | uint64(k)<<sieveCount
}

// startOfText is what a fixed text at the start of an operand says.
func startOfText(t string) uint64 {
	if strings.HasPrefix(t, "[") {
		return startsAddress
	}
	return startsAny
}
