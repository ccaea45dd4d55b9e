package lower

import (
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
	"goptxas/internal/ptx/isa"
)

// cvt lowers conversions.
func (l *lowerer) cvt() {
	to, from := l.typ(0), l.typ(1)
	integer := func(t isa.Type) bool {
		return t.Class() == isa.Signed || t.Class() == isa.Unsigned || t.Class() == isa.Bits
	}
	if !integer(to) || !integer(from) || l.has(isa.WSat) {
		l.unsupported()
	}
	d := l.dst(0)
	s := l.extended(1, from)
	if words(to) > len(s) {
		s = value{s[0], l.signWord(s[0], from)}
	}
	s = s[:words(to)]
	// a narrower result in a wider register is extended again
	if len(s) == 1 && to.Bits() < 32 && to.Bits() < from.Bits() {
		s = value{l.extend(s[0], to)}
	}
	l.spread(d, s, to)
}

// signWord returns the word above w: its sign repeated, or zero.
func (l *lowerer) signWord(w ori.Operand, t isa.Type) ori.Operand {
	if t.Class() != isa.Signed {
		return rz()
	}
	return l.one(op.SHF, op.M(op.MR, op.MS32, op.MHI), rz(), ori.Imm(31), w)
}

// pack lowers mov with a vector on one side: words and halves are put
// together or taken apart.
func (l *lowerer) pack(t isa.Type) {
	if l.args[1].Kind == isa.KVector {
		es := l.body.Of(l.args[1].Elems)
		part := t.Bits() / len(es)
		d := l.dst(0)
		var parts value
		for k := range es {
			parts = append(parts, l.read(&es[k], bitsType(part))...)
		}
		l.copy(d[:words(t)], l.packed(parts, part))
		return
	}
	es := l.body.Of(l.args[0].Elems)
	part := t.Bits() / len(es)
	s := l.src(1, t)
	for k := range es {
		if es[k].Kind == isa.KSink {
			continue
		}
		d := l.words(l.regs[es[k].Ref])
		switch part {
		case 32:
			l.copy(d[:1], s[k:k+1])
		case 64:
			l.copy(d[:2], s[2*k:2*k+2])
		case 16:
			sel := int64(0x7710)
			if k%2 == 1 {
				sel = 0x7732
			}
			l.emit(op.PRMT, op.Mods{}, d[:1], l.reg(s[k/2]), ori.Imm(sel), rz())
		case 8:
			l.emit(op.PRMT, op.Mods{}, d[:1], l.reg(s[k/4]), ori.Imm(0x7770+int64(k%4)), rz())
		default:
			l.unsupported()
		}
	}
}

// packed joins parts of 8, 16, 32 or 64 bits into words.
func (l *lowerer) packed(parts value, bits int) value {
	if bits >= 32 {
		return parts
	}
	var out value
	per := 32 / bits
	for n := 0; n < len(parts); n += per {
		w := parts[n]
		if bits == 16 {
			w = l.one(op.PRMT, op.Mods{}, l.reg(w), ori.Imm(0x5410), parts[n+1])
		} else {
			lo := l.one(op.PRMT, op.Mods{}, l.reg(w), ori.Imm(0x40), parts[n+1])
			hi := l.one(op.PRMT, op.Mods{}, l.reg(parts[n+2]), ori.Imm(0x40), parts[n+3])
			w = l.one(op.PRMT, op.Mods{}, lo, ori.Imm(0x5410), hi)
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
