package uniform

import (
	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// UniformConstants makes constants that go to uniform registers on the uniform
// datapath, where they need no general register.
func UniformConstants(f *ori.Func) bool {
	v := opt.ValuesOf(f)
	changed := false
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op != op.R2UR || i.Mods != (op.Mods{}) || i.NDst != 1 || i.Guard.Kind != ori.KNone || len(i.Args) != 2 {
				continue
			}
			d := v.Once(i.Args[1])
			if d == nil || d.Op != op.MOV && d.Op != op.COPY || d.Guard.Kind != ori.KNone || len(d.Args) != 2 {
				continue
			}
			w, ok := opt.Known(d.Args[1])
			if !ok {
				continue
			}
			s := opt.Word(w)
			if s.Kind == ori.KZero {
				s = ori.Zero(ori.UR)
			}
			v.CountRead(&i.Args[1], -1)
			i.Op = op.UMOV
			i.Args[1] = s
			changed = true
		}
	}
	if f.Touched(changed) {
		v.Keep()
	}
	return changed
}
