package build

import "github.com/goptxas/goptxas/internal/ptx/sema"

// lines enters the directives of the current body into the list of the
// function and returns the index of the first. A body that stands in place of
// several calls enters its directives once.
func (l *Builder) lines() int32 {
	if base, ok := l.bases[l.Body.Func]; ok {
		return base
	}
	base := int32(len(l.List))
	for n := range l.Body.Lines {
		x := &l.Body.Lines[n]
		line := Line{File: x.File, Line: x.Line, Of: -1}
		if x.Of >= 0 {
			line.Func, line.Off, line.Of = l.Body.Tree.Names.String(x.Func), x.Off, base+x.Of
		}
		l.List = append(l.List, line)
	}
	if l.bases == nil {
		l.bases = map[int32]int32{}
	}
	l.bases[l.Body.Func] = base
	return base
}

// Entered reports whether a body stands in the function already.
func (l *Builder) Entered(b *sema.Body) bool {
	_, ok := l.bases[b.Func]
	return ok
}
