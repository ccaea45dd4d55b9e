package texture

import "github.com/goptxas/goptxas/internal/witness/launch"

// Set is the textures and surfaces of a launch, by handle.
type Set struct {
	objects []*Object
	args    []uint64 // handle of each argument, 0 if it is none
}

// Bind makes the textures of a launch.
func Bind(l *launch.Launch) *Set {
	s := &Set{args: make([]uint64, len(l.Args))}
	for n, a := range l.Args {
		if a.Tex != nil {
			s.objects = append(s.objects, New(a.Tex))
			s.args[n] = uint64(len(s.objects))
		}
	}
	for n := range l.Refs {
		s.objects = append(s.objects, New(&l.Refs[n]))
	}
	return s
}

// Handle returns the handle of an argument.
func (s *Set) Handle(arg int) uint64 { return s.args[arg] }

// Contents returns the memory of a surface argument, nil of others.
func (s *Set) Contents(arg int) []byte {
	if o := s.Object(s.args[arg]); o != nil && o.Surface {
		return o.Data
	}
	return nil
}

// Object finds an object, nil if there is none. Only the low 20 bits of a
// handle name the texture.
func (s *Set) Object(handle uint64) *Object {
	if n := handle & (1<<20 - 1); s != nil && n > 0 && n <= uint64(len(s.objects)) {
		return s.objects[n-1]
	}
	return nil
}

// Named returns the handle of a texture bound by name, or 0.
func (s *Set) Named(name string) uint64 {
	for n, o := range s.objects {
		if o.Ref == name {
			return uint64(n + 1)
		}
	}
	return 0
}
