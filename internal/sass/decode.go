package sass

import (
	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/target"
)

// Decode returns the instruction that w means on architecture a. A word
// that means nothing there gives an unknown Inst, which prints as data and
// encodes to w.
func Decode(a *target.Arch, w bits.Word) Inst {
	col := a.Column
	for n := decodeIndex[a.Family][w.Lo&0xfff]; ; n++ {
		id := decodeForms[n]
		if id == 0 {
			return Inst{w: w}
		}
		f := &forms[id]
		if f.sms>>col&1 != 0 && w.And(f.mask) == f.match && f.valid(&w) {
			return Inst{w: w, form: FormID(id)}
		}
	}
}

// valid reports whether every modifier of the form has a defined value.
func (f *form) valid(w *bits.Word) bool {
	if v := w.Lo >> 32; f.pow2 && (v&(v-1) != 0 || v < 2 || v > 1<<30 || v == 1<<16) {
		return false
	}
	for _, m := range modRefs[f.mod : f.mod+uint32(f.nmod)] {
		it := &items[f.item+uint32(m.item)]
		if e := &enums[it.aux]; e.whole && e.n>>it.width() == 1 {
			continue
		}
		if _, ok := it.value(w); !ok {
			return false
		}
	}
	return true
}
