package opgen

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// newForms returns the forms of the gating table that no GPU before sm_100
// takes and that arch does.
func newForms(t *testing.T, arch string) []string {
	t.Helper()
	text := cases.Unzip(t, filepath.Join("..", "..", "..", "testdata", "ptx", "gating.tsv.gz"))
	number := strings.TrimRight(strings.TrimPrefix(arch, "sm_"), "af")
	var out []string
	for line := range strings.Lines(string(text)) {
		c := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(c) < 3 || c[0] == "form" || line[0] == '#' || !since100.MatchString(c[2]) {
			continue
		}
		if strings.Contains(c[2], number+"+") || strings.Contains(c[2], "sm_100+") || slices.Contains(strings.Fields(c[2]), arch) {
			out = append(out, c[0])
		}
	}
	return out
}

var (
	since100    = regexp.MustCompile(`^sm_(100|103|110|120)`)
	labels      = regexp.MustCompile(`\b(LBL|TBL)\b`)
	formRegs    = regexp.MustCompile(`%(p|h|rd|r|q)\d+\b`)
	formText    = regexp.MustCompile(`^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Za-z0-9_.]*)`)
	formNeutral = regexp.MustCompile(`^(LDCU?|LDG|STG|U?MOV|EXIT|BRA|NOP|S2U?R|R2UR|U?IADD3?|VIADD|U?PRMT|U?ISETP|U?SEL|PLOP3|U?LOP3|CS2R|LEPC|BSSY|BSYNC|WARPSYNC|ELECT|HFMA2|U?SHF|U?IMAD|P2R|R2P|FSEL|VOTEU?|USGXT|UP2UR|U?LEA|BMOV|BREAK|YIELD|DEPBAR|CALL|RET)\b`)
)

// loadsOf are the accesses that load and store a register of each kind, whose
// name stands for X and whose place for N.
var loadsOf = map[string][2]string{
	"p":  {"ld.global.u32 %tmp,[%base+N]; setp.ne.u32 X,%tmp,0;", "selp.u32 %tmp,1,0,X; st.global.u32 [%base+N],%tmp;"},
	"h":  {"ld.global.u16 X,[%base+N];", "st.global.u16 [%base+N],X;"},
	"r":  {"ld.global.u32 X,[%base+N];", "st.global.u32 [%base+N],X;"},
	"rd": {"ld.global.u64 X,[%base+N];", "st.global.u64 [%base+N],X;"},
	"q":  {"ld.global.b128 X,[%base+N];", "st.global.b128 [%base+N],X;"},
}

// formKernels puts each form into a kernel that loads and stores every register
// that it names.
func formKernels(forms []string, arch string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version 9.0\n.target %s\n.address_size 64\n.global .align 16 .b8 gv[1024], ga[1024];\n.shared .align 16 .b8 sv[1024], sa[1024];\n.const .align 16 .b8 cv[1024];\n.global .texref tx; .global .surfref sf;\n.func fn() { ret; }\n", arch)
	for n, f := range forms {
		regs := formRegs.FindAllString(f, -1)
		slices.Sort(regs)
		before, after := "", ""
		for k, x := range slices.Compact(regs) {
			r := strings.NewReplacer("X", x, "N", fmt.Sprint(16*k+16))
			l := loadsOf[formRegs.FindStringSubmatch(x)[1]]
			before += r.Replace(l[0]) + "\n"
			after += r.Replace(l[1]) + "\n"
		}
		table := ""
		if strings.Contains(f, "TBL") {
			table = fmt.Sprintf("TBL%d: .branchtargets LBL%d, NEXT%d;\n", n, n, n)
			after = fmt.Sprintf("NEXT%d:\n", n) + after
		}
		fmt.Fprintf(&b, `.visible .entry k%d(.param .b64 par, .param .b32 par2, .param .b64 pa) .maxntid 128
{ .local .align 16 .b8 lv[64]; .reg .pred %%p<200>; .reg .b16 %%h<200>; .reg .b32 %%r<200>; .reg .b64 %%rd<200>; .reg .b128 %%q<200>; .reg .b64 %%base; .reg .b32 %%tmp;
ld.param.u64 %%base,[par];
LBL%d:
%s%s%s;
%sret; }
`, n, n, table, before, labels.ReplaceAllString(f, fmt.Sprintf("${0}%d", n)), after)
	}
	return b.String()
}

// formMix lists the operations of each kernel of a cubin, sorted, without
// moves, addresses, predicates and branches.
func formMix(t *testing.T, x *oracle.Tools, cubin []byte, n int) [][]string {
	t.Helper()
	out := make([][]string, n)
	for at, lines := range disassembled(t, x, cubin, n) {
		for _, line := range lines {
			if m := formText.FindStringSubmatch(line); m != nil && !formNeutral.MatchString(m[1]) {
				out[at] = append(out[at], m[1])
			}
		}
	}
	for _, l := range out {
		slices.Sort(l)
	}
	return out
}

// formRule is a rule of some forms, and how many each target has.
type formRule struct {
	name  string
	forms *regexp.Regexp
	count map[string]int
}

// formRules are the forms whose code is not the reference's, and how many of
// them each of the two targets has: the table of docs/blackwell.md says why.
var formRules = []formRule{
	{"the account of tensor memory", regexp.MustCompile(`^tcgen05\.(alloc|dealloc)\.`), map[string]int{"sm_100a": 6}},
	{"an emulated product of sparse bytes", regexp.MustCompile(`^mma\.sp::ordered_metadata.*\.kind::f8f6f4\.`), map[string]int{"sm_100a": 1}},
	{"no code in the reference", regexp.MustCompile(`\.async\.mmio\.release\.gpu`), map[string]int{"sm_100a": 3, "sm_120a": 3}},
}

// TestNewForms compiles every form that came with sm_100, each in a kernel of
// its own, with both compilers: the operations are the same, or a rule tells
// why not, and the rules hold for as many forms as they say.
func TestNewForms(t *testing.T) {
	x := oracle.Find(t)
	for arch, most := range map[string]int{"sm_100a": 360, "sm_120a": 251} {
		forms := newForms(t, arch)
		if len(forms) != most {
			t.Errorf("%s: %d forms, %d are known", arch, len(forms), most)
		}
		equal, ruled := 0, make([]int, len(formRules))
		rule := func(f string, ours, ref any) {
			for n, r := range formRules {
				if r.forms.MatchString(f) {
					ruled[n]++
					return
				}
			}
			t.Errorf("%s: %s\n\tours      %q\n\treference %q", arch, f, ours, ref)
		}
		var good []string
		for _, f := range forms {
			if _, cubin := compileFile(formKernels([]string{f}, arch), arch); cubin == nil {
				t.Errorf("%s: %s is not compiled", arch, f)
				continue
			}
			good = append(good, f)
		}
		for len(good) > 0 {
			part := good[:min(60, len(good))]
			good = good[len(part):]
			text := formKernels(part, arch)
			_, ours := compileFile(text, arch)
			ref, err := x.CubinOf([]byte(text), "-arch="+arch)
			if err != nil {
				t.Fatal(err)
			}
			a, b := formMix(t, x, ours, len(part)), formMix(t, x, ref, len(part))
			for n := range part {
				if slices.Equal(a[n], b[n]) {
					equal++
				} else {
					rule(part[n], a[n], b[n])
				}
			}
		}
		for n, r := range formRules {
			if ruled[n] != r.count[arch] {
				t.Errorf("%s: %s: %d forms, want %d", arch, r.name, ruled[n], r.count[arch])
			}
		}
		t.Logf("%s: %d forms, %d equal, by rule %v", arch, len(forms), equal, ruled)
	}
}

// extremes are two or three instructions about the least or greatest, which
// some machines have as one operation.
var extremes = []string{
	"max.s32 T,%r1,%r2; max.s32 %r3,T,%r4", "min.u32 T,%r1,%r2; min.u32 %r3,T,%r4", "min.s32 T,%r1,%r2; max.s32 %r3,T,%r4", "max.s32 T,%r1,%r2; max.s32 T,T,%r5; max.s32 T,T,%r6; max.s32 %r3,T,%r4",
	"max.s32 T,%r1,%r2; max.s32 U,%r5,%r6; max.s32 %r3,T,U", "max.s32 T,%r1,%r2; max.s32 T,T,%r4; max.s32 %r3,T,0", "min.s32 T,%r1,%r2; max.s32 %r3,T,0", "min.s32 T,%r1,7; max.s32 %r3,T,0", "min.s32 T,%r1,0; max.s32 %r3,T,%r2",
	"max.s32 T,%r1,5; max.s32 %r3,T,%r2", "max.s32 T,%r1,%r2; max.s32 %r3,T,100", "max.s32 T,%r1,%r2; max.s32 %r3,T,%r4; add.u32 %r5,T,1", "max.relu.s32 T,%r1,%r2; max.s32 %r3,T,%r4", "min.s32 T,%r1,%r2; min.relu.s32 %r3,T,%r4",
	"add.u32 T,%r1,%r2; max.s32 %r3,T,%r4", "add.u32 T,%r1,%r2; min.u32 %r3,T,%r4", "sub.u32 T,%r1,%r2; min.s32 %r3,T,%r4", "add.u32 T,%r1,5; min.s32 %r3,T,%r4", "add.u32 T,%r1,%r2; min.s32 %r3,T,100", "add.u32 T,%r1,1; max.s32 %r3,T,0",
	"add.u32 T,%r1,%r2; max.s32 T,T,%r4; max.s32 %r3,T,0", "add.u32 T,%r1,%r2; max.relu.s32 %r3,T,%r4", "add.u32 T,%r1,%r2; add.u32 U,%r5,%r6; max.s32 %r3,T,U", "add.u32 T,%r1,%r2; add.u32 T,T,%r5; max.s32 %r3,T,%r4",
	"add.s16x2 T,%r1,%r2; max.s16x2 %r3,T,%r4", "add.u16x2 T,%r1,%r2; min.u16x2 %r3,T,%r4", "mov.b32 U,0; min.s16x2 T,%r1,%r2; max.s16x2 %r3,T,U", "max.u16x2 T,%r1,%r2; max.u16x2 %r3,T,%r4",
	"ld.param.u32 T,[par2]; max.s32 T,%r1,T; max.s32 %r3,T,%r4", "ld.param.u32 T,[par2]; add.u32 T,%r1,T; max.s32 %r3,T,%r4", "ld.param.u32 U,[par2]; add.u32 T,%r1,%r2; max.s32 %r3,T,U",
	"max.f16x2 T,%r1,%r2; max.f16x2 %r3,T,%r4", "max.f16x2 T,%r1,%r2; min.f16x2 %r3,T,%r4", "min.NaN.f16x2 T,%r1,%r2; min.NaN.f16x2 %r3,T,%r4", "max.NaN.f16x2 T,%r1,%r2; max.f16x2 %r3,T,%r4", "max.ftz.f16x2 T,%r1,%r2; max.ftz.f16x2 %r3,T,%r4",
	"max.xorsign.abs.f16x2 T,%r1,%r2; max.xorsign.abs.f16x2 %r3,T,%r4", "min.bf16x2 T,%r1,%r2; min.bf16x2 %r3,T,%r4", "max.f16 %h4,%h1,%h2; max.f16 %h4,%h4,%h3", "max.f32 T,%r1,%r2; max.f32 %r3,T,%r4", "min.f32 T,%r1,%r2; max.f32 %r3,T,%r4",
}

// TestExtremes: extremes of extremes and of sums are the operations of the
// reference.
func TestExtremes(t *testing.T) {
	x := oracle.Find(t)
	var forms []string
	for _, f := range extremes {
		forms = append(forms, "{ .reg .b32 T, U; "+f+"; } mov.b32 %r1,%r1") // a form ends with an instruction
	}
	for _, arch := range []string{"sm_90", "sm_100a", "sm_103a", "sm_120a"} {
		text := formKernels(forms, arch)
		msg, ours := compileFile(text, arch)
		if ours == nil {
			t.Fatal(msg)
		}
		ref, err := x.CubinOf([]byte(text), "-arch="+arch)
		if err != nil {
			t.Fatal(err)
		}
		a, b := formMix(t, x, ours, len(forms)), formMix(t, x, ref, len(forms))
		for n, f := range extremes {
			if !slices.Equal(a[n], b[n]) {
				t.Errorf("%s: %s\n\tours      %q\n\treference %q", arch, f, a[n], b[n])
			}
		}
	}
}

// A variant writes a form in another way: nothing if it cannot be.
type variant struct {
	name   string
	form   func(f string) string
	kernel func(text string) string
}

var (
	lastWord  = regexp.MustCompile(`,\s*%[rh]\d+$`)
	lastTwo   = regexp.MustCompile(`,\s*%(rd|r|h)(\d+),\s*%(rd|r|h)(\d+)$`)
	wordLoads = regexp.MustCompile(`ld\.global\.(\w+) (%(?:rd|r|h)\d+),\[%base\+`)
)

// variants are the ways in which programs write a form beside registers that
// threads have to themselves.
var variants = []variant{
	{name: "a constant", form: func(f string) string {
		number := ",5"
		if strings.Contains(f, "f32") {
			number = ",0f40490FDB"
		}
		if g := lastWord.ReplaceAllString(f, number); g != f {
			return g
		}
		return ""
	}},
	{name: "one register twice", form: func(f string) string {
		if m := lastTwo.FindStringSubmatch(f); m != nil && m[1] == m[3] && !strings.HasPrefix(f, "tcgen05") {
			return lastTwo.ReplaceAllString(f, ",%$1$2,%$1$2")
		}
		return ""
	}},
	{name: "a guard", form: func(f string) string {
		if strings.HasPrefix(f, "setp") {
			return ""
		}
		return "setp.ne.u32 %p150,%tmp,7; @%p150 " + f
	}, kernel: func(text string) string {
		return strings.ReplaceAll(text, "ld.param.u64 %base,[par];", "ld.param.u64 %base,[par]; ld.global.u32 %tmp,[%base+2000];")
	}},
	{name: "parameters", form: func(f string) string { return f }, kernel: func(text string) string {
		text = wordLoads.ReplaceAllString(text, "ld.param.$1 $2,[par3+")
		return strings.ReplaceAll(text, ".param .b64 pa)", ".param .b64 pa, .param .align 16 .b8 par3[400])")
	}},
}

// variantRules are the rules of variants alone, by their names:
// docs/blackwell.md says why.
var variantRules = map[string]*regexp.Regexp{
	"one register twice": regexp.MustCompile(`^(min|max)\.\S*f32 `),
	"parameters":         regexp.MustCompile(`^(add|sub|fma)\.\S*f32x2 `),
}

// TestVariants compiles forms that came with sm_100 with constants, the same
// register twice, a guard and parameters: the operations are the reference's,
// or a rule tells why not. One form in twelve is asked, all with GOPTXAS_FULL=1.
func TestVariants(t *testing.T) {
	x := oracle.Find(t)
	for _, arch := range []string{"sm_100a", "sm_120a"} {
		for k, v := range variants {
			s := &variantCount{variant: v, arch: arch}
			var asked []string
			for n, f := range newForms(t, arch) {
				if g := v.form(f); g != "" && (os.Getenv("GOPTXAS_FULL") != "" || n%12 == k) {
					asked = append(asked, f)
				}
			}
			for part := range slices.Chunk(asked, 60) {
				s.compare(t, x, part)
			}
			t.Logf("%s: %s: %d of %d forms equal, %d refused by both, %d by rule", arch, v.name, s.equal, len(asked), s.refused, s.ruled)
		}
	}
}

// variantCount is what became of a variant of forms on an architecture.
type variantCount struct {
	variant
	arch                  string
	equal, refused, ruled int
}

// text is the kernels of forms.
func (s *variantCount) text(forms []string) string {
	var list []string
	for _, f := range forms {
		list = append(list, s.form(f))
	}
	text := formKernels(list, s.arch)
	if s.kernel != nil {
		text = s.kernel(text)
	}
	return text
}

// compare asks for a rule wherever the operations of forms are not the
// reference's, and halves what one compiler refuses.
func (s *variantCount) compare(t *testing.T, x *oracle.Tools, part []string) {
	t.Helper()
	text := s.text(part)
	msg, ours := compileFile(text, s.arch)
	ref, err := x.CubinOf([]byte(text), "-arch="+s.arch)
	switch h := len(part) / 2; {
	case (ours == nil || err != nil) && h > 0:
		s.compare(t, x, part[:h])
		s.compare(t, x, part[h:])
		return
	case ours == nil && err != nil:
		s.refused++
		return
	case ours == nil || err != nil:
		t.Errorf("%s: %s of %s: one compiles it alone: ours says %q, the reference %v", s.arch, s.name, part[0], msg, err)
		return
	}
	a, b := everyMix(t, x, ours, len(part)), everyMix(t, x, ref, len(part))
	for n, f := range part {
		switch {
		case slices.Equal(a[n], b[n]):
			s.equal++
		case variantRules[s.name] != nil && variantRules[s.name].MatchString(f) || slices.ContainsFunc(formRules, func(r formRule) bool { return r.forms.MatchString(f) }):
			s.ruled++
		default:
			t.Errorf("%s: %s of %s\n\tours alone      %q\n\treference alone %q", s.arch, s.name, f, without(a[n], b[n]), without(b[n], a[n]))
		}
	}
}
