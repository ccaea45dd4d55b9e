package link

import (
	"bytes"
	"testing"

	"github.com/goptxas/goptxas/internal/codegen/emit"
	"github.com/goptxas/goptxas/internal/cubin/dwarf"
	"github.com/goptxas/goptxas/internal/ori"
)

// TestUnwind: the frame is there behind the instruction that makes it, what a
// register held is where it was stored or moved to, and a way out in the middle
// leaves the rules of what stands behind it.
func TestUnwind(t *testing.T) {
	m, err := ori.Parse(`func f {
reg r0 1/1 phys=1 fixed
reg r1 1/1 phys=16
reg r2 2/2 phys=20
reg p3 1/1 phys=0
b0: -> b2, b1
IADD3 r0 = r0, -0x10, rz
STL [r0+0x4], r1
MOV r1 = r2[0]
MOV r2[0] = 0x40
@p3 BRA b2
b1:
MOV r2[0] = r1
LDL r1 = [r0+0x4]
IADD3 r0 = r0, 0x10, rz
RET
b2:
NOP
IMAD r2[0] = rz, rz, r1
LDL r1 = [r0+0x4]
IADD3 r0 = r0, 0x10, rz
RET
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	r16, r20 := dwarf.Number(16), dwarf.Number(20)
	saved := dwarf.Place{Kind: dwarf.OnStack, At: -12}
	moved := dwarf.Place{Kind: dwarf.InRegister, At: int64(r16)}
	var p dwarf.Program
	step := func() { p = p.AdvanceRaw(4) }
	step()
	p = p.DefCFA(dwarf.R1, 16)
	p = p.AdvanceRaw(8).Keep(r16, saved)
	step()
	p = p.Keep(r20, moved)
	p = p.AdvanceRaw(8).Keep(r20, dwarf.Place{})
	step()
	p = p.Keep(r16, dwarf.Place{})
	step()
	p = p.DefCFA(dwarf.R1, 0)
	step()
	p = p.DefCFA(dwarf.R1, 16).Keep(r16, saved).Keep(r20, moved)
	p = p.AdvanceRaw(8).Keep(r20, dwarf.Place{})
	step()
	p = p.Keep(r16, dwarf.Place{})
	step()
	p = p.DefCFA(dwarf.R1, 0)
	c := emit.Layout(f)
	if got := Unwind(f, c); !bytes.Equal(got, p) {
		t.Errorf("got\n% x\nwant\n% x", got, p)
	}
	if at := FrameOf(f, c); at != (FrameMade{}) { // without a frame R1 is a register like others
		t.Errorf("frame of a function without one made at %+v", at)
	}
	f.Props.LocalBytes = 16
	if at := FrameOf(f, c); at != (FrameMade{16, 16}) {
		t.Errorf("frame made at %+v", at)
	}
}
