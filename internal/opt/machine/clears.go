package machine

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// TensorClears lets stores to tensor memory of nothing but zeros name the register
// that is always zero, instead of up to 128 that were cleared.
func TensorClears(f *ori.Func) bool {
	v := opt.ValuesOf(f)
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op != op.STTM {
				continue
			}
			data := &i.Srcs()[len(i.Srcs())-1]
			if data.Kind == ori.KReg && allZero(v, *data) {
				*data = ori.Zero(ori.R)
				changed = true
			}
		}
	}
	return f.Touched(changed)
}

// allZero reports whether all words of a register are zero.
func allZero(v *opt.Values, a ori.Operand) bool {
	for n := range a.N {
		w := a
		w.Sub, w.N = a.Sub+n, 1
		if !isZero(v, w, maxZeroCopies) {
			return false
		}
	}
	return true
}

// maxZeroCopies bounds how many copies of a zero are followed.
const maxZeroCopies = 4

// isZero reports whether a word is a copy of zero.
func isZero(v *opt.Values, w ori.Operand, steps int) bool {
	if w.Kind == ori.KZero {
		return true
	}
	if w.Kind != ori.KReg || w.Flags != 0 || steps == 0 {
		return false
	}
	i := v.Once(w)
	if i == nil || i.Guard.Kind != ori.KNone || i.Op != op.MOV && i.Op != op.COPY || i.NDst != 1 || i.Args[0].N > 1 || len(i.Args) != 2 {
		return false
	}
	return isZero(v, i.Args[1], steps-1)
}
