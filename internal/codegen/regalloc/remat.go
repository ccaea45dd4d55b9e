package regalloc

import (
	"slices"

	"github.com/goptxas/goptxas/internal/codegen/regalloc/promises"
)

// Values that are made again; package promises tells which may be.

// settle returns p without the promises to make values of the file that press is about again that do not hold any more.
func settle(orig, p *Problem, press *fat, longer bool) *Problem {
	q, f := promises.Settle(orig, p, press.class, lives{press.live}, longer, press.excess() == 0)
	press.longer, press.instead = f.Longer, f.Instead
	return q
}

// lives answers promises about a problem's lives.
type lives struct{ *ranges }

func (l lives) Read(o Operand, n int32) uint8 { return l.at(o, perInst*n+atUse) }

func (l lives) Across(o Operand, n int32) uint8 { return l.at(o, perInst*n+atClobber) }

func (l lives) During(o Operand, from, to int32, do func(from, to int32)) { l.during(o, from, to, do) }

// at counts the words of o that live at a point.
func (r *ranges) at(o Operand, point int32) (n uint8) {
	for w := o.Sub; w < o.Sub+o.N; w++ {
		spans := r.of(o.V, w)
		k, _ := slices.BinarySearchFunc(spans, point, func(s span, at int32) int { return int(s.to - 1 - at) })
		if k < len(spans) && spans[k].from <= point {
			n++
		}
	}
	return n
}

// during calls do with every run of points of [from, to) at which all words of o live.
func (r *ranges) during(o Operand, from, to int32, do func(from, to int32)) {
	for w := o.Sub + 1; w < o.Sub+o.N; w++ {
		all := do
		do = func(from, to int32) { r.during(Operand{V: o.V, Sub: w, N: 1}, from, to, all) }
	}
	for _, s := range r.of(o.V, o.Sub) {
		if lo, hi := max(s.from, from), min(s.to, to); lo < hi {
			do(lo, hi)
		}
	}
}

// virtual lists what is spilled.
func virtual(spill []*split) (list []int32) {
	for _, x := range spill {
		list = append(list, x.v)
	}
	return list
}

// sources lists the operands with which instruction remat is repeated into d
// before instruction n.
func (w *rewriter) sources(remat int32, d Operand, n int32) []Operand {
	ops := []Operand{d}
	for _, o := range w.s.orig.Operands(int(remat)) {
		if !promises.IsSource(o) {
			continue
		}
		switch h := &w.homes[o.V]; {
		case h.spilled && h.piece >= 0:
			o.V = h.piece
		case h.spilled:
			w.read(&o, n, -1)
		case w.constant(o.V) && w.old.VRegs[o.V].Class == w.vregs[d.V].Class && w.s.live.at(o, perInst*n+atUse) != o.N:
			x := &w.old.VRegs[o.V]
			t := w.temp(o.V, 0, x.Width)
			w.s.sol.Reloads++
			w.emit(Inst{Kind: Remat, Orig: x.Remat, Slot: -1}, Operand{V: t, Sub: 0, N: x.Width, Role: Def})
			o.V = t
		}
		ops = append(ops, o)
	}
	return ops
}

// constant reports whether v is made again from nothing.
func (w *rewriter) constant(v int32) bool {
	return w.old.VRegs[v].Remat >= 0 && !w.old.VRegs[v].Derived
}
