package emit

import (
	"math/bits"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// Forms knows how the instructions of an architecture are written down, from
// those it has seen: which shapes have a form, and which fields of the form
// take the registers and numbers. A shape is spelled and read back once; an
// instruction of a known shape is put together without any text. One
// goroutine may use it at a time.
type Forms struct {
	a         *target.Arch
	fits      map[shape]bool
	templates map[key]*template
	places    []sass.Place
	values    []int64
}

// NewForms returns a Forms for a that knows nothing yet.
func NewForms(a *target.Arch) *Forms {
	return &Forms{a: a, fits: map[shape]bool{}, templates: map[key]*template{}}
}

// key is all that the form of an instruction depends on, and the parts of
// its word that are neither registers nor numbers.
type key struct {
	op    op.Op
	mods  op.Mods
	ndst  uint8
	nargs uint8
	guard uint8 // 0: none; the class and the negation of the predicate
	args  [maxArgs]keyArg
}

// maxArgs is how many operands an instruction with a template may have.
const maxArgs = 9

type keyArg struct {
	kind  ori.Kind
	class ori.Class
	flags ori.Flags
	bank  uint8
	has   bool   // names a register
	imm   uint32 // what of the number the form may depend on
}

// template is an instruction with fields to fill in.
type template struct {
	inst     sass.Inst
	fields   []sass.Place // of the values in the order of the text
	unsigned bool
	broken   bool // values have no fields of their own
}

// keyOf describes i. It returns false for an instruction whose form or text
// depends on where it stands.
func keyOf(i *ori.Instr) (k key, ok bool) {
	if len(i.Args) > maxArgs {
		return k, false
	}
	switch i.Op {
	case op.CALL, op.RET, op.BRX, op.BSSY, op.BRA:
		return k, false
	}
	k.op, k.mods, k.ndst, k.nargs = i.Op, i.Mods, i.NDst, uint8(len(i.Args))
	switch i.Guard.Kind {
	case ori.KNone:
	case ori.KReg:
		k.guard = 1 + uint8(i.Guard.Class)<<1
		if i.Guard.Flags&ori.Inv != 0 {
			k.guard |= 1 << 7
		}
	default:
		return k, false
	}
	floats := hasFloats(i.Op)
	for n := range i.Args {
		o := &i.Args[n]
		x := &k.args[n]
		x.kind, x.class, x.flags = o.Kind, o.Class, o.Flags
		switch o.Kind {
		case ori.KReg, ori.KZero:
		case ori.KImm:
			if !floats {
				x.imm = size(o.Imm)
			}
		case ori.KConst:
			if o.Reg != ori.NoReg {
				return k, false
			}
			x.bank, x.imm = o.Sub, size(bankOffset(i, o))&signAndUnit
		case ori.KSpecial:
			x.imm = uint32(o.Imm)
		case ori.KAddr:
			x.has, x.imm = o.Reg != ori.NoReg, size(o.Imm)&signAndUnit
			if o.Imm == 0 {
				x.imm = ^uint32(0)
			}
		case ori.KUAddr, ori.KDesc:
			x.has = o.Reg != ori.NoReg
		case ori.KGdesc:
			x.has, x.imm = o.Reg != ori.NoReg, uint32(o.Imm)
		default:
			return k, false
		}
	}
	return k, true
}

// signAndUnit are the bits of size that say below zero, and by what power of
// two a number can be divided.
const signAndUnit = 0xff

// size is what decides whether a number fits a field: its sign, its length,
// the zeroes at its end and whether it has one bit alone.
func size(v int64) uint32 {
	if v == 0 {
		return 0
	}
	sign := uint32(0)
	u := uint64(v)
	if v < 0 {
		sign, u = 0x80, -u
	}
	z := bits.TrailingZeros64(u)
	one := uint32(0)
	if u>>z == 1 {
		one = 1 << 16
	}
	return sign | uint32(min(z, 7)+1) | uint32(bits.Len64(u))<<8 | one
}

// appendValues adds the registers and numbers of i in the order of its text.
func (e *emitter) appendValues(l []int64, i *ori.Instr) []int64 {
	floats := hasFloats(i.Op)
	for n := range i.Args {
		o := &i.Args[n]
		switch o.Kind {
		case ori.KReg:
			l = append(l, e.number(*o))
		case ori.KDesc, ori.KGdesc:
			if o.Reg != ori.NoReg {
				l = append(l, e.number(*o))
			}
		case ori.KImm:
			v := o.Imm
			if e.unsigned || floats {
				v &= 0xffffffff
			}
			l = append(l, v)
		case ori.KConst:
			l = append(l, bankOffset(i, o))
		case ori.KAddr:
			l = e.appendAddress(l, i, n)
		}
	}
	return l
}

// appendAddress adds those of the address at operand n.
func (e *emitter) appendAddress(l []int64, i *ori.Instr, n int) []int64 {
	o := &i.Args[n]
	alone := true
	if o.Reg != ori.NoReg {
		l, alone = append(l, e.number(*o)), false
	}
	if n+1 < len(i.Args) && i.Args[n+1].Kind == ori.KUAddr {
		if u := &i.Args[n+1]; u.Reg != ori.NoReg {
			l = append(l, e.number(*u))
		}
		alone = false
	}
	if o.Imm != 0 || alone {
		l = append(l, o.Imm)
	}
	return l
}

// number is that of the first physical register an operand names.
func (e *emitter) number(o ori.Operand) int64 {
	return int64(e.f.Regs[o.Reg].Phys) + int64(o.Sub)
}

// fill puts the values of i into a template. It returns false where the
// values ask for another form.
func (e *emitter) fill(t *template, i *ori.Instr) (sass.Inst, bool) {
	e.unsigned = t.unsigned
	l := e.appendValues(e.forms.values[:0], i)
	e.forms.values = l
	x := t.inst
	if len(l) != len(t.fields) {
		return x, false
	}
	floats := hasFloats(i.Op)
	for n, p := range t.fields {
		if !(floats && p.IsFloat(&x)) && !x.Put(p, l[n]) {
			return x, false
		}
	}
	if i.Guard.Kind != ori.KNone {
		x.SetGuard(sass.Guard{Pred: uint8(e.number(i.Guard)), Not: i.Guard.Flags&ori.Inv != 0})
	}
	if !x.Own(e.a) {
		return x, false
	}
	if floats { // whose bits decide nothing
		for n, p := range t.fields {
			if p.IsFloat(&x) && !x.Put(p, l[n]) {
				return x, false
			}
		}
	}
	return x, true
}

// learn makes a template of an instruction that was read from its text, x.
// The marks say where in the text its values stand.
func (e *emitter) learn(i *ori.Instr, x sass.Inst) *template {
	t := &template{unsigned: e.unsigned, inst: x, broken: true}
	if x.HasEchoes() || len(e.forms.places) < len(e.marks) {
		return t
	}
	for _, at := range e.marks {
		left := int32(len(e.text)) - at
		for _, p := range e.forms.places {
			if p.Left == left {
				t.fields = append(t.fields, p)
				break
			}
		}
	}
	if len(t.fields) != len(e.marks) {
		return t
	}
	y, ok := e.fill(t, i)
	if ok && y == x {
		t.broken = false
	}
	return t
}
