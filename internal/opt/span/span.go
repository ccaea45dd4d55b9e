// Package span computes with where values of single precision lie.
package span

import (
	"math"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Span is where a value of single precision lies: between two numbers,
// infinities included, and whether it may be no number.
type Span struct {
	Lo, Hi float64
	No     bool // it may be no number
}

// Anything is where any value lies.
var Anything = Span{math.Inf(-1), math.Inf(1), true}

// orders are the comparisons: whether they hold for numbers that are less,
// equal and more, and for what is no number.
var orders = [...]struct {
	mod                   op.Mod
	less, equal, more, no bool
}{
	{op.MLT, true, false, false, false},
	{op.MLE, true, true, false, false},
	{op.MEQ, false, true, false, false},
	{op.MNE, true, false, true, false},
	{op.MGE, false, true, true, false},
	{op.MGT, false, false, true, false},
	{op.MLTU, true, false, false, true},
	{op.MLEU, true, true, false, true},
	{op.MEQU, false, true, false, true},
	{op.MNEU, true, false, true, true},
	{op.MGEU, false, true, true, true},
	{op.MGTU, false, false, true, true},
}

// Compare says how a comparison of what lies in s with a number comes out, if
// it does so one way.
func (s Span) Compare(m op.Mods, with float64) (is, known bool) {
	for _, o := range orders {
		if !m.Has(o.mod) {
			continue
		}
		yes, no := false, false
		for _, x := range [...]struct{ may, is bool }{
			{s.Lo < with, o.less},
			{s.Lo <= with && with <= s.Hi, o.equal},
			{s.Hi > with, o.more},
			{s.No, o.no},
		} {
			yes, no = yes || x.may && x.is, no || x.may && !x.is
		}
		return yes, yes != no
	}
	return false, false
}

// Smallest is the least positive number that no operation takes for zero.
const Smallest = 0x1p-126

// Square returns where the product of a value with itself lies.
func (s Span) Square() Span {
	s = s.Marked(ori.Abs)
	return Span{s.Lo * s.Lo, s.Hi * s.Hi, s.No}.Rounded()
}

// Times returns where the product of two values lies, rounded or not: it may
// become a part of a sum.
func (s Span) Times(t Span) Span {
	r := Span{math.Inf(1), math.Inf(-1), s.No || t.No || s.zero() && t.infinite() || t.zero() && s.infinite()}
	for _, x := range [...]float64{s.Lo * t.Lo, s.Lo * t.Hi, s.Hi * t.Lo, s.Hi * t.Hi} {
		if math.IsNaN(x) { // 0·∞, beside which lie products with zero
			x = 0
		}
		r.Lo, r.Hi = min(r.Lo, x), max(r.Hi, x)
	}
	return r.Rounded()
}

func (s Span) zero() bool { return s.Lo <= 0 && 0 <= s.Hi }

func (s Span) infinite() bool { return math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) }

// Plus returns where the sum of two values lies.
func (s Span) Plus(t Span) Span {
	r := Span{s.Lo + t.Lo, s.Hi + t.Hi, s.No || t.No}
	if math.IsInf(s.Lo, -1) && math.IsInf(t.Hi, 1) || math.IsInf(s.Hi, 1) && math.IsInf(t.Lo, -1) {
		r.No = true
	}
	if math.IsNaN(r.Lo) || math.IsNaN(r.Hi) {
		return Anything
	}
	return r.Rounded()
}

// Extreme returns where the less or the larger of two values lies; one that is
// no number is not taken.
func (s Span) Extreme(t Span, least bool) Span {
	r := Span{max(s.Lo, t.Lo), max(s.Hi, t.Hi), s.No && t.No}
	if least {
		r.Lo, r.Hi = min(s.Lo, t.Lo), min(s.Hi, t.Hi)
	}
	if s.No {
		r.Lo, r.Hi = min(r.Lo, t.Lo), max(r.Hi, t.Hi)
	}
	if t.No {
		r.Lo, r.Hi = min(r.Lo, s.Lo), max(r.Hi, s.Hi)
	}
	return r
}

// Or returns where a value lies that is the one or the other.
func (s Span) Or(t Span) Span {
	return Span{min(s.Lo, t.Lo), max(s.Hi, t.Hi), s.No || t.No}
}

// Marked returns where the magnitude and then the opposite lie.
func (s Span) Marked(m ori.Flags) Span {
	if m&^(ori.Abs|ori.Neg) != 0 {
		return Anything
	}
	if m&ori.Abs != 0 {
		switch {
		case s.Hi < 0:
			s.Lo, s.Hi = -s.Hi, -s.Lo
		case s.Lo < 0:
			s.Lo, s.Hi = 0, max(-s.Lo, s.Hi)
		}
	}
	if m&ori.Neg != 0 {
		s.Lo, s.Hi = -s.Hi, -s.Lo
	}
	return s
}

// Flushed also has zero where what lies beside it may be taken for it.
func (s Span) Flushed() Span {
	if 0 < s.Lo && s.Lo < Smallest {
		s.Lo = 0
	}
	if -Smallest < s.Hi && s.Hi < 0 {
		s.Hi = 0
	}
	return s
}

// Rounded adds what single precision makes of the bounds, one step further
// where that is not they themselves, since they may have been rounded before.
// Nothing rounds to the other side of zero.
func (s Span) Rounded() Span {
	if x := float32(s.Lo); float64(x) != s.Lo {
		down := float64(math.Nextafter32(x, float32(math.Inf(-1))))
		s.Lo = min(s.Lo, down)
		if x >= 0 && !math.Signbit(float64(x)) {
			s.Lo = max(s.Lo, 0)
		}
	}
	if x := float32(s.Hi); float64(x) != s.Hi {
		up := float64(math.Nextafter32(x, float32(math.Inf(1))))
		s.Hi = max(s.Hi, up)
		if math.Signbit(float64(x)) {
			s.Hi = min(s.Hi, 0)
		}
	}
	return s.Flushed()
}
