package bodies

import (
	"strconv"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/declare"
	"github.com/goptxas/goptxas/internal/ptx/sema/setting"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// declare enters the names of a declaration in a body.
func (k *checker) declare(d *syntax.Decl) {
	h := declare.Head(&k.Context, d)
	for i := d.Vars.First; i < d.Vars.First+d.Vars.Len; i++ {
		v := &k.Tree.Vars[i]
		if v.Name == 0 {
			continue
		}
		s := declare.Shape(&k.Context, &h, v)
		init, ok := declare.InitVar(&k.Context, &h, v, &s)
		if !ok {
			return
		}
		declare.Legal(&k.Context, &h, v, &s)
		if v.Range != syntax.None {
			k.declareFamily(&h, v, &init)
		} else {
			k.declareOne(&h, v, &init)
		}
		if k.Unit.Fatal() {
			return
		}
	}
}

// free reports whether a name may be declared in this block, and complains
// if not.
func (k *checker) free(v *syntax.Var) bool {
	taken := k.scope.here(v.Name) != nil
	if info := k.scope.split(k.Tree, v.Name); !taken && info.split == isSplit {
		f := k.scope.familyHere(info.prefix)
		taken = f != nil && info.num < f.count
	}
	if taken {
		k.Error(k.After(v.Pos), "Duplicate definition of variable '"+k.Name(v.Name)+"'")
	}
	return !taken
}

func (k *checker) declareOne(h *declare.DeclHead, v *syntax.Var, init *sema.Var) {
	if !k.free(v) {
		return
	}
	l := local{kind: localReg, name: v.Name, typ: h.Typ, vec: h.Vec}
	if h.Space == isa.SpaceReg {
		l.index = k.newReg(&l, -1)
		k.scope.add(l)
		return
	}
	l.kind, l.index = localVar, k.addVar(h, v, init, k.Name(v.Name))
	k.scope.add(l)
}

// addVar makes a variable of the body.
func (k *checker) addVar(h *declare.DeclHead, v *syntax.Var, init *sema.Var, name string) int32 {
	i := int32(len(k.body.Vars))
	nv := *init
	nv.Name, nv.File, nv.Pos, nv.Defined = name, k.File, v.Pos, true
	nv.Managed, nv.Unified, nv.UnifiedA, nv.UnifiedB = h.Managed, h.Unified, h.UniA, h.UniB
	k.body.Vars = append(k.body.Vars, nv)
	k.noteOwn(i, &nv)
	s := &nv.Shape
	switch h.Space {
	case isa.SpaceShared:
		k.facts.Shared = append(k.facts.Shared, *s)
	case isa.SpaceConst:
		k.facts.Consts = append(k.facts.Consts, *s)
	}
	return i
}

// declareFamily enters name<count>: registers that are made when they are
// used, or that many variables.
func (k *checker) declareFamily(h *declare.DeclHead, v *syntax.Var, init *sema.Var) {
	n := k.Word32(v.Range)
	if f := k.scope.familyHere(v.Name); f != nil {
		k.Error(k.After(v.Pos), "Duplicate definition of variable '"+k.Name(v.Name)+"<'")
		return
	}
	k.familyClash(v, n)
	l := local{kind: localFamily, name: v.Name, typ: h.Typ, vec: h.Vec, count: n}
	if h.Space == isa.SpaceReg {
		if n > declare.MaxRegFamily {
			k.Fatal(setting.NoPos, "Memory allocation failure")
			return
		}
		l.index = k.newFamily(n)
		k.scope.add(l)
		return
	}
	if n > declare.MaxFamily {
		k.Fatal(setting.NoPos, "Memory allocation failure")
		return
	}
	l.kind, l.index = localVars, int32(len(k.body.Vars))
	base := k.Name(v.Name)
	for i := range n {
		k.addVar(h, v, init, base+strconv.FormatUint(uint64(i), 10))
	}
	k.scope.add(l)
}

// familyClash reports single names of this block that the family contains.
// The family hides them.
func (k *checker) familyClash(v *syntax.Var, n uint32) {
	d := k.scope.depth()
	for i := int(k.scope.marks[d-1]); i < len(k.scope.locals); i++ {
		l := &k.scope.locals[i]
		if l.kind == localFamily || l.kind == localVars || l.kind == localLabel || l.kind == localTable {
			continue
		}
		info := k.scope.split(k.Tree, l.name)
		if info.split == isSplit && info.prefix == v.Name && info.num < n {
			k.Error(k.After(v.Pos), "Duplicate definition of variable '"+k.Name(l.name)+"'")
			k.scope.names[l.name].sym = l.prev
		}
	}
}

// newFamily makes room for the numbers of a family. One that is larger than
// the text can name is kept in a map instead.
func (k *checker) newFamily(n uint32) int32 {
	i := int32(len(k.scope.families))
	if int64(n) > int64(len(k.Text))+1024 {
		k.scope.families = append(k.scope.families, family{big: map[uint32]int32{}})
		return i
	}
	base := len(k.scope.numbered)
	k.scope.families = append(k.scope.families, family{base: int32(base)})
	need := base + int(n)
	for cap(k.scope.numbered) < need {
		k.scope.numbered = append(k.scope.numbered[:cap(k.scope.numbered)], 0)
	}
	k.scope.numbered = k.scope.numbered[:need]
	clear(k.scope.numbered[base:])
	return i
}

// label gives a place a name, and what waited for it a meaning. The label
// of a table of targets or a prototype is no place.
func (k *checker) label(i int, s *syntax.Stmt) {
	kind := syntax.StmtBad
	if i+1 < len(k.Tree.Stmts) {
		kind = k.Tree.Stmts[i+1].Kind
	}
	table := kind == syntax.StmtTargets || kind == syntax.StmtProto
	if k.scope.here(s.Name) != nil {
		k.Error(s.End, "Duplicate definition of label '"+k.Name(s.Name)+"'")
		return
	}
	if table {
		k.scope.add(local{kind: localTable, name: s.Name, index: int32(len(k.body.Tables))})
		return
	}
	l := int32(len(k.body.Labels))
	k.body.Labels = append(k.body.Labels, sema.Label{Name: s.Name, At: int32(len(k.body.Instrs))})
	k.scope.add(local{kind: localLabel, name: s.Name, index: l})
	if m, _, _ := k.scope.find(k.Tree, s.Name); m.kind == localLabel { // no register of a family hides it
		k.resolve(s.Name, l)
	}
}

// resolve gives the uses of this block that waited for a label the label.
func (k *checker) resolve(n syntax.Name, label int32) {
	sc := &k.scope
	for i := sc.names[n].pend; i > 0; i = sc.pending[i-1].next {
		p := &sc.pending[i-1]
		if p.used || p.depth < sc.depth() {
			continue
		}
		p.used = true
		sc.open--
		switch {
		case p.patch == noPatch:
		case p.patch >= 0:
			o := &k.body.Operands[p.patch]
			o.Kind, o.Ref = isa.KLabel, label
		default:
			k.body.Targets[-p.patch-1] = label
		}
	}
}

// loc records a source line.
func (k *checker) loc(s *syntax.Stmt) {
	d := &k.Tree.Locs[s.Index]
	k.facts.Locs = true
	line := sema.Line{At: int32(len(k.body.Instrs)), File: d.File, Line: d.Line, Col: d.Col, Of: -1}
	if d.Func != 0 {
		if !k.afterLoc {
			// Right after another .loc the reference does not look.
			k.Gate(s.Pos, &setting.FeatInlined)
		}
		line.Func = d.Func
		if d.FuncOff != syntax.None {
			line.Off = k.Word64(d.FuncOff)
		}
		for i := len(k.body.Lines) - 1; i >= 0 && line.Of < 0; i-- {
			if l := &k.body.Lines[i]; l.File == d.AtFile && l.Line == d.AtLine && l.Col == d.At {
				line.Of = int32(i)
			}
		}
		if line.Of < 0 {
			k.Error(s.Pos, "Source location "+num(d.AtFile)+" "+num(d.AtLine)+" "+num(d.At)+
				" used in inlined_at directive must be used in a preceding .loc directive")
		}
		if k.Version >= setting.FeatInlined.Version {
			k.facts.Inlined = append(k.facts.Inlined, k.Name(d.Func))
		}
	}
	k.body.Lines = append(k.body.Lines, line)
}

func num(v uint32) string { return strconv.FormatUint(uint64(v), 10) }

// targets reads a .branchtargets or .calltargets.
func (k *checker) targets(a *syntax.Attr) {
	t := sema.Table{Kind: a.Word, Proto: -1, List: syntax.List{First: int32(len(k.body.Targets))}}
	if a.Word == isa.WBranchtargets {
		k.Gate(a.Pos, &setting.FeatBranchTgts)
	} else {
		k.Gate(a.Pos, &setting.FeatCallTgts)
	}
	for _, o := range k.Tree.Of(a.Args) {
		switch {
		case a.Word == isa.WCalltargets:
			k.callTarget(&o)
		case o.Kind == syntax.OpRange:
			k.labelRange(&o)
		default:
			k.branchTarget(&o, o.Name)
		}
	}
	t.List.Len = int32(len(k.body.Targets)) - t.List.First
	k.body.Tables = append(k.body.Tables, t)
}

func (k *checker) branchTarget(o *syntax.Operand, n syntax.Name) {
	l, _, _ := k.scope.find(k.Tree, n)
	at := int32(len(k.body.Targets))
	k.body.Targets = append(k.body.Targets, -1)
	switch {
	case l == nil:
		k.scope.wait(n, o.Pos, -at-1)
	case l.kind == localLabel:
		k.body.Targets[at] = l.index
	default:
		k.Error(o.Pos, "Illegal branch target, label expected")
	}
}

// labelRange reads L<count>: the labels L0 to L(count-1).
func (k *checker) labelRange(o *syntax.Operand) {
	n := k.Word32(o.X)
	base := k.Name(o.Name)
	if n > declare.MaxFamily {
		k.Fatal(setting.NoPos, "Memory allocation failure")
		return
	}
	for i := range n {
		name := base + num(i)
		if id := k.Tree.Names.Find([]byte(name)); id != 0 {
			k.branchTarget(o, id)
			continue
		}
		k.missing = append(k.missing, missingLabel{o.Pos, name})
		k.body.Targets = append(k.body.Targets, -1)
	}
}

// missingLabel is a label of a range that the body never names.
type missingLabel struct {
	pos  src.Pos
	name string
}

// callTarget reads one function of a .calltargets.
func (k *checker) callTarget(o *syntax.Operand) {
	out, _ := k.named(o.Name)
	at := int32(len(k.body.Targets))
	k.body.Targets = append(k.body.Targets, -1)
	if out.Kind == isa.KFunc {
		k.body.Targets[at] = out.Ref
		return
	}
	k.Error(o.Pos, "Illegal call target, device function expected")
	if out.Kind == isa.KBad {
		k.unknown(o)
	}
}

// prototype reads a .callprototype.
func (k *checker) prototype(f *syntax.Func) {
	nf := sema.Func{Proto: sema.Proto{Preserve: -1, PreserveControl: -1}}
	outer := k.Func
	nf.Rets = declare.Params(&k.Context, &nf, f.Rets, true)
	nf.Params = declare.Params(&k.Context, &nf, f.Params, false)
	nf.Name = "protoype with return parameters" // sic: shown when .noreturn does not fit
	declare.Layout(nf.Params, 0)
	declare.Layout(nf.Rets, 0)
	for i := f.Attrs.First; i < f.Attrs.First+f.Attrs.Len; i++ {
		declare.Tune(&k.Context, &nf, &k.Tree.Attrs[i])
	}
	k.Func = outer
	k.Gate(f.Pos, &setting.FeatCallProto)
	k.body.Tables = append(k.body.Tables, sema.Table{Kind: isa.WCallprototype, Proto: int32(len(k.body.Protos))})
	k.body.Protos = append(k.body.Protos, nf.Proto)
}

// instrPos is where faults of the current instruction show: the token after
// its opcode.
func (k *checker) instrPos() src.Pos { return k.After(k.instrAt) }

// ownVar finds a variable of the body by its name.
func (k *checker) ownVar(n syntax.Name) (index int32, space isa.Space, ok bool) {
	l, num, member := k.scope.find(k.Tree, n)
	switch {
	case l == nil:
		return 0, 0, false
	case l.kind == localVar:
		index = l.index
	case l.kind == localVars && member:
		index = l.index + int32(num)
	default:
		return 0, 0, false
	}
	return index, k.body.Vars[index].Space, true
}

// noteOwn notes a variable of the body that becomes one of the module.
func (k *checker) noteOwn(index int32, v *sema.Var) {
	if v.Space != isa.SpaceGlobal && v.Space != isa.SpaceConst || v.Shape.Type.IsOpaque() {
		return
	}
	_, line := k.Tree.File.Line(v.Pos)
	k.facts.Own = append(k.facts.Own, sema.OwnVar{Index: index, Sym: sema.NoRef, Line: line, V: *v})
}
