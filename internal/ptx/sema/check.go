package sema

import (
	"bytes"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// CheckModule checks what stands at module level of the scanned files, in
// order, and returns the module they make together. Every function that has
// a body then waits for one call of CheckBody, in any order and on any
// goroutine; Finish must come after all of them.
func CheckModule(files []*syntax.Tree, opts Options, sink *diag.Sink) *Module {
	m := &Module{Opts: opts, Files: files, shared: map[string]int32{}, late: make([]lateError, len(files))}
	for range files {
		m.own = append(m.own, map[string]int32{})
	}
	for i, t := range files {
		c := &context{m: m, file: int32(i)}
		c.open(t, sink.Open(t.File))
		c.module(sink)
		m.addressed = append(m.addressed, c.addressed...)
	}
	return m
}

// Bodies returns the functions whose bodies CheckBody must see, in source
// order.
func (m *Module) Bodies() []int32 {
	var list []int32
	for i := range m.Funcs {
		if m.Funcs[i].unit != nil {
			list = append(list, int32(i))
		}
	}
	return list
}

// module walks the statements of one file.
func (c *context) module(sink *diag.Sink) {
	f := &fileState{context: c, sink: sink}
	broken := false
	for i := range c.tree.Stmts {
		s := &c.tree.Stmts[i]
		if broken = s.Broken; broken {
			f.broken(s)
			break
		}
		if !f.stmt(s) {
			if f.complete > 0 {
				f.knowsTarget()
			}
			c.unit.Close()
			return
		}
		if s.Kind != syntax.StmtVersion && s.Kind != syntax.StmtTarget && s.Kind != syntax.StmtAddressSize {
			f.complete++
		}
	}
	if e := c.tree.Err; e != nil && !c.unit.Fatal() {
		c.unit.Report(diag.Fatal, e.Pos, e.Msg)
	} else if e == nil {
		f.end()
	}
	if !broken || f.complete > 0 {
		f.knowsTarget()
	}
	c.unit.Close()
}

// fileState is what is known about one file while its module level is read.
type fileState struct {
	*context
	sink     *diag.Sink
	texSet   bool
	dwarf    bool
	complete int // statements after the header
}

// stmt checks one module-level statement. It returns false when nothing
// more of the file can be read.
func (f *fileState) stmt(s *syntax.Stmt) bool {
	switch s.Kind {
	case syntax.StmtVersion:
		return f.version(&f.tree.Attrs[s.Index])
	case syntax.StmtTarget:
		return f.target(&f.tree.Attrs[s.Index])
	case syntax.StmtAddressSize:
		f.addressSize(&f.tree.Attrs[s.Index])
	case syntax.StmtDecl:
		return f.declareModule(&f.tree.Decls[s.Index])
	case syntax.StmtFunc:
		return f.funcStmt(s.Index)
	case syntax.StmtAlias:
		f.alias(&f.tree.Attrs[s.Index])
	case syntax.StmtPragma:
		f.pragma(&f.tree.Attrs[s.Index], nil, false)
	case syntax.StmtFile:
		f.sourceFile(&f.tree.Attrs[s.Index])
	case syntax.StmtSection, syntax.StmtDwarf:
		f.section(&f.tree.Sections[s.Index])
	}
	return true
}

// broken checks as much of a statement as the reference has seen when the
// syntax error comes.
func (f *fileState) broken(s *syntax.Stmt) {
	switch s.Kind {
	case syntax.StmtFunc:
		fn := &f.tree.Funcs[s.Index]
		if fn.NamePos >= f.tree.Err.Pos {
			return
		}
		if fn.HasArgs && bytes.IndexByte(f.text[fn.NamePos:f.tree.Err.Pos], ')') < 0 {
			f.brokenParams(fn)
			return
		}
		if n := fn.Attrs.Len; n > 0 && f.cutShort(&f.tree.Attrs[fn.Attrs.First+n-1]) {
			fn.Attrs.Len--
		}
		fn.HasBody, fn.Body = true, f.tree.Err.Pos
		f.function(s.Index)
	case syntax.StmtDecl:
		f.brokenDecl(&f.tree.Decls[s.Index])
	}
}

// brokenDecl: the names of a declaration are entered when it is whole, but
// its qualifiers and the constants in it are judged as they are read.
func (c *context) brokenDecl(d *syntax.Decl) {
	part := *d
	part.Type = isa.WB32
	if part.Align != syntax.None && c.tree.Exprs[part.Align].Pos >= c.tree.Err.Pos {
		part.Align = syntax.None // its number is what is broken
	}
	c.head(&part)
	for i := d.Vars.First; i < d.Vars.First+d.Vars.Len; i++ {
		if x := c.tree.Vars[i].Init; x != syntax.None {
			c.brokenConstant(&c.tree.Operands[x])
		}
	}
}

// brokenConstant evaluates a constant of a broken statement.
func (c *context) brokenConstant(o *syntax.Operand) {
	if o.Kind == syntax.OpImm && o.X >= 0 && int(o.X) < len(c.tree.Exprs) {
		c.ev.Eval(o.X)
	}
}

// brokenParams checks the parameters before the one that is broken.
func (f *fileState) brokenParams(fn *syntax.Func) {
	list := fn.Params
	for n := list.Len; n > 0; n-- {
		d := &f.tree.Decls[list.First+n-1]
		if d.Vars.Len == 0 && d.Align != syntax.None && d.Type == isa.WNone && f.tree.Exprs[d.Align].Pos < f.tree.Err.Pos {
			defer f.alignment(d.Align)
		}
		if d.Vars.Len > 0 && d.Type != isa.WNone && d.Space != isa.WNone && d.End <= f.tree.Err.Pos && f.whole(f.tree.Vars[d.Vars.First].Pos) {
			list.Len = n
			f.params(&Func{Name: f.name(fn.Name), Entry: fn.Kind == isa.WEntry}, list, false)
			return
		}
	}
}

// whole reports whether the name at p and its dimensions stand before the
// syntax error.
func (f *fileState) whole(p src.Pos) bool {
	if p >= f.tree.Err.Pos {
		return false
	}
	rest := f.text[p:f.tree.Err.Pos]
	return bytes.LastIndexByte(rest, '[') <= bytes.LastIndexByte(rest, ']')
}

// cutShort reports whether the syntax error stands where the directive
// still needs a number.
func (f *fileState) cutShort(a *syntax.Attr) bool {
	last := a.Pos
	for p := a.Pos; p < f.tree.Err.Pos; p = f.after(p) {
		last = p
	}
	switch a.Word {
	case isa.WExplicitcluster, isa.WBlocksareclusters, isa.WNoreturn:
		return false
	}
	return last == a.Pos || f.text[last] == ','
}

// funcStmt enters a function; if it has a body, the messages of the body
// get their own unit, and what follows it another.
func (f *fileState) funcStmt(x int32) bool {
	idx := f.function(x)
	if idx < 0 {
		return false
	}
	if !f.tree.Funcs[x].HasBody {
		return true
	}
	fn := &f.m.Funcs[idx]
	fn.tex, fn.first = f.tex, f.complete == 0
	fn.unit = f.sink.Open(f.tree.File)
	f.unit.Close()
	f.unit = f.sink.Open(f.tree.File)
	f.ev.Unit = f.unit
	return true
}

func (f *fileState) version(a *syntax.Attr) bool {
	vals := f.tree.ExprsOf(a.Vals)
	if len(vals) != 2 {
		return true
	}
	major, minor := int(vals[0].Val), int(vals[1].Val)
	if !knownVersion(major, minor) {
		f.fatal(a.Pos, "Unsupported .version "+versionText(f.text[a.Pos:])+"; current version is '"+newest+"'")
		return false
	}
	f.ver = isa.MakeVersion(major, minor)
	f.m.Version = f.ver
	return true
}

// versionText returns the number after .version as it is written.
func versionText(b []byte) string {
	i := 0
	for i < len(b) && (b[i] < '0' || b[i] > '9') {
		i++
	}
	j := i
	for j < len(b) && (b[j] >= '0' && b[j] <= '9' || b[j] == '.') {
		j++
	}
	return string(b[i:j])
}

// target reads the words of a .target; the last architecture counts.
func (f *fileState) target(a *syntax.Attr) bool {
	for i, o := range f.tree.Of(a.Args) {
		word := f.name(o.Name)
		switch word {
		case "texmode_unified", "texmode_independent", "debug", "map_f64_to_f32":
			if i == 0 {
				f.fatal(o.Pos, "Target architecture not defined at start of file '"+f.tree.File.Name+"'")
				return false
			}
			f.targetOption(word, o.Pos)
			continue
		}
		t, shaped, known := parseTarget(word)
		switch {
		case !shaped && i == 0:
			f.fatal(o.Pos, "Target architecture not defined at start of file '"+f.tree.File.Name+"'")
			return false
		case !known:
			f.fatal(o.Pos, "Unsupported .target '"+word+"'")
			return false
		}
		f.setTarget(t, o.Pos)
	}
	if f.m.Opts.RawTextures {
		f.rawTextures(a)
	}
	return true
}

// rawTextures sets the texture mode that no .target names any more; the
// reference does so at the token behind the directive.
func (f *fileState) rawTextures(a *syntax.Attr) {
	switch {
	case f.tex == TexIndependent:
		return
	case f.texSet:
		f.error(f.after(a.End), "Conflicting .target option 'texmode_raw'")
	}
	f.tex, f.texSet, f.m.TexMode = TexRaw, true, TexRaw
}

func (f *fileState) setTarget(t Target, p src.Pos) {
	f.tgt = t
	f.m.Target = t
	l := &f.m.late[f.file]
	if f.ver != 0 && versionBefore(f.ver, t.since) || l.text != "" {
		*l = lateError{p, "PTX .version " + f.ver.String() + " does not support .target " + t.Name}
	}
}

func (f *fileState) targetOption(word string, p src.Pos) {
	switch word {
	case "debug":
		f.gate(p, &featDebug)
		f.m.Debug = true
	case "map_f64_to_f32":
		if !f.tgt.before(13) {
			f.error(p, "Directive map_f64_to_f32 is not supported with SM 1.3 or higher")
		}
	default:
		mode := TexUnified
		if word == "texmode_independent" {
			mode = TexIndependent
			f.gate(p, &featIndependent)
		}
		if f.texSet && f.tex != mode {
			f.error(p, "Conflicting .target option '"+word+"'")
		}
		f.tex, f.texSet = mode, true
		f.m.TexMode = mode
	}
}

func (f *fileState) addressSize(a *syntax.Attr) {
	f.gate(a.Pos, &featAddressSize)
	switch v := f.word32(a.Vals.First); v {
	case 64:
		f.m.wide = true
	case 32:
		f.m.narrow = true
	default:
		f.error(f.tree.Exprs[a.Vals.First].Pos, "Illegal value for .address_size directive (must be 32 or 64)")
	}
}

// knowsTarget reports a target that the version does not know. This comes
// when the list of statements ends, be it with a token that begins none.
func (f *fileState) knowsTarget() {
	if l := &f.m.late[f.file]; l.text != "" {
		f.error(l.pos, l.text)
	}
}

// end reports what is noticed at the end of a file.
func (f *fileState) end() {
	if f.m.Debug && !f.dwarf {
		f.error(noPos, "Debug information not found in presence of .target debug")
	}
	if f.m.unified && !f.m.Opts.CompileOnly {
		f.error(noPos, "Feature 'unified Functions' requires command line option '--compile-only'.")
	}
}
