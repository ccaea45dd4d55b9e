package opgen

import (
	"fmt"
	"strings"
)

// A sweep is every spelling that a family of instructions could have: the
// product of all its modifiers, types and kinds of operands. Most of them are
// no instructions; the front end says which are. Templates write it down:
// <a|b|> stands for each of its alternatives, a name in capitals after @ for
// a list of the table below, and the operands #1, #2, … for registers as the
// type and the vector at the end of the mnemonic want them. A bar between two
// results is written ^.

// lists are the alternatives that several families have.
var lists = [...]struct{ name, alternatives string }{
	{"@SCOPES", ".cta|.cluster|.gpu|.sys"},
	{"@SCOPE", "|.cta|.cluster|.gpu|.sys"},
	{"@LDSEM", "|.weak|.volatile|.relaxed.cta|.relaxed.cluster|.relaxed.gpu|.relaxed.sys|.acquire.cta|.acquire.cluster|.acquire.gpu|.acquire.sys|.mmio.relaxed.sys"},
	{"@STSEM", "|.weak|.volatile|.relaxed.cta|.relaxed.cluster|.relaxed.gpu|.relaxed.sys|.release.cta|.release.cluster|.release.gpu|.release.sys|.mmio.relaxed.sys"},
	{"@SPACE", "|.const|.global|.local|.param|.param::entry|.param::func|.shared|.shared::cta|.shared::cluster"},
	{"@LDCOP", "|.ca|.cg|.cs|.lu|.cv"},
	{"@STCOP", "|.wb|.cg|.cs|.wt"},
	{"@L1", "|.L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|.L1::evict_last|.L1::no_allocate"},
	{"@PREF", "|.L2::64B|.L2::128B|.L2::256B"},
	{"@SHARED", "|.shared|.shared::cta|.shared::cluster"},
	{"@RMW", ".exch|.cas|.add|.inc|.dec|.min|.max|.and|.or|.xor"},
	{"@AMOSEM", "|.relaxed|.acquire|.release|.acq_rel"},
	{"@CMPF", ".eq|.ne|.lt|.le|.gt|.ge|.lo|.ls|.hi|.hs|.equ|.neu|.ltu|.leu|.gtu|.geu|.num|.nan"},
	{"@BOOL", "|.and|.or|.xor"},
	{"@RND", "|.rn|.rz|.rm|.rp|.rna"},
	{"@IRND", "|.rni|.rzi|.rmi|.rpi"},
	{"@FTZ", "|.ftz"},
	{"@SAT", "|.sat"},
	{"@INT", ".u16|.s16|.u32|.s32|.u64|.s64"},
	{"@INT8", ".u8|.s8|.u16|.s16|.u32|.s32|.u64|.s64"},
	{"@BITS", ".b16|.b32|.b64"},
	{"@FLOAT", ".f16|.f16x2|.bf16|.bf16x2|.f32|.f64"},
	{"@MEM", ".b8|.u8|.s8|.b16|.u16|.s16|.b32|.u32|.s32|.f32|.b64|.u64|.s64|.f64|.b128"},
	{"@ANY", ".u8|.s8|.b8|.u16|.s16|.b16|.u32|.s32|.b32|.u64|.s64|.b64|.f16|.f16x2|.bf16|.bf16x2|.f32|.f64|.tf32|.pred"},
	{"@VEC", "|.v2|.v4|.v8"},
	{"@GEOM", ".1d|.2d|.3d|.a1d|.a2d|.cube|.acube|.2dms|.a2dms"},
	{"@SURF", ".1d|.2d|.3d|.a1d|.a2d"},
	{"@EVICT", ".L2::evict_last|.L2::evict_normal|.L2::evict_first|.L2::evict_unchanged"},
	{"@ATOMT", ".b16|.b32|.u32|.s32|.b64|.u64|.s64|.b128|.f16|.f16x2|.bf16|.bf16x2|.f32|.f64"},
	{"@XYZW", ".x|.y|.z|.w"},
}

// Expand returns the spellings a template stands for.
func Expand(template string) []string {
	for n := len(lists) - 1; n >= 0; n-- {
		template = strings.ReplaceAll(template, lists[n].name+">", lists[n].alternatives+">")
	}
	out := []string{""}
	for template != "" {
		before, rest, found := strings.Cut(template, "<")
		choice, after := "", ""
		if found {
			choice, after, _ = strings.Cut(rest, ">")
		}
		var next []string
		for _, p := range out {
			for _, c := range strings.Split(choice, "|") {
				next = append(next, p+before+c)
			}
		}
		out, template = next, after
	}
	for n := range out {
		out[n] = strings.ReplaceAll(operands(out[n]), "^", "|")
	}
	return out
}

// bits of the types, for the registers that hold them.
var widths = [...]struct {
	types string
	reg   string
}{
	{".u8 .s8 .b8 .u16 .s16 .b16 .f16 .bf16", "%h"},
	{".u32 .s32 .b32 .f32 .tf32 .f16x2 .bf16x2 .u16x2 .s16x2 .e4m3x4 .e5m2x4", "%r"},
	{".u64 .s64 .b64 .f64", "%rd"},
	{".b128", "%q"},
	{".pred", "%p"},
}

func registerOf(typ string) string {
	for _, w := range widths {
		for _, t := range strings.Fields(w.types) {
			if t == typ {
				return w.reg
			}
		}
	}
	return "%r"
}

// operands puts registers where a form has #n. A #n takes the last type of
// the mnemonic, ##n the one before it, and both are vectors if it names one.
func operands(form string) string {
	mnemonic, args, found := strings.Cut(form, " ")
	if !found || !strings.Contains(args, "#") {
		return form
	}
	n := 1
	var types []string
	for _, m := range strings.Split(mnemonic, ".")[1:] {
		switch m {
		case "v2", "v4", "v8":
			n = int(m[1] - '0')
		default:
			if isType("." + m) {
				types = append(types, "."+m)
			}
		}
	}
	pick := func(back int) string {
		if len(types) < back {
			return "%r"
		}
		return registerOf(types[len(types)-back])
	}
	var b strings.Builder
	for at := 0; at < len(args); at++ {
		if args[at] != '#' {
			b.WriteByte(args[at])
			continue
		}
		reg := pick(1)
		if at++; args[at] == '#' {
			reg = pick(2)
			at++
		}
		first := 10 * int(args[at]-'0')
		if n == 1 {
			fmt.Fprintf(&b, "%s%d", reg, first)
			continue
		}
		b.WriteByte('{')
		for k := range n {
			if k > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%s%d", reg, first+k)
		}
		b.WriteByte('}')
	}
	return mnemonic + " " + b.String()
}

func isType(m string) bool {
	for _, w := range widths {
		for _, t := range strings.Fields(w.types) {
			if t == m {
				return true
			}
		}
	}
	return false
}

// Sweep returns every spelling of the families, each once.
func Sweep() []string {
	var out []string
	seen := map[string]bool{}
	for _, family := range [][]string{memoryForms[:], atomicForms[:], systemForms[:], textureForms[:], arithmeticForms[:], videoForms[:]} {
		for _, t := range family {
			for _, f := range Expand(t) {
				if !seen[f] {
					seen[f] = true
					out = append(out, f)
				}
			}
		}
	}
	return out
}
