package bodies

import (
	"strings"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/eval"
	"github.com/goptxas/goptxas/internal/ptx/sema/textpos"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// operand resolves one operand.
func (k *checker) operand(o *syntax.Operand) sema.Operand {
	switch o.Kind {
	case syntax.OpName:
		return k.nameOperand(o)
	case syntax.OpImm:
		return k.constant(o)
	case syntax.OpAddr:
		return k.address(o)
	case syntax.OpVec:
		return k.vector(o)
	case syntax.OpOffset:
		return k.offset(o)
	case syntax.OpIndex:
		return k.index(o)
	case syntax.OpTex:
		return k.texture(o)
	case syntax.OpPair:
		return k.pair(o)
	case syntax.OpSink:
		return sema.Operand{Kind: isa.KSink, Pair: -1, Index: -1}
	}
	return sema.Operand{Pair: -1, Index: -1}
}

// constant evaluates an immediate.
func (k *checker) constant(o *syntax.Operand) sema.Operand {
	v := k.Eval.Eval(o.X)
	out := sema.Operand{Value: v.Bits, Pair: -1, Index: -1}
	switch v.Kind {
	case eval.Int, eval.Uint:
		out.Kind = isa.KInt
	case eval.Float:
		out.Kind = isa.KDouble
	case eval.Raw:
		out.Kind = isa.KSingle
	}
	return out
}

// named finds what a name means. The operand's Kind is KBad when it means
// nothing yet.
func (k *checker) named(n syntax.Name) (out sema.Operand, l *local) {
	out = sema.Operand{Pair: -1, Index: -1}
	l, num, member := k.scope.find(k.Tree, n)
	if l == nil {
		k.global(n, &out)
		return out, nil
	}
	switch l.kind {
	case localReg:
		out.Kind, out.Ref = isa.KReg, l.index
	case localFamily:
		if !member {
			k.global(n, &out)
			return out, nil
		}
		out.Kind, out.Ref = isa.KReg, k.member(l, num)
	case localVar:
		v := &k.body.Vars[l.index]
		out.Kind, out.Ref, out.Space = isa.KSymbol, -l.index-1, v.Space
	case localVars:
		if !member {
			k.global(n, &out)
			return out, nil
		}
		i := l.index + int32(num)
		out.Kind, out.Ref, out.Space = isa.KSymbol, -i-1, k.body.Vars[i].Space
	case localParam:
		out.Kind, out.Ref, out.Space = isa.KSymbol, paramRef(l.index), isa.SpaceParam
	case localLabel:
		out.Kind, out.Ref = isa.KLabel, l.index
	case localTable:
		out.Kind, out.Ref = isa.KTable, l.index
	}
	out.Type = l.typ
	return out, l
}

func paramRef(i int32) int32 { return sema.ParamBase - i }

// member returns the register of a family with the given number.
func (k *checker) member(l *local, num uint32) int32 {
	f := &k.scope.families[l.index]
	if f.big != nil {
		r, ok := f.big[num]
		if !ok {
			r = k.newReg(l, int32(num))
			f.big[num] = r
		}
		return r
	}
	slot := &k.scope.numbered[f.base+int32(num)]
	if *slot == 0 {
		*slot = k.newReg(l, int32(num)) + 1
	}
	return *slot - 1
}

func (k *checker) newReg(l *local, num int32) int32 {
	r := int32(len(k.body.Regs))
	for e := range l.vec {
		k.body.Regs = append(k.body.Regs, sema.Reg{Name: l.name, Num: num, Type: l.typ, Elem: e})
	}
	return r
}

// global looks a name up at module level and among the special registers.
func (k *checker) global(n syntax.Name, out *sema.Operand) {
	info := &k.scope.names[n]
	if info.module == 0 {
		info.module = -1
		text := k.Tree.Names.Bytes(n)
		info.sreg = -1
		if s := k.Module.Lookup(k.File, text); s >= 0 && s < k.Func.Order {
			info.module = s + 1
		} else if text[0] == '%' {
			if r, ok := isa.Lookup(text).Special(); ok {
				info.sreg = int16(r)
			}
		}
	}
	switch {
	case info.module > 0:
		k.moduleSymbol(info.module-1, out)
	case info.sreg >= 0:
		r := isa.SpecialReg(info.sreg)
		out.Kind, out.Ref, out.Type = isa.KSpecial, int32(r), r.Type()
	}
}

func (k *checker) moduleSymbol(s int32, out *sema.Operand) {
	sym := &k.Module.Syms[s]
	if sym.Func >= 0 {
		out.Kind, out.Ref = isa.KFunc, sym.Func
		return
	}
	v := &k.Module.Vars[sym.Var]
	out.Kind, out.Ref, out.Type, out.Space = isa.KSymbol, s, v.Shape.Type, v.Space
	if v.Space == isa.SpaceReg {
		out.Kind, out.Ref, out.Space = isa.KReg, k.moduleReg(s, v), isa.Generic
	}
	k.useVar(sym.Var)
}

// moduleReg gives a module-scoped register of the first versions a register
// of this body.
func (k *checker) moduleReg(s int32, v *sema.Var) int32 {
	for _, m := range k.body.Module {
		if m.Sym == s {
			return m.Reg
		}
	}
	r := int32(len(k.body.Regs))
	for e := range v.Shape.Vec {
		k.body.Module = append(k.body.Module, sema.ModuleReg{Sym: s, Elem: int32(e), Reg: int32(len(k.body.Regs))})
		k.body.Regs = append(k.body.Regs, sema.Reg{Num: -1, Type: v.Shape.Type, Elem: e})
	}
	return r
}

// nameOperand resolves a name with its marks and selector.
func (k *checker) nameOperand(o *syntax.Operand) sema.Operand {
	out, l := k.named(o.Name)
	if o.Flags&syntax.FlagNot != 0 {
		out.Flags |= sema.Not
	}
	if o.Flags&syntax.FlagNeg != 0 {
		out.Flags |= sema.Neg
	}
	switch {
	case out.Kind == isa.KBad:
		k.unknown(o)
		if o.Flags&syntax.FlagSel != 0 {
			k.fieldOfNone(o, &out)
		}
	case o.Flags&syntax.FlagSel != 0 && out.Kind == isa.KLabel:
		k.fieldOfNone(o, &out)
	case o.Flags&syntax.FlagSel != 0:
		k.selector(o, &out, l)
	case l != nil && l.vec > 1 && out.Kind == isa.KReg:
		k.vectorReg(l, &out)
	}
	if o.Flags&syntax.FlagNeg != 0 && !negatable(&out) {
		k.Error(k.After(o.Pos), "Illegal argument to unary minus")
	}
	return out
}

// negatable reports whether an operand is a number of 32 bits.
func negatable(o *sema.Operand) bool {
	switch o.Kind {
	case isa.KSpecial, isa.KInt:
		return true
	case isa.KReg, isa.KSymbol:
		return o.Elems.Len == 0 && o.Type != isa.Pred && !o.Type.IsFloat() && o.Type.Bits() == 32
	}
	return false
}

// component returns the element that a vector selector names, or -1.
func component(w isa.Word) int {
	switch w {
	case isa.WX, isa.WR:
		return 0
	case isa.WY, isa.WG:
		return 1
	case isa.WZ, isa.WB:
		return 2
	case isa.WW, isa.WA:
		return 3
	}
	return -1
}

// selector applies .x or .b0 to a register.
func (k *checker) selector(o *syntax.Operand, out *sema.Operand, l *local) {
	c := component(o.Sel)
	switch {
	case out.Kind == isa.KSpecial && isa.SpecialReg(out.Ref).Vector():
		if c < 0 {
			handled := k.handled
			k.badComponent(o)
			c, k.handled = 0, handled // what the instruction does with it is judged too
		}
		out.Comp = uint8(c) + 1
	case out.Kind != isa.KReg:
		k.noField(o)
	case out.Kind == isa.KReg && l != nil && l.vec > 1:
		if c < 0 {
			k.badComponent(o)
			c = 0
		}
		if c >= int(l.vec) { // the reference dies of it
			k.Error(k.After(o.Pos), "Unknown vector selector: '"+string(k.Tree.SelText(o))[1:]+"'")
			k.handled = true
			c = 0
		}
		out.Ref += int32(c)
	case out.Type != isa.Pred && out.Type.Bits() != 32:
		k.fieldOfNone(o, out)
	default:
		out.Sel = o.Sel
		out.Flags |= sema.Selected
		out.Value = selectorDigits(k.Tree.SelText(o))
	}
}

// selectorDigits packs the digits of a selector such as .b3210, four bits
// each with the last one lowest, and their number above them.
func selectorDigits(text []byte) uint64 {
	v, n := uint64(0), uint64(0)
	for _, c := range text {
		if c >= '0' && c <= '7' && n < 4 {
			v, n = v<<4|uint64(c-'0'), n+1
		}
	}
	return v | n<<16
}

// fieldOfNone refuses a selector after a label, a name without a meaning or a
// register that is not of 32 bits. The reference takes it for an integer and judges the rest.
func (k *checker) fieldOfNone(o *syntax.Operand, out *sema.Operand) {
	handled := k.handled
	k.noField(o)
	k.handled = handled
	*out = sema.Operand{Kind: isa.KInt, Flags: out.Flags, Pair: -1, Index: -1}
}

// noField refuses a selector after what has no parts.
func (k *checker) noField(o *syntax.Operand) {
	k.Error(k.After(o.Pos), "Unknown field '"+string(k.Tree.SelText(o))+"'")
	k.handled = true
}

// badComponent refuses a selector that names no component.
func (k *checker) badComponent(o *syntax.Operand) {
	text := string(k.Tree.SelText(o))[1:]
	if strings.IndexByte("xyzwrgba", text[0]) < 0 {
		k.Error(k.After(o.Pos), "Unknown vector selector: '"+text[:1]+"'")
	}
	if len(text) > 1 {
		k.Error(k.After(o.Pos), "Unimplemented feature: vector swizzle")
	}
	k.handled = true
}

// vectorReg spreads a vector register that stands without a selector.
func (k *checker) vectorReg(l *local, out *sema.Operand) {
	first := out.Ref
	at := int32(len(k.body.Operands))
	for e := range l.vec {
		k.body.Operands = append(k.body.Operands,
			sema.Operand{Kind: isa.KReg, Type: l.typ, Ref: first + int32(e), Pair: -1, Index: -1})
	}
	out.Kind, out.Ref = isa.KVector, 0
	out.Elems = syntax.List{First: at, Len: int32(l.vec)}
}

// unknown records the use of a name without a meaning.
func (k *checker) unknown(o *syntax.Operand) {
	p := o.Pos
	for int(p) < len(k.Text) && (k.Text[p] == '!' || k.Text[p] == '-' || k.Text[p] == '@' || k.Text[p] == '[') {
		p = textpos.SkipBlank(k.Text, p+1)
	}
	k.scope.wait(o.Name, p, noPatch)
}

// integerOffset evaluates an offset, which must be an integer.
func (k *checker) integerOffset(x int32) uint64 {
	if e := &k.Tree.Exprs[x]; e.Op == syntax.ExprInt && e.Flags&syntax.FlagOverflow == 0 {
		return e.Val
	}
	v := k.Eval.Eval(x)
	if fractional(v.Kind) {
		k.Error(k.Eval.NoticedEnd(x), "Integer constant expression expected")
	}
	return v.Bits
}

// fractional reports whether a value is no integer.
func fractional(v eval.ValueKind) bool { return v == eval.Float || v == eval.Raw }

// fraction reports whether an offset is a number that was refused already.
func (k *checker) fraction(x int32) bool {
	e := &k.Tree.Exprs[x]
	return e.Op != syntax.ExprInt && fractional(k.Eval.Eval(x).Kind)
}

// offset resolves name+expr outside brackets.
func (k *checker) offset(o *syntax.Operand) sema.Operand {
	out, l := k.named(o.Name)
	v := k.integerOffset(o.X)
	out.Value = v
	switch out.Kind {
	case isa.KBad:
		k.unknown(o)
		// The reference takes the sum for an address and lets it pass.
		out.Kind, out.Type, out.Ref = isa.KSymbol, isa.B64, sema.NoRef
	case isa.KFunc:
		k.funcUse(out.Ref, o.Pos, true)
	case isa.KReg:
		if l != nil && l.vec > 1 {
			k.vectorReg(l, &out)
		}
	}
	return out
}

// index resolves name[i].
func (k *checker) index(o *syntax.Operand) sema.Operand {
	out, l := k.named(o.Name)
	shape := k.shapeOf(&out, l)
	if out.Kind == isa.KBad {
		k.unknown(o)
	}
	kid := &k.Tree.Operands[o.X]
	scale := uint64(1)
	if shape == nil || !shape.Array {
		k.Error(k.After(o.Pos), "Array indexing on non-array")
		if out.Kind != isa.KSymbol && k.instr.Op == isa.WMov {
			k.handled = true
		}
	} else {
		scale = k.rowSize(&out)
	}
	out.Elems = syntax.List{}
	switch kid.Kind {
	case syntax.OpImm:
		out.Value = k.integerOffset(kid.X) * scale
	default:
		r, _ := k.named(kid.Name)
		if r.Kind == isa.KBad {
			k.unknown(kid)
		}
		if r.Kind == isa.KReg {
			out.Index = r.Ref
		}
		if kid.Kind == syntax.OpOffset {
			out.Value = k.integerOffset(kid.X) * scale
		}
	}
	if shape != nil && shape.Array && k.instr.Op != isa.WMov && k.instr.Op != isa.WCvta {
		// In a memory instruction the element itself is meant.
		out.Kind, out.Base = isa.KAddr, isa.KSymbol
	}
	return out
}

// shapeOf returns the shape of the variable an operand names, or nil.
func (k *checker) shapeOf(out *sema.Operand, l *local) *sema.Shape {
	if out.Kind != isa.KSymbol {
		return nil
	}
	if i := out.Formal(); i >= 0 {
		return &k.Func.Formal(int(i)).Shape
	}
	if i := out.Local(); i >= 0 {
		return &k.body.Vars[i].Shape
	}
	return &k.Module.Vars[k.Module.Syms[out.Ref].Var].Shape
}

// rowSize returns the bytes that one step of a variable's first index is.
func (k *checker) rowSize(out *sema.Operand) uint64 {
	s := k.shapeOf(out, nil)
	if s == nil {
		return 1
	}
	return s.Unit()
}

// vector resolves {a, b, …}.
func (k *checker) vector(o *syntax.Operand) sema.Operand {
	tmp := len(k.stack)
	for i := range o.N {
		k.stack = append(k.stack, k.operand(&k.Tree.Operands[o.X+i]))
	}
	out := sema.Operand{Kind: isa.KVector, Pair: -1, Index: -1}
	out.Elems = syntax.List{First: int32(len(k.body.Operands)), Len: o.N}
	k.body.Operands = append(k.body.Operands, k.stack[tmp:]...)
	k.stack = k.stack[:tmp]
	if o.Pos != 0 {
		k.vectorRules(o, &out)
	}
	return out
}

// pair resolves d|p.
func (k *checker) pair(o *syntax.Operand) sema.Operand {
	out := k.operand(&k.Tree.Operands[o.X])
	q := k.operand(&k.Tree.Operands[o.X+1])
	out.Flags |= sema.Paired
	out.PairKind = q.Kind
	if q.Kind == isa.KReg {
		out.Pair, out.PairType = q.Ref, q.Type
	}
	return out
}

// address resolves [base+offset].
func (k *checker) address(o *syntax.Operand) sema.Operand {
	out := sema.Operand{Kind: isa.KAddr, Pair: -1, Index: -1}
	if o.Flags&syntax.FlagUnified != 0 {
		out.Flags |= sema.Unified
	}
	if o.Name == 0 {
		out.Base, out.Value = isa.KInt, k.integerOffset(o.X)
		return out
	}
	b, _ := k.named(o.Name)
	if b.Kind == isa.KBad {
		k.unknown(o)
	}
	out.Base, out.Ref, out.Type, out.Space = b.Kind, b.Ref, b.Type, b.Space
	if o.X != syntax.None {
		out.Value = k.integerOffset(o.X)
	}
	return out
}

// texture resolves [t, s, {coordinates}].
func (k *checker) texture(o *syntax.Operand) sema.Operand {
	out := sema.Operand{Kind: isa.KAddr, Pair: -1, Index: -1}
	b, _ := k.named(o.Name)
	if b.Kind == isa.KBad {
		k.unknown(o)
	}
	out.Base, out.Ref, out.Type, out.Space = b.Kind, b.Ref, b.Type, b.Space
	kids := syntax.Operand{Kind: syntax.OpVec, X: o.X, N: o.N}
	out.Elems = k.vector(&kids).Elems
	return out
}
