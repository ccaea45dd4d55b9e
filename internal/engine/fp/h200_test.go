package fp

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/witness/cases"
)

// Results of single instructions on an H200, against this package.
// testdata/h200.tsv.gz holds lines of hexadecimal little-endian words: the
// operand triples of each class ("in f32"), and for each instruction its
// results on them: random bits, near exponents, edges, halfway cases of the
// narrow formats, ends of the integer types, results near the subnormals.

// hwCase is one instruction: its text with operands d, a, b, c, the widths
// of source and destination registers, and our meaning.
type hwCase struct {
	ptx     string
	in, out int // register widths in bits; out 1 is a predicate
	class   string
	eval    func(a, b, c uint64) uint64
}

func hwCases() []hwCase {
	var list []hwCase
	put := func(class string, in, out int, ptx string, eval func(a, b, c uint64) uint64) {
		list = append(list, hwCase{ptx, in, out, class, eval})
	}
	arithCases(put)
	orderCases(put)
	narrowCases(put)
	intCases(put)
	return list
}

type putCase func(class string, in, out int, ptx string, eval func(a, b, c uint64) uint64)

func arithCases(put putCase) {
	for _, f := range []Format{F32, F64} {
		w := f.Width()
		for r := RN; r <= RP; r++ {
			for _, ftz := range []bool{false, true} {
				if ftz && f == F64 {
					continue
				}
				m, s := Mode{Round: r, Ftz: ftz}, suffix("."+r.String(), ftz, ".ftz")
				t := "." + f.String()
				put(f.String(), w, w, "add"+s+t+" d, a, b", func(a, b, _ uint64) uint64 { return f.Add(a, b, m) })
				put(f.String(), w, w, "sub"+s+t+" d, a, b", func(a, b, _ uint64) uint64 { return f.Sub(a, b, m) })
				put(f.String(), w, w, "mul"+s+t+" d, a, b", func(a, b, _ uint64) uint64 { return f.Mul(a, b, m) })
				put(f.String(), w, w, "fma"+s+t+" d, a, b, c", func(a, b, c uint64) uint64 { return f.Fma(a, b, c, m) })
				put(f.String(), w, w, "div"+s+t+" d, a, b", func(a, b, _ uint64) uint64 { return f.Div(a, b, m) })
				put(f.String(), w, w, "rcp"+s+t+" d, a", func(a, _, _ uint64) uint64 { return f.Rcp(a, m) })
				put(f.String(), w, w, "sqrt"+s+t+" d, a", func(a, _, _ uint64) uint64 { return f.Sqrt(a, m) })
			}
		}
	}
	sat := Mode{Sat: true}
	put("f32", 32, 32, "add.rn.sat.f32 d, a, b", func(a, b, _ uint64) uint64 { return F32.Add(a, b, sat) })
	put("f32", 32, 32, "fma.rn.ftz.sat.f32 d, a, b, c", func(a, b, c uint64) uint64 { return F32.Fma(a, b, c, Mode{Ftz: true, Sat: true}) })
	for _, f := range []Format{F16, BF16} {
		t := "." + f.String()
		put(f.String(), 16, 16, "add.rn"+t+" d, a, b", func(a, b, _ uint64) uint64 { return f.Add(a, b, Mode{}) })
		put(f.String(), 16, 16, "sub.rn"+t+" d, a, b", func(a, b, _ uint64) uint64 { return f.Sub(a, b, Mode{}) })
		put(f.String(), 16, 16, "mul.rn"+t+" d, a, b", func(a, b, _ uint64) uint64 { return f.Mul(a, b, Mode{}) })
		put(f.String(), 16, 16, "fma.rn"+t+" d, a, b, c", func(a, b, c uint64) uint64 { return f.Fma(a, b, c, Mode{}) })
		put(f.String(), 16, 16, "fma.rn.relu"+t+" d, a, b, c", func(a, b, c uint64) uint64 { return f.Fma(a, b, c, Mode{Relu: true}) })
	}
	put("f16", 16, 16, "add.rn.ftz.f16 d, a, b", func(a, b, _ uint64) uint64 { return F16.Add(a, b, Mode{Ftz: true}) })
	put("f16", 16, 16, "mul.rn.ftz.sat.f16 d, a, b", func(a, b, _ uint64) uint64 { return F16.Mul(a, b, Mode{Ftz: true, Sat: true}) })
	put("f16", 16, 16, "fma.rn.ftz.f16 d, a, b, c", func(a, b, c uint64) uint64 { return F16.Fma(a, b, c, Mode{Ftz: true}) })
}

func suffix(s string, on bool, more string) string {
	if on {
		return s + more
	}
	return s
}

var cmpNames = []struct {
	name string
	c    Cmp
}{{"eq", EQ}, {"ne", NE}, {"lt", LT}, {"le", LE}, {"gt", GT}, {"ge", GE}, {"equ", EQU}, {"neu", NEU}, {"ltu", LTU}, {"leu", LEU}, {"gtu", GTU}, {"geu", GEU}, {"num", NUM}, {"nan", NAN}}

func orderCases(put putCase) {
	truth := func(ok bool) uint64 {
		if ok {
			return 1
		}
		return 0
	}
	for _, f := range []Format{F16, BF16, F32, F64} {
		w, t := f.Width(), "."+f.String()
		for _, c := range cmpNames {
			put(f.String(), w, 1, "setp."+c.name+t+" d, a, b", func(a, b, _ uint64) uint64 { return truth(c.c.Holds(f.Relate(a, b, false))) })
		}
		for _, x := range []struct {
			s string
			e Extremum
		}{{"", Extremum{}}, {".ftz", Extremum{Ftz: true}}, {".NaN", Extremum{NaN: true}}, {".xorsign.abs", Extremum{XorSign: true}}, {".NaN.xorsign.abs", Extremum{NaN: true, XorSign: true}}} {
			if f == F64 && x.s != "" || f == BF16 && x.s == ".ftz" {
				continue
			}
			put(f.String(), w, w, "min"+x.s+t+" d, a, b", func(a, b, _ uint64) uint64 { return f.Min(a, b, x.e) })
			put(f.String(), w, w, "max"+x.s+t+" d, a, b", func(a, b, _ uint64) uint64 { return f.Max(a, b, x.e) })
		}
		put(f.String(), w, w, "neg"+t+" d, a", func(a, _, _ uint64) uint64 { return f.Neg(a, false) })
		put(f.String(), w, w, "abs"+t+" d, a", func(a, _, _ uint64) uint64 { return f.Abs(a, false) })
	}
	put("f32", 32, 32, "neg.ftz.f32 d, a", func(a, _, _ uint64) uint64 { return F32.Neg(a, true) })
	put("f32", 32, 32, "abs.ftz.f32 d, a", func(a, _, _ uint64) uint64 { return F32.Abs(a, true) })
	put("f32", 32, 1, "setp.lt.ftz.f32 d, a, b", func(a, b, _ uint64) uint64 { return truth(LT.Holds(F32.Relate(a, b, true))) })
	put("f32", 32, 32, "copysign.f32 d, a, b", func(a, b, _ uint64) uint64 { return F32.CopySign(a, b) })
	for k, n := range []string{"finite", "infinite", "number", "notanumber", "normal", "subnormal"} {
		put("f32", 32, 1, "testp."+n+".f32 d, a", func(a, _, _ uint64) uint64 { return truth(F32.Is(a, Test(k))) })
		put("f64", 64, 1, "testp."+n+".f64 d, a", func(a, _, _ uint64) uint64 { return truth(F64.Is(a, Test(k))) })
	}
}

// roundAway is cvt.rna.tf32 as the reference's code has it: it drops the low
// bits of a NaN, which may leave an infinity, and one more with .satfinite.
func roundAway(a uint64, m Mode) uint64 {
	if !F32.IsNaN(a) {
		return Convert(F32, TF32, a, m)
	}
	if a &= 0xffffe000; m.SatFinite {
		a -= 0x2000
	}
	return a
}

func narrowCases(put putCase) {
	cv := func(mods string, from, to Format, m Mode) {
		put(from.String(), from.Width(), to.Width(), "cvt"+mods+"."+to.String()+"."+from.String()+" d, a", func(a, _, _ uint64) uint64 { return Convert(from, to, a, m) })
	}
	for r := RN; r <= RP; r++ {
		s := "." + r.String()
		cv(s, F32, F16, Mode{Round: r})
		cv(s, F64, F32, Mode{Round: r})
		cv(s+".ftz", F64, F32, Mode{Round: r, Ftz: true})
		cv(s, F64, F16, Mode{Round: r})
		cv(s, F64, BF16, Mode{Round: r})
		cv(s, F16, BF16, Mode{Round: r})
		cv(s, BF16, F16, Mode{Round: r})
	}
	cv(".rn.sat", F64, F32, Mode{Sat: true})
	cv(".rn.sat", F32, F16, Mode{Sat: true})
	cv(".rn.ftz", F32, F16, Mode{Ftz: true})
	cv("", F16, F32, Mode{})
	cv("", F16, F64, Mode{})
	cv("", BF16, F32, Mode{})
	cv("", BF16, F64, Mode{})
	cv("", F32, F64, Mode{})
	cv(".ftz", F32, F64, Mode{Ftz: true})
	for _, r := range []Round{RN, RZ} {
		for _, to := range []Format{F16, BF16, TF32} {
			for _, x := range []Mode{{Round: r}, {Round: r, Relu: true}, {Round: r, SatFinite: true}, {Round: r, Relu: true, SatFinite: true}} {
				if to == F16 && !x.Relu && !x.SatFinite || to == TF32 && x.SatFinite {
					continue
				}
				cv(suffix(suffix("."+r.String(), x.Relu, ".relu"), x.SatFinite, ".satfinite"), F32, to, x)
			}
		}
	}
	for _, m := range []Mode{{Round: RNA}, {Round: RNA, SatFinite: true}} {
		put("f32", 32, 32, suffix("cvt.rna", m.SatFinite, ".satfinite")+".tf32.f32 d, a", func(a, _, _ uint64) uint64 { return roundAway(a, m) })
	}
	for _, to := range []Format{E4M3, E5M2} {
		for _, relu := range []bool{false, true} {
			m := Mode{SatFinite: true, Relu: relu}
			s := suffix(".rn.satfinite", relu, ".relu") + "." + to.String() + "x2"
			put("f32", 32, 16, "cvt"+s+".f32 d, a, b", func(a, b, _ uint64) uint64 { return Convert(F32, to, a, m)<<8 | Convert(F32, to, b, m) })
			put("f32", 32, 16, "cvt"+s+".f16x2 d, a", func(a, _, _ uint64) uint64 {
				return Convert(F16, to, a>>16, m)<<8 | Convert(F16, to, a&0xffff, m)
			})
			put("f16", 16, 32, "cvt"+suffix(".rn", relu, ".relu")+".f16x2."+to.String()+"x2 d, a", func(a, _, _ uint64) uint64 {
				return Convert(to, F16, a>>8, Mode{Relu: relu})<<16 | Convert(to, F16, a&0xff, Mode{Relu: relu})
			})
		}
	}
}

func intCases(put putCase) {
	for _, f := range []Format{F16, BF16, F32, F64} {
		for k, it := range intTypes {
			if f == BF16 && it.Bits == 8 {
				continue // the reference takes no 8-bit operand in a wider register here
			}
			name := fmt.Sprintf("%c%d", "us"[k&1], it.Bits)
			w := max(16, int(it.Bits))
			for r := RN; r <= RP; r++ {
				if r != Round(k%4) && r != RZ && it.Bits != 32 {
					continue
				}
				put(f.String(), f.Width(), w, "cvt."+r.String()+"i."+name+"."+f.String()+" d, a", func(a, _, _ uint64) uint64 { return f.ToInt(a, it, r, false) })
				put("int", w, f.Width(), "cvt."+r.String()+"."+f.String()+"."+name+" d, a", func(a, _, _ uint64) uint64 { return f.FromInt(a, it, Mode{Round: r}) })
			}
		}
		for r := RN; r <= RP; r++ {
			put(f.String(), f.Width(), f.Width(), "cvt."+r.String()+"i."+f.String()+"."+f.String()+" d, a", func(a, _, _ uint64) uint64 { return f.RoundToInt(a, Mode{Round: r}) })
		}
	}
	put("f32", 32, 32, "cvt.rzi.ftz.s32.f32 d, a", func(a, _, _ uint64) uint64 { return F32.ToInt(a, Int{32, true}, RZ, true) })
	put("f32", 32, 32, "cvt.rpi.ftz.f32.f32 d, a", func(a, _, _ uint64) uint64 { return F32.RoundToInt(a, Mode{Round: RP, Ftz: true}) })
	put("f32", 32, 32, "cvt.rmi.ftz.u32.f32 d, a", func(a, _, _ uint64) uint64 { return F32.ToInt(a, Int{32, false}, RM, true) })
	put("f32", 32, 32, "cvt.sat.f32.f32 d, a", func(a, _, _ uint64) uint64 { return Convert(F32, F32, a, Mode{Sat: true}) })
	put("int", 32, 32, "cvt.rn.sat.f32.s32 d, a", func(a, _, _ uint64) uint64 { return F32.FromInt(a, Int{32, true}, Mode{Sat: true}) })
}

// approxCase is an approximate instruction.
type approxCase struct {
	ptx string
	fn  Func
	ftz bool
}

func approxCases() []approxCase {
	var list []approxCase
	for fn := range NumFuncs {
		for _, ftz := range []bool{false, true} {
			if fn == TanhFn && ftz {
				continue
			}
			list = append(list, approxCase{fn.String() + suffix(".approx", ftz, ".ftz") + ".f32 d, a", fn, ftz})
		}
	}
	return list
}

// checkApprox holds results to the bit.
func checkApprox(t *testing.T, c approxCase, ops [][3]uint64, got []uint64) {
	bad := 0
	for i, o := range ops[:len(got)] {
		if r := uint64(Approx(c.fn, uint32(o[0]), c.ftz)); got[i] != r {
			if bad++; bad <= 3 {
				t.Errorf("%s (%#x): machine %#x, ours %#x", c.ptx, o[0], got[i], r)
			}
		}
	}
	if bad > 3 {
		t.Errorf("%s: %d results differ", c.ptx, bad)
	}
}

func checkHW(t *testing.T, c hwCase, ops [][3]uint64, got []uint64) (bad int) {
	for i, o := range ops[:len(got)] {
		in := ^uint64(0) >> (64 - c.in)
		want := c.eval(o[0]&in, o[1]&in, o[2]&in) & (^uint64(0) >> (64 - c.out))
		if got[i] != want {
			if bad++; bad <= 3 {
				t.Errorf("%s (%#x, %#x, %#x): machine %#x, ours %#x", c.ptx, o[0]&in, o[1]&in, o[2]&in, got[i], want)
			}
		}
	}
	return bad
}

// words reads little-endian words of size bytes.
func words(t *testing.T, text string, size int) []uint64 {
	raw, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]uint64, len(raw)/size)
	for i := range raw {
		list[i/size] |= uint64(raw[i]) << (8 * (i % size))
	}
	return list
}

func readRows(t *testing.T) map[string]string {
	rows := map[string]string{}
	for line := range strings.Lines(string(cases.Unzip(t, "testdata/h200.tsv.gz"))) {
		ptx, data, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		rows[ptx] = data
	}
	return rows
}

func triples(t *testing.T, text string) [][3]uint64 {
	w := words(t, text, 8)
	list := make([][3]uint64, len(w)/3)
	for i := range list {
		list[i] = [3]uint64(w[3*i:])
	}
	return list
}

func TestH200(t *testing.T) {
	rows := readRows(t)
	n, results := 0, 0
	for _, c := range hwCases() {
		got := words(t, rows[c.ptx], (c.out+7)/8)
		if len(got) == 0 {
			t.Errorf("%s: no measurement", c.ptx)
			continue
		}
		checkHW(t, c, triples(t, rows["in "+c.class]), got)
		n++
		results += len(got)
	}
	for _, c := range approxCases() {
		got := words(t, rows[c.ptx], 4)
		if len(got) == 0 {
			t.Errorf("%s: no measurement", c.ptx)
			continue
		}
		checkApprox(t, c, triples(t, rows["in f32"]), got)
		n++
		results += len(got)
	}
	t.Logf("%d instructions, %d results equal to the machine's", n, results)
}
