package declare

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/setting"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// function enters a function or kernel, declared or defined. It returns its
// index in Funcs, or -1 after a fatal fault.
func function(c *setting.Context, x int32) int32 {
	f := &c.Tree.Funcs[x]
	at := signatureEnd(c, f)
	nf := sema.Func{
		Name: c.Name(f.Name), File: c.File, Pos: f.NamePos, Entry: f.Kind == isa.WEntry, HasBody: f.HasBody,
		HasArgs: f.HasArgs, Alias: -1,
	}
	nf.DeclIndex, nf.Version, nf.Target = x, c.Version, c.Target
	nf.Preserve, nf.PreserveControl = -1, -1
	c.Func = &nf
	defer func() { c.Func = nil }()
	for i := f.Quals.First; i < f.Quals.First+f.Quals.Len; i++ {
		funcQualifier(c, &nf, &c.Tree.Attrs[i])
	}
	if nf.Entry && f.Params.Len > 0 && c.Version < 14 {
		c.Gate(at, &setting.FeatParamList)
	}
	if nf.Entry && !f.HasBody {
		c.Gate(at, &setting.FeatEntryProto)
	}
	nf.Rets = Params(c, &nf, f.Rets, true)
	nf.Params = Params(c, &nf, f.Params, false)
	if !nf.Entry && len(nf.Rets) > 1 {
		manyResults(c, &nf, at)
	}
	base := uint64(0)
	if a := c.Module.Opts.Arch; nf.Entry && a != nil {
		base = uint64(a.Bank0().Param)
	}
	nf.ParamLen = Layout(nf.Params, base)
	Layout(nf.Rets, 0)
	if !nf.Entry {
		tuneAll(c, &nf, f)
	}
	idx := enter(c, &nf, at)
	if idx < 0 {
		return idx
	}
	if f.HasBody {
		paramScope(c, &nf)
		if c.Unit.Fatal() {
			return -1
		}
	}
	if nf.Entry {
		tuneAll(c, &c.Module.Funcs[idx], f)
	}
	return idx
}

// tuneAll applies the directives after the parameters.
func tuneAll(c *setting.Context, nf *sema.Func, f *syntax.Func) {
	for i := f.Attrs.First; i < f.Attrs.First+f.Attrs.Len; i++ {
		Tune(c, nf, &c.Tree.Attrs[i])
	}
}

// signatureEnd returns where faults of a whole signature are noticed: the
// token after the parameters, or for a kernel the parenthesis that ends them.
func signatureEnd(c *setting.Context, f *syntax.Func) src.Pos {
	at := f.NamePos
	switch {
	case f.HasBody && f.Attrs.Len == 0:
		at = f.Body
	case f.Attrs.Len > 0:
		at = c.Tree.Attrs[f.Attrs.First].Pos
	}
	if f.Kind == isa.WEntry && f.HasArgs && at > f.NamePos {
		if i := bytes.LastIndexByte(c.Text[f.NamePos:at], ')'); i >= 0 {
			return f.NamePos + src.Pos(i)
		}
	}
	return at
}

func funcQualifier(c *setting.Context, nf *sema.Func, a *syntax.Attr) {
	switch a.Word {
	case isa.WWeak:
		c.Gate(a.Pos, &setting.FeatWeak)
		nf.Linkage = sema.Weak
	case isa.WVisible:
		nf.Linkage = sema.Visible
	case isa.WExtern:
		nf.Linkage = sema.Extern
	case isa.WAttribute:
		var h DeclHead
		attributes(c, &h, a)
		if h.Managed {
			c.Fatal(a.Pos, "Parsing error near '.managed': syntax error") // variables only
		}
		if h.Unified {
			nf.Unified, nf.UnifiedA, nf.UnifiedB = true, h.UniA, h.UniB
			c.Module.Unified = true
		}
	}
}

// manyResults: only registers can return more than one value, and then the
// calling convention of the first versions is used.
func manyResults(c *setting.Context, nf *sema.Func, at src.Pos) {
	for i := range nf.Rets {
		if nf.Rets[i].Space != isa.SpaceReg {
			c.Error(at, "Multiple return parameters require .register state space")
			return
		}
	}
	oldABI(c.Module, "Function '", nf.Name, "' with multiple return values found, disabling ABI")
}

// oldABI notes why the module keeps to the calling convention of the first
// versions, once for each kind of reason.
func oldABI(m *sema.Module, before, name, behind string) {
	if !slices.ContainsFunc(m.NoABI, func(why string) bool { return strings.HasPrefix(why, before) }) {
		m.NoABI = append(m.NoABI, before+name+behind)
	}
}

// Params reads a list of parameters or results.
func Params(c *setting.Context, nf *sema.Func, list syntax.List, result bool) []sema.Param {
	if list.Len == 0 {
		return nil
	}
	out := make([]sema.Param, 0, list.Len)
	var open []src.Pos
	for i := int32(0); i < list.Len; i++ {
		d := &c.Tree.Decls[list.First+i]
		h := Head(c, d)
		p := sema.Param{Space: h.Space, Ptr: h.ptr, PtrSpace: h.ptrTo, PtrAlign: h.ptrBy, Pos: d.Pos}
		v := syntax.Var{Pos: d.Pos, Range: syntax.None, Init: syntax.None}
		if d.Vars.Len > 0 {
			v = c.Tree.Vars[d.Vars.First]
		}
		p.Pos = v.Pos
		p.Name = "_"
		if v.Name != 0 {
			p.Name = c.Name(v.Name)
		}
		p.Shape = Shape(c, &h, &v)
		paramPlace(c, nf, &h, &p)
		if p.Shape.Open {
			open = append(open, v.Pos)
			if i+1 < list.Len && !result {
				c.Error(v.Pos, "Only the last input parameter can be an incomplete array.")
			}
		}
		out = append(out, p)
	}
	for _, at := range open {
		openParam(c, nf, at, result)
	}
	return out
}

// paramPlace reports parameters that stand in the wrong space or carry what
// only kernel parameters may.
func paramPlace(c *setting.Context, nf *sema.Func, h *DeclHead, p *sema.Param) {
	at := p.Pos
	if nf.Entry {
		if h.Space != isa.SpaceParam {
			c.Error(at, "Entry parameter '"+p.Name+"' must have .param state space")
		}
		return
	}
	for _, set := range [...]bool{h.ptr, h.ptrAligned} {
		if set && nf.Name != "" {
			c.Error(at, "Illegal placement of kernel parameter attribute")
		}
	}
	if h.Space != isa.SpaceReg && h.Space != isa.SpaceParam || h.Space == isa.SpaceParam && c.Target.Before(20) {
		c.Error(at, "Function parameter '"+p.Name+"' has illegal state space")
	}
	if p.Name == "_" && nf.Name != "" {
		c.Error(at, "Illegal parameter name '_'")
	}
}

func openParam(c *setting.Context, nf *sema.Func, at src.Pos, result bool) {
	switch {
	case result:
		c.Error(at, "Output parameter cannot be an incomplete array.")
	case nf.Entry:
		c.Error(at, "Parameter to entry function cannot be an incomplete array.")
	default:
		c.Gate(at, &setting.FeatOpenParam)
	}
}

// Layout gives parameters their places and returns how many bytes they take.
// Those of a kernel lie in a constant bank from base on, and it is there that
// they are aligned: a tensor map must be.
func Layout(ps []sema.Param, base uint64) uint64 {
	at := base
	for i := range ps {
		p := &ps[i]
		at = (at + p.Shape.Align - 1) &^ (p.Shape.Align - 1)
		p.Offset = at - base
		at += p.Shape.Size()
	}
	return at - base
}

// paramScope reports what is wrong with parameters as variables of the body
// that follows.
func paramScope(c *setting.Context, nf *sema.Func) {
	scopeList(c, nf, nf.Rets, 0)
	scopeList(c, nf, nf.Params, len(nf.Rets))
}

func scopeList(c *setting.Context, nf *sema.Func, list []sema.Param, before int) {
	for i := range list {
		p := &list[i]
		if p.Space == isa.Generic {
			c.Fatal(p.Pos, "No variable storage specified")
			return
		}
		if p.Shape.Type == isa.Pred && p.Space != isa.SpaceReg && p.Shape.Vec == 1 && !p.Shape.Array {
			c.Error(p.Pos, "Predicate variable '"+p.Name+"' must be in register state space")
		}
		switch p.Space {
		case isa.SpaceReg:
			if p.Shape.Array || p.Shape.Type.IsOpaque() {
				c.Error(p.Pos, "Variable '"+p.Name+"' cannot be allocated into a register")
			}
		case isa.SpaceParam:
			paramType(c, nf, p)
		}
		for j := range before + i {
			if nf.Formal(j).Name == p.Name {
				c.Error(p.Pos, "Duplicate definition of variable '"+p.Name+"'")
				break
			}
		}
	}
}

func paramType(c *setting.Context, nf *sema.Func, p *sema.Param) {
	if !nf.Entry && c.Version < 20 {
		c.Error(p.Pos, "Parameter variables must be declared within .entry function")
	}
	opaque := p.Shape.Type.IsOpaque()
	if p.Shape.Type != isa.Pred && !inParamSpace(&p.Shape) || opaque && !nf.Entry {
		c.Error(p.Pos, "Variable '"+p.Name+"' cannot be allocated in .param state space")
	}
	if opaque && nf.Entry && p.Shape.Type == isa.Samplerref && c.TexMode == sema.TexUnified {
		c.Error(p.Pos, "Instruction or declaration violates .target texmode_unified setting")
	}
	if opaque && nf.Entry && c.TexMode == sema.TexRaw {
		c.Error(p.Pos, rawViolated)
	}
	if !nf.Entry && p.Shape.Align > maxParamAlign {
		c.Error(p.Pos, "Parameter '"+p.Name+
			"' has illegal alignment (must be aligned to 1, 2, 4, 8, 16, 32, 64, or 128 bytes)")
	}
}

// enter makes the function a symbol, or merges it with an earlier
// declaration.
func enter(c *setting.Context, nf *sema.Func, at src.Pos) int32 {
	sym := c.Module.Lookup(c.File, []byte(nf.Name))
	if sym < 0 {
		nf.Clash = nf.HasBody && nf.Linkage == sema.Extern
		return enterNew(c, nf, at)
	}
	s := &c.Module.Syms[sym]
	if s.Func < 0 {
		c.Error(at, "Inconsistent redefinition of variable '"+nf.Name+"'")
		if c.Module.Vars[s.Var].Linkage != sema.Static && nf.Linkage == sema.Static {
			return hiddenFunc(c.Module, nf, sym) // the reference goes on
		}
		c.Error(at, "Duplicate definition of function '"+nf.Name+"'")
		c.Fatal(at, "Inconsistent redefinition of symbol '"+nf.Name+"'")
		return -1
	}
	old := &c.Module.Funcs[s.Func]
	if old.Entry != nf.Entry {
		c.Error(at, "Inconsistent redefinition of '"+nf.Name+"' as entry and function")
	}
	dup := old.HasBody
	if dup {
		c.Error(at, "Duplicate definition of function '"+nf.Name+"'")
	}
	if !sameLinkage(old.Linkage, nf.Linkage) || old.NoReturn != nf.NoReturn {
		c.Error(at, "Inconsistent redefinition of variable '"+nf.Name+"'")
	}
	for _, why := range differences(&old.Proto, &nf.Proto, false) {
		if why != noReturnDiffers {
			c.Error(at, "Inconsistent prototypes of '"+nf.Name+"', "+why)
		}
	}
	nf.Clash = nf.HasBody && (old.Linkage == sema.Extern || nf.Linkage == sema.Extern)
	if dup {
		// The text of the second body is still read, as a function of its
		// own that no name leads to.
		return hiddenFunc(c.Module, nf, sym)
	}
	return replace(c.Module, s.Func, nf)
}

// enterNew makes a function a symbol. Special registers are variables of
// every module.
func enterNew(c *setting.Context, nf *sema.Func, at src.Pos) int32 {
	if _, special := isa.LookupString(nf.Name).Special(); special {
		c.Error(at, "Inconsistent redefinition of variable '"+nf.Name+"'")
	}
	return addFunc(c.Module, nf)
}

// sameLinkage reports whether a function that is declared again may have its
// linkage: the first, or none.
func sameLinkage(a, b sema.Linkage) bool {
	if (a == sema.Extern) != (b == sema.Extern) {
		return false
	}
	return a == b || b == sema.Static
}

func addFunc(m *sema.Module, nf *sema.Func) int32 {
	sym, idx := int32(len(m.Syms)), int32(len(m.Funcs))
	nf.Sym, nf.Order = sym, sym+1
	m.Syms = append(m.Syms, sema.Symbol{Name: nf.Name, Var: -1, Func: idx})
	m.Funcs = append(m.Funcs, *nf)
	m.Bind(nf.File, nf.Name, sym, nf.Linkage)
	return idx
}

func hiddenFunc(m *sema.Module, nf *sema.Func, sym int32) int32 {
	idx := int32(len(m.Funcs))
	nf.Sym, nf.Order = sym, int32(len(m.Syms))
	m.Funcs = append(m.Funcs, *nf)
	return idx
}

// replace puts a later declaration or the definition in place of an earlier
// declaration.
func replace(m *sema.Module, idx int32, nf *sema.Func) int32 {
	old := &m.Funcs[idx]
	nf.Sym, nf.Order, nf.Alias = old.Sym, int32(len(m.Syms)), old.Alias
	if nf.Linkage == sema.Static && old.Linkage != sema.Extern {
		nf.Linkage = old.Linkage
	}
	*old = *nf
	m.Bind(nf.File, nf.Name, nf.Sym, nf.Linkage)
	return idx
}

// noReturnDiffers is the one difference that only aliases are told about.
const noReturnDiffers = ".noreturn directive differ"

// differences tells how two signatures differ, in the order of messages: those
// of an alias begin with the parameters.
func differences(a, b *sema.Proto, alias bool) []string {
	list, last := paramsDiffer(a.Rets, b.Rets), paramsDiffer(a.Params, b.Params)
	if alias {
		list, last = last, list
	}
	list = append(list, last...)
	if a.NoReturn != b.NoReturn {
		list = append(list, noReturnDiffers)
	}
	return list
}

func paramsDiffer(a, b []sema.Param) (list []string) {
	if len(a) != len(b) {
		list = append(list, "number of parameters differ")
	}
	for i := range min(len(a), len(b)) {
		list = paramDiffers(list, &a[i], &b[i])
	}
	return list
}

func paramDiffers(list []string, a, b *sema.Param) []string {
	if !a.Shape.Same(&b.Shape) {
		list = append(list, "parameter types differ")
	}
	if a.Shape.Align != b.Shape.Align {
		list = append(list, "parameter alignment differ")
	}
	if a.Space != b.Space {
		list = append(list, "parameter state space differ")
	}
	return list
}

// alias handles ".alias a, b;".
func alias(c *setting.Context, a *syntax.Attr) {
	if a.Args.Len != 2 {
		return
	}
	c.Gate(a.Pos, &setting.FeatAlias)
	to, from := &c.Tree.Operands[a.Args.First], &c.Tree.Operands[a.Args.First+1]
	toName, fromName := c.Name(to.Name), c.Name(from.Name)
	ts, fs := c.Module.Lookup(c.File, []byte(toName)), c.Module.Lookup(c.File, []byte(fromName))
	switch {
	case ts < 0:
		c.Error(to.Pos, "Unknown symbol '"+toName+"'")
		return
	case fs < 0:
		c.Error(from.Pos, "Unknown symbol '"+fromName+"'")
		return
	}
	for _, s := range [...]int32{ts, fs} {
		if c.Module.Syms[s].Func < 0 {
			c.Error(to.Pos, "Cannot define alias to variable object '"+c.Module.Syms[s].Name+"'")
			return
		}
		if c.Module.Funcs[c.Module.Syms[s].Func].Entry {
			c.Error(to.Pos, "Cannot define alias to entry function '"+c.Module.Syms[s].Name+"'")
			return
		}
	}
	aliasFuncs(c, to.Pos, c.Module.Syms[ts].Func, c.Module.Syms[fs].Func)
}

func aliasFuncs(c *setting.Context, at src.Pos, ti, fi int32) {
	t, f := &c.Module.Funcs[ti], &c.Module.Funcs[fi]
	if t.HasBody {
		c.Error(at, "Illegal redefinition of function '"+t.Name+"' as alias")
	}
	switch {
	case ti == fi:
		c.Error(at, "Cannot alias a function to itself")
	case t.Alias >= 0:
		c.Error(at, "'"+t.Name+"' is already aliased to '"+c.Module.Funcs[t.Alias].Name+"' and cannot be redefined")
	case f.Linkage == sema.Extern:
		c.Error(at, "Function '"+f.Name+"' with .extern scope cannot be aliased")
	case f.Linkage == sema.Weak:
		c.Error(at, "Function '"+f.Name+"' with .weak scope cannot be aliased")
	default:
		for _, why := range differences(&f.Proto, &t.Proto, true) {
			c.Error(at, "Mismatch in prototype of alias '"+t.Name+"' and aliasee '"+f.Name+"'. "+why+"(s)")
		}
	}
	t.Alias = fi
}

// Tune applies one directive after the parameters.
func Tune(c *setting.Context, nf *sema.Func, a *syntax.Attr) {
	at := a.End
	if a.Word == isa.WMaxntid || a.Word == isa.WReqntid || a.Word == isa.WReqnctapercluster {
		at = c.After(a.End) // another number might follow
	}
	if a.Word == isa.WMaxnctapersm {
		oldBlocks(c, &nf.Launch, a, at)
		return
	}
	for i := range setting.Tuning {
		if setting.Tuning[i].Word == a.Word {
			c.Gate(at, &setting.Tuning[i].Feat)
		}
	}
	l := &nf.Launch
	switch a.Word {
	case isa.WMaxntid:
		triple(c, &l.MaxNTid, a, at, "maxntid")
	case isa.WReqntid:
		triple(c, &l.ReqNTid, a, at, "reqntid")
	case isa.WMinnctapersm:
		l.MinNCTAPerSM = positive(c, a, at, "minnctapersm")
	case isa.WMaxnreg:
		l.MaxNReg = positive(c, a, at, "maxnreg")
	case isa.WLocalMaxnreg:
		if n := positive(c, a, at, "local_maxnreg"); l.LocalMaxNReg == 0 {
			l.LocalMaxNReg = n // the first is meant
		}
	case isa.WExplicitcluster:
		l.ExplicitCluster = true
	case isa.WReqnctapercluster:
		l.HasCluster = true
		triple(c, &l.Cluster, a, at, "")
		clusterConflict(c, l, at)
	case isa.WMaxclusterrank:
		l.MaxClusterRank = c.Word32(a.Vals.First)
		l.HasRank = true
		clusterConflict(c, l, at)
	case isa.WBlocksareclusters:
		l.BlocksAreGrids = true
	case isa.WNoreturn:
		nf.NoReturn = true
		if len(nf.Rets) > 0 {
			c.Error(at, "Invalid directive '.noreturn' for function '"+nf.Name+"'")
		}
	case isa.WAbiPreserve:
		nf.Preserve = preserve(c, a, at, maxPreserve)
	case isa.WAbiPreserveControl:
		nf.PreserveControl = preserve(c, a, at, maxPreserveControl)
	case isa.WPragma:
		c.Pragma(a, nf, false)
	}
}

// The largest numbers of registers that .abi_preserve and
// .abi_preserve_control take.
const (
	maxPreserve        = 255
	maxPreserveControl = 15
)

func preserve(c *setting.Context, a *syntax.Attr, at src.Pos, limit uint32) int64 {
	v := c.Word32(a.Vals.First)
	if v > limit {
		c.Error(at, "."+a.Word.String()+" "+strconv.Itoa(int(v))+" is invalid for "+c.Module.Opts.Arch.Name)
	}
	return int64(v)
}

// oldBlocks handles .maxnctapersm, which 2.0 renamed and 2.1 dropped.
func oldBlocks(c *setting.Context, l *sema.Launch, a *syntax.Attr, at src.Pos) {
	if c.Version >= 21 {
		c.Error(at, "Deprecated feature: '.maxnctapersm directive' not supported as of PTX version 2.1")
		l.MinNCTAPerSM = positive(c, a, at, "maxnctapersm")
		return
	}
	if c.Version == 20 {
		c.Warning(at, ".maxnctapersm directive deprecated in PTX version 2.0, will be ignored.")
		return
	}
	l.MinNCTAPerSM = positive(c, a, at, "maxnctapersm")
}

// triple reads one to three sizes; missing ones are one.
func triple(c *setting.Context, dst *[3]uint32, a *syntax.Attr, at src.Pos, what string) {
	*dst = [3]uint32{1, 1, 1}
	bad := false
	for i := int32(0); i < a.Vals.Len && i < 3; i++ {
		dst[i] = c.Word32(a.Vals.First + i)
		bad = bad || dst[i] == 0
	}
	if bad && what != "" {
		c.Error(at, "Positive non-zero value expected for "+what)
		*dst = [3]uint32{}
	}
}

func positive(c *setting.Context, a *syntax.Attr, at src.Pos, what string) uint32 {
	v := c.Word32(a.Vals.First)
	if v == 0 {
		c.Error(at, "Positive non-zero value expected for "+what)
	}
	return v
}

func clusterConflict(c *setting.Context, l *sema.Launch, at src.Pos) {
	if l.HasCluster && l.HasRank {
		c.Error(at, "Conflicting directives: .reqnctapercluster and .maxclusterrank cannot both be specified")
	}
}

// The parameter space of kernels: 256 bytes before 1.5, then 4,352, and
// 32,764 from 8.1 on.
const (
	oldParams   = 0x100
	smallParams = 0x1100
	largeParams = 0x7ffc
)

// FinishBody reports what the reference notices at the closing brace.
func FinishBody(c *setting.Context, fn *sema.Func, at src.Pos) {
	if fn.Clash {
		c.Error(at, "Function definition conflicts with '.extern' declaration for function '"+fn.Name+"'")
	}
	if !fn.Entry {
		return
	}
	l := &fn.Launch
	if l.MaxNTid[0] != 0 && l.ReqNTid[0] != 0 {
		c.Error(at, "Conflicting directives: .maxntid and .reqntid cannot both be specified")
	}
	if l.BlocksAreGrids && (l.ReqNTid[0] == 0 || !l.HasCluster) {
		c.Error(at, ".reqntid and .reqnctapercluster directive(s) required for directive '.blocksareclusters'")
	}
	if l.MinNCTAPerSM != 0 && l.MaxNTid[0] == 0 && l.ReqNTid[0] == 0 {
		name := ".minnctapersm"
		if c.Version < 20 {
			name = ".maxnctapersm" // its name then
		}
		c.Unit.Report(diag.Warning, at, name+" is ignored when neither .maxntid nor .reqntid is specified.")
	}
	limit := uint64(largeParams)
	switch {
	case c.Version < 15:
		limit = oldParams
	case c.Version < 81:
		limit = smallParams
	}
	if fn.ParamLen > limit {
		c.Error(at, "Entry function '"+fn.Name+"' uses too much parameter space (0x"+
			strconv.FormatUint(fn.ParamLen, 16)+" bytes, 0x"+strconv.FormatUint(limit, 16)+" max).")
	}
	if fn.ParamLen > smallParams {
		c.Gate(at, &setting.FeatBigParams)
	}
}
