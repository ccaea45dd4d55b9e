package bodies

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
	"github.com/goptxas/goptxas/internal/ptx/isa/rows"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// Real programs are made of few shapes of instructions: the same opcode,
// modifiers and kinds of operands come again and again. A worker remembers
// the shapes that the instruction table found faultless, with all it found
// out about them, and asks the table only about new ones. A shape holds
// everything the table looks at, constants included, so a remembered answer
// is the table's own.

// maxShape is the length of the longest shape that is remembered, in words.
const maxShape = 16

// verdict is one remembered shape.
type verdict struct {
	n      uint8
	types  uint8
	spaces uint8
	vec    uint8
	typ    [6]isa.Type
	space  [2]isa.Space
	shape  [maxShape]uint64
	row    *row.Row
	form   *row.Form
}

// verdicts is a table with one place for each hash. The places are numbers,
// so that a short program touches little memory.
type verdicts struct {
	table []uint16         // by hash: the place in list, 0 when free
	list  []verdict        // from 1 on
	shape [maxShape]uint64 // of the instruction at hand
	n     int              // its length; 0 when it is not to be remembered
}

const (
	verdictBits = 11
	mix         = 0x9e3779b97f4a7c15
)

func (v *verdicts) reset() {
	clear(v.table)
	v.list = v.list[:min(len(v.list), 1)]
}

// put adds a word to the shape.
func (v *verdicts) put(w uint64) {
	if v.n < maxShape {
		v.shape[v.n] = w
	}
	v.n++
}

// slot returns the place of the shape.
func (v *verdicts) slot() *uint16 {
	if v.table == nil {
		v.table = make([]uint16, 1<<verdictBits)
		v.list = make([]verdict, 1, 64)
	}
	h := uint64(v.n)
	for _, w := range v.shape[:v.n] {
		h = (h ^ w) * mix
		h ^= h >> 29
	}
	return &v.table[h*mix>>(64-verdictBits)]
}

// describe writes down the shape of an instruction. It returns false for
// one that must not be remembered.
func (k *checker) describe(in *syntax.Instr, out *sema.Inst) bool {
	v := &k.seen
	v.n = 0
	if in.Op == isa.WNone || in.Guard != syntax.None && k.guardKind != isa.KReg {
		return false
	}
	v.put(uint64(in.Op) | uint64(in.Args.Len)<<16 | uint64(in.Mods.Len)<<32 | bit(in.Guard != syntax.None)<<48)
	w := uint64(0)
	for i, m := range k.body.ModsOf(out) {
		if m == isa.WNone {
			return false
		}
		w = w<<16 | uint64(m)
		if i%4 == 3 {
			v.put(w)
			w = 0
		}
	}
	if in.Mods.Len%4 != 0 {
		v.put(w)
	}
	for i := range k.body.Of(out.Args) {
		if !k.describeOperand(&k.body.Operands[out.Args.First+int32(i)]) {
			return false
		}
	}
	return v.n <= maxShape
}

func (k *checker) describeOperand(o *sema.Operand) bool {
	v := &k.seen
	if o.Kind == isa.KBad || o.Flags&sema.Selected != 0 || o.Kind == isa.KAddr && o.Base == isa.KBad {
		return false
	}
	w := operandShape(o)
	v.put(w | uint64(o.Elems.Len)<<56)
	switch o.Kind {
	case isa.KInt, isa.KDouble, isa.KSingle:
		v.put(o.Value)
	case isa.KAddr:
		if o.Base == isa.KInt {
			v.put(o.Value)
		}
	}
	return o.Elems.Len == 0 || k.describeElems(o)
}

// describeElems writes down elements as runs of equal ones.
func (k *checker) describeElems(o *sema.Operand) bool {
	v := &k.seen
	if o.Elems.Len > 255 {
		return false
	}
	run, last := uint64(0), ^uint64(0)
	for i := range k.body.Of(o.Elems) {
		e := &k.body.Operands[o.Elems.First+int32(i)]
		if e.Elems.Len > 0 || e.Kind == isa.KInt || e.Kind == isa.KDouble || e.Kind == isa.KSingle {
			if run > 0 {
				v.put(last | run<<48)
			}
			run, last = 0, ^uint64(0)
			if !k.describeOperand(e) {
				return false
			}
			continue
		}
		if e.Kind == isa.KBad || e.Flags&sema.Selected != 0 {
			return false
		}
		w := operandShape(e)
		if w == last {
			run++
			continue
		}
		if run > 0 {
			v.put(last | run<<48)
		}
		run, last = 1, w
	}
	if run > 0 {
		v.put(last | run<<48)
	}
	return true
}

// operandShape packs what the table sees of an operand into 48 bits.
func operandShape(o *sema.Operand) uint64 {
	w := uint64(o.Kind) | uint64(o.Base)<<4 | uint64(o.Type)<<8 | uint64(o.Space)<<14 | uint64(o.Flags)<<18 |
		uint64(o.PairKind)<<24 | uint64(o.PairType)<<28
	if o.Kind == isa.KSpecial {
		w |= uint64(o.Ref)<<34 | bit(o.Comp != 0)<<42
	}
	if o.Value != 0 && (o.Kind == isa.KSymbol || o.Kind == isa.KReg) {
		w |= 1 << 43
	}
	return w
}

// judge asks whether the instruction is right and fills in what the table
// knows about it. The table is asked quietly; only when it has something to
// say are the spellings that messages need filled in.
func (k *checker) judge(in *syntax.Instr, out *sema.Inst) bool {
	if k.handled {
		return false
	}
	if in.Op == isa.WBra && !k.branchRule(in, out) || !k.mixedVectors(out) || !k.sinkRules(out) {
		return false
	}
	known := k.describe(in, out)
	var at *uint16
	if known {
		at = k.seen.slot()
		if v := &k.seen.list[*at]; int(v.n) == k.seen.n && v.shape == k.seen.padded() {
			out.Row, out.Form = v.row, v.form
			out.NTypes, out.NSpaces, out.Vec, out.Types, out.Spaces = v.types, v.spaces, v.vec, v.typ, v.space
			return true
		}
	}
	k.toTable(in, out)
	if in.Op == isa.WNone {
		k.spell(in)
	}
	ok := row.Check(&k.inst, rows.Of(k.inst.Op), &k.isaCtx)
	if k.faulty {
		k.spell(in)
		k.loud = true
		ok = row.Check(&k.inst, rows.Of(k.inst.Op), &k.isaCtx)
	}
	if k.inst.Form != nil && !k.addressRules(in, out) {
		return false
	}
	if ok {
		k.fill(out)
	}
	if ok && known && !k.faulty {
		k.seen.keep(at, verdict{
			n: uint8(k.seen.n), types: out.NTypes, spaces: out.NSpaces, vec: out.Vec, typ: out.Types, space: out.Spaces,
			shape: k.seen.padded(), row: out.Row, form: out.Form,
		})
	}
	return ok
}

// keep remembers x at a place, instead of what was there.
func (v *verdicts) keep(at *uint16, x verdict) {
	if *at == 0 {
		*at = uint16(len(v.list))
		v.list = append(v.list, verdict{})
	}
	v.list[*at] = x
}

// padded returns the shape with zeroes after its end.
func (v *verdicts) padded() (s [maxShape]uint64) {
	copy(s[:], v.shape[:v.n])
	return s
}

// toTable writes the instruction down as the table reads it.
func (k *checker) toTable(in *syntax.Instr, out *sema.Inst) {
	ii := &k.inst
	ii.Op, ii.Mods = in.Op, k.body.ModsOf(out)
	ii.Guarded = in.Guard != syntax.None
	ii.Guard = isa.Operand{Kind: k.guardKind}
	if k.guardKind == isa.KReg {
		ii.Guard.Type = isa.Pred
	}
	k.elems = k.elems[:0]
	ii.Args = ii.Args[:0]
	for i := range k.body.Of(out.Args) {
		ii.Args = append(ii.Args, isa.Operand{})
		k.tableOperand(&k.Tree.Operands[in.Args.First+int32(i)], out.Args.First+int32(i), &ii.Args[i])
	}
}

// tableOperand writes one operand down; s is how it was written, or nil
// inside a vector that stands for a vector register.
func (k *checker) tableOperand(s *syntax.Operand, at int32, io *isa.Operand) {
	o := &k.body.Operands[at]
	*io = isa.Operand{
		Kind: o.Kind, Base: o.Base, Type: o.Type, Space: o.Space, Value: int64(o.Value),
		Neg: o.Flags&sema.Neg != 0, Not: o.Flags&sema.Not != 0, Comp: o.Comp != 0,
		HasPair: o.Flags&sema.Paired != 0, Pair: o.PairKind, PairType: o.PairType,
	}
	switch o.Kind {
	case isa.KFunc:
		io.Kind = isa.KSymbol // the table knows functions by their addresses
	case isa.KSpecial:
		io.Special = isa.SpecialReg(o.Ref)
	}
	if s != nil && s.Kind == syntax.OpPair {
		s = &k.Tree.Operands[s.X]
	}
	if o.Flags&sema.Selected != 0 && s != nil {
		if text := k.Tree.SelText(s); len(text) > 1 {
			io.Sel = string(text[1:])
		}
	}
	if o.Elems.Len == 0 {
		return
	}
	base := len(k.elems)
	for range o.Elems.Len {
		k.elems = append(k.elems, isa.Operand{})
	}
	elems := k.elems[base:len(k.elems):len(k.elems)]
	same := isa.TNone
	if o.Kind == isa.KVector {
		same = k.vectorType(o)
	}
	for i := range elems {
		var kid *syntax.Operand
		if s != nil && (s.Kind == syntax.OpVec || s.Kind == syntax.OpTex) {
			kid = &k.Tree.Operands[s.X+int32(i)]
		}
		k.tableOperand(kid, o.Elems.First+int32(i), &elems[i])
		if e := &elems[i]; e.Kind == isa.KSink && same == isa.TNone && o.Kind == isa.KVector {
			e.Kind, e.Type = isa.KReg, isa.B8
		}
		if e := &elems[i]; same != isa.TNone && e.Kind == isa.KReg && e.Type != isa.Pred {
			e.Own, e.Type = e.Type, same
		}
	}
	io.Elems = elems
}

// spell fills in the spellings of an instruction.
func (k *checker) spell(in *syntax.Instr) {
	ii := &k.inst
	ii.OpText = string(k.Tree.OpText(in))
	ii.Unknown = ii.Unknown[:0]
	for i := in.Mods.First; i < in.Mods.First+in.Mods.Len; i++ {
		if m := &k.Tree.Mods[i]; m.Word == isa.WNone {
			ii.Unknown = append(ii.Unknown, string(k.Tree.ModText(m)[1:]))
		}
	}
	for i := range ii.Args {
		if n := k.Tree.Operands[in.Args.First+int32(i)].Name; n != 0 {
			ii.Args[i].Name = string(k.Tree.Names.Bytes(n))
		}
	}
}

// fill copies what the table found out.
func (k *checker) fill(out *sema.Inst) {
	ii := &k.inst
	out.Row, out.Form = ii.Row, ii.Form
	out.NTypes, out.NSpaces, out.Vec = uint8(ii.NTypes), uint8(ii.NSpace), uint8(ii.Vec())
	out.Types = ii.Types
	copy(out.Spaces[:], ii.Spaces[:])
}

// bit is 1 for true.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
