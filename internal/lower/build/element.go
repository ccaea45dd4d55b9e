package build

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// JoinedElements reads an operand that may be a vector, narrow elements
// packed into words.
func (l *Builder) JoinedElements(n int, t isa.Type) Value {
	es := l.Elements(n)
	var v Value
	for k := range es {
		v = append(v, l.Read(&es[k], t)...)
	}
	if t.Bits() < 32 && len(es) > 1 {
		return l.Joined(v, t.Bits())
	}
	return v
}

// Pack lowers mov with a vector on one side: words and halves are put
// together or taken apart.
func (l *Builder) Pack(t isa.Type) {
	if l.Args[1].Kind == isa.KVector {
		es := l.Body.Of(l.Args[1].Elems)
		part := t.Bits() / len(es)
		d := l.Dst(0)
		var parts Value
		for k := range es {
			parts = append(parts, l.Read(&es[k], bitsType(part))...)
		}
		l.Copy(d[:Words(t)], l.Joined(parts, part))
		return
	}
	es := l.Body.Of(l.Args[0].Elems)
	part := t.Bits() / len(es)
	s := l.Src(1, t)
	for k := range es {
		if es[k].Kind == isa.KSink {
			continue
		}
		d := l.Words(l.Regs[es[k].Ref])
		switch part {
		case 32:
			l.Copy(d[:1], s[k:k+1])
		case 64:
			l.Copy(d[:2], s[2*k:2*k+2])
		case 16:
			sel := int64(0x7710)
			if k%2 == 1 {
				sel = 0x7732
			}
			l.Emit(op.PRMT, op.Mods{}, d[:1], l.Reg(s[k/2]), ori.Imm(sel), expand.RZ())
		case 8:
			l.Emit(op.PRMT, op.Mods{}, d[:1], l.Reg(s[k/4]), ori.Imm(0x7770+int64(k%4)), expand.RZ())
		default:
			l.Unsupported()
		}
	}
}

// Packed joins parts of 8, 16, 32 or 64 bits into words.
func (l *Builder) Packed(parts Value, bits int) Value {
	if bits >= 32 {
		return parts
	}
	var out Value
	per := 32 / bits
	for n := 0; n < len(parts); n += per {
		w := parts[n]
		if bits == 16 {
			w = l.One(op.PRMT, op.Mods{}, l.Reg(w), ori.Imm(0x5410), parts[n+1])
		} else {
			lo := l.One(op.PRMT, op.Mods{}, l.Reg(w), ori.Imm(0x40), parts[n+1])
			hi := l.One(op.PRMT, op.Mods{}, l.Reg(parts[n+2]), ori.Imm(0x40), parts[n+3])
			w = l.One(op.PRMT, op.Mods{}, lo, ori.Imm(0x5410), hi)
		}
		out = append(out, w)
	}
	return out
}

func bitsType(bits int) isa.Type {
	switch bits {
	case 8:
		return isa.B8
	case 16:
		return isa.B16
	case 32:
		return isa.B32
	}
	return isa.B64
}

// Width returns the modifiers that say how much a memory access moves.
func Width(bits int, signed bool) op.Mods {
	switch {
	case bits == 8 && signed:
		return op.M(op.MS8)
	case bits == 8:
		return op.M(op.MU8)
	case bits == 16 && signed:
		return op.M(op.MS16)
	case bits == 16:
		return op.M(op.MU16)
	case bits == 64:
		return op.M(op.M64)
	case bits == 128:
		return op.M(op.M128)
	}
	return op.Mods{}
}

// Join appends the modifiers of b to a.
func Join(a, b op.Mods) op.Mods {
	for _, m := range b {
		if m != op.NoMod {
			a = a.With(m)
		}
	}
	return a
}

// Elements returns the operands of a vector argument, or the argument
// itself.
func (l *Builder) Elements(n int) []sema.Operand {
	a := &l.Args[n]
	if a.Kind == isa.KVector {
		return l.Body.Of(a.Elems)
	}
	return l.Args[n : n+1]
}

// Spread copies a loaded value to its register, which may be wider.
func (l *Builder) Spread(d, r Value, t isa.Type) {
	l.Copy(d[:min(len(d), len(r))], r)
	for n := len(r); n < len(d); n++ {
		if t.Class() == isa.Signed {
			l.Emit(op.SHF, op.M(op.MR, op.MS32, op.MHI), d[n:n+1], expand.RZ(), ori.Imm(31), r[len(r)-1])
		} else {
			l.Emit(op.MOV, op.Mods{}, d[n:n+1], expand.RZ())
		}
	}
}

// Joined packs narrow elements into words; a last word may be partial.
func (l *Builder) Joined(v Value, bits int) Value {
	for len(v)*bits%32 != 0 {
		v = append(v, expand.RZ())
	}
	return l.Packed(v, bits)
}

func (l *Builder) Vectors() {
	l.Knows(isa.WV2)
	l.Knows(isa.WV4)
}
