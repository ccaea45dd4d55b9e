package opgen

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/hazard"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// everyForm returns the forms of the gating table that arch takes.
func everyForm(t *testing.T, arch string) []string {
	t.Helper()
	text := cases.Unzip(t, filepath.Join("..", "..", "..", "testdata", "ptx", "gating.tsv.gz"))
	number, _ := strconv.Atoi(strings.Trim(arch, "sm_af"))
	var out []string
	for line := range strings.Lines(string(text)) {
		c := strings.Split(line, "\t")
		if len(c) < 3 || c[0] == "form" || line[0] == '#' {
			continue
		}
		from, later := strings.CutSuffix(strings.TrimPrefix(c[2], "sm_"), "+")
		first, _ := strconv.Atoi(from)
		if later && first <= number || slices.Contains(strings.Fields(c[2]), arch) {
			out = append(out, c[0])
		}
	}
	return out
}

// everyRule tells why the operations of some forms are not the reference's, and
// which are in the code of one compiler and not, or not as often, in the
// other's, without modifiers.
type everyRule struct {
	name      string
	forms     *regexp.Regexp
	ours, ref string
}

// everyRules are those of all targets: the tables of docs/blackwell.md have the
// same rows.
var everyRules = []everyRule{
	{"division", regexp.MustCompile(`^(div|rem|rcp|sqrt|rsqrt)\.`), "DFMA DMUL DSETP F2I FCHK FFMA FMUL FSETP I2F I2FP IMNMX MUFU VIMNMX", "DADD DFMA DMUL DSETP F2F F2I FADD FFMA FMUL FSETP I2F IABS MUFU VIADDMNMX"},
	{"one thread for the warp", regexp.MustCompile(`^((atom|red|multimem\.red)\.|sured\.[bp]\.)`), "ATOM CGAERRBAR ERRBAR HADD2 LD MEMBAR QSPC REDAS REDG UREDGR", "CREDUX FLO IMNMX POPC REDAS REDUX SHFL"},
	{"half sums", regexp.MustCompile(`^(add|sub|mul)\.\S*(f16x2|bf16x2) `), "HADD2 HMUL2", ""},
	{"narrow numbers", regexp.MustCompile(`^cvt\.\S*\.[us](8|16) |^cvt\.(sat|rni|rzi)\.[us]8\.|^cvt\.pack\.|^cvt\.rzi\.ftz\.s64|^(min|max)\.[us]16`), "F2I FMUL I2F I2FP IMNMX VIMNMX", "F2IP I2F I2I I2IP IMNMX VIMNMX"},
	{"wide numbers", regexp.MustCompile(`^(min|max)\.[us]64|^bf(e|ind)\.\S*64 |^bfind\.\S*64`), "FLO IMNMX VIMNMX", "FLO IMNMX"},
	{"products of 24 bits", regexp.MustCompile(`^(mad|mul)24\.`), "SGXT", ""},
	{"sides of a comparison", regexp.MustCompile(`^cvt\.r[mp]\.ftz\.\S*f32\.f64`), "DSETP", "DSETP"},
	{"video", regexp.MustCompile(`^v(add|sub|min|max|avrg|absdiff|shl|shr|set|mad)`), "IABS IMNMX VIMNMX VIMNMX3", "I2I IMNMX VABSDIFF4 VIMNMX"},
	{"numbers in place of bits", regexp.MustCompile(`^set\.\S*\.f(32|16)\.|^cvt\.rna\.`), "FADD FSETP", "FSET FSETP I2F I2FP IABS"},
	{"uniform values", regexp.MustCompile(`^(shfl\.sync|createpolicy|mov\.u32 %r1,%(clusterid|cluster_ctaid|nwarpid|warpid|aggr_smem_size))`), "SHFL", "IMNMX RPCMOV SGXT VIADDMNMX VIMNMX"},
	{"words of a map", regexp.MustCompile(`^tensormap\.replace`), "LDS ST STS", "ST STS"},
	{"arguments of routines", regexp.MustCompile(`^cp\.async\.bulk\S*shared::cluster\.global|^tex\.grad`), "STL", "STL UBLKCP UTMALDG"},
	{"barriers in memory", regexp.MustCompile(`^mbarrier\.`), "FENCE", "MEMBAR RPCMOV"},
	{"aliases", regexp.MustCompile(`^(fence|membar)\.proxy\.alias`), "", "MEMBAR UR2UP"},
	{"emulated products", regexp.MustCompile(`^(mma|wmma)\.`), "FFMA FMUL HADD2 IMMA", "MOVM SHFL"},
	{"signs", regexp.MustCompile(`^(abs|neg)\.ftz\.f16x2|^mul\.ftz\.f32 %r1,%r2,0f3F8`), "FMUL", "FADD HADD2"},
	{"search", regexp.MustCompile(`^fns\.`), "IABS POPC", "SGXT"},
	{"dead stores", regexp.MustCompile(`^st\.local\.`), "STL", ""},
	{"tensor memory", regexp.MustCompile(`^tcgen05\.(alloc|dealloc)\.`), "FLO REDUX", "FLO NANOSLEEP REDUX SYNCS UTCATOMSWS"},
	{"no code in the reference", regexp.MustCompile(`^(st|red)\.async\.mmio\.release\.gpu`), "CGAERRBAR ERRBAR MEMBAR USTGR", ""},
}

// states reports whether the operations of a form, sorted, are apart as the rule
// says.
func (r *everyRule) states(ours, ref []string) bool {
	all := func(list []string, known string) bool {
		return !slices.ContainsFunc(list, func(o string) bool {
			name, _, _ := strings.Cut(o, ".")
			return !slices.Contains(strings.Fields(known), name)
		})
	}
	return all(without(ours, ref), r.ours) && all(without(ref, ours), r.ref)
}

// without lists what a has more often than b.
func without(a, b []string) (out []string) {
	left := slices.Clone(b)
	for _, o := range a {
		if k := slices.Index(left, o); k >= 0 {
			left = slices.Delete(left, k, k+1)
		} else {
			out = append(out, o)
		}
	}
	return out
}

// misread is the form that the reference alone compiles: a sampler where
// textures have their own. Its code takes the sampler for the first coordinate
// and the coordinates for offsets.
const misread = "tex.2d.v4.f32.f32 {%r1,%r2,%r3,%r4},[%rd1,%rd2,{%r5,%r6}]"

var uniformTwin = regexp.MustCompile(`^U(POPC|FLO|F2I|I2FP?|FMUL|V?IMNMX)\b`)

// turned are comparisons and what they are when the answer is turned round.
var turned = map[string]string{"GEU": "LT", "GTU": "LE", "NEU": "EQ", "NE": "EQU", "GE": "LTU", "GT": "LEU", "NAN": "NUM"}

// counterpartOf names an operation as its counterpart on the general datapath and, for
// comparisons of floats, the one of two opposites.
func counterpartOf(o string) string {
	if uniformTwin.MatchString(o) {
		o = o[1:]
	}
	if head, rest, ok := strings.Cut(o, "."); ok && (head == "FSETP" || head == "DSETP" || head == "HSETP2") {
		w := strings.Split(rest, ".")
		for n := range w {
			if x := turned[w[n]]; x != "" {
				w[n] = x
			}
		}
		o = head + "." + strings.Join(w, ".")
	}
	return o
}

// everyMix is the mix of a form's kernels with counterparts named alike.
func everyMix(t *testing.T, x *oracle.Tools, cubin []byte, n int) [][]string {
	t.Helper()
	out := formMix(t, x, cubin, n)
	for _, l := range out {
		for k := range l {
			l[k] = counterpartOf(l[k])
		}
		slices.Sort(l)
	}
	return out
}

// everyCount is what became of the forms of an architecture.
type everyCount struct {
	equal, refused int
	widened        int // asked with an address of 64 bits
	replayed       int // instructions
	ruled          map[string]int
}

// wordsOf are the messages of a compiler without the names of files, of who
// speaks, and the last line of the reference.
func wordsOf(msg string) string {
	return strings.TrimSpace(speakers.ReplaceAllString(msg, ""))
}

var speakers = regexp.MustCompile(`the reference ends with \d+: |front end: |ptxas fatal   : Ptx assembly aborted due to errors\s*|\S*(in|op)\.ptx`)

// refusals parts forms into those that we compile and those that we do not.
// The reference refuses the latter in the same words, but for misread. Those that
// have an address of 32 bits are asked with one of 64.
func (s *everyCount) refusals(t *testing.T, x *oracle.Tools, part []string, arch string) []string {
	t.Helper()
	msg, ours := compileFile(formKernels(part, arch), arch)
	switch h := len(part) / 2; {
	case ours != nil:
		return part
	case h > 0:
		return slices.Concat(s.refusals(t, x, part[:h], arch), s.refusals(t, x, part[h:], arch))
	}
	_, err := x.CubinOf([]byte(formKernels(part, arch)), "-arch="+arch)
	switch {
	case err == nil && part[0] != misread:
		t.Errorf("%s: %s: the reference compiles it, ours says %q", arch, part[0], msg)
	case err != nil && wordsOf(err.Error()) != wordsOf(msg):
		t.Errorf("%s: %s: the reference says %q, ours %q", arch, part[0], wordsOf(err.Error()), wordsOf(msg))
	}
	if wide := strings.Replace(part[0], "[%r120]", "[%rd120]", 1); wide != part[0] {
		s.widened++
		return []string{wide}
	}
	s.refused++
	return nil
}

// compare asks for a rule wherever the operations of forms are not the
// reference's.
func (s *everyCount) compare(t *testing.T, x *oracle.Tools, part []string, arch string) {
	t.Helper()
	text := formKernels(part, arch)
	_, ours := compileFile(text, arch)
	ref, err := x.CubinOf([]byte(text), "-arch="+arch)
	if err != nil {
		t.Errorf("%s: ours compiles all of these, the reference does not: %v", arch, err)
		return
	}
	s.replay(t, arch, "ours", ours)
	s.replay(t, arch, "the reference", ref)
	a, b := everyMix(t, x, ours, len(part)), everyMix(t, x, ref, len(part))
	for n, f := range part {
		if slices.Equal(a[n], b[n]) {
			s.equal++
			continue
		}
		k := slices.IndexFunc(everyRules, func(r everyRule) bool { return r.forms.MatchString(f) })
		if k >= 0 && everyRules[k].states(a[n], b[n]) {
			s.ruled[everyRules[k].name]++
			continue
		}
		t.Errorf("%s: no rule states this difference of %s\n\tours alone      %q\n\treference alone %q", arch, f, without(a[n], b[n]), without(b[n], a[n]))
	}
}

// unreplayed are findings in kernels of one instruction where nothing follows
// that would have to wait: both compilers leave barriers out there, and the
// branch behind the end has no stall. Results of F2IP are stored after 6 cycles
// by the reference; no other reader of one is known, so the checker asks for 7.
var unreplayed = regexp.MustCompile(`no barrier tells when it is over: (SYNCS\.EXCH|FENCE\.VIEW\.ASYNC)|: BRA |from \w+ F2IP\.`)

// replay asks the checker of hazards about a cubin: results that come late on
// one SM and not on another are found where the reference's code contradicts it.
func (s *everyCount) replay(t *testing.T, arch, whose string, file []byte) {
	t.Helper()
	r, err := hazard.CheckCubin(target.Find(arch), file, 1000)
	if err != nil {
		t.Errorf("%s, %s: %v", arch, whose, err)
	}
	s.replayed += r.Insts
	for _, f := range r.Found {
		if !unreplayed.MatchString(f) {
			t.Errorf("%s, %s: %s", arch, whose, f)
		}
	}
}

// TestEveryForm compiles the forms of the gating table for every target of
// Blackwell with both compilers: the operations are the same, or a rule tells
// why not. One form in sixty is asked on each, all of the target that SWEEP_ARCH
// names: each takes minutes.
func TestEveryForm(t *testing.T) {
	x := oracle.Find(t)
	arches := []string{"sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_110a", "sm_110f", "sm_120a", "sm_120f", "sm_121a", "sm_121f"}
	named := os.Getenv("SWEEP_ARCH")
	if named != "" {
		arches = []string{named}
	}
	for k, arch := range arches {
		s := &everyCount{ruled: map[string]int{}}
		var asked []string
		all := everyForm(t, arch)
		for n, f := range all {
			if named != "" || (n+6*k)%60 == 0 {
				asked = append(asked, f)
			}
		}
		for part := range slices.Chunk(s.refusals(t, x, asked, arch), 80) {
			s.compare(t, x, part, arch)
		}
		t.Logf("%s: %d of %d forms, %d equal, %d refused by both, %d with a wider address, by rule %v; %d instructions replayed", arch, len(asked), len(all), s.equal, s.refused, s.widened, s.ruled, s.replayed)
	}
}

// TestEveryRule: the rules are told in the documents, with the operations that
// they are about, and a difference that a rule does not name is none of its own.
func TestEveryRule(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "blackwell.md"))
	if err != nil {
		t.Fatal(err)
	}
	cell := func(ops string) string { return strings.Join(strings.Fields(ops), ", ") }
	for _, r := range everyRules {
		if !strings.Contains(string(text), "\n| "+r.name+" |") {
			t.Errorf("docs/blackwell.md has no row for %q", r.name)
		}
		if row := "\n| " + r.name + " | " + cell(r.ref) + " | " + cell(r.ours) + " |\n"; !strings.Contains(string(text), row) {
			t.Errorf("docs/blackwell.md has no row %q", row)
		}
	}
	r := everyRule{ours: "SGXT", ref: "LOP3"}
	if !r.states([]string{"IMAD", "SGXT"}, []string{"IMAD", "LOP3.LUT"}) || r.states([]string{"IMAD", "SGXT"}, []string{"IMAD", "SHF.R"}) || r.states([]string{"IMAD", "IMAD"}, []string{"IMAD"}) {
		t.Error("a rule does not look at the operations it names")
	}
}
