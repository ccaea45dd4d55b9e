package declare

import (
	"bytes"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/setting"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// Module checks what stands at module level of the scanned files, in
// order, and returns the module they make together. Every function that has
// a body then waits for one call of bodies.Check, in any order and on any
// goroutine; whole.Module must come after all of them.
func Module(files []*syntax.Tree, opts sema.Options, sink *diag.Sink) *sema.Module {
	m := sema.NewModule(files, opts)
	for i, t := range files {
		c := &setting.Context{Module: m, File: int32(i)}
		c.Open(t, sink.Open(t.File))
		module(c, sink)
		m.Addressed = append(m.Addressed, c.Addressed...)
	}
	return m
}

// module walks the statements of one file.
func module(c *setting.Context, sink *diag.Sink) {
	f := &fileState{Context: c, sink: sink, texSet: c.Module.Target.Name != ""}
	c.TexMode = c.Module.TexMode // that of the files before
	broken := false
	for i := range c.Tree.Stmts {
		s := &c.Tree.Stmts[i]
		if broken = s.Broken; broken {
			f.broken(s)
			break
		}
		if !f.stmt(s) {
			if f.complete > 0 {
				f.knowsTarget()
			}
			c.Unit.Close()
			return
		}
		if s.Kind != syntax.StmtVersion && s.Kind != syntax.StmtTarget && s.Kind != syntax.StmtAddressSize {
			f.complete++
		}
	}
	if e := c.Tree.Err; e != nil && !c.Unit.Fatal() {
		c.Unit.Report(diag.Fatal, e.Pos, e.Msg)
	} else if e == nil {
		f.end()
	}
	if !broken || f.complete > 0 {
		f.knowsTarget()
	}
	c.Unit.Close()
}

// fileState is what is known about one file while its module level is read.
type fileState struct {
	*setting.Context
	sink     *diag.Sink
	texSet   bool // how textures are used is settled: by this header, or by the files before
	dwarf    bool
	complete int // statements after the header
}

// stmt checks one module-level statement. It returns false when nothing
// more of the file can be read.
func (f *fileState) stmt(s *syntax.Stmt) bool {
	switch s.Kind {
	case syntax.StmtVersion:
		return f.version(&f.Tree.Attrs[s.Index])
	case syntax.StmtTarget:
		return f.target(&f.Tree.Attrs[s.Index])
	case syntax.StmtAddressSize:
		f.addressSize(&f.Tree.Attrs[s.Index])
	case syntax.StmtDecl:
		return declareModule(f.Context, &f.Tree.Decls[s.Index])
	case syntax.StmtFunc:
		return f.funcStmt(s.Index)
	case syntax.StmtAlias:
		alias(f.Context, &f.Tree.Attrs[s.Index])
	case syntax.StmtPragma:
		f.Pragma(&f.Tree.Attrs[s.Index], nil, false)
	case syntax.StmtFile:
		f.sourceFile(&f.Tree.Attrs[s.Index])
	case syntax.StmtSection, syntax.StmtDwarf:
		f.section(&f.Tree.Sections[s.Index])
	}
	return true
}

// broken checks as much of a statement as the reference has seen when the
// syntax error comes.
func (f *fileState) broken(s *syntax.Stmt) {
	switch s.Kind {
	case syntax.StmtFunc:
		fn := &f.Tree.Funcs[s.Index]
		if fn.NamePos >= f.Tree.Err.Pos {
			return
		}
		if fn.HasArgs && bytes.IndexByte(f.Text[fn.NamePos:f.Tree.Err.Pos], ')') < 0 {
			f.brokenParams(fn)
			return
		}
		if n := fn.Attrs.Len; n > 0 && f.cutShort(&f.Tree.Attrs[fn.Attrs.First+n-1]) {
			fn.Attrs.Len--
		}
		fn.HasBody, fn.Body = true, f.Tree.Err.Pos
		function(f.Context, s.Index)
	case syntax.StmtDecl:
		BrokenDecl(f.Context, &f.Tree.Decls[s.Index])
	}
}

// BrokenDecl: the names of a declaration are entered when it is whole, but
// its qualifiers and the constants in it are judged as they are read.
func BrokenDecl(c *setting.Context, d *syntax.Decl) {
	part := *d
	part.Type = isa.WB32
	if part.Align != syntax.None && c.Tree.Exprs[part.Align].Pos >= c.Tree.Err.Pos {
		part.Align = syntax.None // its number is what is broken
	}
	Head(c, &part)
	for i := d.Vars.First; i < d.Vars.First+d.Vars.Len; i++ {
		if x := c.Tree.Vars[i].Init; x != syntax.None {
			BrokenConstant(c, &c.Tree.Operands[x])
		}
	}
}

// BrokenConstant evaluates a constant of a broken statement.
func BrokenConstant(c *setting.Context, o *syntax.Operand) {
	if o.Kind == syntax.OpImm && o.X >= 0 && int(o.X) < len(c.Tree.Exprs) {
		c.Eval.Eval(o.X)
	}
}

// brokenParams checks the parameters before the one that is broken.
func (f *fileState) brokenParams(fn *syntax.Func) {
	list := fn.Params
	for n := list.Len; n > 0; n-- {
		d := &f.Tree.Decls[list.First+n-1]
		if d.Vars.Len == 0 && d.Align != syntax.None && d.Type == isa.WNone && f.Tree.Exprs[d.Align].Pos < f.Tree.Err.Pos {
			defer alignment(f.Context, d.Align)
		}
		if d.Vars.Len > 0 && d.Type != isa.WNone && d.Space != isa.WNone && d.End <= f.Tree.Err.Pos && f.whole(f.Tree.Vars[d.Vars.First].Pos) {
			list.Len = n
			Params(f.Context, &sema.Func{Name: f.Name(fn.Name), Entry: fn.Kind == isa.WEntry}, list, false)
			return
		}
	}
}

// whole reports whether the name at p and its dimensions stand before the
// syntax error.
func (f *fileState) whole(p src.Pos) bool {
	if p >= f.Tree.Err.Pos {
		return false
	}
	rest := f.Text[p:f.Tree.Err.Pos]
	return bytes.LastIndexByte(rest, '[') <= bytes.LastIndexByte(rest, ']')
}

// cutShort reports whether the syntax error stands where the directive
// still needs a number.
func (f *fileState) cutShort(a *syntax.Attr) bool {
	last := a.Pos
	for p := a.Pos; p < f.Tree.Err.Pos; p = f.After(p) {
		last = p
	}
	switch a.Word {
	case isa.WExplicitcluster, isa.WBlocksareclusters, isa.WNoreturn:
		return false
	}
	return last == a.Pos || f.Text[last] == ','
}

// funcStmt enters a function; if it has a body, the messages of the body
// get their own unit, and what follows it another.
func (f *fileState) funcStmt(x int32) bool {
	idx := function(f.Context, x)
	if idx < 0 {
		return false
	}
	if !f.Tree.Funcs[x].HasBody {
		return true
	}
	fn := &f.Module.Funcs[idx]
	fn.TexMode, fn.First = f.TexMode, f.complete == 0
	fn.Unit = f.sink.Open(f.Tree.File)
	f.Unit.Close()
	f.Unit = f.sink.Open(f.Tree.File)
	f.Eval.Unit = f.Unit
	return true
}

func (f *fileState) version(a *syntax.Attr) bool {
	vals := f.Tree.ExprsOf(a.Vals)
	if len(vals) != 2 {
		return true
	}
	major, minor := int(vals[0].Val), int(vals[1].Val)
	if !sema.KnownVersion(major, minor) {
		f.Fatal(a.Pos, "Unsupported .version "+versionText(f.Text[a.Pos:])+"; current version is '"+sema.Newest+"'")
		return false
	}
	f.Version = isa.MakeVersion(major, minor)
	f.Module.Version = f.Version
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
	for i, o := range f.Tree.Of(a.Args) {
		word := f.Name(o.Name)
		switch word {
		case "texmode_unified", "texmode_independent", "debug", "map_f64_to_f32":
			if i == 0 {
				f.Fatal(o.Pos, "Target architecture not defined at start of file '"+f.Tree.File.Name+"'")
				return false
			}
			f.targetOption(word, o.Pos)
			continue
		}
		t, shaped, known := sema.ParseTarget(word)
		switch {
		case !shaped && i == 0:
			f.Fatal(o.Pos, "Target architecture not defined at start of file '"+f.Tree.File.Name+"'")
			return false
		case !known:
			f.Fatal(o.Pos, "Unsupported .target '"+word+"'")
			return false
		}
		f.setTarget(t, o.Pos)
	}
	if f.Module.Opts.RawTextures {
		f.rawTextures(a)
	}
	return true
}

// rawTextures sets the texture mode that no .target names any more; the
// reference does so at the token behind the directive.
func (f *fileState) rawTextures(a *syntax.Attr) {
	switch {
	case f.TexMode == sema.TexIndependent:
		return
	case f.texSet:
		f.Error(f.After(a.End), "Conflicting .target option 'texmode_raw'")
	}
	f.TexMode, f.texSet, f.Module.TexMode = sema.TexRaw, true, sema.TexRaw
}

func (f *fileState) setTarget(t sema.Target, p src.Pos) {
	f.Target = t
	f.Module.Target = t
	l := &f.Module.Late[f.File]
	l.Pos, l.Text = p, "PTX .version "+f.Version.String()+" does not support .target "+t.Name
	f.Module.Unknown = f.Module.Unknown || f.Version != 0 && setting.VersionBefore(f.Version, t.Since)
}

func (f *fileState) targetOption(word string, p src.Pos) {
	switch word {
	case "debug":
		f.Gate(p, &setting.FeatDebug)
		f.Module.Debug = true
	case "map_f64_to_f32":
		if !f.Target.Before(13) {
			f.Error(p, "Directive map_f64_to_f32 is not supported with SM 1.3 or higher")
		}
	default:
		mode := sema.TexUnified
		if word == "texmode_independent" {
			mode = sema.TexIndependent
			f.Gate(p, &setting.FeatIndependent)
		}
		if f.texSet && f.TexMode != mode {
			f.Error(p, "Conflicting .target option '"+word+"'")
			mode = sema.TexTorn
		}
		f.TexMode, f.texSet = mode, true
		f.Module.TexMode = mode
	}
}

func (f *fileState) addressSize(a *syntax.Attr) {
	f.Gate(a.Pos, &setting.FeatAddressSize)
	switch v := f.Word32(a.Vals.First); v {
	case 64:
		f.Module.Wide = true
	case 32:
		f.Module.Narrow = true
	default:
		f.Error(f.Tree.Exprs[a.Vals.First].Pos, "Illegal value for .address_size directive (must be 32 or 64)")
	}
}

// knowsTarget notes that the list of statements ends, be it with a token that
// begins none: its target may then be told to be unknown.
func (f *fileState) knowsTarget() { f.Module.Late[f.File].Ended.Store(true) }

// end reports what is noticed at the end of a file.
func (f *fileState) end() {
	if f.Module.NoDwarf = f.Module.Debug && !f.dwarf; f.Module.NoDwarf {
		f.Error(setting.NoPos, sema.NoDwarf)
	}
	if f.Module.Unified && !f.Module.Opts.CompileOnly {
		f.Error(setting.NoPos, "Feature 'unified Functions' requires command line option '--compile-only'.")
	}
}
