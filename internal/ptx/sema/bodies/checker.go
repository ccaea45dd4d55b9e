package bodies

import (
	"sort"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
	"github.com/goptxas/goptxas/internal/ptx/isa/rows"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/declare"
	"github.com/goptxas/goptxas/internal/ptx/sema/setting"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// Scratch is the memory of one worker. The zero value is ready for use.
type Scratch struct {
	parser syntax.Parser
	k      checker
}

// checker checks one body after another.
type checker struct {
	setting.Context
	instr     *syntax.Instr // being checked
	instrAt   src.Pos
	inst      row.Inst
	guardKind isa.Kind // KReg when the guard is a predicate
	seen      verdicts
	isaCtx    row.Context
	elems     []isa.Operand  // of vectors, for the table
	stack     []sema.Operand // operands of vectors not yet finished
	scope     scope
	body      sema.Body
	facts     sema.Facts
	seenFunc  []uint64 // bit sets over Module.Funcs and Module.Vars
	seenVar   []uint64
	afterLoc  bool // the statement before was a .loc
	handled   bool // the instruction was refused before the table saw it
	loud      bool // names are filled in and messages shown
	faulty    bool // the quiet check found something
	param     paramUse
	missing   []missingLabel
}

// Check parses and checks the body of function fn of the module, closes
// the unit its messages go to, and returns the body, valid until the next
// call with the same Scratch. After errors the body is incomplete.
func Check(m *sema.Module, fn int32, s *Scratch) *sema.Body {
	f := &m.Funcs[fn]
	tree := m.Files[f.File]
	t := s.parser.ParseBody(tree, &tree.Funcs[f.DeclIndex])
	k := &s.k
	k.begin(m, fn, t)
	k.run()
	k.facts.Addressed = k.Addressed
	f.Facts = k.facts
	f.Unit.Close()
	return &k.body
}

func (k *checker) begin(m *sema.Module, fn int32, t *syntax.Tree) {
	f := &m.Funcs[fn]
	k.Context = setting.Context{Module: m, File: f.File, Version: f.Version, Target: f.Target, TexMode: f.TexMode, Func: f}
	k.InBody, k.Own = true, k.ownVar
	k.Open(t, f.Unit)
	k.body.Reset(fn, t)
	k.scope.reset(t.Names.Len() + 1)
	k.facts = sema.Facts{}
	k.param.reset()
	k.missing = k.missing[:0]
	k.seenFunc = bitset(k.seenFunc, len(m.Funcs))
	k.seenVar = bitset(k.seenVar, len(m.Vars))
	k.setTarget(f.Target)
}

// isaVersion is the version instructions are judged by: 5.1 has all that
// came with 6.0.
func isaVersion(v isa.Version) isa.Version {
	if v == 51 {
		return 60
	}
	return v
}

// setTarget says what instructions are judged against. Verdicts of another
// target, version or texture mode are forgotten.
func (k *checker) setTarget(t sema.Target) {
	if k.isaCtx.Report == nil {
		k.isaCtx.Report = k.report
	}
	v, torn := isaVersion(k.Version), k.TexMode == sema.TexTorn
	unified := k.TexMode != sema.TexIndependent && !torn
	c := &k.isaCtx
	if c.Version != v || c.SM != t.SM || c.Variant != t.Variant || c.Target != t.Name || c.Unified != unified || c.Torn != torn {
		k.seen.reset()
	}
	c.Version, c.SM, c.Variant, c.Target, c.Unified, c.Torn = v, t.SM, t.Variant, t.Name, unified, torn
	c.Arch, c.ArchSM = k.Module.Opts.ArchName, k.Module.Opts.Arch.SM
	if c.Arch == "" {
		c.Arch = k.Module.Opts.Arch.Name
	}
}

func bitset(s []uint64, n int) []uint64 {
	n = (n + 63) / 64
	if cap(s) < n {
		return make([]uint64, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// report receives the messages of the instruction table.
func (k *checker) report(sev diag.Severity, text string) {
	k.faulty = true
	if k.Module.Opts.NoMulticast && strings.HasPrefix(text, "Advisory: '.multicast::cluster'") ||
		k.Module.Opts.NoSparse && strings.HasPrefix(text, "Advisory: Modifier '.sp::ordered_metadata'") {
		return
	}
	if k.loud {
		k.Unit.Report(sev, k.instrPos(), text)
	}
}

// run checks the statements in order.
func (k *checker) run() {
	k.formals()
	t := k.Tree
	for i := range t.Stmts {
		s := &t.Stmts[i]
		if s.Broken {
			k.broken(s)
			break
		}
		k.stmt(i, s)
		if k.Unit.Fatal() {
			k.lateTarget()
			return
		}
	}
	if e := t.Err; e != nil {
		if !k.Unit.Fatal() {
			k.Unit.Report(diag.Fatal, e.Pos, e.Msg)
		}
		k.lateTarget()
		return
	}
	k.unknowns()
	declare.FinishBody(&k.Context, k.Func, k.Tree.Stmts[len(k.Tree.Stmts)-1].Pos)
}

// broken checks as much of a statement as the reference has seen when the
// syntax error comes: of an instruction its guard and its modifiers.
func (k *checker) broken(s *syntax.Stmt) {
	switch s.Kind {
	case syntax.StmtDecl:
		declare.BrokenDecl(&k.Context, &k.Tree.Decls[s.Index])
	case syntax.StmtInstr:
		in := &k.Tree.Instrs[s.Index]
		k.instr, k.instrAt = in, in.OpPos
		var out sema.Inst
		k.guard(in, &out)
		if in.OpPos == 0 {
			k.instrAt = s.Pos
		}
		if in.Guard != syntax.None && k.guardKind != isa.KReg {
			k.Error(k.instrPos(), "Predicate expression expected")
		}
		for i := in.Mods.First; i < in.Mods.First+in.Mods.Len; i++ {
			if m := &k.Tree.Mods[i]; (m.Word == isa.WNone || in.Op == isa.WNone && m.Word.IsOpcode() || rows.Meaningless(in.Op, m.Word)) && m.Pos < k.Tree.Err.Pos {
				k.Error(k.instrPos(), "Unknown modifier '"+string(k.Tree.ModText(m))+"'")
			}
		}
		for i := in.Args.First; i < in.Args.First+in.Args.Len; i++ {
			declare.BrokenConstant(&k.Context, &k.Tree.Operands[i])
			k.brokenName(&k.Tree.Operands[i])
		}
	}
}

// brokenName looks at what follows a name with a dot.
func (k *checker) brokenName(o *syntax.Operand) {
	if o.Kind != syntax.OpName || len(k.Tree.SelText(o)) == 0 || o.Pos >= k.Tree.Err.Pos {
		return
	}
	switch out, l := k.named(o.Name); {
	case out.Kind == isa.KSpecial && isa.SpecialReg(out.Ref).Vector(), out.Kind == isa.KReg && l != nil && l.vec > 1:
		if component(o.Sel) < 0 {
			k.badComponent(o)
		}
	case out.Kind != isa.KReg, out.Type != isa.Pred && out.Type.Bits() != 32:
		k.noField(o)
	case !row.ValidSelector(string(k.Tree.SelText(o))[1:]):
		k.Error(k.After(o.Pos), "Unknown video selector: '"+string(k.Tree.SelText(o))+"'")
	}
}

// lateTarget: a file that ends in a body still gets the complaint about its
// target, unless this is its first statement.
func (k *checker) lateTarget() {
	if !k.Func.First {
		k.Module.Late[k.File].Ended.Store(true)
	}
}

// formals makes the parameters names of the body.
func (k *checker) formals() {
	k.scope.enter() // closed with the body, or never after an error
	n := len(k.Func.Rets) + len(k.Func.Params)
	for i := range n {
		p := k.Func.Formal(i)
		name := k.Tree.Names.Find([]byte(p.Name))
		if name == 0 {
			continue // never used
		}
		l := local{kind: localParam, name: name, typ: p.Shape.Type, vec: p.Shape.Vec, index: int32(i)}
		if p.Space == isa.SpaceReg {
			l.kind = localReg
			l.index = k.newReg(&l, -1)
		}
		if k.scope.here(name) == nil {
			k.scope.add(l)
		}
	}
}

func (k *checker) stmt(i int, s *syntax.Stmt) {
	switch s.Kind {
	case syntax.StmtInstr:
		k.instruction(&k.Tree.Instrs[s.Index])
	case syntax.StmtLabel:
		k.label(i, s)
	case syntax.StmtOpen:
		if i > 0 {
			k.scope.enter()
		}
	case syntax.StmtClose:
		if i < len(k.Tree.Stmts)-1 {
			k.forward()
			k.scope.leave()
		}
	case syntax.StmtDecl:
		k.declare(&k.Tree.Decls[s.Index])
	case syntax.StmtLoc:
		k.loc(s)
		k.afterLoc = true
		return
	case syntax.StmtPragma:
		k.bodyPragma(&k.Tree.Attrs[s.Index])
	case syntax.StmtTargets:
		k.targets(&k.Tree.Attrs[s.Index])
	case syntax.StmtProto:
		k.prototype(&k.Tree.Funcs[s.Index])
	case syntax.StmtTarget:
		k.newTarget(&k.Tree.Attrs[s.Index])
	case syntax.StmtAlias:
		k.bodyAlias(&k.Tree.Attrs[s.Index])
	case syntax.StmtFunc:
		k.innerFunc(&k.Tree.Funcs[s.Index])
	}
	k.afterLoc = false
}

// forward ends the innermost block for uses of names that had no meaning yet:
// it reports the first that got one that is no label, and whether there is one.
func (k *checker) forward() bool {
	if k.scope.open == 0 {
		return false
	}
	var first *pendingUse
	d := k.scope.depth()
	for i := len(k.scope.pending) - 1; i >= 0; i-- {
		p := &k.scope.pending[i]
		if p.used {
			continue
		}
		if p.depth < d {
			break // as in leave
		}
		l, num, member := k.scope.find(k.Tree, p.name)
		if l != nil && l.depth == d && (!member || k.scope.made(l, num)) && (first == nil || p.pos < first.pos) {
			first = p
		}
	}
	if first == nil {
		return false
	}
	k.Fatal(first.pos, "Label expected for forward reference of '"+k.Name(first.name)+"'")
	return true
}

// unknowns reports every use of a name that never got a meaning, in the
// order of the text.
func (k *checker) unknowns() {
	if k.scope.open == 0 && len(k.missing) == 0 {
		return
	}
	if k.forward() {
		return
	}
	var list []pendingUse
	for i := range k.scope.pending {
		if p := k.scope.pending[i]; !p.used {
			list = append(list, p)
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].pos < list[j].pos })
	for _, p := range list {
		if p.patch < 0 && p.patch != noPatch && k.Module.Lookup(k.File, k.Tree.Names.Bytes(p.name)) >= 0 {
			k.Error(p.pos, "Illegal branch target, label expected")
			continue
		}
		k.Error(p.pos, "Unknown symbol '"+k.Name(p.name)+"'")
	}
	for _, l := range k.missing {
		k.Error(l.pos, "Unknown symbol '"+l.name+"'")
	}
}

// bodyPragma keeps a pragma for the instruction after it.
func (k *checker) bodyPragma(a *syntax.Attr) {
	n := len(k.Func.Pragmas)
	k.Pragma(a, k.Func, true)
	for _, text := range k.Func.Pragmas[n:] {
		k.body.Pragmas = append(k.body.Pragmas, sema.Pragma{Text: text, At: int32(len(k.body.Instrs)), Label: int32(len(k.body.Labels))})
	}
}

// newTarget: a .target inside a body takes effect from there.
func (k *checker) newTarget(a *syntax.Attr) {
	for _, o := range k.Tree.Of(a.Args) {
		t, shaped, known := sema.ParseTarget(k.Name(o.Name))
		switch {
		case !shaped:
			continue
		case !known:
			k.Fatal(o.Pos, "Unsupported .target '"+t.Name+"'")
			return
		}
		k.Target = t
		k.setTarget(t)
	}
}

// bodyAlias: an .alias in a body sees the names of the module.
func (k *checker) bodyAlias(a *syntax.Attr) {
	for _, o := range k.Tree.Of(a.Args) {
		if k.Module.Lookup(k.File, k.Tree.Names.Bytes(o.Name)) < 0 {
			k.Error(o.Pos, "Unknown symbol '"+k.Name(o.Name)+"'")
			return
		}
	}
	k.Fatal(a.Pos, "Alias declarations are supported at module scope only")
}

// innerFunc: the grammar lets a function be declared inside a body. What it
// declares is visible to nobody else, so that only a function the module
// knows already is let pass.
func (k *checker) innerFunc(f *syntax.Func) {
	name := k.Name(f.Name)
	if s := k.Module.Lookup(k.File, []byte(name)); s >= 0 && k.Module.Syms[s].Func >= 0 {
		return
	}
	k.facts.Inner = append(k.facts.Inner, name)
}
