package emit

import (
	"errors"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// RelocKind says what a relocation puts where.
type RelocKind uint8

const (
	// RelocLo and RelocHi put half of an address into the immediate of a
	// move, RelocAbs an address of a 32-bit space.
	RelocLo RelocKind = iota
	RelocHi
	RelocAbs
	// RelocBank puts an offset into the constant operand of a load,
	// RelocUniform into that of LDCU.
	RelocBank
	RelocUniform
	// RelocBound puts the number of a word of bank 0 into an instruction that
	// finds the handle of a texture or surface there.
	RelocBound
	// RelocCall puts the target into a call, RelocPointer the offset that
	// calls through pointers add.
	RelocCall
	RelocPointer
	// RelocSlot puts the place of a variable's address in bank 4 into the
	// constant operand of a load.
	RelocSlot
	// RelocLiteral puts the place of a literal into a constant operand.
	RelocLiteral
)

// Reloc is a place in the code of an object that the linker fills.
type Reloc struct {
	Offset uint32
	Kind   RelocKind
	Symbol string // "": the section itself
	Addend int64
}

// Resolved is a place in the code that names a variable and has its number.
type Resolved struct {
	Reloc
	Place int64 // where a variable of a 32-bit space lies
}

const (
	constBank   = 3 // the user's constants
	addressBank = 4 // addresses of variables
)

// relocs notes the places of an instruction that only the linker knows.
func (e *emitter) relocs(i *ori.Instr) {
	if i.Op == op.CALL && i.Mods.Has(op.MABS) && i.Srcs()[0].Kind == ori.KReg {
		e.code.Relocs = append(e.code.Relocs, Reloc{Offset: uint32(e.pc()), Kind: RelocPointer})
		return
	}
	for _, a := range i.Srcs() {
		if a.Kind == ori.KLabel && a.Sub != 0 {
			e.code.Relocs = append(e.code.Relocs, Reloc{Offset: uint32(e.pc()), Kind: RelocKind(a.Sub - 1), Addend: e.start[a.Reg]})
		}
		if a.Kind == ori.KLiteral && e.opts.Literal != nil {
			e.code.Relocs = append(e.code.Relocs, Reloc{Offset: uint32(e.pc()), Kind: RelocLiteral, Addend: e.opts.Literal(uint64(a.Imm))})
		}
		if a.Kind != ori.KSymbol {
			continue
		}
		sym := &e.f.Module.Symbols[a.Reg]
		if sym.Placed || e.opts.Keep && loadsBank(i.Op) && ori.Part(a.Sub) < ori.PartAbs {
			e.resolved(i, &a, sym)
			continue
		}
		kind := RelocKind(a.Sub)
		switch {
		case i.Op == op.CALL && i.Mods.Has(op.MABS):
			kind = RelocCall
		case i.Op == op.CALL, loadsBank(i.Op) && ori.Part(a.Sub) < ori.PartAbs:
			continue // known in the section, or through an address slot
		case bindsTexture(i.Op):
			kind = RelocBound
		case i.Op == op.LDCU:
			kind = RelocUniform
		case loadsBank(i.Op):
			kind = RelocBank
		}
		e.code.Relocs = append(e.code.Relocs, Reloc{uint32(e.pc()), kind, sym.Name, a.Imm})
	}
}

// resolved notes a place that names a variable and has its number.
func (e *emitter) resolved(i *ori.Instr, a *ori.Operand, sym *ori.Symbol) {
	r := Reloc{uint32(e.pc()), RelocAbs, sym.Name, a.Imm}
	switch {
	case !sym.Placed:
		r.Kind = RelocSlot
	case loadsBank(i.Op):
		r.Kind = RelocBank
	}
	e.code.Resolved = append(e.code.Resolved, Resolved{r, sym.Place})
}

func loadsBank(o op.Op) bool { return o.LoadsConstant() }

func bindsTexture(o op.Op) bool { return o.Has(op.Texture) }

// errNoSlot is the error of a variable whose address has no place in bank 4.
var errNoSlot = errors.New("the address of the variable has no place in a constant bank")

// symbol describes a symbol: the part that only the linker knows is zero in the
// code.
func (e *emitter) symbol(u *unit, i *ori.Instr, o *ori.Operand) error {
	known := int64(0)
	if sym := &e.f.Module.Symbols[o.Reg]; sym.Placed {
		known = sym.Place + o.Imm
	}
	if !loadsBank(i.Op) {
		u.number(known)
		return nil
	}
	u.kind = slotConst
	switch {
	case ori.Part(o.Sub) == ori.PartRef:
	case ori.Part(o.Sub) == ori.PartAbs:
		u.bank, u.num = constBank, bankOffset(i.Op, known)
	case e.loose:
		u.bank = addressBank
	case e.opts.Slot == nil:
		return errNoSlot
	default:
		v, ok := e.opts.Slot(e.f.Module.Symbols[o.Reg].Name)
		if !ok {
			return errNoSlot
		}
		u.bank, u.num = addressBank, bankOffset(i.Op, v)
	}
	return nil
}
