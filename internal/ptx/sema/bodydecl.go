package sema

import (
	"strconv"

	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// declare enters the names of a declaration in a body.
func (k *checker) declare(d *syntax.Decl) {
	h := k.head(d)
	for i := d.Vars.First; i < d.Vars.First+d.Vars.Len; i++ {
		v := &k.tree.Vars[i]
		if v.Name == 0 {
			continue
		}
		s := k.shape(&h, v)
		init, ok := k.initVar(&h, v, &s)
		if !ok {
			return
		}
		k.legal(&h, v, &s)
		if v.Range != syntax.None {
			k.declareFamily(&h, v, &init)
		} else {
			k.declareOne(&h, v, &init)
		}
		if k.unit.Fatal() {
			return
		}
	}
}

// free reports whether a name may be declared in this block, and complains
// if not.
func (k *checker) free(v *syntax.Var) bool {
	taken := k.scope.here(v.Name) != nil
	if info := k.scope.split(k.tree, v.Name); !taken && info.split == isSplit {
		f := k.scope.familyHere(info.prefix)
		taken = f != nil && info.num < f.count
	}
	switch {
	case taken:
		k.error(k.after(v.Pos), "Duplicate definition of variable '"+k.name(v.Name)+"'")
	case k.scope.waiting(v.Name):
		k.fatal(k.after(v.Pos), "Label expected for forward reference of '"+k.name(v.Name)+"'")
		return false
	}
	return !taken
}

func (k *checker) declareOne(h *declHead, v *syntax.Var, init *Var) {
	if !k.free(v) {
		return
	}
	l := local{kind: localReg, name: v.Name, typ: h.typ, vec: h.vec}
	if h.space == isa.SpaceReg {
		l.index = k.newReg(&l, -1)
		k.scope.add(l)
		return
	}
	l.kind, l.index = localVar, k.addVar(h, v, init, k.name(v.Name))
	k.scope.add(l)
}

// addVar makes a variable of the body.
func (k *checker) addVar(h *declHead, v *syntax.Var, init *Var, name string) int32 {
	i := int32(len(k.body.Vars))
	nv := *init
	nv.Name, nv.File, nv.Pos, nv.Defined = name, k.file, v.Pos, true
	nv.Managed, nv.Unified, nv.UnifiedA, nv.UnifiedB = h.managed, h.unified, h.uniA, h.uniB
	k.body.Vars = append(k.body.Vars, nv)
	k.noteOwn(i, &nv)
	s := &nv.Shape
	switch h.space {
	case isa.SpaceShared:
		k.facts.shared = append(k.facts.shared, *s)
	case isa.SpaceConst:
		k.facts.consts = append(k.facts.consts, *s)
	}
	return i
}

// declareFamily enters name<count>: registers that are made when they are
// used, or that many variables.
func (k *checker) declareFamily(h *declHead, v *syntax.Var, init *Var) {
	n := k.word32(v.Range)
	if f := k.scope.familyHere(v.Name); f != nil {
		k.error(k.after(v.Pos), "Duplicate definition of variable '"+k.name(v.Name)+"<'")
		return
	}
	k.familyClash(v, n)
	l := local{kind: localFamily, name: v.Name, typ: h.typ, vec: h.vec, count: n}
	if h.space == isa.SpaceReg {
		if n > maxRegFamily {
			k.fatal(noPos, "Memory allocation failure")
			return
		}
		l.index = k.newFamily(n)
		k.scope.add(l)
		return
	}
	if n > maxFamily {
		k.fatal(noPos, "Memory allocation failure")
		return
	}
	l.kind, l.index = localVars, int32(len(k.body.Vars))
	base := k.name(v.Name)
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
		info := k.scope.split(k.tree, l.name)
		if info.split == isSplit && info.prefix == v.Name && info.num < n {
			k.error(k.after(v.Pos), "Duplicate definition of variable '"+k.name(l.name)+"'")
			k.scope.names[l.name].sym = l.prev
		}
	}
}

// newFamily makes room for the numbers of a family. One that is larger than
// the text can name is kept in a map instead.
func (k *checker) newFamily(n uint32) int32 {
	i := int32(len(k.scope.families))
	if int64(n) > int64(len(k.text))+1024 {
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
	if i+1 < len(k.tree.Stmts) {
		kind = k.tree.Stmts[i+1].Kind
	}
	table := kind == syntax.StmtTargets || kind == syntax.StmtProto
	if k.scope.here(s.Name) != nil {
		k.error(s.End, "Duplicate definition of label '"+k.name(s.Name)+"'")
		return
	}
	if table {
		if k.scope.waiting(s.Name) {
			k.fatal(s.End, "Label expected for forward reference of '"+k.name(s.Name)+"'")
			return
		}
		k.scope.add(local{kind: localTable, name: s.Name, index: int32(len(k.body.Tables))})
		return
	}
	l := int32(len(k.body.Labels))
	k.body.Labels = append(k.body.Labels, Label{Name: s.Name, At: int32(len(k.body.Instrs))})
	k.scope.add(local{kind: localLabel, name: s.Name, index: l})
	k.resolve(s.Name, l)
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
	d := &k.tree.Locs[s.Index]
	k.facts.locs = true
	line := Line{At: int32(len(k.body.Instrs)), File: d.File, Line: d.Line, Col: d.Col, Of: -1}
	if d.Func != 0 {
		if !k.afterLoc {
			// Right after another .loc the reference does not look.
			k.gate(s.Pos, &featInlined)
		}
		line.Func = d.Func
		if d.FuncOff != syntax.None {
			line.Off = k.word64(d.FuncOff)
		}
		for i := len(k.body.Lines) - 1; i >= 0 && line.Of < 0; i-- {
			if l := &k.body.Lines[i]; l.File == d.AtFile && l.Line == d.AtLine && l.Col == d.At {
				line.Of = int32(i)
			}
		}
		if line.Of < 0 {
			k.error(s.Pos, "Source location "+num(d.AtFile)+" "+num(d.AtLine)+" "+num(d.At)+
				" used in inlined_at directive must be used in a preceding .loc directive")
		}
		if k.ver >= featInlined.version {
			k.facts.inlined = append(k.facts.inlined, k.name(d.Func))
		}
	}
	k.body.Lines = append(k.body.Lines, line)
}

func num(v uint32) string { return strconv.FormatUint(uint64(v), 10) }

// targets reads a .branchtargets or .calltargets.
func (k *checker) targets(a *syntax.Attr) {
	t := Table{Kind: a.Word, Proto: -1, List: syntax.List{First: int32(len(k.body.Targets))}}
	if a.Word == isa.WBranchtargets {
		k.gate(a.Pos, &featBranchTgts)
	} else {
		k.gate(a.Pos, &featCallTgts)
	}
	for _, o := range k.tree.Of(a.Args) {
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
	l, _, _ := k.scope.find(k.tree, n)
	at := int32(len(k.body.Targets))
	k.body.Targets = append(k.body.Targets, -1)
	switch {
	case l == nil:
		k.scope.wait(n, o.Pos, -at-1)
	case l.kind == localLabel:
		k.body.Targets[at] = l.index
	default:
		k.error(o.Pos, "Illegal branch target, label expected")
	}
}

// labelRange reads L<count>: the labels L0 to L(count-1).
func (k *checker) labelRange(o *syntax.Operand) {
	n := k.word32(o.X)
	base := k.name(o.Name)
	if n > maxFamily {
		k.fatal(noPos, "Memory allocation failure")
		return
	}
	for i := range n {
		name := base + num(i)
		if id := k.tree.Names.Find([]byte(name)); id != 0 {
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
	k.error(o.Pos, "Illegal call target, device function expected")
	if out.Kind == isa.KBad {
		k.unknown(o)
	}
}

// prototype reads a .callprototype.
func (k *checker) prototype(f *syntax.Func) {
	nf := Func{Proto: Proto{Preserve: -1, PreserveControl: -1}}
	outer := k.fn
	nf.Rets = k.params(&nf, f.Rets, true)
	nf.Params = k.params(&nf, f.Params, false)
	nf.Name = "protoype with return parameters" // sic: shown when .noreturn does not fit
	layout(nf.Params, 0)
	layout(nf.Rets, 0)
	for i := f.Attrs.First; i < f.Attrs.First+f.Attrs.Len; i++ {
		k.tune(&nf, &k.tree.Attrs[i])
	}
	k.fn = outer
	k.gate(f.Pos, &featCallProto)
	k.body.Tables = append(k.body.Tables, Table{Kind: isa.WCallprototype, Proto: int32(len(k.body.Protos))})
	k.body.Protos = append(k.body.Protos, nf.Proto)
}

// instrPos is where faults of the current instruction show: the token after
// its opcode.
func (k *checker) instrPos() src.Pos { return k.after(k.instrAt) }
