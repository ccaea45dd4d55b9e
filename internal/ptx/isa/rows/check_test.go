package rows

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
)

// benchForms are instructions in about the mix compilers emit.
var benchForms = []string{
	"mov.u32 %r1,%tid.x", "mov.b32 %r1,%r2", "mov.b64 %rd1,{%r1,%r2}",
	"add.s32 %r1,%r2,%r3", "add.s64 %rd1,%rd2,%rd3", "mul.wide.s32 %rd1,%r1,4", "mad.lo.s32 %r1,%r2,%r3,%r4",
	"fma.rn.f32 %f1,%f2,%f3,%f4", "add.f32 %f1,%f2,%f3", "mul.f32 %f1,%f2,%f3", "max.f32 %f1,%f2,%f3",
	"ld.global.nc.v4.b32 {%r1,%r2,%r3,%r4},[%rd1+16]", "ld.shared.b32 %r1,[%r2]", "st.global.v2.b32 [%rd1],{%r1,%r2}",
	"ld.param.u64 %rd1,[par]", "setp.lt.s32 %p1,%r1,%r2", "selp.b32 %r1,%r2,%r3,%p1", "shl.b32 %r1,%r2,2",
	"and.b32 %r1,%r2,31", "or.b32 %r1,%r2,%r3", "xor.b32 %r1,%r2,%r3", "cvt.rn.f32.s32 %f1,%r1", "cvt.u64.u32 %rd1,%r1",
	"cvta.to.global.u64 %rd1,%rd2", "@%p1 bra LBL", "bar.sync 0", "ret",
	"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4},{%r1,%r2,%r3,%r4},{%r5,%r6},{%f1,%f2,%f3,%f4}",
	"shfl.sync.bfly.b32 %r1,%r2,16,31,-1", "atom.global.add.u32 %r1,[%rd1],%r2",
}

func BenchmarkCheck(b *testing.B) {
	ctx := testContext("8.8", "sm_90a")
	ctx.Report = func(_ diag.Severity, text string) { b.Fatal(text) }
	var insts []*row.Inst
	for _, f := range benchForms {
		in, ok := parseForm(f)
		if !ok {
			b.Fatal(f)
		}
		insts = append(insts, in)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for _, in := range insts {
			if !row.Check(in, Of(in.Op), ctx) {
				b.Fatal("rejected")
			}
			n++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/inst")
}

// TestNoAllocation: accepted instructions cost no memory.
func TestNoAllocation(t *testing.T) {
	ctx := testContext("8.8", "sm_90a")
	for _, f := range benchForms {
		in, _ := parseForm(f)
		ctx.Report = func(_ diag.Severity, text string) { t.Errorf("%s: %s", f, text) }
		if n := testing.AllocsPerRun(10, func() { row.Check(in, Of(in.Op), ctx) }); n > 0 {
			t.Errorf("%s: %v allocations", f, n)
		}
	}
}

// TestAnyInst: Check takes whatever it is given.
func TestAnyInst(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	n := 100_000
	if testing.Short() {
		n = 20_000
	}
	ctx := testContext("9.0", "sm_100a")
	ctx.Report = func(diag.Severity, string) {}
	targets := []string{"sm_10", "sm_75", "sm_90a", "sm_100a", "sm_120f"}
	for i := range n {
		if i%1000 == 0 {
			ctx = testContext(versions[rnd.IntN(len(versions))], targets[rnd.IntN(len(targets))])
			ctx.Report = func(diag.Severity, string) {}
		}
		in := anyInst(rnd)
		row.Check(in, Of(in.Op), ctx)
		if r := in.Row; r != nil && i%2 == 0 { // once more with types that fit
			fitTypes(rnd, in, r)
			row.Check(in, Of(in.Op), ctx)
		}
	}
	t.Logf("%d instructions made of anything", n)
}

func anyInst(rnd *rand.Rand) *row.Inst {
	in := &row.Inst{Op: isa.Word(rnd.IntN(len(opTable) + 3)), OpText: "x"}
	if op := Of(in.Op); op != nil {
		rows := op.Rows
		in.Mods = append(in.Mods, rows[rnd.IntN(len(rows))].Words...)
	}
	for range rnd.IntN(8) {
		in.Mods = append(in.Mods, isa.Word(rnd.IntN(int(isa.NumWords))))
	}
	for range rnd.IntN(9) {
		in.Args = append(in.Args, anyOperand(rnd, 2))
	}
	in.Guarded = rnd.IntN(4) == 0
	in.Guard = anyOperand(rnd, 0)
	return in
}

// fitTypes gives in the types of one of its forms, and as many operands.
func fitTypes(rnd *rand.Rand, in *row.Inst, r *row.Row) {
	f := &r.Forms[rnd.IntN(len(r.Forms))]
	in.Mods = append([]isa.Word{}, r.Words...)
	for _, s := range f.Types {
		for t := isa.Type(1); t < isa.NumTypes; t++ {
			if s.Has(t) && rnd.IntN(3) == 0 || s>>t == 1 {
				in.Mods = append(in.Mods, t.Word())
				break
			}
		}
	}
	for _, s := range append(append([]isa.Slot{}, r.Mods...), f.Mods...) {
		for w := isa.Word(1); w < isa.NumWords; w++ {
			if w.Slot() == s && rnd.IntN(3) == 0 {
				in.Mods = append(in.Mods, w)
				break
			}
		}
	}
	in.Args = in.Args[:0]
	for i := range len(f.Args) {
		if f.Args[i] == '?' {
			if rnd.IntN(2) == 0 {
				break
			}
			continue
		}
		in.Args = append(in.Args, operandFor(rnd, f.Args[i]))
	}
}

// operandFor makes an operand that often fits a letter.
func operandFor(rnd *rand.Rand, letter byte) isa.Operand {
	is := func(letters string) bool { return strings.IndexByte(letters, letter) >= 0 }
	switch {
	case rnd.IntN(5) == 0:
		return anyOperand(rnd, 2)
	case is("tsom"):
		o := isa.Operand{Kind: isa.KAddr, Base: isa.KReg, Type: isa.B64}
		if is("tso") {
			o.Elems = []isa.Operand{{Kind: isa.KReg, Type: isa.B32}}
		}
		return o
	case is("i"):
		return isa.Operand{Kind: isa.KInt, Value: int64(rnd.IntN(300) - 20)}
	case is("GRXYZFIHSgJEP1V"):
		o := isa.Operand{Kind: isa.KVector}
		for range 1 << rnd.IntN(4) {
			o.Elems = append(o.Elems, isa.Operand{Kind: isa.KReg, Type: isa.B32})
		}
		return o
	}
	return isa.Operand{Kind: isa.KReg, Type: [...]isa.Type{isa.B16, isa.B32, isa.B64, isa.Pred}[rnd.IntN(4)]}
}

func anyOperand(rnd *rand.Rand, depth int) isa.Operand {
	o := isa.Operand{
		Kind: isa.Kind(rnd.IntN(int(isa.KSink) + 1)), Base: isa.Kind(rnd.IntN(int(isa.KSink) + 1)), Type: isa.Type(rnd.IntN(int(isa.NumTypes))),
		Space: isa.Space(rnd.IntN(int(isa.NumSpaces))), Neg: rnd.IntN(9) == 0, Not: rnd.IntN(9) == 0, HasPair: rnd.IntN(5) == 0,
		Special: isa.SpecialReg(rnd.IntN(int(isa.NumSpecials))), Value: rnd.Int64() >> rnd.IntN(64),
	}
	if depth > 0 && rnd.IntN(2) == 0 {
		for range rnd.IntN(9) {
			o.Elems = append(o.Elems, anyOperand(rnd, depth-1))
		}
	}
	return o
}
