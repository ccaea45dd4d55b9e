package cubin

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/target"
)

// Arch returns the architecture of the file: the SM of its header, and the
// letter a where .nv.compat says so.
func (f *File) Arch() (*target.Arch, error) {
	name := fmt.Sprintf("sm_%d", f.SM)
	if s := f.Find(".nv.compat"); s != nil {
		if in, ok := s.Content.(*Info); ok {
			if a := in.Get(CompatAccelerator); a != nil && a.Value == 1 {
				name += "a"
			}
		}
	}
	if a := target.Find(name); a != nil {
		return a, nil
	}
	return nil, fmt.Errorf("unknown architecture %s", name)
}
