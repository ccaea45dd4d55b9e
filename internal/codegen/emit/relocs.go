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
)

// Reloc is a place in the code of an object that the linker fills.
type Reloc struct {
	Offset uint32
	Kind   RelocKind
	Symbol string // "": the section itself
	Addend int64
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
		if a.Kind != ori.KSymbol {
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
		e.code.Relocs = append(e.code.Relocs, Reloc{uint32(e.pc()), kind, e.f.Module.Symbols[a.Reg].Name, a.Imm})
	}
}

func loadsBank(o op.Op) bool { return o.LoadsConstant() }

func bindsTexture(o op.Op) bool { return o.Has(op.Texture) }

// errNoSlot is the error of a variable whose address has no place in bank 4.
var errNoSlot = errors.New("the address of the variable has no place in a constant bank")

// symbol describes a symbol: the linker's part is zero in the code.
func (e *emitter) symbol(u *unit, i *ori.Instr, o *ori.Operand) error {
	if !loadsBank(i.Op) {
		u.number(0)
		return nil
	}
	u.kind = slotConst
	switch {
	case ori.Part(o.Sub) == ori.PartRef:
	case ori.Part(o.Sub) == ori.PartAbs:
		u.bank = constBank
	case e.loose:
		u.bank = addressBank
	case e.opts.Slot == nil:
		return errNoSlot
	default:
		v, ok := e.opts.Slot(e.f.Module.Symbols[o.Reg].Name)
		if !ok {
			return errNoSlot
		}
		u.bank, u.num = addressBank, v
	}
	return nil
}
