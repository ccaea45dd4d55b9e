package ori

import "github.com/goptxas/goptxas/internal/ori/op"

// NoteAtomics fills Atomics.
func (f *Func) NoteAtomics() {
	for _, b := range f.Blocks {
		for i := b.first; i != nil; i = i.next {
			if !i.Op.Has(op.Updates) {
				continue
			}
			if f.Atomics == nil {
				f.Atomics = map[int32]bool{}
			}
			f.Atomics[i.Line] = true
		}
	}
}
