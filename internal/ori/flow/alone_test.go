package flow

import (
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// TestAlone checks where the elected thread of a warp comes alone: nobody
// parts there, though the predicate of the branch differs between threads.
func TestAlone(t *testing.T) {
	const head = `func f kernel {
reg r0 1/1
reg p1 1/1
reg p2 1/1
reg u3 1/1
`
	const asks = `S2R r0 = SR_TID.X
ISETP.GE.AND p2 = r0, 0x4, pt
ELECT p1, u3 = pt ; pos=7
`
	const tail = `b3: -> b4
IADD3 r0 = r0, 0x1, rz
b4: -> b5
STS [0x0], r0
b5:
EXIT
}
`
	for _, c := range []struct {
		name, text string
		full, part bool // the text names all threads; they may part at the end of b2
	}{
		{"others jump", "b0: -> b4, b2\n" + asks + "@~p1 BRA b4\nb2: -> b4, b3\n@p2 BRA b4\n" + tail, true, false},
		{"it jumps", "b0: -> b2, b1\n" + asks + "@p1 BRA b2\nb1: -> b4\nBRA b4\nb2: -> b4, b3\n@p2 BRA b4\n" + tail, true, false},
		{"others leave", "b0: -> b2\n" + asks + "@~p1 EXIT\nb2: -> b4, b3\n@p2 BRA b4\n" + tail, true, false},
		{"in a loop", "b0: -> b4, b2\n" + asks + "@~p1 BRA b4\nb2: -> b2, b3\n@p2 BRA b2\n" + tail, true, false},
		{"some threads elect", "b0: -> b4, b2\n" + asks + "@~p1 BRA b4\nb2: -> b4, b3\n@p2 BRA b4\n" + tail, false, true},
		{"it jumps around", "b0: -> b4, b2\n" + asks + "@p1 BRA b4\nb2: -> b4, b3\n@p2 BRA b4\n" + tail, true, true},
		{"others come too", "b0: -> b2, b1\n" + asks + "@p2 BRA b2\nb1: -> b4, b2\n@~p1 BRA b4\nb2: -> b4, b3\n@p2 BRA b4\n" + tail, true, true},
		{"written again", "b0: -> b4, b2\n" + asks + "ISETP.GE.AND p1 = r0, 0x2, pt\n@~p1 BRA b4\nb2: -> b4, b3\n@p2 BRA b4\n" + tail, true, true},
		{"elected by some", "b0: -> b4, b2\nS2R r0 = SR_TID.X\nISETP.GE.AND p2 = r0, 0x4, pt\n@p2 ELECT p1, u3 = pt ; pos=7\n@~p1 BRA b4\nb2: -> b4, b3\n@p2 BRA b4\n" + tail, true, true},
	} {
		m, err := ori.Parse(head + c.text)
		if err != nil {
			t.Fatal(c.name, err)
		}
		f := m.Funcs[0]
		f.Syncs = []ori.Sync{{Pos: 7, Full: c.full}}
		u := UniformityOf(f)
		for _, b := range f.Blocks {
			if b.ID == 2 && u.Parts(b) != c.part {
				t.Errorf("%s: parts is %v", c.name, u.Parts(b))
			}
		}
	}
}
