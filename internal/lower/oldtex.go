package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// Textures and surfaces before sm_90. One word names both header and sampler;
// an instruction finds it in bank 0 at a place it says, or in a register that
// may differ between threads. Where it is among the arguments it stands
// behind the coordinates, in TXD before them. Up to four arguments stand half
// in each of the two source registers (.SCR), more of them apart: coordinates
// and the rest.

// A handle's word: number of the header, and from samplerAt on that of the
// sampler.
const (
	headerMask  = 1<<samplerAt - 1
	samplerMask = 1<<(32-samplerAt) - 1
	samplerAt   = 20
)

// isAddress is set in the low word of the handle of something named in the
// program.
const isAddress = 1 << 31

// oldAddress turns the word of a reference into the low word of its handle.
func (l *lowerer) oldAddress(v *sema.Var, w ori.Operand) ori.Operand {
	if refBit(v) == isSampler {
		w = l.shr1(w, ori.Imm(samplerAt))
	}
	return l.lop(lutOr, w, word(isAddress), rz())
}

// oldNumber takes the number that the driver's tables count by out of a
// handle's word.
func (l *lowerer) oldNumber(a *sema.Operand, w ori.Operand, sampler bool) ori.Operand {
	switch {
	case !sampler:
		return l.and2(w, ori.Imm(headerMask))
	case l.named(a) != nil:
		return l.shr1(w, ori.Imm(samplerAt))
	}
	return l.and2(w, ori.Imm(samplerMask))
}

// oldHandle returns the handle of a texture or surface a with the sampler s,
// nil if it has its own.
func (l *lowerer) oldHandle(a, s *sema.Operand) handle {
	h := handle{bound: l.boundAt(a, s), sampler: s != nil}
	if h.bound != nil {
		return h
	}
	w := l.handleWord(a)
	if s != nil {
		x := l.handleWord(s)
		if l.named(s) == nil {
			x = l.shl1(x, ori.Imm(samplerAt))
		}
		w = l.lop(lutInsert, w, ori.Imm(headerMask), x)
	}
	h.words = value{w}
	return h
}

// boundAt returns the bank and the word in it that hold a handle, or nil if
// no such place is known.
func (l *lowerer) boundAt(a, s *sema.Operand) value {
	v := l.named(a)
	switch {
	case v != nil && s == nil && l.layout.Object:
		return value{ori.Imm(0), l.symbolPart(v.Name, ori.PartRef)}
	case l.layout.Object && s != nil:
	case v != nil && s == nil:
		return inBank(l.plan.refSlot(l, Ref{Name: v.Name}))
	case v != nil && l.named(s) != nil:
		return inBank(l.plan.refSlot(l, Ref{Name: v.Name, Sampler: l.named(s).Name}))
	case v == nil && s == nil && (a.Kind == isa.KReg || a.Base == isa.KReg):
		if at, ok := l.paramAt(a.Ref); ok {
			return inBank(at)
		}
	}
	return nil
}

// maxBound is the end of the words that an instruction can name.
const maxBound = 4 << 14

// inBank names a word of bank 0.
func inBank(at int64) value {
	if at%4 != 0 || at >= maxBound {
		return nil
	}
	return value{ori.Imm(0), ori.Imm(at / 4)}
}

// paramAt returns where bank 0 holds the value of a PTX register: a parameter
// of the kernel that the register's only write reads.
func (l *lowerer) paramAt(reg int32) (int64, bool) {
	if !l.fn.Entry {
		return 0, false
	}
	if l.fromParam == nil {
		l.findParams()
	}
	at := l.fromParam[reg]
	return at, at > 0
}

// findParams finds the registers that hold parameters.
func (l *lowerer) findParams() {
	l.fromParam = make([]int64, len(l.body.Regs))
	writes := l.countWrites()
	for n := range l.body.Instrs {
		in := &l.body.Instrs[n]
		args := l.body.Of(in.Args)
		if in.Op != isa.WLd || in.Guard >= 0 || len(args) < 2 || in.NSpaces == 0 || in.Spaces[0].Base() != isa.SpaceParam || in.Types[0].Bits() < 32 {
			continue
		}
		a := &args[1]
		v := l.variable(a)
		if args[0].Kind != isa.KReg || writes[args[0].Ref] != 1 || a.Base != isa.KSymbol || a.Index >= 0 || v == nil || !v.bank {
			continue
		}
		l.fromParam[args[0].Ref] = v.off + int64(a.Value)
	}
}

// old are the operands of a handle before sm_90.
func (h *handle) old() value {
	if h.bound != nil {
		return h.bound
	}
	return h.words
}

// maxScattered is how many arguments of a texture access stand half in each
// register.
const maxScattered = 4

// oldFetch makes the modifiers and sources of a texture access.
func (l *lowerer) oldFetch(f *fetch, x *texel, h handle, half bool) (op.Mods, value) {
	args := append(append(append(value{}, x.coord...), h.words...), f.more...)
	first := len(x.coord)
	if f.o == op.TXD {
		args = append(append(append(value{}, h.words...), x.coord...), f.more...)
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
	srcs := value{l.row(args[:first])}
	if first < len(args) {
		srcs = append(srcs, l.row(args[first:]))
	}
	return join(m, rest), append(append(srcs, h.bound...), ori.Special(x.g.name))
}
