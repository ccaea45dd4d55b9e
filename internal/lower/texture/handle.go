package texture

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// wholeHandle returns both words of a handle.
func wholeHandle(l *build.Builder, a *sema.Operand) build.Value {
	notRaw(l)
	if a.Kind == isa.KReg || a.Kind == isa.KAddr && a.Base == isa.KReg {
		return l.Words(l.Regs[a.Ref])[:2]
	}
	h, ok := l.Reference(a)
	if !ok {
		l.Unsupported()
	}
	return h
}

// old are the operands of a handle before sm_90.
func (h *handle) old() build.Value {
	if h.bound != nil {
		return h.bound
	}
	return h.words
}

// handle is what names a texture or surface to the machine.
type handle struct {
	words   build.Value // of the texture and its sampler, if it has one; before sm_90 one word for both
	bound   build.Value // before sm_90: bank and word that hold the handle, if the program says where
	sampler bool        // the program names a sampler
}

// notRaw refuses what a handle means under --set-texmode-raw: it is no pair
// of a texture and a sampler then, and nobody has told what it is.
func notRaw(l *build.Builder) {
	if l.Module.TexMode == sema.TexRaw {
		l.Fail("Textures by raw handles (--set-texmode-raw) are not supported")
	}
}

func handleWord(l *build.Builder, a *sema.Operand) ori.Operand {
	notRaw(l)
	if a.Kind == isa.KReg || a.Kind == isa.KAddr && a.Base == isa.KReg {
		return l.Words(l.Regs[a.Ref])[0]
	}
	v := l.Named(a)
	if v == nil {
		l.Unsupported()
	}
	return l.RefWord(v)
}
