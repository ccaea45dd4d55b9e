package ori

import (
	"strings"
	"testing"
)

const sample = `func saxpy kernel {
  props param=28 base=528 exit
  reg r0 2/2
  reg r1 1/1
  reg p2 1/1
  reg u3 2/2
  reg r4 4/4 phys=8
  reg q5 1/1
  reg k6 1/1 phys=0 fixed
  reg r7 1/1 in=4:8
  b0: -> b2, b1
    S2R r1 = SR_TID.X ; pos=3
    ISETP.GE.AND p2 = r1, c[0x0][0x210], pt ; loc=2 B0-----:R-:W-:-:S13
    BSSY k6 = b2
    @p2 BRA b2
  b1: -> b2
    IMAD.WIDE r0 = r1, 0x4, c[0x0][0x218]
    LDG.E.128 r4 = desc[u3], [r0.64+0x10] ; B------:R0:W1:Y:S01
    @~p2 FFMA.FTZ r4[1] = -r4[1], |r4[2]|, r1.reuse
    IADD3 r1, p2 = r1, -0x1, rz
    MOV r7 = $table+0x8:lo
    LDC r7 = c[0x3][u3+0x10]
    DADD r4[0:2] = r4[0:2], l[0xbfb999999999999a]
    HADD2 r7 = r7.H0, -r1.H1
    STG.E.64 desc[u3], [r0.64+-0x8], r4[2:4]
    LDS r7 = [r1+0x0], +[u3[1]]
    CALL.REL.NOINC &helper
  b2:
    BSYNC k6
    EXIT
}
func helper {
  b0:
    RET
}
`

func TestTextRoundTrip(t *testing.T) {
	m, err := Parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range m.Funcs {
		got.WriteString(f.String())
	}
	if got.String() != sample {
		t.Errorf("printed\n%s\nwant\n%s", got.String(), sample)
	}
}

func TestParseErrors(t *testing.T) {
	for _, bad := range []string{
		"func f {\n  b0:\n    NOSUCH\n}",
		"func f {\n  b0:\n    MOV.NOSUCH r0\n}",
		"func f {\n  b0:\n    MOV r0\n}",
		"func f {\n  b0: -> b9\n}",
		"func f {\n  reg r1 1/1\n}",
		"func f {\n  reg r0 1/1\n  b0:\n    MOV r0[1] = 0x0\n}",
		"func f {",
		"func f {\n  b0:\n    CALL &nosuch\n}",
		"func f {\n  b0:\n    EXIT ; B9-----:R-:W-:-:S00\n}",
		"x",
	} {
		if _, err := Parse(bad); err == nil || !strings.Contains(err.Error(), "line") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse(text)
		if err != nil {
			return
		}
		var once strings.Builder
		for _, fn := range m.Funcs {
			once.WriteString(fn.String())
		}
		m2, err := Parse(once.String())
		if err != nil {
			t.Fatalf("%v\n%s", err, once.String())
		}
		var twice strings.Builder
		for _, fn := range m2.Funcs {
			twice.WriteString(fn.String())
		}
		if once.String() != twice.String() {
			t.Fatalf("%s\n%s", once.String(), twice.String())
		}
	})
}
