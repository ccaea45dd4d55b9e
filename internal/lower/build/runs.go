package build

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
)

// Matrix instructions take runs of registers, PTX names their words one by
// one. A word is copied into a run once: runWords remembers, inside a block,
// which word of which run has the value of a PTX register, so that the same
// fragment used again, the fragment a load made, or the sum of the last
// product is the same run and needs no copies.

// wrote tells that registers are written.
func (l *Builder) wrote(dsts Value) {
	h := &l.runs
	for _, d := range dsts {
		if !d.HasReg() {
			continue
		}
		h.grow(d.Reg)
		h.writes[d.Reg]++
	}
}

func (h *runWords) grow(r ori.Reg) {
	if len(h.writes) > int(r) {
		return
	}
	n := int(r) + 1 - len(h.writes)
	h.writes = slices.Grow(h.writes, n)
	h.words = slices.Grow(h.words, n)
	for range n {
		h.writes = append(h.writes, 0)
		h.words = append(h.words, runWord{block: -1})
	}
}

// Holds tells that the word d has the value of s, a word or zero, from here
// on.
func (l *Builder) Holds(d, s ori.Operand) {
	if d.Kind != ori.KReg || d.Class != ori.R || d.N != 1 || s.Flags != 0 || l.F.Regs[d.Reg].Width != 1 || l.Guard.Kind != ori.KNone {
		return
	}
	h := &l.runs
	h.grow(d.Reg)
	x := runWord{as: s, block: l.Cur.ID, wrote: h.writes[d.Reg]}
	switch {
	case s.Kind == ori.KReg && s.Class == ori.R:
		h.grow(s.Reg)
		x.run = h.writes[s.Reg]
	case s.Kind != ori.KZero:
		return
	}
	h.words[d.Reg] = x
}

// Moved tells that d is a copy of s: what is known of s holds for d.
func (l *Builder) Moved(d, s ori.Operand) {
	if s = l.InRun(s); s.Kind == ori.KZero || s.Kind == ori.KReg && s.Class == ori.R && l.F.Regs[s.Reg].Width > 1 {
		l.Holds(d, s)
	}
}

// InRun returns the word of a run that has the value of o, or o.
func (l *Builder) InRun(o ori.Operand) ori.Operand {
	h := &l.runs
	if o.Kind != ori.KReg || o.Flags != 0 || int(o.Reg) >= len(h.words) {
		return o
	}
	w := &h.words[o.Reg]
	if w.block != l.Cur.ID || w.wrote != h.writes[o.Reg] || w.as.Kind == ori.KReg && w.run != h.writes[w.as.Reg] {
		return o
	}
	return w.as
}

// SameRun returns the run that already has the words of v side by side, at
// a multiple of their number.
func (l *Builder) SameRun(v Value) (Value, bool) {
	out := make(Value, len(v))
	for n, o := range v {
		out[n] = l.InRun(o)
	}
	first := out[0]
	if first.Kind != ori.KReg || int(first.Sub)%len(v) != 0 || int(l.F.Regs[first.Reg].Align) < min(len(v), 4) {
		return v, false
	}
	for n, o := range out {
		if o.Kind != ori.KReg || o.Reg != first.Reg || int(o.Sub) != int(first.Sub)+n || o.Flags != 0 || o.N != 1 {
			return v, false
		}
	}
	return out, true
}
