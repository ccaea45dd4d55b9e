package timing

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

const text = `func f kernel {
  reg r0 1/1 phys=10
  reg r1 2/2 phys=20
  reg r2 4/4 phys=40
  reg p3 1/1 phys=1
  reg u4 2/2 phys=6
  reg k5 1/1 phys=3
  b0:
    IMAD.WIDE r1 = r0, r0, r1
    @~p3 LDG.E.128 r2 = desc[u4], [r1.64+0x10]
    HMMA.16816.F32 r2 = r2, r1, r2
    LDC r0 = c[0x3][r0+0x10]
    BMOV r0 = k5
    BMOV k5 = r0
    P2R r0 = 0x7f
    CALL.REL.NOINC &f
    EXIT
}
`

func events(t *testing.T) []Event {
	t.Helper()
	m, err := ori.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	d := NewDescriber(m.Funcs[0], target.Find("sm_90a"))
	var list []Event
	for i := range m.Funcs[0].Blocks[0].Instrs {
		list = append(list, d.Instr(i))
	}
	return list
}

func TestDescribe(t *testing.T) {
	e := events(t)
	wide := e[0]
	if wide.Class != target.ClassWide || len(wide.Writes) != 2 || wide.Writes[1].Row != target.ClassWideHi || wide.Writes[1].Cell != 21 {
		t.Errorf("IMAD.WIDE: %+v", wide)
	}
	if n := len(wide.Reads); n != 4 || wide.Reads[2].Sink != target.SinkWideLo || wide.Reads[3].Sink != target.SinkWideHi {
		t.Errorf("addend of IMAD.WIDE: %+v", wide.Reads)
	}
	load := e[1]
	if !load.Guarded || !load.Negated || load.Guard != FirstCell[target.FileP]+1 {
		t.Errorf("guard: %+v", load)
	}
	if len(load.Writes) != 1 || load.Writes[0].Cell != 40 || load.Writes[0].N != 4 {
		t.Errorf("a load of 128 bits writes %+v", load.Writes)
	}
	for _, r := range load.Reads {
		if r.Cell == 20 && (r.N != 2 || r.Sink != target.SinkAddress) {
			t.Errorf("address: %+v", r)
		}
		if FileOf(r.Cell) == target.FileUR && r.Sink != target.SinkUniDesc {
			t.Errorf("descriptor: %+v", r)
		}
	}
	if e[2].Class != target.ClassMma2 || e[2].Reads[2].Sink != target.SinkMmaC {
		t.Errorf("HMMA: %+v", e[2])
	}
	if e[3].Reads[0].Sink != target.SinkLdc || e[3].Reads[0].Cell != 10 {
		t.Errorf("indexed constant: %+v", e[3])
	}
	if e[4].Class != target.ClassBmovR || e[5].Class != target.ClassBmov {
		t.Errorf("BMOV: %s, %s", e[4].Class, e[5].Class)
	}
	if r := e[6].Reads; len(r) != 1 || r[0].Cell != FirstCell[target.FileP] || r[0].N != 7 {
		t.Errorf("P2R reads %+v", r)
	}
	if !e[7].Drains || e[8].Drains {
		t.Error("calls drain, EXIT does not")
	}
}

// TestSinks asks for every class and role: every answer must have a column.
func TestSinks(t *testing.T) {
	n := 0
	for c := range target.NumClasses {
		for f := range target.NumFiles {
			for r := Data; r <= Guard; r++ {
				for arg := range uint8(4) {
					if s := SinkOf(c, Use{File: f, Role: r, Arg: arg}); s >= target.Sinks(f) {
						t.Errorf("%s, file %d, role %d: sink %d of %d", c, f, r, s, target.Sinks(f))
					}
					n++
				}
			}
		}
	}
	t.Logf("%d uses", n)
}

func TestLate(t *testing.T) {
	x := target.TimingOf(target.Find("sm_90a"))
	u := FirstCell[target.FileUR]
	p := FirstCell[target.FileP]
	for _, c := range []struct {
		class target.Class
		cell  uint16
		want  bool
	}{
		{target.ClassLdg, 3, true},
		{target.ClassLdg, u, false},
		{target.ClassStg, p, false},
		{target.ClassTma, u, true},
		{target.ClassAlu, 3, false},
		{target.ClassMma2, 3, false},
		{target.ClassXu, 3, true},
		{target.ClassS2r, 3, false},
	} {
		if got := Late(x, c.class, c.cell); got != c.want {
			t.Errorf("%s cell %d: %v", c.class, c.cell, got)
		}
	}
	if !Late(target.TimingOf(target.Find("sm_80")), target.ClassFp64, 3) {
		t.Error("FP64 reads late before sm_90")
	}
}
