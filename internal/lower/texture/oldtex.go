package texture

import (
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// oldNumber takes the number that the driver's tables count by out of a
// handle's word.
func oldNumber(l *build.Builder, a *sema.Operand, w ori.Operand, sampler bool) ori.Operand {
	switch {
	case !sampler:
		return l.And2(w, ori.Imm(build.HeaderMask))
	case l.Named(a) != nil:
		return l.Shr1(w, ori.Imm(build.SamplerAt))
	}
	return l.And2(w, ori.Imm(build.SamplerMask))
}

// oldHandle returns the handle of a texture or surface a with the sampler s,
// nil if it has its own.
func oldHandle(l *build.Builder, a, s *sema.Operand) handle {
	h := handle{bound: boundAt(l, a, s), sampler: s != nil}
	if h.bound != nil {
		return h
	}
	w := handleWord(l, a)
	if s != nil {
		x := handleWord(l, s)
		if l.Named(s) == nil {
			x = l.Shl1(x, ori.Imm(build.SamplerAt))
		}
		w = l.Lop(lutInsert, w, ori.Imm(build.HeaderMask), x)
	}
	h.words = build.Value{w}
	return h
}

// boundAt returns the bank and the word in it that hold a handle, or nil if
// no such place is known.
func boundAt(l *build.Builder, a, s *sema.Operand) build.Value {
	v := l.Named(a)
	switch {
	case v != nil && s == nil && !l.OwnRefs():
		return build.Value{ori.Imm(0), l.SymbolPart(v.Name, ori.PartRef)}
	case s != nil && !l.OwnRefs():
	case v != nil && s == nil:
		return inBank(l.Plan.RefSlot(l, build.Ref{Name: v.Name}))
	case v != nil && l.Named(s) != nil && l.Layout.Refs == nil:
		return inBank(l.Plan.RefSlot(l, build.Ref{Name: v.Name, Sampler: l.Named(s).Name}))
	case v == nil && s == nil && (a.Kind == isa.KReg || a.Base == isa.KReg):
		if at, ok := paramAt(l, a.Ref); ok {
			return inBank(at)
		}
	}
	return nil
}

// maxBound is the end of the words that an instruction can name.
const maxBound = 4 << 14

// inBank names a word of bank 0.
func inBank(at int64) build.Value {
	if at%4 != 0 || at >= maxBound {
		return nil
	}
	return build.Value{ori.Imm(0), ori.Imm(at / 4)}
}

// paramAt returns where bank 0 holds the value of a PTX register: a parameter
// of the kernel that the register's only write reads.
func paramAt(l *build.Builder, reg int32) (int64, bool) {
	if !l.Fn.Entry {
		return 0, false
	}
	if l.FromParam == nil {
		findParams(l)
	}
	at := l.FromParam[reg]
	return at, at > 0
}

// findParams finds the registers that hold parameters.
func findParams(l *build.Builder) {
	l.FromParam = make([]int64, len(l.Body.Regs))
	writes := l.CountWrites()
	for n := range l.Body.Instrs {
		in := &l.Body.Instrs[n]
		args := l.Body.Of(in.Args)
		if in.Op != isa.WLd || in.Guard >= 0 || len(args) < 2 || in.NSpaces == 0 || in.Spaces[0].Base() != isa.SpaceParam || in.Types[0].Bits() < 32 {
			continue
		}
		a := &args[1]
		v := l.Variable(a)
		if args[0].Kind != isa.KReg || writes[args[0].Ref] != 1 || a.Base != isa.KSymbol || a.Index >= 0 || v == nil || !v.Bank {
			continue
		}
		l.FromParam[args[0].Ref] = v.Off + int64(a.Value)
	}
}

// maxScattered is how many arguments of a texture access stand half in each
// register.
const maxScattered = 4

// oldFetch makes the modifiers and sources of a texture access.
func oldFetch(l *build.Builder, f *fetch, x *texel, h handle, half bool) (op.Mods, build.Value) {
	args := append(append(append(build.Value{}, x.coord...), h.words...), f.more...)
	first := len(x.coord)
	if f.o == op.TXD {
		args = append(append(append(build.Value{}, h.words...), x.coord...), f.more...)
		first += len(h.words)
	}
	var m op.Mods
	if f.o != op.TXD && len(args) <= maxScattered {
		m = op.M(op.MSCR)
		first = (len(args) + 1) / 2
	}
	rest := f.m
	if f.o == op.TLD4 { // the component stands before the handle
		m = m.With(rest[0])
		rest[0] = op.NoMod
	}
	if h.bound == nil {
		m = m.With(op.MB)
	}
	if half {
		m = m.With(op.MF16).With(op.MRN)
	}
	srcs := build.Value{row(l, args[:first])}
	if first < len(args) {
		srcs = append(srcs, row(l, args[first:]))
	}
	return build.Join(m, rest), append(append(srcs, h.bound...), ori.Special(x.g.name))
}
