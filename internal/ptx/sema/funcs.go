package sema

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// noPos is the place of messages that have none.
const noPos = src.NoPos

// function enters a function or kernel, declared or defined. It returns its
// index in Funcs, or -1 after a fatal fault.
func (c *context) function(x int32) int32 {
	f := &c.tree.Funcs[x]
	at := c.signatureEnd(f)
	nf := Func{
		Name: c.name(f.Name), File: c.file, Pos: f.NamePos, Entry: f.Kind == isa.WEntry, HasBody: f.HasBody,
		HasArgs: f.HasArgs, Alias: -1, decl: x, ver: c.ver, tgt: c.tgt,
	}
	nf.Preserve, nf.PreserveControl = -1, -1
	c.fn = &nf
	defer func() { c.fn = nil }()
	for i := f.Quals.First; i < f.Quals.First+f.Quals.Len; i++ {
		c.funcQualifier(&nf, &c.tree.Attrs[i])
	}
	if nf.Entry && f.Params.Len > 0 && c.ver < 14 {
		c.gate(at, &featParamList)
	}
	if nf.Entry && !f.HasBody {
		c.gate(at, &featEntryProto)
	}
	nf.Rets = c.params(&nf, f.Rets, true)
	nf.Params = c.params(&nf, f.Params, false)
	if !nf.Entry && len(nf.Rets) > 1 {
		c.manyResults(&nf, at)
	}
	base := uint64(0)
	if a := c.m.Opts.Arch; nf.Entry && a != nil {
		base = uint64(a.Bank0().Param)
	}
	nf.ParamLen = layout(nf.Params, base)
	layout(nf.Rets, 0)
	if !nf.Entry {
		c.tuneAll(&nf, f)
	}
	idx := c.enter(&nf, at)
	if idx < 0 {
		return idx
	}
	if f.HasBody {
		c.paramScope(&nf)
		if c.unit.Fatal() {
			return -1
		}
	}
	if nf.Entry {
		c.tuneAll(&c.m.Funcs[idx], f)
	}
	return idx
}

// tuneAll applies the directives after the parameters.
func (c *context) tuneAll(nf *Func, f *syntax.Func) {
	for i := f.Attrs.First; i < f.Attrs.First+f.Attrs.Len; i++ {
		c.tune(nf, &c.tree.Attrs[i])
	}
}

// signatureEnd returns where faults of a whole signature are noticed: the
// token after the parameters, or for a kernel the parenthesis that ends them.
func (c *context) signatureEnd(f *syntax.Func) src.Pos {
	at := f.NamePos
	switch {
	case f.HasBody && f.Attrs.Len == 0:
		at = f.Body
	case f.Attrs.Len > 0:
		at = c.tree.Attrs[f.Attrs.First].Pos
	}
	if f.Kind == isa.WEntry && f.HasArgs && at > f.NamePos {
		if i := bytes.LastIndexByte(c.text[f.NamePos:at], ')'); i >= 0 {
			return f.NamePos + src.Pos(i)
		}
	}
	return at
}

func (c *context) funcQualifier(nf *Func, a *syntax.Attr) {
	switch a.Word {
	case isa.WWeak:
		c.gate(a.Pos, &featWeak)
		nf.Linkage = Weak
	case isa.WVisible:
		nf.Linkage = Visible
	case isa.WExtern:
		nf.Linkage = Extern
	case isa.WAttribute:
		var h declHead
		c.attributes(&h, a)
		if h.managed {
			c.fatal(a.Pos, "Parsing error near '.managed': syntax error") // variables only
		}
		if h.unified {
			nf.Unified, nf.UnifiedA, nf.UnifiedB = true, h.uniA, h.uniB
			c.m.unified = true
		}
	}
}

// manyResults: only registers can return more than one value, and then the
// calling convention of the first versions is used.
func (c *context) manyResults(nf *Func, at src.Pos) {
	for i := range nf.Rets {
		if nf.Rets[i].Space != isa.SpaceReg {
			c.error(at, "Multiple return parameters require .register state space")
			return
		}
	}
	c.m.oldABI("Function '", nf.Name, "' with multiple return values found, disabling ABI")
}

// oldABI notes why the module keeps to the calling convention of the first
// versions, once for each kind of reason.
func (m *Module) oldABI(before, name, behind string) {
	if !slices.ContainsFunc(m.NoABI, func(why string) bool { return strings.HasPrefix(why, before) }) {
		m.NoABI = append(m.NoABI, before+name+behind)
	}
}

// params reads a list of parameters or results.
func (c *context) params(nf *Func, list syntax.List, result bool) []Param {
	if list.Len == 0 {
		return nil
	}
	out := make([]Param, 0, list.Len)
	var open []src.Pos
	for i := int32(0); i < list.Len; i++ {
		d := &c.tree.Decls[list.First+i]
		h := c.head(d)
		p := Param{Space: h.space, Ptr: h.ptr, PtrSpace: h.ptrTo, PtrAlign: h.ptrBy, Pos: d.Pos}
		v := syntax.Var{Pos: d.Pos, Range: syntax.None, Init: syntax.None}
		if d.Vars.Len > 0 {
			v = c.tree.Vars[d.Vars.First]
		}
		p.Pos = v.Pos
		p.Name = "_"
		if v.Name != 0 {
			p.Name = c.name(v.Name)
		}
		p.Shape = c.shape(&h, &v)
		c.paramPlace(nf, &h, &p)
		if p.Shape.Open {
			open = append(open, v.Pos)
			if i+1 < list.Len && !result {
				c.error(v.Pos, "Only the last input parameter can be an incomplete array.")
			}
		}
		out = append(out, p)
	}
	for _, at := range open {
		c.openParam(nf, at, result)
	}
	return out
}

// paramPlace reports parameters that stand in the wrong space or carry what
// only kernel parameters may.
func (c *context) paramPlace(nf *Func, h *declHead, p *Param) {
	at := p.Pos
	if nf.Entry {
		if h.space != isa.SpaceParam {
			c.error(at, "Entry parameter '"+p.Name+"' must have .param state space")
		}
		return
	}
	for _, set := range [...]bool{h.ptr, h.ptrAligned} {
		if set && nf.Name != "" {
			c.error(at, "Illegal placement of kernel parameter attribute")
		}
	}
	if h.space != isa.SpaceReg && h.space != isa.SpaceParam || h.space == isa.SpaceParam && c.tgt.before(20) {
		c.error(at, "Function parameter '"+p.Name+"' has illegal state space")
	}
	if p.Name == "_" && nf.Name != "" {
		c.error(at, "Illegal parameter name '_'")
	}
}

func (c *context) openParam(nf *Func, at src.Pos, result bool) {
	switch {
	case result:
		c.error(at, "Output parameter cannot be an incomplete array.")
	case nf.Entry:
		c.error(at, "Parameter to entry function cannot be an incomplete array.")
	default:
		c.gate(at, &featOpenParam)
	}
}

// layout gives parameters their places and returns how many bytes they take.
// Those of a kernel lie in a constant bank from base on, and it is there that
// they are aligned: a tensor map must be.
func layout(ps []Param, base uint64) uint64 {
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
func (c *context) paramScope(nf *Func) {
	c.scopeList(nf, nf.Rets, 0)
	c.scopeList(nf, nf.Params, len(nf.Rets))
}

func (c *context) scopeList(nf *Func, list []Param, before int) {
	for i := range list {
		p := &list[i]
		if p.Space == isa.Generic {
			c.fatal(p.Pos, "No variable storage specified")
			return
		}
		if p.Shape.Type == isa.Pred && p.Space != isa.SpaceReg && p.Shape.Vec == 1 && !p.Shape.Array {
			c.error(p.Pos, "Predicate variable '"+p.Name+"' must be in register state space")
		}
		switch p.Space {
		case isa.SpaceReg:
			if p.Shape.Array || p.Shape.Type.IsOpaque() {
				c.error(p.Pos, "Variable '"+p.Name+"' cannot be allocated into a register")
			}
		case isa.SpaceParam:
			c.paramType(nf, p)
		}
		for j := range before + i {
			if nf.formal(j).Name == p.Name {
				c.error(p.Pos, "Duplicate definition of variable '"+p.Name+"'")
				break
			}
		}
	}
}

func (c *context) paramType(nf *Func, p *Param) {
	if !nf.Entry && c.ver < 20 {
		c.error(p.Pos, "Parameter variables must be declared within .entry function")
	}
	opaque := p.Shape.Type.IsOpaque()
	if p.Shape.Type != isa.Pred && !inParamSpace(&p.Shape) || opaque && !nf.Entry {
		c.error(p.Pos, "Variable '"+p.Name+"' cannot be allocated in .param state space")
	}
	if opaque && nf.Entry && p.Shape.Type == isa.Samplerref && c.tex == TexUnified {
		c.error(p.Pos, "Instruction or declaration violates .target texmode_unified setting")
	}
	if opaque && nf.Entry && c.tex == TexRaw {
		c.error(p.Pos, rawViolated)
	}
	if !nf.Entry && p.Shape.Align > maxParamAlign {
		c.error(p.Pos, "Parameter '"+p.Name+
			"' has illegal alignment (must be aligned to 1, 2, 4, 8, 16, 32, 64, or 128 bytes)")
	}
}

// formal returns result or parameter number i, results first.
func (f *Func) formal(i int) *Param {
	if i < len(f.Rets) {
		return &f.Rets[i]
	}
	return &f.Params[i-len(f.Rets)]
}

// enter makes the function a symbol, or merges it with an earlier
// declaration.
func (c *context) enter(nf *Func, at src.Pos) int32 {
	sym := c.m.declared(c.file, nf.Name, nf.Linkage)
	if sym < 0 {
		nf.clash = nf.HasBody && nf.Linkage == Extern
		return c.enterNew(nf, at)
	}
	s := &c.m.Syms[sym]
	if s.Func < 0 {
		c.error(at, "Inconsistent redefinition of variable '"+nf.Name+"'")
		if c.m.Vars[s.Var].Linkage != Static && nf.Linkage == Static {
			return c.m.hiddenFunc(nf, sym) // the reference goes on
		}
		c.error(at, "Duplicate definition of function '"+nf.Name+"'")
		c.fatal(at, "Inconsistent redefinition of symbol '"+nf.Name+"'")
		return -1
	}
	old := &c.m.Funcs[s.Func]
	if old.Entry != nf.Entry {
		c.error(at, "Inconsistent redefinition of '"+nf.Name+"' as entry and function")
	}
	dup := old.HasBody
	if dup {
		c.error(at, "Duplicate definition of function '"+nf.Name+"'")
	}
	if !sameLinkage(old.Linkage, nf.Linkage) || old.NoReturn != nf.NoReturn {
		c.error(at, "Inconsistent redefinition of variable '"+nf.Name+"'")
	}
	for _, why := range differences(&old.Proto, &nf.Proto) {
		if why != noReturnDiffers {
			c.error(at, "Inconsistent prototypes of '"+nf.Name+"', "+why)
		}
	}
	nf.clash = nf.HasBody && (old.Linkage == Extern || nf.Linkage == Extern)
	if dup {
		// The text of the second body is still read, as a function of its
		// own that no name leads to.
		return c.m.hiddenFunc(nf, sym)
	}
	return c.m.replace(s.Func, nf)
}

// enterNew makes a function a symbol. Special registers are variables of
// every module.
func (c *context) enterNew(nf *Func, at src.Pos) int32 {
	if _, special := isa.LookupString(nf.Name).Special(); special {
		c.error(at, "Inconsistent redefinition of variable '"+nf.Name+"'")
	}
	return c.m.addFunc(nf)
}

func sameLinkage(a, b Linkage) bool {
	if (a == Extern) != (b == Extern) {
		return false
	}
	return !(a == Weak && b == Visible || a == Visible && b == Weak)
}

func (m *Module) addFunc(nf *Func) int32 {
	sym, idx := int32(len(m.Syms)), int32(len(m.Funcs))
	nf.sym, nf.order = sym, sym+1
	m.Syms = append(m.Syms, Symbol{Name: nf.Name, Var: -1, Func: idx})
	m.Funcs = append(m.Funcs, *nf)
	m.bind(nf.File, nf.Name, sym, nf.Linkage)
	return idx
}

func (m *Module) hiddenFunc(nf *Func, sym int32) int32 {
	idx := int32(len(m.Funcs))
	nf.sym, nf.order = sym, int32(len(m.Syms))
	m.Funcs = append(m.Funcs, *nf)
	return idx
}

// replace puts a later declaration or the definition in place of an earlier
// declaration.
func (m *Module) replace(idx int32, nf *Func) int32 {
	old := &m.Funcs[idx]
	nf.sym, nf.order, nf.Alias = old.sym, int32(len(m.Syms)), old.Alias
	if nf.Linkage == Static && old.Linkage != Extern {
		nf.Linkage = old.Linkage
	}
	*old = *nf
	m.bind(nf.File, nf.Name, nf.sym, nf.Linkage)
	return idx
}

// noReturnDiffers is the one difference that only aliases are told about.
const noReturnDiffers = ".noreturn directive differ"

// differences tells how two signatures differ, in the order of messages.
func differences(a, b *Proto) (list []string) {
	if len(a.Rets) != len(b.Rets) || len(a.Params) != len(b.Params) {
		list = append(list, "number of parameters differ")
	} else {
		for i := range a.Rets {
			list = paramDiffers(list, &a.Rets[i], &b.Rets[i])
		}
		for i := range a.Params {
			list = paramDiffers(list, &a.Params[i], &b.Params[i])
		}
	}
	if a.NoReturn != b.NoReturn {
		list = append(list, noReturnDiffers)
	}
	return list
}

func paramDiffers(list []string, a, b *Param) []string {
	if !a.Shape.same(&b.Shape) {
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
func (c *context) alias(a *syntax.Attr) {
	if a.Args.Len != 2 {
		return
	}
	c.gate(a.Pos, &featAlias)
	to, from := &c.tree.Operands[a.Args.First], &c.tree.Operands[a.Args.First+1]
	toName, fromName := c.name(to.Name), c.name(from.Name)
	ts, fs := c.m.lookup(c.file, []byte(toName)), c.m.lookup(c.file, []byte(fromName))
	switch {
	case ts < 0:
		c.error(to.Pos, "Unknown symbol '"+toName+"'")
		return
	case fs < 0:
		c.error(from.Pos, "Unknown symbol '"+fromName+"'")
		return
	}
	for _, s := range [...]int32{ts, fs} {
		if c.m.Syms[s].Func < 0 {
			c.error(to.Pos, "Cannot define alias to variable object '"+c.m.Syms[s].Name+"'")
			return
		}
		if c.m.Funcs[c.m.Syms[s].Func].Entry {
			c.error(to.Pos, "Cannot define alias to entry function '"+c.m.Syms[s].Name+"'")
			return
		}
	}
	c.aliasFuncs(to.Pos, c.m.Syms[ts].Func, c.m.Syms[fs].Func)
}

func (c *context) aliasFuncs(at src.Pos, ti, fi int32) {
	t, f := &c.m.Funcs[ti], &c.m.Funcs[fi]
	if t.HasBody {
		c.error(at, "Illegal redefinition of function '"+t.Name+"' as alias")
	}
	switch {
	case ti == fi:
		c.error(at, "Cannot alias a function to itself")
	case t.Alias >= 0:
		c.error(at, "'"+t.Name+"' is already aliased to '"+c.m.Funcs[t.Alias].Name+"' and cannot be redefined")
	case f.Linkage == Extern:
		c.error(at, "Function '"+f.Name+"' with .extern scope cannot be aliased")
	case f.Linkage == Weak:
		c.error(at, "Function '"+f.Name+"' with .weak scope cannot be aliased")
	default:
		for _, why := range differences(&f.Proto, &t.Proto) {
			c.error(at, "Mismatch in prototype of alias '"+t.Name+"' and aliasee '"+f.Name+"'. "+why+"(s)")
		}
	}
	t.Alias = fi
}

// tune applies one directive after the parameters.
func (c *context) tune(nf *Func, a *syntax.Attr) {
	at := a.End
	if a.Word == isa.WMaxntid || a.Word == isa.WReqntid || a.Word == isa.WReqnctapercluster {
		at = c.after(a.End) // another number might follow
	}
	if a.Word == isa.WMaxnctapersm {
		c.oldBlocks(&nf.Launch, a, at)
		return
	}
	for i := range tuning {
		if tuning[i].word == a.Word {
			c.gate(at, &tuning[i].feat)
		}
	}
	l := &nf.Launch
	switch a.Word {
	case isa.WMaxntid:
		c.triple(&l.MaxNTid, a, at, "maxntid")
	case isa.WReqntid:
		c.triple(&l.ReqNTid, a, at, "reqntid")
	case isa.WMinnctapersm:
		l.MinNCTAPerSM = c.positive(a, at, "minnctapersm")
	case isa.WMaxnreg:
		l.MaxNReg = c.positive(a, at, "maxnreg")
	case isa.WLocalMaxnreg:
		if n := c.positive(a, at, "local_maxnreg"); l.LocalMaxNReg == 0 {
			l.LocalMaxNReg = n // the first is meant
		}
	case isa.WExplicitcluster:
		l.ExplicitCluster = true
	case isa.WReqnctapercluster:
		l.HasCluster = true
		c.triple(&l.Cluster, a, at, "")
		c.clusterConflict(l, at)
	case isa.WMaxclusterrank:
		l.MaxClusterRank = c.word32(a.Vals.First)
		l.HasRank = true
		c.clusterConflict(l, at)
	case isa.WBlocksareclusters:
		l.BlocksAreGrids = true
	case isa.WNoreturn:
		nf.NoReturn = true
		if len(nf.Rets) > 0 {
			c.error(at, "Invalid directive '.noreturn' for function '"+nf.Name+"'")
		}
	case isa.WAbiPreserve:
		nf.Preserve = c.preserve(a, at, maxPreserve)
	case isa.WAbiPreserveControl:
		nf.PreserveControl = c.preserve(a, at, maxPreserveControl)
	case isa.WPragma:
		c.pragma(a, nf, false)
	}
}

// The largest numbers of registers that .abi_preserve and
// .abi_preserve_control take.
const (
	maxPreserve        = 255
	maxPreserveControl = 15
)

func (c *context) preserve(a *syntax.Attr, at src.Pos, limit uint32) int64 {
	v := c.word32(a.Vals.First)
	if v > limit {
		c.error(at, "."+a.Word.String()+" "+strconv.Itoa(int(v))+" is invalid for "+c.m.Opts.Arch.Name)
	}
	return int64(v)
}

// oldBlocks handles .maxnctapersm, which 2.0 renamed and 2.1 dropped.
func (c *context) oldBlocks(l *Launch, a *syntax.Attr, at src.Pos) {
	if c.ver >= 21 {
		c.error(at, "Deprecated feature: '.maxnctapersm directive' not supported as of PTX version 2.1")
		l.MinNCTAPerSM = c.positive(a, at, "maxnctapersm")
		return
	}
	if c.ver == 20 {
		c.warning(at, ".maxnctapersm directive deprecated in PTX version 2.0, will be ignored.")
		return
	}
	l.MinNCTAPerSM = c.positive(a, at, "maxnctapersm")
}

// triple reads one to three sizes; missing ones are one.
func (c *context) triple(dst *[3]uint32, a *syntax.Attr, at src.Pos, what string) {
	*dst = [3]uint32{1, 1, 1}
	bad := false
	for i := int32(0); i < a.Vals.Len && i < 3; i++ {
		dst[i] = c.word32(a.Vals.First + i)
		bad = bad || dst[i] == 0
	}
	if bad && what != "" {
		c.error(at, "Positive non-zero value expected for "+what)
		*dst = [3]uint32{}
	}
}

func (c *context) positive(a *syntax.Attr, at src.Pos, what string) uint32 {
	v := c.word32(a.Vals.First)
	if v == 0 {
		c.error(at, "Positive non-zero value expected for "+what)
	}
	return v
}

func (c *context) clusterConflict(l *Launch, at src.Pos) {
	if l.HasCluster && l.HasRank {
		c.error(at, "Conflicting directives: .reqnctapercluster and .maxclusterrank cannot both be specified")
	}
}

// The parameter space of kernels: 256 bytes before 1.5, then 4,352, and
// 32,764 from 8.1 on.
const (
	oldParams   = 0x100
	smallParams = 0x1100
	largeParams = 0x7ffc
)

// finishBody reports what the reference notices at the closing brace.
func (c *context) finishBody(fn *Func, at src.Pos) {
	if fn.clash {
		c.error(at, "Function definition conflicts with '.extern' declaration for function '"+fn.Name+"'")
	}
	if !fn.Entry {
		return
	}
	l := &fn.Launch
	if l.MaxNTid[0] != 0 && l.ReqNTid[0] != 0 {
		c.error(at, "Conflicting directives: .maxntid and .reqntid cannot both be specified")
	}
	if l.BlocksAreGrids && (l.ReqNTid[0] == 0 || !l.HasCluster) {
		c.error(at, ".reqntid and .reqnctapercluster directive(s) required for directive '.blocksareclusters'")
	}
	if l.MinNCTAPerSM != 0 && l.MaxNTid[0] == 0 && l.ReqNTid[0] == 0 {
		name := ".minnctapersm"
		if c.ver < 20 {
			name = ".maxnctapersm" // its name then
		}
		c.unit.Report(diag.Warning, at, name+" is ignored when neither .maxntid nor .reqntid is specified.")
	}
	limit := uint64(largeParams)
	switch {
	case c.ver < 15:
		limit = oldParams
	case c.ver < 81:
		limit = smallParams
	}
	if fn.ParamLen > limit {
		c.error(at, "Entry function '"+fn.Name+"' uses too much parameter space (0x"+
			strconv.FormatUint(fn.ParamLen, 16)+" bytes, 0x"+strconv.FormatUint(limit, 16)+" max).")
	}
	if fn.ParamLen > smallParams {
		c.gate(at, &featBigParams)
	}
}
