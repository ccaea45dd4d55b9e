package isa

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"goptxas/internal/witness/cases"
	"goptxas/internal/witness/oracle"
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
	text := head + strings.Join(forms, ";\n") + ";\nzzz;\n}\n"
	dir := t.TempDir()
	file := filepath.Join(dir, "in.ptx")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	res := tools.Ptxas("-arch="+target, "-o", filepath.Join(dir, "out"), file)
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
			if LookupString(parts[i]).IsType() && r.IntN(2) == 0 {
				parts[i] = Type(1 + pick(int(Surfref)-1)).Word().String()
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
	seen := map[Slot]int{}
	for w := Word(1); w < NumWords; w++ {
		s := w.Slot()
		if s == NoSlot || w.String() == "reg" || w.String() == "sreg" || w.String() == "surf" {
			continue
		}
		if seen[s]++; seen[s] <= 4 {
			out = append(out, w.String())
		}
	}
	return append(out, "foo", "u32", "f32", "b32", "f16", "u64")
}

func TestNeighbours(t *testing.T) {
	tools := oracle.Find(t)
	if testing.Short() {
		t.Skip("asks the reference about thousands of forms")
	}
	perTarget := 4000
	if s := os.Getenv("GOPTXAS_NEIGHBOURS"); s != "" {
		perTarget, _ = strconv.Atoi(s)
	}
	words := modifierWords()
	var asked, sameVerdict, sameText int
	clusters := tally{}
	for _, target := range []string{"sm_100a", "sm_90a", "sm_120a"} {
		var pool []string
		for _, r := range cases.Table(t, "gating")[1:] {
			if r[1] != "(retired)" && accepts(r[2], target) {
				pool = append(pool, r[0])
			}
		}
		rnd := rand.New(rand.NewPCG(7, uint64(len(target))))
		var forms []string
		for len(forms) < perTarget {
			f := neighbour(rnd, pool[rnd.IntN(len(pool))], words)
			if _, ok := parseForm(f); ok && !strings.Contains(f, "TBL") && !strings.Contains(f, "fn") && !strings.Contains(f, "ga") && !strings.Contains(f, "sa") && strings.Trim(f, " ") != "" && f[0] != '.' {
				forms = append(forms, f)
			}
		}
		want := askReference(t, tools, "9.0", target, forms)
		for i, f := range forms {
			if want[i] == nil {
				continue
			}
			asked++
			got, ok, _ := checkForm(t, testContext("9.0", target), f)
			if ok == (len(want[i]) == 0) {
				sameVerdict++
			}
			g, w := strings.Join(got, " // "), strings.Join(want[i], " // ")
			if g == w {
				sameText++
				continue
			}
			op, _, _ := strings.Cut(f, ".")
			clusters[op+": got "+mask(g, op)+" want "+mask(w, op)]++
			if testing.Verbose() {
				t.Logf("DIFF %s\t%s\tGOT %s\tWANT %s", target, f, g, w)
			}
		}
	}
	t.Logf("%d neighbours: verdict equal in %.2f%%, messages equal in %.2f%%", asked, 100*float64(sameVerdict)/float64(asked), 100*float64(sameText)/float64(asked))
	clusters.log(t, 40)
}

var quoted = regexp.MustCompile(`'[^']*'`)

func mask(s, op string) string {
	return quoted.ReplaceAllString(s, "'_'")
}
