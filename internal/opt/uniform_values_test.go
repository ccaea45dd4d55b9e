package opt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/opt/uniform"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// vectorFits is a machine whose vector operations take one uniform register,
// not as first source.
func vectorFits(i *ori.Instr) bool {
	if i.Op.Has(op.Uniform) {
		return true
	}
	n := 0
	for k, s := range i.Srcs() {
		if s.Kind == ori.KReg && s.Class == ori.UR {
			n++
			if k == 0 || i.Op == op.STL {
				return false
			}
		}
	}
	return n <= 1
}

// uniformCases are functions before and after.
var uniformCases = []struct{ name, in, want string }{
	{"parameters and what they give", `b0:
LDC r0 = c[0x0][0x210]
S2R r1 = SR_CTAID.X
IMAD r0 = r0, r1, rz
S2R r2 = SR_TID.X
IADD3 r2 = r2, r0, rz
STL [r2+0x0], r2
EXIT`, `ULDC u0 = c[0x0][0x210]
S2UR u1 = SR_CTAID.X
UIMAD u0 = u0, u1, urz
S2R r2 = SR_TID.X
IADD3 r2 = r2, u0, rz
STL [r2+0x0], r2
EXIT`},
	{"guards that all threads share", `b0:
LDC r0 = c[0x0][0x210]
ISETP.NE.AND p4 = r0, 0x4, pt
IADD3 r1 = r0, 0x80, rz
@~p4 IADD3 r1 = r0, -0x180, rz
@~p4 COPY r0 = rz
S2R r2 = SR_TID.X
IADD3 r2 = r2, r1, rz
IADD3 r2 = r2, r0, rz
STL [r2+0x0], r2
EXIT`, `ULDC u0 = c[0x0][0x210]
UISETP.NE.AND q8 = u0, 0x4, upt
UIADD3 u1 = u0, 0x80, urz
@~q8 UIADD3 u1 = u0, -0x180, urz
@~q8 COPY u0 = urz
S2R r2 = SR_TID.X
IADD3 r2 = r2, u1, rz
IADD3 r2 = r2, u0, rz
STL [r2+0x0], r2
EXIT`},
	{"a comparison that others read too", `b0:
LDC r0 = c[0x0][0x210]
ISETP.NE.AND p4 = r0, 0x4, pt
SEL r0 = r0, rz, p4
SEL r1 = r0, 0x1, p4
S2R r2 = SR_TID.X
SEL r2 = r2, 0x5, p4
IADD3 r2 = r2, r0, rz
IADD3 r2 = r2, r1, rz
STL [r2+0x0], r2
EXIT`, `ULDC u0 = c[0x0][0x210]
ISETP.NE.AND p10 = u0, 0x4, pt
UISETP.NE.AND q8 = u0, 0x4, upt
USEL u0 = u0, urz, q8
USEL u1 = u0, 0x1, q8
S2R r2 = SR_TID.X
SEL r2 = r2, 0x5, p10
IADD3 r2 = r2, u0, rz
IADD3 r2 = r2, u1, rz
STL [r2+0x0], r2
EXIT`},
	{"a comparison of which another that is read twice is a part", `b0:
LDC r0 = c[0x0][0x210]
S2R r2 = SR_TID.X
ISETP.NE.AND p4 = r0, 0x4, pt
ISETP.LT.OR p6 = r0, 0x5, p4
SEL r1 = r0, rz, p4
SEL r0 = r0, rz, p6
SEL r2 = r2, 0x5, p6
SEL r2 = r2, 0x5, p4
IADD3 r2 = r2, r0, rz
IADD3 r2 = r2, r1, rz
@p4 STL [r2+0x4], r2
STL [r2+0x0], r2
EXIT`, `LDC r0 = c[0x0][0x210]
S2R r2 = SR_TID.X
ISETP.NE.AND p4 = r0, 0x4, pt
ISETP.LT.OR p11 = r0, 0x5, p4
SEL r1 = r0, rz, p4
SEL r0 = r0, rz, p11
SEL r2 = r2, 0x5, p11
SEL r2 = r2, 0x5, p4
IADD3 r2 = r2, r0, rz
IADD3 r2 = r2, r1, rz
@p4 STL [r2+0x4], r2
STL [r2+0x0], r2
EXIT`},
	{"a guard that differs", `b0:
LDC r0 = c[0x0][0x210]
S2R r2 = SR_TID.X
ISETP.NE.AND p4 = r2, 0x4, pt
@~p4 IADD3 r0 = r0, -0x180, rz
IADD3 r2 = r2, r0, rz
STL [r2+0x0], r2
EXIT`, ""},
	{"carries", `b0:
LDC.64 r3 = c[0x0][0x210]
IADD3 r0, p4 = r3[0], 0x10, rz
IADD3.X r1 = r3[1], rz, rz, p4, ~pt
S2R r2 = SR_TID.X
IADD3 r2 = r2, r0, rz
IADD3 r2 = r2, r1, rz
STL [r2+0x0], r2
EXIT`, `ULDC.64 u3 = c[0x0][0x210]
UIADD3 u0, q4 = u3[0], 0x10, urz
UIADD3.X u1 = u3[1], urz, urz, q4, ~upt
S2R r2 = SR_TID.X
IADD3 r2 = r2, u0, rz
IADD3 r2 = r2, u1, rz
STL [r2+0x0], r2
EXIT`},
	{"written where threads are apart", `b0: -> b2, b1
S2R r2 = SR_TID.X
LDC r0 = c[0x0][0x210]
ISETP.GE.AND p4 = r2, r0, pt
BSSY k5 = b2
@p4 BRA b2
b1: -> b2
IADD3 r1 = r0, 0x1, rz
IADD3 r2 = r2, r1, rz
b2:
BSYNC k5
STL [r2+0x0], r2
EXIT`, `S2R r2 = SR_TID.X
ULDC u0 = c[0x0][0x210]
ISETP.GE.AND p4 = r2, u0, pt
BSSY k5 = b2
@p4 BRA b2
IADD3 r1 = u0, 0x1, rz
IADD3 r2 = r2, r1, rz
BSYNC k5
STL [r2+0x0], r2
EXIT`},
	{"a guard", `b0:
S2R r2 = SR_TID.X
MOV r0 = rz
ISETP.GE.AND p4 = r2, 0x5, pt
@p4 MOV r0 = 0x1
IADD3 r2 = r2, r0, rz
STL [r2+0x0], r2
EXIT`, ""},
	{"nobody takes it", `b0:
LDC r0 = c[0x0][0x210]
STL [r0+0x0], r0
EXIT`, ""},
}

// TestUniformValues checks what moves to the uniform datapath.
func TestUniformValues(t *testing.T) {
	const head = "func f kernel {\nreg r0 1/1\nreg r1 1/1\nreg r2 1/1\nreg r3 2/2\nreg p4 1/1\nreg k5 1/1\nreg p6 1/1\n"
	for _, c := range uniformCases {
		m, err := ori.Parse(head + c.in + "\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		f := m.Funcs[0]
		if uniform.UniformValues(f, vectorFits, op.ULDC, usualRoom) != (c.want != "") {
			t.Errorf("%s: moved something", c.name)
		}
		var got []string
		for _, b := range f.Blocks {
			for i := range b.Instrs {
				got = append(got, string(f.AppendInstr(nil, i)))
			}
		}
		if s := strings.Join(got, "\n"); c.want != "" && s != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, s, c.want)
		}
	}
}

// TestUniformProducts: offsets that products of a loop scale by one immediate
// live in the uniform file, where general registers are scarce too; that
// they need the immediate in a register is no matter if they share it.
func TestUniformProducts(t *testing.T) {
	const scarce = 50
	for _, c := range []struct {
		name   string
		factor func(n int) int
		moves  bool
	}{
		{"one factor", func(int) int { return 4 }, true},
		{"many factors", func(n int) int { return 3 + n }, false},
	} {
		var text strings.Builder
		text.WriteString("func f kernel {\nreg p0 1/1\n")
		for r := range scarce {
			fmt.Fprintf(&text, "reg r%d 1/1\n", r+1)
		}
		for r := range 8 {
			fmt.Fprintf(&text, "reg r%d 1/1\n", scarce+1+r)
		}
		text.WriteString("b0: -> b1\n")
		for r := range scarce {
			fmt.Fprintf(&text, "S2R r%d = SR_TID.X\n", r+1)
		}
		for r := range 8 {
			fmt.Fprintf(&text, "S2R r%d = SR_CTAID.X\n", scarce+1+r)
		}
		text.WriteString("b1: -> b1, b2\n")
		for r := range 8 {
			fmt.Fprintf(&text, "IMAD r1 = r%d, %#x, r1\n", scarce+1+r, c.factor(r))
		}
		text.WriteString("ISETP.NE.AND p0 = r1, r2, pt\n@p0 BRA b1\nb2:\n")
		for r := range scarce {
			fmt.Fprintf(&text, "STL [%#x], r%d\n", 4*r, r+1)
		}
		text.WriteString("EXIT\n}\n")
		m, err := ori.Parse(text.String())
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		uniform.UniformValues(f, productFits, op.ULDC, usualRoom)
		n := 0
		for i := range f.Blocks[1].Instrs {
			for _, s := range i.Srcs() {
				if s.Kind == ori.KReg && s.Class == ori.UR {
					n++
				}
			}
		}
		if (n == 8) != c.moves || n != 0 && n != 8 {
			t.Errorf("%s: %d of 8 products read uniform registers", c.name, n)
		}
	}
}

// productFits is a machine whose products take an immediate or a uniform
// register as second source only.
func productFits(i *ori.Instr) bool {
	for k, s := range i.Srcs() {
		if i.Op == op.IMAD && k != 1 && (s.Kind == ori.KImm || s.Kind == ori.KReg && s.Class == ori.UR) {
			return false
		}
	}
	return true
}

// TestUniformCrowd: only what lives at the same time fills the uniform file.
func TestUniformCrowd(t *testing.T) {
	const each = 30
	var text strings.Builder
	text.WriteString("func f kernel {\n")
	for r := range 2*each + 1 {
		fmt.Fprintf(&text, "reg r%d 1/1\n", r)
	}
	fmt.Fprintf(&text, "b0: -> b1\nS2R r%d = SR_TID.X\n", 2*each)
	for b := range 2 {
		for n := range each {
			fmt.Fprintf(&text, "LDC r%d = c[0x0][%#x]\n", b*each+n, 0x210+4*(b*each+n))
		}
		fmt.Fprintf(&text, "b%d:%s\n", b+1, [...]string{" -> b2", ""}[b])
		for n := range each {
			fmt.Fprintf(&text, "IADD3 r%d = r%d, r%d, rz\n", 2*each, 2*each, b*each+n)
		}
	}
	fmt.Fprintf(&text, "STL [0x0], r%d\nEXIT\n}\n", 2*each)
	m, err := ori.Parse(text.String())
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	uniform.UniformValues(f, vectorFits, op.ULDC, usualRoom)
	n := 0
	for _, b := range f.Blocks {
		for i := range b.Instrs {
			if i.Op == op.ULDC {
				n++
			}
		}
	}
	if n != 2*each {
		t.Errorf("%d of %d values moved", n, 2*each)
	}
}

// TestUniformSums: what can be made again of one uniform register that lives
// does not crowd the uniform file, however much of it there is.
func TestUniformSums(t *testing.T) {
	const sums = 60
	for _, c := range []struct {
		from string
		want int
	}{{"r1", sums}, {"r0", 0}} { // of a number that all threads share, and of the thread's
		var text strings.Builder
		text.WriteString("func f kernel {\n")
		for r := range sums + 2 {
			fmt.Fprintf(&text, "reg r%d 1/1\n", r)
		}
		text.WriteString("b0: -> b1\nS2R r0 = SR_TID.X\nLDC r1 = c[0x0][0x210]\n")
		for n := range sums {
			fmt.Fprintf(&text, "IADD3 r%d = %s, %#x, rz\n", n+2, c.from, n+1)
		}
		text.WriteString("b1:\n")
		for n := range sums {
			fmt.Fprintf(&text, "IADD3 r0 = r0, r%d, rz\n", n+2)
		}
		text.WriteString("IADD3 r0 = r0, r1, rz\nSTL [0x0], r0\nEXIT\n}\n")
		m, err := ori.Parse(text.String())
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		uniform.UniformValues(f, vectorFits, op.ULDC, usualRoom)
		n := 0
		for i := range f.Blocks[0].Instrs {
			if i.Op == op.UIADD3 {
				n++
			}
		}
		if n != c.want {
			t.Errorf("from %s: %d of %d sums moved", c.from, n, c.want)
		}
	}
}

// TestUniformBarriers: the address of an mbarrier that all threads share is
// computed on the uniform datapath, and stands in the instruction.
func TestUniformBarriers(t *testing.T) {
	m, err := ori.Parse(`func f kernel {
reg r0 1/1
reg r1 1/1
reg r2 1/1
reg p3 1/1
reg r4 1/1
b0:
LDC r0 = c[0x0][0x210]
S2R r4 = SR_TID.X
LEA r1 = r0, 0x400, 0x3
SHF.L.U32 r2 = r4, 0x1f, rz
SYNCS.PHASECHK.TRANS64.TRYWAIT p3 = [r1+0x0], +[urz], r2
@p3 STS [0x0], r2
EXIT
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	fits := func(i *ori.Instr) bool { return i.Op != op.SYNCS && vectorFits(i) || !reads(i, ori.UR) }
	uniform.UniformValues(f, fits, op.ULDC, usualRoom)
	uniform.UniformBases(f, fits, 512)
	if s := f.String(); !strings.Contains(s, "ULEA u1") || !strings.Contains(s, "[0x0], +[u1]") {
		t.Errorf("the address is of each thread:\n%s", s)
	}
}

// TestUniformPairBases: a pointer that all threads share is in a uniform pair where
// accesses name no descriptor, which would take its place.
func TestUniformPairBases(t *testing.T) {
	for _, c := range []struct{ desc, want string }{{"urz", "STG.E desc[urz], [0x4], +[u0], r1"}, {"u2", "STG.E desc[u2], [r0.64+0x4], r1"}} {
		m, err := ori.Parse(`func f kernel {
reg r0 2/2
reg r1 1/1
reg u2 2/2
b0:
LDC.64 r0 = c[0x0][0x160]
S2R r1 = SR_TID.X
STG.E desc[` + c.desc + `], [r0.64+0x4], r1
EXIT
}
`)
		if err != nil {
			t.Fatal(err)
		}
		f := m.Funcs[0]
		uniform.UniformValues(f, func(i *ori.Instr) bool { return !reads(i, ori.UR) }, op.ULDC, usualRoom)
		if s := f.String(); !strings.Contains(s, c.want) {
			t.Errorf("desc[%s]:\n%s", c.desc, s)
		}
	}
}

// reads reports whether a source of i is a register of a file.
func reads(i *ori.Instr, c ori.Class) bool {
	return slices.ContainsFunc(i.Srcs(), func(s ori.Operand) bool { return s.Kind == ori.KReg && s.Class == c })
}

// usualRoom is what the knobs say.
var usualRoom = uniform.Room{Words: 44, Called: 20, Many: 40}
