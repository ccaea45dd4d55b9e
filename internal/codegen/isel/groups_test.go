package isel

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// TestWarpGroups checks waits and arrivals around warp-group matrix
// operations with assigned registers.
func TestWarpGroups(t *testing.T) {
	const head = `func f kernel {
reg r0 4/4 phys=8
reg r1 4/4 phys=16
reg r2 1/1 phys=4
reg u3 4/4 phys=0
reg r4 4/4 phys=20
reg r5 1/1 phys=9
`
	const (
		mma    = "HGMMA.64x8x16.F32 r0 = gdesc[u3]+0x0, r0\n"
		commit = "HGMMA.64x8x16.F32 r0 = gdesc[u3]+0x0, r0, gsb0\n"
		other  = "HGMMA.64x8x16.F32 r1 = gdesc[u3]+0x0, r1, gsb0\n"
		rs     = "HGMMA.64x8x16.F32 r0 = r4, gdesc[u3]+0x0, r0, gsb0\n"
		arrive = "WARPGROUP.ARRIVE\n"
		wait0  = "WARPGROUP.DEPBAR.LE gsb0, 0x0\n"
		wait1  = "WARPGROUP.DEPBAR.LE gsb0, 0x1\n"
		use    = "FADD r2 = r0[0], r0[1]\n"
		fresh  = "HGMMA.64x8x16.F32 r0 = gdesc[u3]+0x0, rz, gsb0\n"
		store  = "STS [r2+0x0], r0[0]\n"
	)
	sm90a := target.Find("sm_90a")
	for _, c := range []struct {
		name, in, want string
		serial         bool
	}{
		{"as it should be", arrive + mma + commit + wait0 + use, arrive + mma + commit + wait0 + use, false},
		{"read too early", arrive + commit + use, arrive + commit + wait0 + use, false},
		{"of an open group", arrive + mma + use + commit + wait0, arrive + commit + wait0 + use + arrive + commit + wait0, false},
		{"another is pending", arrive + commit + other + wait1 + use + wait0, arrive + commit + other + wait1 + use + wait0, false},
		{"the younger is read", arrive + other + commit + wait1 + use + wait0, arrive + other + commit + wait1 + wait0 + use + wait0, false},
		{"no arrival", commit + wait0, arrive + commit + wait0, false},
		{"written since", arrive + "MOV r0[0] = 0x1\n" + commit + wait0, arrive + "MOV r0[0] = 0x1\n" + arrive + commit + wait0, false},
		{"a store reads it since", arrive + store + fresh + wait0, arrive + store + arrive + fresh + wait0, false},
		{"an addition reads it since", arrive + use + fresh + wait0, arrive + use + arrive + fresh + wait0, false},
		{"what it reads is written", arrive + rs + "MOV r4[1] = 0x1\n" + wait0, arrive + rs + wait0 + "MOV r4[1] = 0x1\n" + wait0, false},
		{"what it reads is read", arrive + rs + "MOV r2 = r4[1]\n" + wait0, arrive + rs + "MOV r2 = r4[1]\n" + wait0, false},
		{"a neighbour of a word", arrive + commit + "MOV r5 = 0x1\n" + wait0, arrive + commit + wait0 + "MOV r5 = 0x1\n" + wait0, false},
		{"behind a wait", arrive + commit + wait0 + other + wait0, arrive + commit + wait0 + arrive + other + wait0, false},
		{"behind a wait for some", arrive + commit + other + wait1 + other + wait0, arrive + commit + other + wait1 + arrive + other + wait0, false},
		{"left behind", arrive + commit, arrive + commit + wait0, false},
		{"left open", arrive + mma, arrive + commit + wait0, false},
	} {
		m, err := ori.Parse(head + "b0:\n" + c.in + "EXIT\n}\n")
		if err != nil {
			t.Fatal(c.name, err)
		}
		f := m.Funcs[0]
		serial := WarpGroups(f, sm90a)
		var got strings.Builder
		for i := range f.Blocks[0].Instrs {
			got.Write(append(f.AppendInstr(nil, i), '\n'))
		}
		if want := c.want + "EXIT\n"; got.String() != want || serial != c.serial {
			t.Errorf("%s: serial %v\n%swant\n%s", c.name, serial, got.String(), want)
		}
	}
}

// TestWarpGroupsSerial: too many disturbances make every operation wait.
func TestWarpGroupsSerial(t *testing.T) {
	sm90a := target.Find("sm_90a")
	in := "func f kernel {\nreg r0 4/4 phys=8\nreg r1 1/1 phys=4\nreg u2 4/4 phys=0\nb0:\n"
	for range maxWaits + 4 {
		in += "HGMMA.64x8x16.F32 r0 = gdesc[u2]+0x0, r0\nMOV r1 = r0[0]\n"
	}
	m, err := ori.Parse(in + "EXIT\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	if !WarpGroups(f, sm90a) {
		t.Error("not serial")
	}
	for i := range f.Blocks[0].Instrs {
		if i.IsGroupMMA() && (!i.Commits() || i.Next() == nil || i.Next().Op.String() != "WARPGROUP") {
			t.Errorf("%s is not waited for", f.AppendInstr(nil, i))
		}
	}
}
