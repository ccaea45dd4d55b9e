package sema

import (
	"sort"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
	"github.com/goptxas/goptxas/internal/ptx/isa/rows"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// Scratch is the memory of one worker. The zero value is ready for use.
type Scratch struct {
	parser syntax.Parser
	k      checker
}

// checker checks one body after another.
type checker struct {
	context
	instr     *syntax.Instr // being checked
	instrAt   src.Pos
	inst      row.Inst
	guardKind isa.Kind // KReg when the guard is a predicate
	seen      verdicts
	isaCtx    row.Context
	elems     []isa.Operand // of vectors, for the table
	stack     []Operand     // operands of vectors not yet finished
	scope     scope
	body      Body
	facts     bodyFacts
	seenFunc  []uint64 // bit sets over Module.Funcs and Module.Vars
	seenVar   []uint64
	afterLoc  bool // the statement before was a .loc
	handled   bool // the instruction was refused before the table saw it
	loud      bool // names are filled in and messages shown
	faulty    bool // the quiet check found something
	param     paramUse
	missing   []missingLabel
}

// CheckBody parses and checks the body of function fn of the module, closes
// the unit its messages go to, and returns the body, valid until the next
// call with the same Scratch. After errors the body is incomplete.
func (m *Module) CheckBody(fn int32, s *Scratch) *Body {
	f := &m.Funcs[fn]
	tree := m.Files[f.File]
	t := s.parser.ParseBody(tree, &tree.Funcs[f.decl])
	k := &s.k
	k.begin(m, fn, t)
	k.run()
	k.facts.addressed = k.addressed
	f.done = k.facts
	f.unit.Close()
	return &k.body
}

func (k *checker) begin(m *Module, fn int32, t *syntax.Tree) {
	f := &m.Funcs[fn]
	k.context = context{m: m, file: f.File, ver: f.ver, tgt: f.tgt, tex: f.tex, fn: f}
	k.inBody = true
	k.open(t, f.unit)
	k.body.reset(fn, t)
	k.scope.reset(t.Names.Len() + 1)
	k.facts = bodyFacts{}
	k.param.reset()
	k.missing = k.missing[:0]
	k.seenFunc = bitset(k.seenFunc, len(m.Funcs))
	k.seenVar = bitset(k.seenVar, len(m.Vars))
	k.setTarget(f.tgt)
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
func (k *checker) setTarget(t Target) {
	if k.isaCtx.Report == nil {
		k.isaCtx.Report = k.report
	}
	v, unified := isaVersion(k.ver), k.tex != TexIndependent
	c := &k.isaCtx
	if c.Version != v || c.SM != t.SM || c.Variant != t.Variant || c.Target != t.Name || c.Unified != unified {
		k.seen.reset()
	}
	c.Version, c.SM, c.Variant, c.Target, c.Unified = v, t.SM, t.Variant, t.Name, unified
	c.Arch, c.ArchSM = k.m.Opts.ArchName, k.m.Opts.Arch.SM
	if c.Arch == "" {
		c.Arch = k.m.Opts.Arch.Name
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
	if k.m.Opts.NoMulticast && strings.HasPrefix(text, "Advisory: '.multicast::cluster'") ||
		k.m.Opts.NoSparse && strings.HasPrefix(text, "Advisory: Modifier '.sp::ordered_metadata'") {
		return
	}
	if k.loud {
		k.unit.Report(sev, k.instrPos(), text)
	}
}

// run checks the statements in order.
func (k *checker) run() {
	k.formals()
	t := k.tree
	for i := range t.Stmts {
		s := &t.Stmts[i]
		if s.Broken {
			k.broken(s)
			break
		}
		k.stmt(i, s)
		if k.unit.Fatal() {
			k.lateTarget()
			return
		}
	}
	if e := t.Err; e != nil {
		if !k.unit.Fatal() {
			k.unit.Report(diag.Fatal, e.Pos, e.Msg)
		}
		k.lateTarget()
		return
	}
	k.unknowns()
	k.finishBody(k.fn, k.tree.Stmts[len(k.tree.Stmts)-1].Pos)
}

// broken checks as much of a statement as the reference has seen when the
// syntax error comes: of an instruction its guard and its modifiers.
func (k *checker) broken(s *syntax.Stmt) {
	switch s.Kind {
	case syntax.StmtDecl:
		k.brokenDecl(&k.tree.Decls[s.Index])
	case syntax.StmtInstr:
		in := &k.tree.Instrs[s.Index]
		k.instr, k.instrAt = in, in.OpPos
		var out Inst
		k.guard(in, &out)
		if in.OpPos == 0 {
			k.instrAt = s.Pos
		}
		if in.Guard != syntax.None && k.guardKind != isa.KReg {
			k.error(k.instrPos(), "Predicate expression expected")
		}
		for i := in.Mods.First; i < in.Mods.First+in.Mods.Len; i++ {
			if m := &k.tree.Mods[i]; (m.Word == isa.WNone || in.Op == isa.WNone && m.Word.IsOpcode() || rows.Meaningless(in.Op, m.Word)) && m.Pos < k.tree.Err.Pos {
				k.error(k.instrPos(), "Unknown modifier '"+string(k.tree.ModText(m))+"'")
			}
		}
		for i := in.Args.First; i < in.Args.First+in.Args.Len; i++ {
			k.brokenConstant(&k.tree.Operands[i])
			k.brokenName(&k.tree.Operands[i])
		}
	}
}

// brokenName looks at what follows a name with a dot.
func (k *checker) brokenName(o *syntax.Operand) {
	if o.Kind != syntax.OpName || len(k.tree.SelText(o)) == 0 || o.Pos >= k.tree.Err.Pos {
		return
	}
	switch out, l := k.named(o.Name); {
	case out.Kind != isa.KReg && out.Kind != isa.KSpecial:
		k.noField(o)
	case out.Kind == isa.KReg && (l == nil || l.vec <= 1) && !row.ValidSelector(string(k.tree.SelText(o))[1:]):
		k.error(k.instrPos(), "Unknown video selector: '"+string(k.tree.SelText(o))+"'")
	}
}

// lateTarget: a file that ends in a body still gets the complaint about its
// target, unless this is its first statement.
func (k *checker) lateTarget() {
	if t := &k.m.late[k.file]; t.text != "" && !k.fn.first {
		k.error(t.pos, t.text)
	}
}

// formals makes the parameters names of the body.
func (k *checker) formals() {
	k.scope.enter() // closed with the body, or never after an error
	n := len(k.fn.Rets) + len(k.fn.Params)
	for i := range n {
		p := k.fn.formal(i)
		name := k.tree.Names.Find([]byte(p.Name))
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
		k.instruction(&k.tree.Instrs[s.Index])
	case syntax.StmtLabel:
		k.label(i, s)
	case syntax.StmtOpen:
		if i > 0 {
			k.scope.enter()
		}
	case syntax.StmtClose:
		if i < len(k.tree.Stmts)-1 {
			k.scope.leave()
		}
	case syntax.StmtDecl:
		k.declare(&k.tree.Decls[s.Index])
	case syntax.StmtLoc:
		k.loc(s)
		k.afterLoc = true
		return
	case syntax.StmtPragma:
		k.bodyPragma(&k.tree.Attrs[s.Index])
	case syntax.StmtTargets:
		k.targets(&k.tree.Attrs[s.Index])
	case syntax.StmtProto:
		k.prototype(&k.tree.Funcs[s.Index])
	case syntax.StmtTarget:
		k.newTarget(&k.tree.Attrs[s.Index])
	case syntax.StmtAlias:
		k.bodyAlias(&k.tree.Attrs[s.Index])
	case syntax.StmtFunc:
		k.innerFunc(&k.tree.Funcs[s.Index])
	}
	k.afterLoc = false
}

// unknowns reports every use of a name that never got a meaning, in the
// order of the text.
func (k *checker) unknowns() {
	if k.scope.open == 0 && len(k.missing) == 0 {
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
		if l, num, member := k.scope.find(k.tree, p.name); member && k.scope.made(l, num) {
			// One of a family that was declared and used after this use.
			k.fatal(p.pos, "Label expected for forward reference of '"+k.name(p.name)+"'")
			return
		}
		if p.patch < 0 && p.patch != noPatch && k.m.lookup(k.file, k.tree.Names.Bytes(p.name)) >= 0 {
			k.error(p.pos, "Illegal branch target, label expected")
			continue
		}
		k.error(p.pos, "Unknown symbol '"+k.name(p.name)+"'")
	}
	for _, l := range k.missing {
		k.error(l.pos, "Unknown symbol '"+l.name+"'")
	}
}

// bodyPragma keeps a pragma for the instruction after it.
func (k *checker) bodyPragma(a *syntax.Attr) {
	n := len(k.fn.Pragmas)
	k.pragma(a, k.fn, true)
	for _, text := range k.fn.Pragmas[n:] {
		k.body.Pragmas = append(k.body.Pragmas, Pragma{Text: text, At: int32(len(k.body.Instrs))})
	}
}

// newTarget: a .target inside a body takes effect from there.
func (k *checker) newTarget(a *syntax.Attr) {
	for _, o := range k.tree.Of(a.Args) {
		t, shaped, known := parseTarget(k.name(o.Name))
		switch {
		case !shaped:
			continue
		case !known:
			k.fatal(o.Pos, "Unsupported .target '"+t.Name+"'")
			return
		}
		k.tgt = t
		k.setTarget(t)
	}
}

// bodyAlias: an .alias in a body sees the names of the module.
func (k *checker) bodyAlias(a *syntax.Attr) {
	for _, o := range k.tree.Of(a.Args) {
		if k.m.lookup(k.file, k.tree.Names.Bytes(o.Name)) < 0 {
			k.error(o.Pos, "Unknown symbol '"+k.name(o.Name)+"'")
			return
		}
	}
	k.fatal(a.Pos, "Alias declarations are supported at module scope only")
}

// innerFunc: the grammar lets a function be declared inside a body. What it
// declares is visible to nobody else, so that only a function the module
// knows already is let pass.
func (k *checker) innerFunc(f *syntax.Func) {
	name := k.name(f.Name)
	if s := k.m.lookup(k.file, []byte(name)); s >= 0 && k.m.Syms[s].Func >= 0 {
		return
	}
	k.facts.inner = append(k.facts.inner, name)
}
