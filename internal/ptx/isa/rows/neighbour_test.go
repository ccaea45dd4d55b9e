package rows

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/oracle"
)

// The neighbour test changes known forms a little, one fault or variation at
// a time, and asks the reference about each.

const probeHeader = `.version %s
.target %s
.address_size 64
.global .align 16 .b8 gv[1024];
.shared .align 16 .b8 sv[1024];
.const .align 16 .b8 cv[1024];
.global .texref tx; .global .surfref sf;
.visible .entry k(.param .b64 par, .param .b32 par2)
{
.local .align 16 .b8 lv[64];
.reg .pred %%p<200>; .reg .b16 %%h<400>; .reg .b32 %%r<400>; .reg .b64 %%rd<400>; .reg .b128 %%q<200>;
.reg .f32 %%f<400>; .reg .f64 %%fd<400>; .reg .s32 %%s<400>; .reg .u32 %%u<400>; .reg .u64 %%ud<400>; .reg .s64 %%sd<400>;
.reg .u16 %%uh<400>; .reg .s16 %%sh<400>; .reg .u8 %%ub<400>; .reg .b8 %%bb<400>; .reg .f16 %%hf<400>; .reg .f16x2 %%hx<400>;
LBL:
`

var errorLine = regexp.MustCompile(`line (\d+); (error|fatal)\s*: (.*)$`)

// askReference returns the messages the reference has about each form, or
// nil for forms on which it crashes.
func askReference(t testing.TB, tools *oracle.Tools, version, target string, forms []string) [][]string {
	head := fmt.Sprintf(probeHeader, version, target)
	if testContext(version, target).Version < 83 {
		head = strings.Replace(head, " .reg .b128 %q<200>;", "", 1)
	}
	text := head + strings.Join(forms, ";\n") + ";\nzzz;\n}\n"
	dir := t.TempDir()
	file := filepath.Join(dir, "in.ptx")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	arch := target
	if testContext(version, target).SM < 75 {
		arch = "sm_75" // the oldest code is generated for
	}
	res := tools.Ptxas("-arch="+arch, "-o", filepath.Join(dir, "out"), file)
	if res.Exit < 0 {
		if len(forms) == 1 {
			return [][]string{nil}
		}
		n := len(forms) / 2
		return append(askReference(t, tools, version, target, forms[:n]), askReference(t, tools, version, target, forms[n:])...)
	}
	out := make([][]string, len(forms))
	for i := range out {
		out[i] = []string{}
	}
	first := strings.Count(head, "\n") + 1
	for line := range strings.Lines(res.Stderr) {
		m := errorLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[1])
		i := n - first
		if i < 0 || i >= len(forms) {
			continue
		}
		msg := m[3]
		if m[2] == "fatal" {
			out[i] = append(out[i], "fatal: "+msg)
			return append(out[:i+1], askReference(t, tools, version, target, forms[i+1:])...)
		}
		out[i] = append(out[i], msg)
	}
	return out
}

// neighbour changes one thing about a form.
func neighbour(r *rand.Rand, form string, words []string) string {
	mnemonic, args, _ := strings.Cut(form, " ")
	parts := strings.Split(mnemonic, ".")
	ops := splitArgs(args)
	pick := func(n int) int { return r.IntN(max(n, 1)) }
	switch r.IntN(9) {
	case 0: // drop a modifier
		if len(parts) > 1 {
			i := 1 + pick(len(parts)-1)
			parts = append(parts[:i], parts[i+1:]...)
		}
	case 1, 2: // add one
		i := 1 + pick(len(parts))
		parts = append(parts[:i], append([]string{words[pick(len(words))]}, parts[i:]...)...)
	case 3: // change a type
		for i := 1; i < len(parts); i++ {
			if isa.LookupString(parts[i]).IsType() && r.IntN(2) == 0 {
				parts[i] = isa.Type(1 + pick(int(isa.Surfref)-1)).Word().String()
				break
			}
		}
	case 4: // change a modifier
		if len(parts) > 1 {
			parts[1+pick(len(parts)-1)] = words[pick(len(words))]
		}
	case 5: // drop an operand
		if len(ops) > 0 {
			i := pick(len(ops))
			ops = append(ops[:i], ops[i+1:]...)
		}
	case 6: // add an operand
		i := pick(len(ops) + 1)
		ops = append(ops[:i], append([]string{someOperand(r)}, ops[i:]...)...)
	default: // change an operand
		if len(ops) > 0 {
			ops[pick(len(ops))] = someOperand(r)
		}
	}
	return strings.TrimSpace(strings.Join(parts, ".") + " " + strings.Join(ops, ","))
}

var operandPool = strings.Fields("%r1 %r2 %rd1 %rd2 %h1 %p1 %q1 %f1 %fd1 %s1 %u1 %ud1 %sd1 %uh1 %sh1 %hf1 %hx1 0 1 -1 4 255 1.0 0f3F800000 0d3FF0000000000000 [%rd1] [%r1] [gv] [sv] gv sv {%r1,%r2} {%r1,%r2,%r3,%r4} {%h1,%h2} {%rd1,%rd2} {%r1} %tid.x %laneid %clock64 !%p1 -%r1 %r1|%p1 %p1|%p2 LBL [%rd1,{%r1,%r2}]")

func someOperand(r *rand.Rand) string { return operandPool[r.IntN(len(operandPool))] }

// splitArgs cuts operands at the commas outside brackets and braces.
func splitArgs(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	if rest := strings.TrimSpace(s[start:]); rest != "" {
		out = append(out, rest)
	}
	return out
}

// modifierWords are the words a neighbour may gain: the common ones of every
// slot, and one that nobody knows.
func modifierWords() []string {
	var out []string
	seen := map[isa.Slot]int{}
	for w := isa.Word(1); w < isa.NumWords; w++ {
		s := w.Slot()
		if s == isa.NoSlot || w.String() == "reg" || w.String() == "sreg" || w.String() == "surf" {
			continue
		}
		if seen[s]++; seen[s] <= 4 {
			out = append(out, w.String())
		}
	}
	return append(out, "foo", "u32", "f32", "b32", "f16", "u64")
}

// neighbourContexts are the versions and targets neighbours are tried with:
// the newest of each family with one change a form, older ones with the
// forms as they are too, to see what they lack.
var neighbourContexts = []struct {
	version, target string
	old             bool
}{
	{"9.0", "sm_100a", false},
	{"9.0", "sm_90a", false},
	{"9.0", "sm_120a", false},
	{"9.0", "sm_103f", true},
	{"8.6", "sm_100", true},
	{"8.0", "sm_90", true},
	{"7.1", "sm_80", true},
	{"6.3", "sm_75", true},
	{"6.0", "sm_60", true},
}

func TestNeighbours(t *testing.T) {
	tools := oracle.Find(t)
	if testing.Short() {
		t.Skip("asks the reference about thousands of forms")
	}
	count := 2000
	if s := os.Getenv("GOPTXAS_NEIGHBOURS"); s != "" {
		count, _ = strconv.Atoi(s)
	}
	seed := uint64(7)
	if s := os.Getenv("GOPTXAS_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	var all, verdicts, texts int
	clusters := tally{}
	for _, nc := range neighbourContexts {
		forms := neighbourForms(t, rand.New(rand.NewPCG(seed, uint64(len(nc.target)))), count, nc.target, nc.old)
		want := askReference(t, tools, nc.version, nc.target, forms)
		asked, verdict, text := 0, 0, 0
		for i, f := range forms {
			if want[i] == nil || slices.ContainsFunc(want[i], unread) {
				continue // the reference crashes, does not parse it, or misses a name that no rule of instructions is about
			}
			asked++
			ctx := testContext(nc.version, nc.target)
			ctx.Arch, ctx.ArchSM = nc.target, ctx.SM
			got, ok, _ := checkForm(t, ctx, f)
			if !slices.Equal(got, want[i]) { // some things the reference says of one instruction of a file only
				want[i] = askReference(t, tools, nc.version, nc.target, forms[i:i+1])[0]
			}
			if ok == (len(want[i]) == 0) {
				verdict++
			}
			g, w := strings.Join(got, " // "), strings.Join(want[i], " // ")
			if g == w {
				text++
				continue
			}
			op, _, _ := strings.Cut(f, ".")
			clusters[op+": got "+mask(g)+" want "+mask(w)]++
			if testing.Verbose() {
				t.Logf("DIFF %s %s\t%s\tGOT %s\tWANT %s", nc.version, nc.target, f, g, w)
			}
		}
		t.Logf("%s %s: %d neighbours: verdict equal in %.2f%%, messages equal in %.2f%%", nc.version, nc.target, asked, percent(verdict, asked), percent(text, asked))
		all, verdicts, texts = all+asked, verdicts+verdict, texts+text
	}
	t.Logf("all: %d neighbours: verdict equal in %.2f%%, messages equal in %.2f%%", all, percent(verdicts, all), percent(texts, all))
	clusters.log(t, 30)
	if percent(verdicts, all) < 99.7 || percent(texts, all) < 98.8 {
		t.Errorf("too many neighbours differ")
	}
}

func unread(text string) bool {
	return strings.HasPrefix(text, "fatal: Parsing error") || strings.HasPrefix(text, "Unknown symbol") || strings.HasPrefix(text, "Illegal operand type")
}

func percent(a, b int) float64 { return 100 * float64(a) / float64(max(b, 1)) }

// neighbourForms makes forms near the known ones, every other unchanged when
// keep is set.
func neighbourForms(t *testing.T, rnd *rand.Rand, count int, target string, keep bool) []string {
	words := modifierWords()
	var pool []string
	for _, r := range cases.Table(t, "gating")[1:] {
		if r[1] != "(retired)" && (keep || accepts(r[2], target)) {
			pool = append(pool, r[0])
		}
	}
	var forms []string
	for len(forms) < count {
		f := pool[rnd.IntN(len(pool))]
		if !keep || rnd.IntN(2) == 0 {
			f = neighbour(rnd, f, words)
		}
		if _, ok := parseForm(f); !ok || f == "" || f[0] == '.' {
			continue
		}
		// The probe declares no functions, tables or these variables.
		if strings.Contains(f, "TBL") || strings.Contains(f, "fn") || strings.Contains(f, "ga") || strings.Contains(f, "sa") {
			continue
		}
		forms = append(forms, f)
	}
	return forms
}

var quoted = regexp.MustCompile(`'[^']*'`)

func mask(s string) string {
	return quoted.ReplaceAllString(s, "'_'")
}
