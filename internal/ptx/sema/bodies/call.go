package bodies

import (
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/setting"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// call checks a call: (results), target, (arguments), prototype.
func (k *checker) call(in *syntax.Instr, words syntax.List) {
	out := sema.Inst{Op: in.Op, Mods: words, Guard: -1, Pos: in.OpPos, Call: int32(len(k.body.Calls))}
	c := sema.Call{Func: -1, Table: -1}
	if !k.callWords(in, &out) {
		k.body.Instrs = append(k.body.Instrs, out)
		k.body.Calls = append(k.body.Calls, c)
		return
	}
	args := k.Tree.Of(in.Args)
	if len(args) == 0 {
		return
	}
	rets, acts := k.actuals(in.Ret), k.actuals(in.Actuals)
	c.Rets, c.Actuals = rets, acts
	target, _ := k.named(args[0].Name)
	c.Target = target
	if len(args) == 1 {
		k.direct(&args[0], &target, &c, in)
	} else {
		k.indirect(args, &target, &c, in)
	}
	for i := range rets.Len {
		if v := k.body.Operands[rets.First+i]; v.Kind == isa.KSymbol && v.Formal() < 0 && v.Local() >= 0 {
			k.param.write(v.Local())
		}
	}
	k.body.Instrs = append(k.body.Instrs, out)
	k.body.Calls = append(k.body.Calls, c)
}

// callWords checks guard and modifiers: .uni alone is allowed.
func (k *checker) callWords(in *syntax.Instr, out *sema.Inst) bool {
	k.guard(in, out)
	ok := true
	for i := in.Mods.First; i < in.Mods.First+in.Mods.Len; i++ {
		m := &k.Tree.Mods[i]
		switch {
		case m.Word == isa.WUni:
		case m.Word == isa.WNone:
			k.Error(k.instrPos(), "Unknown modifier '"+string(k.Tree.ModText(m))+"'")
		case m.Word.IsType():
			k.Error(k.instrPos(), "Unexpected instruction types specified for 'call'")
			ok = false
		case m.Word.IsSpace():
			k.Error(k.instrPos(), "No state space qualifier expected for instruction 'call'")
		default:
			k.Error(k.instrPos(), "Illegal modifier '"+string(k.Tree.ModText(m))+"' for instruction 'call'")
		}
	}
	if in.Guard != syntax.None && k.guardKind != isa.KReg {
		k.Error(k.instrPos(), "Predicate expression expected")
		ok = false
	}
	return ok
}

// actuals resolves a list of results or arguments.
func (k *checker) actuals(list syntax.List) syntax.List {
	first := len(k.stack)
	for i := range list.Len {
		k.stack = append(k.stack, k.operand(&k.Tree.Operands[list.First+i]))
	}
	out := syntax.List{First: int32(len(k.body.Operands)), Len: list.Len}
	k.body.Operands = append(k.body.Operands, k.stack[first:]...)
	k.stack = k.stack[:first]
	return out
}

// direct checks a call of a named function.
func (k *checker) direct(o *syntax.Operand, target *sema.Operand, c *sema.Call, in *syntax.Instr) {
	at := k.instrPos()
	switch target.Kind {
	case isa.KFunc:
		f := &k.Module.Funcs[target.Ref]
		k.callUse(target.Ref)
		c.Func = target.Ref
		if f.Entry {
			k.Error(at, "Illegal call target, device function expected")
		}
		k.checkCall(&f.Proto, c, in)
	case isa.KBad:
		k.Error(at, "Call to '"+k.Name(o.Name)+"' requires call prototype")
		k.unknown(o)
	case isa.KLabel:
		k.Error(at, "Call to '"+k.Name(o.Name)+"' requires call prototype")
	case isa.KReg:
		if target.Type.Class() == isa.Float || target.Type == isa.Pred {
			k.Error(at, "Arguments mismatch for instruction 'call'")
			return
		}
		k.Error(at, "Label expected for argument 0 of instruction 'call'")
		if len(k.body.Of(c.Rets))+len(k.body.Of(c.Actuals)) > 0 {
			k.Fatal(at, "Call target not recognized")
		}
	default:
		k.Error(at, "Label expected for argument 0 of instruction 'call'")
		k.Error(at, "Argument 0 of instruction 'call': must be register")
	}
}

var (
	featIndirect     = setting.Feature{Name: "indirect call", Version: 21}
	featFuncAddress  = setting.Feature{Name: "device function addresses", Version: 21}
	featEntryAddress = setting.Feature{Name: "kernel function addresses", Version: 31}
)

// indirect checks a call through a register with a table of targets or a
// prototype.
func (k *checker) indirect(args []syntax.Operand, target *sema.Operand, c *sema.Call, in *syntax.Instr) {
	at := k.instrPos()
	k.GateVersion(at, &featIndirect)
	if k.Target.Before(20) {
		k.Error(at, "Instruction 'indirect call' requires .target sm_20 or higher")
	}
	table, _ := k.named(args[1].Name)
	if table.Kind == isa.KBad {
		k.Error(args[1].Pos, "Unknown symbol '"+k.Name(args[1].Name)+"'")
		k.Error(at, "Arguments mismatch for instruction 'call'")
		k.unknown(&args[1])
		return
	}
	switch {
	case target.Kind == isa.KBad:
		k.unknown(&args[0])
		k.Error(at, "Arguments mismatch for instruction 'call'")
		return
	case target.Kind != isa.KReg:
		k.Error(at, "Argument 0 of instruction 'call': must be register")
	case target.Type.Class() == isa.Float || target.Type == isa.Pred:
		k.Error(at, "Arguments mismatch for instruction 'call'")
		return
	case target.Type.Bits() < 32:
		k.Error(at, "Illegal target for instruction 'call'")
		return
	}
	if table.Kind != isa.KTable {
		k.Fatal(at, "Call target not recognized")
		return
	}
	c.Table, k.facts.Indirect = table.Ref, true
	t := &k.body.Tables[table.Ref]
	if t.Proto >= 0 {
		p := &k.body.Protos[t.Proto]
		k.facts.NarrowArg = k.facts.NarrowArg || sema.AnyNarrow(p.Params)
		k.checkCall(p, c, in)
		return
	}
	k.throughTable(t, c, in)
}

// throughTable checks a call against every function of a .calltargets.
func (k *checker) throughTable(t *sema.Table, c *sema.Call, in *syntax.Instr) {
	if t.Kind != isa.WCalltargets {
		k.Fatal(k.instrPos(), "Call target not recognized")
		return
	}
	for _, f := range k.body.Targets[t.List.First : t.List.First+t.List.Len] {
		if f < 0 {
			k.Fatal(k.instrPos(), "Call target not recognized")
			return
		}
		k.callUse(f)
		k.checkCall(&k.Module.Funcs[f].Proto, c, in)
	}
}

// checkCall compares the lists of a call with a signature.
func (k *checker) checkCall(p *sema.Proto, c *sema.Call, in *syntax.Instr) {
	n := len(p.Params)
	rets, acts := int(c.Rets.Len), int(c.Actuals.Len)
	few := n > 0 && p.Params[n-1].Shape.Open && acts == n-1
	if rets != len(p.Rets) || acts != n && !few {
		k.Error(k.instrPos(), "Call has wrong number of parameters")
	}
	rets, acts = min(rets, len(p.Rets)), min(acts, n)
	for i := range rets {
		k.actual(&p.Rets[i], c.Rets.First+int32(i), in.Ret.First+int32(i), true)
	}
	for i := range acts {
		k.actual(&p.Params[i], c.Actuals.First+int32(i), in.Actuals.First+int32(i), false)
	}
}

// actual compares one actual parameter with its formal.
func (k *checker) actual(p *sema.Param, op, syn int32, result bool) {
	at := k.instrPos()
	a := &k.body.Operands[op]
	name := k.Name(k.Tree.Operands[syn].Name)
	switch a.Kind {
	case isa.KSink:
		if !result {
			k.Error(at, "Illegal argument for formal parameter '"+p.Name+"'")
		}
		return
	case isa.KInt, isa.KDouble, isa.KSingle:
		if result {
			k.Error(at, "Illegal argument for formal parameter '"+p.Name+"'") // the reference crashes
			return
		}
		if !constFits(a.Kind, p.Shape.Type) || p.Shape.Array {
			k.Error(at, "Type of argument does not match formal parameter '"+p.Name+"'")
		}
		return
	case isa.KReg, isa.KVector:
		if p.Shape.Array {
			k.Error(at, "Inconsistent state space for parameter '"+name+"'")
		}
		k.compare(p, k.regShape(a), at)
	case isa.KSymbol:
		switch {
		case a.Formal() >= 0:
			k.Error(at, "Formal parameter '"+name+"' declared in .param space cannot be used as argument to call")
		case a.Space != isa.SpaceParam:
			k.Error(at, "Call argument '"+name+"' has illegal state space")
		}
		k.compare(p, *k.shapeOf(a, nil), at)
	default:
		if a.Kind == isa.KFunc {
			k.Error(at, "Call argument '"+name+"' has illegal state space")
		} else {
			k.Error(at, "Illegal argument for formal parameter '"+p.Name+"'")
		}
		k.Error(at, "Type of argument does not match formal parameter '"+p.Name+"'")
		k.Error(at, "Alignment of argument does not match formal parameter '"+p.Name+"'")
	}
}

// regShape is the shape of a register as an argument.
func (k *checker) regShape(a *sema.Operand) sema.Shape {
	s := sema.Shape{Type: a.Type, Vec: 1, Elems: 1}
	if a.Kind == isa.KVector {
		s.Vec = uint8(a.Elems.Len)
		s.Type = k.body.Operands[a.Elems.First].Type
	}
	s.Align = s.Unit()
	if s.Type == isa.Pred {
		s.Align = predAlign
	}
	return s
}

// predAlign is the alignment that a predicate counts with, as an argument and
// as a parameter.
const predAlign = 4

// compare reports differences of type and alignment.
func (k *checker) compare(p *sema.Param, s sema.Shape, at src.Pos) {
	f := &p.Shape
	same := f.Vec == s.Vec && f.Array == s.Array && goesWith(f.Type, s.Type)
	if same && f.Array && !f.Open {
		same = f.Elems == s.Elems && f.Type.Bits() == s.Type.Bits()
	}
	if !same {
		k.Error(at, "Type of argument does not match formal parameter '"+p.Name+"'")
	}
	if f.Align != s.Align && (f.Type != isa.Pred || s.Align != predAlign) {
		k.Error(at, "Alignment of argument does not match formal parameter '"+p.Name+"'")
	}
}

// goesWith: equal widths, and equal classes unless one side is plain bits.
func goesWith(a, b isa.Type) bool {
	if a == isa.Pred || b == isa.Pred {
		return a == b
	}
	if a.Bits() != b.Bits() {
		return false
	}
	ca, cb := a.Class(), b.Class()
	return ca == isa.Bits || cb == isa.Bits || (ca == isa.Float) == (cb == isa.Float)
}

func constFits(kind isa.Kind, t isa.Type) bool {
	if t.Class() == isa.Bits {
		return true
	}
	if kind == isa.KInt {
		return t.IsInt() || t == isa.Pred
	}
	return t == isa.F32 || t == isa.F64
}

// funcUse notes that the address of a function is taken.
func (k *checker) funcUse(f int32, pos src.Pos, arith bool) {
	fn := &k.Module.Funcs[f]
	at := k.instrPos()
	if fn.Entry {
		k.GateVersion(at, &featEntryAddress)
		if k.Target.Before(35) {
			k.Error(at, "Instruction 'kernel function address' requires .target sm_35 or higher")
		}
	} else {
		k.GateVersion(at, &featFuncAddress)
	}
	_, line := k.Tree.File.Line(at)
	k.facts.Taken = append(k.facts.Taken, sema.TakenFunc{Fn: f, Line: line, Arith: arith})
}
