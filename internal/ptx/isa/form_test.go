package isa

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/target"
)

// The form parser: just enough syntax to turn "ld.global.u32 %r1,[%rd1+4]"
// into an Inst, so that the table can be tested by itself. Register names
// tell their types.

var regTypes = []struct {
	prefix string
	typ    Type
}{
	{"%p", Pred},
	{"%h", B16},
	{"%r", B32},
	{"%rd", B64},
	{"%q", B128},
	{"%f", F32},
	{"%fd", F64},
	{"%s", S32},
	{"%u", U32},
	{"%ud", U64},
	{"%sd", S64},
	{"%uh", U16},
	{"%sh", S16},
	{"%ub", U8},
	{"%bb", B8},
	{"%hf", F16},
	{"%hx", F16x2},
	{"%d", F64},
}

var symbols = []struct {
	name  string
	space Space
	typ   Type
	kind  Kind
}{
	{"gv", SpaceGlobal, B8, KSymbol},
	{"sv", SpaceShared, B8, KSymbol},
	{"cv", SpaceConst, B8, KSymbol},
	{"lv", SpaceLocal, B8, KSymbol},
	{"par", SpaceParam, B64, KSymbol},
	{"par2", SpaceParam, B32, KSymbol},
	{"ga", SpaceGlobal, B32, KSymbol},
	{"sa", SpaceShared, B32, KSymbol},
	{"g", SpaceGlobal, B32, KSymbol},
	{"s", SpaceShared, B32, KSymbol},
	{"c", SpaceConst, B32, KSymbol},
	{"l", SpaceLocal, B32, KSymbol},
	{"p", SpaceParam, U64, KSymbol},
	{"n", SpaceParam, U32, KSymbol},
	{"tx", SpaceGlobal, Texref, KSymbol},
	{"sf", SpaceGlobal, Surfref, KSymbol},
	{"LBL", Generic, TNone, KLabel},
	{"TBL", Generic, TNone, KTable},
	{"fn", Generic, TNone, KFunc},
}

type formParser struct {
	s   string
	err string
}

func (p *formParser) skip() { p.s = strings.TrimLeft(p.s, " ") }

func (p *formParser) eat(x string) bool {
	p.skip()
	if strings.HasPrefix(p.s, x) {
		p.s = p.s[len(x):]
		return true
	}
	return false
}

func (p *formParser) word() string {
	p.skip()
	i := 0
	for i < len(p.s) && (p.s[i] == '_' || p.s[i] == '%' || p.s[i] == '$' || p.s[i] >= '0' && p.s[i] <= '9' ||
		p.s[i] >= 'a' && p.s[i] <= 'z' || p.s[i] >= 'A' && p.s[i] <= 'Z') {
		i++
	}
	w := p.s[:i]
	p.s = p.s[i:]
	return w
}

// parseForm returns the instruction a form denotes; ok is false when the
// little grammar here does not cover it.
func parseForm(form string) (in *Inst, ok bool) {
	in = new(Inst)
	p := &formParser{s: strings.TrimSuffix(strings.TrimSpace(form), ";")}
	if p.eat("@") {
		not := p.eat("!")
		in.Guarded, in.Guard = true, p.name(p.word())
		in.Guard.Not = not
		p.skip()
	}
	mnemonic, rest, _ := strings.Cut(p.s, " ")
	p.s = rest
	parts := strings.Split(mnemonic, ".")
	in.OpText = parts[0]
	if w := LookupString(parts[0]); w.IsOpcode() {
		in.Op = w
	}
	for _, m := range parts[1:] {
		w := LookupString(m)
		in.Mods = append(in.Mods, w)
		if w == WNone {
			in.Unknown = append(in.Unknown, m)
		}
	}
	for p.skip(); p.s != ""; p.skip() {
		in.Args = append(in.Args, p.operand())
		if p.err != "" || !p.eat(",") {
			break
		}
	}
	p.skip()
	return in, p.err == "" && p.s == ""
}

func (p *formParser) operand() Operand {
	var o Operand
	switch {
	case p.eat("{"):
		o.Kind = KVector
		for {
			e := p.operand()
			o.Elems = append(o.Elems, e)
			if !p.eat(",") {
				break
			}
		}
		if len(o.Elems) > 0 {
			o.Type = o.Elems[0].Type
		}
		if !p.eat("}") {
			p.err = "brace"
		}
	case p.eat("["):
		o = p.address()
	case p.eat("!"):
		o = p.operand()
		o.Not = true
	default:
		o = p.scalar()
	}
	if p.eat("|") {
		q := p.scalar()
		o.HasPair, o.Pair, o.PairType = true, q.Kind, q.Type
	}
	return o
}

func (p *formParser) address() Operand {
	base := p.scalar()
	o := base
	o.Base, o.Kind = base.Kind, KAddr
	if p.eat("+") {
		o.Value = p.scalar().Value
	}
	for p.eat(",") {
		o.Elems = append(o.Elems, p.operand())
	}
	if !p.eat("]") {
		p.err = "bracket"
	}
	return o
}

func (p *formParser) scalar() Operand {
	p.skip()
	neg := false
	if strings.HasPrefix(p.s, "-") && len(p.s) > 1 && p.s[1] == '%' {
		neg = p.eat("-")
	}
	if p.s != "" && (p.s[0] == '-' || p.s[0] >= '0' && p.s[0] <= '9' || p.s[0] == '.') {
		return p.number()
	}
	w := p.word()
	if w == "" {
		p.err = "operand"
		return Operand{}
	}
	o := p.name(w)
	o.Neg = neg
	if strings.HasPrefix(p.s, ".") {
		p.s = p.s[1:]
		o.Sel = p.word()
		if o.Kind == KSpecial {
			o.Comp, o.Sel = true, ""
		}
	}
	if o.Kind == KSymbol && p.eat("+") {
		o.Value = p.number().Value
	}
	return o
}

func (p *formParser) name(w string) Operand {
	if w == "_" {
		return Operand{Kind: KSink}
	}
	if w == "WARP_SZ" {
		return Operand{Kind: KInt, Value: 32}
	}
	for _, r := range regTypes {
		if n, ok := strings.CutPrefix(w, r.prefix); ok && n != "" && strings.Trim(n, "0123456789") == "" {
			return Operand{Kind: KReg, Type: r.typ, Name: w}
		}
	}
	for _, s := range symbols {
		if s.name == w {
			return Operand{Kind: s.kind, Type: s.typ, Space: s.space, Name: w}
		}
	}
	if r, ok := LookupString(w).Special(); ok {
		return Operand{Kind: KSpecial, Special: r, Type: r.Type(), Name: w}
	}
	return Operand{Kind: KBad, Name: w}
}

func (p *formParser) number() Operand {
	i := 0
	for i < len(p.s) && strings.IndexByte(",]}| ", p.s[i]) < 0 {
		i++
	}
	w := p.s[:i]
	p.s = p.s[i:]
	lower := strings.ToLower(w)
	switch {
	case strings.HasPrefix(lower, "0f") && len(lower) == 10:
		v, _ := strconv.ParseUint(lower[2:], 16, 32)
		return Operand{Kind: KSingle, Value: int64(v)}
	case strings.HasPrefix(lower, "0d") && len(lower) == 18:
		v, _ := strconv.ParseUint(lower[2:], 16, 64)
		return Operand{Kind: KDouble, Value: int64(v)}
	}
	if v, err := strconv.ParseInt(strings.TrimSuffix(w, "U"), 0, 64); err == nil {
		return Operand{Kind: KInt, Value: v}
	}
	if v, err := strconv.ParseUint(strings.TrimSuffix(w, "U"), 0, 64); err == nil {
		return Operand{Kind: KInt, Value: int64(v)}
	}
	if v, err := strconv.ParseFloat(w, 64); err == nil {
		return Operand{Kind: KDouble, Value: int64(math.Float64bits(v))}
	}
	p.err = "number " + w
	return Operand{}
}

// testContext returns the context of a version and a target name.
func testContext(version, targetName string) *Context {
	major, minor, _ := strings.Cut(version, ".")
	a, _ := strconv.Atoi(major)
	b, _ := strconv.Atoi(minor)
	ctx := &Context{Version: MakeVersion(a, b), Target: targetName, Unified: true}
	if ctx.Version == 51 {
		ctx.Version = 60 // 5.1 counts as 6.0
	}
	n := strings.TrimPrefix(targetName, "sm_")
	switch {
	case strings.HasSuffix(n, "a"):
		ctx.Variant = target.ArchSpecific
	case strings.HasSuffix(n, "f"):
		ctx.Variant = target.FamilyOnly
	}
	ctx.SM, _ = strconv.Atoi(strings.TrimRight(n, "af"))
	return ctx
}

// checkForm returns the messages about a form, joined by " // ".
func checkForm(t testing.TB, ctx *Context, form string) (msgs []string, ok, parsed bool) {
	in, parsed := parseForm(form)
	if !parsed {
		return nil, false, false
	}
	ctx.Report = func(sev diag.Severity, text string) {
		if sev == diag.Fatal {
			text = "fatal: " + text
		} else if sev != diag.Error {
			return // the tables list errors only
		}
		msgs = append(msgs, text)
	}
	if ctx.Version < 83 {
		dropWide(in.Args) // .b128 registers cannot be declared
	}
	ok = Check(in, Of(in.Op), ctx)
	return msgs, ok, true
}

func dropWide(args []Operand) {
	for i := range args {
		if args[i].Kind == KReg && args[i].Type == B128 {
			args[i] = Operand{Kind: KBad}
		}
		dropWide(args[i].Elems)
	}
}
