package rows

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
	"github.com/goptxas/goptxas/internal/target"
)

// The form parser: just enough syntax to turn "ld.global.u32 %r1,[%rd1+4]"
// into an Inst, so that the table can be tested by itself. Register names
// tell their types.

var regTypes = []struct {
	prefix string
	typ    isa.Type
}{
	{"%p", isa.Pred},
	{"%h", isa.B16},
	{"%r", isa.B32},
	{"%rd", isa.B64},
	{"%q", isa.B128},
	{"%f", isa.F32},
	{"%fd", isa.F64},
	{"%s", isa.S32},
	{"%u", isa.U32},
	{"%ud", isa.U64},
	{"%sd", isa.S64},
	{"%uh", isa.U16},
	{"%sh", isa.S16},
	{"%ub", isa.U8},
	{"%bb", isa.B8},
	{"%hf", isa.F16},
	{"%hx", isa.F16x2},
	{"%d", isa.F64},
}

var symbols = []struct {
	name  string
	space isa.Space
	typ   isa.Type
	kind  isa.Kind
}{
	{"gv", isa.SpaceGlobal, isa.B8, isa.KSymbol},
	{"sv", isa.SpaceShared, isa.B8, isa.KSymbol},
	{"cv", isa.SpaceConst, isa.B8, isa.KSymbol},
	{"lv", isa.SpaceLocal, isa.B8, isa.KSymbol},
	{"par", isa.SpaceParam, isa.B64, isa.KSymbol},
	{"par2", isa.SpaceParam, isa.B32, isa.KSymbol},
	{"ga", isa.SpaceGlobal, isa.B32, isa.KSymbol},
	{"sa", isa.SpaceShared, isa.B32, isa.KSymbol},
	{"g", isa.SpaceGlobal, isa.B32, isa.KSymbol},
	{"s", isa.SpaceShared, isa.B32, isa.KSymbol},
	{"c", isa.SpaceConst, isa.B32, isa.KSymbol},
	{"l", isa.SpaceLocal, isa.B32, isa.KSymbol},
	{"p", isa.SpaceParam, isa.U64, isa.KSymbol},
	{"n", isa.SpaceParam, isa.U32, isa.KSymbol},
	{"tx", isa.SpaceGlobal, isa.Texref, isa.KSymbol},
	{"sf", isa.SpaceGlobal, isa.Surfref, isa.KSymbol},
	{"LBL", isa.Generic, isa.TNone, isa.KLabel},
	{"TBL", isa.Generic, isa.TNone, isa.KTable},
	{"fn", isa.Generic, isa.TNone, isa.KFunc},
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
func parseForm(form string) (in *row.Inst, ok bool) {
	in = new(row.Inst)
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
	if w := isa.LookupString(parts[0]); w.IsOpcode() {
		in.Op = w
	}
	for _, m := range parts[1:] {
		w := isa.LookupString(m)
		in.Mods = append(in.Mods, w)
		if w == isa.WNone {
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

func (p *formParser) operand() isa.Operand {
	var o isa.Operand
	switch {
	case p.eat("{"):
		o.Kind = isa.KVector
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

func (p *formParser) address() isa.Operand {
	base := p.scalar()
	o := base
	o.Base, o.Kind = base.Kind, isa.KAddr
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

func (p *formParser) scalar() isa.Operand {
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
		return isa.Operand{}
	}
	o := p.name(w)
	o.Neg = neg
	if strings.HasPrefix(p.s, ".") {
		p.s = p.s[1:]
		o.Sel = p.word()
		if o.Kind == isa.KSpecial {
			o.Comp, o.Sel = true, ""
		}
	}
	if o.Kind == isa.KSymbol && p.eat("+") {
		o.Value = p.number().Value
	}
	return o
}

func (p *formParser) name(w string) isa.Operand {
	if w == "_" {
		return isa.Operand{Kind: isa.KSink}
	}
	if w == "WARP_SZ" {
		return isa.Operand{Kind: isa.KInt, Value: 32}
	}
	for _, r := range regTypes {
		if n, ok := strings.CutPrefix(w, r.prefix); ok && n != "" && strings.Trim(n, "0123456789") == "" {
			return isa.Operand{Kind: isa.KReg, Type: r.typ, Name: w}
		}
	}
	for _, s := range symbols {
		if s.name == w {
			return isa.Operand{Kind: s.kind, Type: s.typ, Space: s.space, Name: w}
		}
	}
	if r, ok := isa.LookupString(w).Special(); ok {
		return isa.Operand{Kind: isa.KSpecial, Special: r, Type: r.Type(), Name: w}
	}
	return isa.Operand{Kind: isa.KBad, Name: w}
}

func (p *formParser) number() isa.Operand {
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
		return isa.Operand{Kind: isa.KSingle, Value: int64(v)}
	case strings.HasPrefix(lower, "0d") && len(lower) == 18:
		v, _ := strconv.ParseUint(lower[2:], 16, 64)
		return isa.Operand{Kind: isa.KDouble, Value: int64(v)}
	}
	if v, err := strconv.ParseInt(strings.TrimSuffix(w, "U"), 0, 64); err == nil {
		return isa.Operand{Kind: isa.KInt, Value: v}
	}
	if v, err := strconv.ParseUint(strings.TrimSuffix(w, "U"), 0, 64); err == nil {
		return isa.Operand{Kind: isa.KInt, Value: int64(v)}
	}
	if v, err := strconv.ParseFloat(w, 64); err == nil {
		return isa.Operand{Kind: isa.KDouble, Value: int64(math.Float64bits(v))}
	}
	p.err = "number " + w
	return isa.Operand{}
}

// testContext returns the context of a version and a target name.
func testContext(version, targetName string) *row.Context {
	major, minor, _ := strings.Cut(version, ".")
	a, _ := strconv.Atoi(major)
	b, _ := strconv.Atoi(minor)
	ctx := &row.Context{Version: isa.MakeVersion(a, b), Target: targetName, Unified: true}
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
func checkForm(t testing.TB, ctx *row.Context, form string) (msgs []string, ok, parsed bool) {
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
	ok = row.Check(in, Of(in.Op), ctx)
	return msgs, ok, true
}

func dropWide(args []isa.Operand) {
	for i := range args {
		if args[i].Kind == isa.KReg && args[i].Type == isa.B128 {
			args[i] = isa.Operand{Kind: isa.KBad}
		}
		dropWide(args[i].Elems)
	}
}
