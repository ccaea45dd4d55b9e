package bodies

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// The checks of operands that are about what names mean rather than about
// the instruction: elements of vectors, bases of addresses, branch targets.

// vectorRules checks the elements of {a, b, …} against each other. A fault
// in what they are ends the instruction; one in their widths does not.
func (k *checker) vectorRules(o *syntax.Operand, out *sema.Operand) {
	elems := k.body.Of(out.Elems)
	bits, clash, sinks, bad, typed := 0, false, 0, 0, false
	for i := range elems {
		e := &elems[i]
		switch e.Kind {
		case isa.KSink:
			sinks++
		case isa.KBad, isa.KSymbol, isa.KFunc, isa.KLabel, isa.KTable:
			k.Error(k.instrPos(), "Illegal expression '"+k.Name(k.Tree.Operands[o.X+int32(i)].Name)+"'")
			k.handled = true
			bad++
		case isa.KReg:
			w := e.Type.Bits()
			if e.Type == isa.Pred {
				continue
			}
			typed = typed || e.Type.Class() != isa.Bits
			if bits != 0 && w != bits && !clash {
				k.Error(k.instrPos(), "Incompatible elements of vector expression")
				clash = true
			}
			if bits == 0 {
				bits = w
			}
		}
	}
	if sinks+bad == len(elems) {
		k.Error(k.instrPos(), "Unable to infer type of vector elements (assuming .b8)")
	}
	if bad > 0 {
		k.unknownElements(sinks+bad == len(elems), typed)
	}
}

// unknownElements: some or all elements of a vector mean nothing, and have no
// type that the others could have.
func (k *checker) unknownElements(all, typed bool) {
	op := k.instr.Op
	switch {
	case op == isa.WWmma && typed && !all:
		k.Error(k.instrPos(), "Vector with elements of different types are not allowed in "+k.wmmaName()+" instruction")
	case op != isa.WLd && op != isa.WSt && op != isa.WTex && op != isa.WMov:
	case all:
		k.Error(k.instrPos(), "Arguments mismatch for instruction '"+op.String()+"'")
	case op != isa.WMov && typed: // plain bits go with anything
		k.Error(k.instrPos(), "Vector with elements of different types are not allowed in "+op.String()+" instruction")
	}
}

// wmmaName is the name of the matrix operation at hand with what belongs to it.
func (k *checker) wmmaName() string {
	name := isa.WWmma.String()
	for i := int32(0); i < k.instr.Mods.Len; i++ {
		m := &k.Tree.Mods[k.instr.Mods.First+i]
		if m.Word == isa.WSync {
			break
		}
		name += string(k.Tree.ModText(m))
	}
	return name
}

// movesVector reports whether a mov moves element by element, and some of
// these have values.
func (k *checker) movesVector(out *sema.Inst) bool {
	mods := k.body.ModsOf(out)
	if !slices.Contains(mods, isa.WV2) && !slices.Contains(mods, isa.WV4) || out.Args.Len < 2 {
		return false
	}
	return slices.ContainsFunc(k.body.Of(k.body.Operands[out.Args.First+1].Elems), func(e sema.Operand) bool { return e.Kind != isa.KSink })
}

// sinkRules: a value that is thrown away cannot be read, but for elements of
// a vector that is moved. It returns false after a complaint.
func (k *checker) sinkRules(out *sema.Inst) bool {
	if out.Op == isa.WMov && k.movesVector(out) {
		return true
	}
	for i := int32(1); i < out.Args.Len; i++ {
		o := &k.body.Operands[out.Args.First+i]
		if o.Kind != isa.KVector {
			continue
		}
		for _, e := range k.body.Of(o.Elems) {
			if e.Kind == isa.KSink {
				k.Error(k.instrPos(), "Sink '_' not allowed as a source operand")
				return false
			}
		}
	}
	return true
}

// mixed reports whether a vector holds both integers and floats.
func (k *checker) mixed(out *sema.Operand) bool {
	ints, floats := false, false
	for i := range k.body.Of(out.Elems) {
		e := &k.body.Operands[out.Elems.First+int32(i)]
		if e.Kind != isa.KReg {
			continue
		}
		ints = ints || e.Type.IsInt()
		floats = floats || e.Type.Class() == isa.Float
	}
	return ints && floats
}

// mixedScale reports whether the byte and the thread of a scale are an integer
// and a float, where the first of them has the right size.
func (k *checker) mixedScale(o *sema.Operand) bool {
	list := k.body.Of(o.Elems)
	if k.instr.Op != isa.WMma || len(list) != 2 || list[0].Type.Bits() != 16 && list[0].Kind != isa.KInt {
		return false
	}
	return isFraction(&list[0]) != isFraction(&list[1])
}

func isFraction(o *sema.Operand) bool {
	return o.Kind == isa.KReg && o.Type.Class() == isa.Float || o.Kind == isa.KSingle || o.Kind == isa.KDouble
}

// mixedVectors refuses vectors of integers and floats. It returns false
// after a complaint.
func (k *checker) mixedVectors(out *sema.Inst) bool {
	for i := range k.body.Of(out.Args) {
		o := &k.body.Operands[out.Args.First+int32(i)]
		if o.Kind == isa.KVector && (k.mixed(o) || i > 4 && k.mixedScale(o)) {
			k.Error(k.instrPos(), "Vector with elements of different types are not allowed in "+out.Op.String()+" instruction")
			return false
		}
	}
	return true
}

// vectorType is the type the table sees all registers of a vector as: plain
// bits where one of them is, else that of the first.
func (k *checker) vectorType(out *sema.Operand) isa.Type {
	t := isa.TNone
	for i := range k.body.Of(out.Elems) {
		e := &k.body.Operands[out.Elems.First+int32(i)]
		if e.Kind != isa.KReg || e.Type == isa.Pred {
			continue
		}
		if t == isa.TNone || e.Type.Class() == isa.Bits && e.Type.Bits() == t.Bits() {
			t = e.Type
		}
	}
	return t
}

// addressRules checks the bases of addresses. It returns false after a
// complaint.
func (k *checker) addressRules(in *syntax.Instr, out *sema.Inst) bool {
	ok := true
	for i := range k.body.Of(out.Args) {
		o := &k.body.Operands[out.Args.First+int32(i)]
		if o.Kind == isa.KAddr && o.Elems.Len == 0 {
			ok = k.addressRule(in, &k.Tree.Operands[in.Args.First+int32(i)], o, i) && ok
		}
	}
	return ok
}

func (k *checker) addressRule(in *syntax.Instr, s *syntax.Operand, o *sema.Operand, i int) bool {
	at := k.instrPos()
	kind := "Illegal operand type to instruction '" + k.inst.Row.Name + "'"
	switch o.Base {
	case isa.KReg:
		return k.addressReg(s, o, kind)
	case isa.KInt:
		if k.inst.Space() == isa.SpaceLocal || !k.inst.TakesAddress(i) || k.fraction(s.X) {
			return true
		}
		k.Error(at, "Immediate addresses allowed only for .local state space")
	case isa.KFunc:
		k.badBase(s, "unexpected")
		k.Error(at, kind)
		if in.Op == isa.WLd || in.Op == isa.WSt {
			k.Error(at, kind)
		}
	case isa.KBad, isa.KLabel, isa.KTable:
		k.Error(at, kind)
	case isa.KSpecial:
		if !isa.SpecialReg(o.Ref).Vector() {
			return true
		}
		k.Error(at, "Illegal operand type for address/array-index")
		k.badBase(s, "unexpected")
	default:
		return true
	}
	return false
}

// addressReg: an address register holds an integer or plain bits.
func (k *checker) addressReg(s *syntax.Operand, o *sema.Operand, kind string) bool {
	if l, _, _ := k.scope.find(k.Tree, s.Name); l != nil && l.vec > 1 {
		k.badBase(s, "unexpected")
		return false
	}
	switch o.Type.Class() {
	case isa.Bits:
		if o.Type.Bits() > 64 {
			k.Error(k.instrPos(), "Illegal operand type for address/array-index")
			return false
		}
	case isa.Float, isa.PackedFloat:
		k.badBase(s, o.Type.String())
		return false
	case isa.Predicate:
		k.badBase(s, o.Type.String())
		k.Error(k.instrPos(), kind)
		return false
	}
	return true
}

func (k *checker) badBase(s *syntax.Operand, what string) {
	k.Error(k.instrPos(), "Illegal to use symbol '"+k.Name(s.Name)+"' of type "+what+
		" as address operand. Use integer or bit only.")
}

// branchRule checks the one operand of a bra that is no label. It returns
// false after a complaint.
func (k *checker) branchRule(in *syntax.Instr, out *sema.Inst) bool {
	if out.Args.Len != 1 {
		return true
	}
	at := k.instrPos()
	o := &k.body.Operands[out.Args.First]
	label, register, illegal := false, false, false
	switch o.Kind {
	case isa.KFunc, isa.KTable:
		label = true
	case isa.KSymbol:
		sum := k.Tree.Operands[in.Args.First].Kind == syntax.OpOffset
		label = sum || k.isSingle(o) && isWord(o.Type)
		register = label && !sum
		illegal = register && o.Type.Bits() != 32 && o.Type.Bits() != 64
	case isa.KAddr:
		label, register = true, true
	case isa.KVector, isa.KDouble, isa.KSingle:
	case isa.KReg:
		label = isWord(o.Type)
		illegal = label && o.Type.Bits() != 32 && o.Type.Bits() != 64
	case isa.KSpecial:
		if !isa.SpecialReg(o.Ref).Vector() || o.Comp != 0 {
			return true
		}
	default:
		return true
	}
	if label {
		k.Error(at, "Label expected for argument 0 of instruction 'bra'")
	} else {
		k.Error(at, "Arguments mismatch for instruction 'bra'")
	}
	if register {
		k.Error(at, "Argument 0 of instruction 'bra': must be register")
	}
	if illegal {
		k.Error(at, "Illegal target for instruction 'bra'")
	}
	return false
}

// isWord reports whether t is of bits or an integer.
func isWord(t isa.Type) bool { return t.IsInt() || t.Class() == isa.Bits }

// isSingle reports whether a variable or parameter is one value.
func (k *checker) isSingle(o *sema.Operand) bool {
	s := k.shapeOf(o, nil)
	return s != nil && !s.Array && s.Vec <= 1
}
