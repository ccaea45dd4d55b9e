package gen

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
	"github.com/goptxas/goptxas/internal/witness/gen/table"
	"github.com/goptxas/goptxas/internal/witness/opgen"
	"github.com/goptxas/goptxas/internal/witness/oracle"
	"github.com/goptxas/goptxas/internal/witness/ptxvm"
)

// candidates returns the arithmetic and the accesses of the table of accepted
// forms, and combinations that it only samples.
func candidates(t *testing.T) []string {
	var list []string
	for _, r := range cases.Table(t, "gating")[1:] {
		f := opgen.Form{Text: r[0]}
		switch f.Op() {
		case "ld", "ldu", "st", "atom", "red":
		default:
			if !f.IsArithmetic() {
				continue
			}
		}
		if r[1] != "(retired)" && runsOn90(r[2]) {
			list = append(list, strings.ReplaceAll(strings.ReplaceAll(r[0], ", ", ","), " ,", ","))
		}
	}
	return append(append(list, conversions()...), accesses()...)
}

// runsOn90 tells whether a list of targets names sm_90.
func runsOn90(list string) bool {
	for _, f := range strings.Fields(list) {
		n, plus := strings.CutSuffix(strings.TrimPrefix(f, "sm_"), "+")
		v := 0
		if _, err := fmt.Sscanf(n, "%d", &v); err == nil && (v == 90 || plus && v < 90) && !strings.HasSuffix(n, "a") && !strings.HasSuffix(n, "f") {
			return true
		}
	}
	return false
}

// register is the register of a type, numbered.
func register(typ string, n int) string {
	switch {
	case strings.HasSuffix(typ, "64"):
		return fmt.Sprintf("%%rd%d", n)
	case strings.HasSuffix(typ, "32"), strings.HasSuffix(typ, "x2"):
		return fmt.Sprintf("%%r%d", n)
	}
	return fmt.Sprintf("%%h%d", n)
}

// conversions returns cvt of every pair of types with every modifier.
func conversions() []string {
	var out []string
	types := strings.Fields("u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64")
	for _, d := range types {
		for _, s := range types {
			for _, round := range strings.Fields("none .rn .rz .rm .rp .rni .rzi .rmi .rpi") {
				for _, mods := range []string{"", ".ftz", ".sat", ".ftz.sat", ".relu"} {
					out = append(out, "cvt"+strings.TrimPrefix(round, "none")+mods+"."+d+"."+s+" "+register(d, 1)+","+register(s, 2))
				}
			}
		}
	}
	return out
}

// accesses returns loads, stores and atomic operations of every space, width
// and cache operator.
func accesses() []string {
	var out []string
	types := strings.Fields("b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64")
	vector := func(t string, n int) string {
		if n == 1 {
			return register(t, 1)
		}
		var r []string
		for k := range n {
			r = append(r, register(t, k+1))
		}
		return "{" + strings.Join(r, ",") + "}"
	}
	add := func(mods, t string, n int, ld, st bool) {
		v := ""
		if n > 1 {
			v = fmt.Sprintf(".v%d", n)
		}
		if ld {
			out = append(out, fmt.Sprintf("ld%s%s.%s %s,[%%rd30]", mods, v, t, vector(t, n)))
		}
		if st {
			out = append(out, fmt.Sprintf("st%s%s.%s [%%rd30],%s", mods, v, t, vector(t, n)))
		}
	}
	for _, n := range []int{1, 2, 4} {
		for _, t := range types {
			for _, space := range []string{"", ".global", ".shared", ".local"} {
				add(space, t, n, true, true)
			}
			add(".const", t, n, true, false)
			add(".global.nc", t, n, true, false)
			for _, c := range strings.Fields(".ca .cg .cs .lu .cv") {
				add(".global"+c, t, n, true, false)
			}
			for _, c := range strings.Fields(".wb .cg .cs .wt") {
				add(".global"+c, t, n, false, true)
			}
			add(".volatile.global", t, n, true, true)
			add(".volatile.shared", t, n, true, true)
			add(".relaxed.gpu.global", t, n, true, true)
		}
	}
	for _, space := range []string{"", ".global", ".shared"} {
		for _, op := range strings.Fields("exch cas add inc dec min max and or xor add.noftz min.noftz max.noftz") {
			for _, t := range strings.Fields("b16 b32 b64 u32 s32 u64 s64 f16 f16x2 bf16 bf16x2 f32 f64") {
				r := register(t, 2)
				if op == "cas" {
					r += "," + register(t, 3)
				}
				out = append(out, fmt.Sprintf("atom%s.%s.%s %s,[%%rd30],%s", space, op, t, register(t, 1), r), fmt.Sprintf("red%s.%s.%s [%%rd30],%s", space, op, t, register(t, 1)))
			}
		}
	}
	return out
}

// left says why a form is not used; "" is no reason. All but the last group
// are things on which the reference and the documents differ, or that the
// documents leave open.
func left(f *table.Form) string {
	name, float := f.Name(), !f.IsInt()
	rounded := f.Has("rn", "rz", "rm", "rp")
	text := f.Op + " " + strings.Join(f.Args, ",")
	switch {
	case f.Has("cc"), name == "addc", name == "subc", name == "madc":
		return "carries come in chains"
	case (name == "add" || name == "sub") && float && !rounded:
		return "may be fused"
	case f.MayCopy() && (strings.HasSuffix(text, ",0f3F800000") || strings.HasSuffix(text, ",0d3FF0000000000000")):
		return "a product with one may be a copy, which keeps its NaN"
	case f.Kind() == table.Atom && f.Typ() == "f64":
		return "which NaN an f64 operation gives"
	case f.Op == "rsqrt.approx.f64":
		return "an approximation in software"
	case f.Has("tf32"):
		return "NaN to tf32"
	case name[0] == 'v' && f.Has("sat"), strings.Contains(f.Args[0], ".h1"), strings.HasPrefix(name, "vmad"):
		return "video instructions of the reference"
	case (name == "vadd" || name == "vsub") && f.Has("min", "max"):
		return "video instructions of the reference"
	case f.Has("bf16", "bf16x2") && name == "fma" && !f.Has("rn"):
		return "only the reference takes it"
	case strings.Contains(text, "%q"):
		return "128 bits have statements of their own"
	case f.Has("async"), f.Has("param", "param::func", "param::entry"):
		return "another kind of memory"
	case f.Has("unified"):
		return "another kind of memory"
	}
	return ""
}

// accepted tells whether the interpreter takes a form.
func accepted(f string) bool {
	var b strings.Builder
	b.WriteString(Header + ".visible .entry k()\n{\n")
	for _, r := range []struct{ k, t string }{{"%p", "pred"}, {"%h", "b16"}, {"%r", "b32"}, {"%rd", "b64"}} {
		fmt.Fprintf(&b, "\t.reg .%s %s<40>;\n", r.t, r.k)
	}
	b.WriteString("\t" + f + ";\n\tret;\n}\n")
	_, err := ptxvm.Load("f.ptx", b.String(), "sm_90a")
	return err == nil
}

// TestForms checks the list of forms: it is what the interpreter takes of the
// candidates, but for what is left out. GOPTXAS_UPDATE=1 writes it.
func TestForms(t *testing.T) {
	if os.Getenv("GOPTXAS_UPDATE") == "" && testing.Short() {
		t.Skip("short")
	}
	var list []string
	why, refused := map[string]int{}, 0
	for _, c := range candidates(t) {
		f := table.Parse(c)
		if r := left(&f); r != "" {
			why[r]++
			continue
		}
		if !accepted(c) {
			refused++
			continue
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b string) int {
		x, y := table.Parse(a), table.Parse(b)
		if c := strings.Compare(x.Family(), y.Family()); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	list = slices.Compact(list)
	text := strings.Join(list, "\n") + "\n"
	t.Logf("%d forms; left out: %v; %d not taken", len(list), why, refused)
	if os.Getenv("GOPTXAS_UPDATE") != "" {
		if err := os.WriteFile("table/forms.txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != table.Text {
		t.Error("forms.txt is not what the interpreter takes: run with GOPTXAS_UPDATE=1")
	}
}

// TestFormsReference gives the list to the reference, which must take it too.
func TestFormsReference(t *testing.T) {
	x := oracle.Find(t)
	var b strings.Builder
	b.WriteString(Header + ".visible .entry k()\n{\n\t.reg .pred %p<40>;\n\t.reg .b16 %h<40>;\n\t.reg .b32 %r<140>;\n\t.reg .b64 %rd<40>;\n")
	for line := range strings.Lines(table.Text) {
		b.WriteString("\t" + strings.TrimSpace(line) + ";\n")
	}
	b.WriteString("\tret;\n}\n")
	in := filepath.Join(t.TempDir(), "forms.ptx")
	if err := os.WriteFile(in, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := x.Ptxas("-arch=sm_90a", "-O0", in, "-o", in+".cubin"); r.Exit != 0 {
		t.Errorf("exit %d\n%s", r.Exit, r.Stderr)
	}
}
