// Package isa describes the PTX instruction set as data: the words of the
// language, its types, state spaces, special registers, modifier slots and
// kinds of operands. Package row says what a row of the instruction table is
// and checks instructions against it, package rows is that table. None of
// them knows a syntax tree: an instruction reaches them as a row.Inst.
package isa

import "github.com/goptxas/goptxas/internal/ptx/isa/wordhash"

//go:generate go run ./wordgen

// Word is the dense number of one word of the language: an opcode, a
// modifier, a type, a state space, a directive or a special register. The
// dot before modifiers and directives is not part of the word; the percent
// sign of special registers is. Zero, WNone, is no word.
type Word uint16

// Lookup returns the word spelled b, or WNone.
func Lookup(b []byte) Word {
	h := wordhash.Hash(b)
	w := wordSlot[wordhash.Slot(h, wordDisp[h>>56])]
	if wordText[w] != string(b) {
		return WNone
	}
	return w
}

// LookupString is Lookup for a string.
func LookupString(s string) Word { return Lookup([]byte(s)) }

// String returns the word as PTX spells it.
func (w Word) String() string {
	if w >= NumWords {
		return ""
	}
	return wordText[w]
}

// IsOpcode reports whether an instruction may begin with the word. Some
// opcodes, such as add, are modifiers of other instructions too.
func (w Word) IsOpcode() bool { return w >= firstOp && w <= lastOp }

// IsType reports whether the word names a type.
func (w Word) IsType() bool { return w >= firstType && w <= lastType }

// IsSpace reports whether the word names a state space.
func (w Word) IsSpace() bool { return w >= firstSpace && w <= lastSpace }

// IsSpecial reports whether the word is the name of a special register.
func (w Word) IsSpecial() bool { return w >= firstSpecial && w <= lastSpecial }

// IsShape reports whether the word is a matrix shape such as m16n8k16.
func (w Word) IsShape() bool { return w >= firstShape && w <= lastShape }

// ShapeMNK returns the numbers of a shape word.
func ShapeMNK(w Word) (m, n, k int) {
	s := w.String()
	nums := [3]int{}
	i := -1
	for j := range len(s) {
		switch ch := s[j]; {
		case ch == 'm' || ch == 'n' || ch == 'k':
			i++
		case ch >= '0' && ch <= '9' && i >= 0 && i < 3:
			nums[i] = nums[i]*10 + int(ch-'0')
		}
	}
	return nums[0], nums[1], nums[2]
}

// VecLen is how many elements .v2, .v4 and .v8 mean, 1 for other words.
func (w Word) VecLen() int {
	switch w {
	case WV2:
		return 2
	case WV4:
		return 4
	case WV8:
		return 8
	}
	return 1
}
