package op

import (
	"testing"

	"github.com/goptxas/goptxas/internal/target"
)

func TestNames(t *testing.T) {
	for o := Op(1); o < numOps; o++ {
		if Find(o.String()) != o {
			t.Errorf("Find(%s)", o)
		}
	}
	for m := Mod(1); m < numMods; m++ {
		if FindMod(m.String()) != m {
			t.Errorf("FindMod(%s)", m)
		}
	}
	if Find("NOSUCH") != None || FindMod("NOSUCH") != NoMod || FindMod("") != NoMod {
		t.Error("found what does not exist")
	}
	if !IADD3.Has(Commutes) || !STG.Has(Writes) || BRA.Has(Reads|Writes) || !EXIT.Has(Terminator) {
		t.Error("properties")
	}
	m := M(ME, M64).With(MCONSTANT).Without(M64)
	if got := string(m.Append(nil)); got != ".E.CONSTANT" {
		t.Errorf("modifiers %q", got)
	}
	t.Logf("%d operations, %d modifiers", numOps-1, numMods-1)
}

// TestClass pins classes that modifiers decide.
func TestClass(t *testing.T) {
	for _, x := range []struct {
		op   Op
		mods Mods
		want target.Class
	}{
		{IMAD, Mods{}, target.ClassImad},
		{IMAD, M(MWIDE, MU32), target.ClassWide},
		{IMAD, M(MHI), target.ClassImadHi},
		{HMMA, M(M16816, MF32), target.ClassMma2},
		{HMMA, M(M1688, MF32), target.ClassMma1},
		{HMMA, M(M1688, MF32, MTF32), target.ClassMma2},
		{HMMA, M(M1684, MF32, MTF32), target.ClassMma1},
		{IMMA, M(M8816, MS8), target.ClassImma88},
		{IMMA, M(M8832, MS4), target.ClassImma88},
		{IMMA, M(M16832), target.ClassMma2},
		{BMMA, M(M88128, MAND, MPOPC), target.ClassImma88},
		{BMMA, M(M168256, MAND, MPOPC), target.ClassMma2},
		{F2F, M(MF32, MF64), target.ClassXu64},
		{F2I, M(MTRUNC), target.ClassXu},
		{MUFU, M(MRCP64H), target.ClassXu},
		{HADD2, M(MF32), target.ClassHalf32},
		{HFMA2, M(MMMA), target.ClassHmmaFma},
		{CS2R, M(M32), target.ClassCs2r32},
		{CS2R, Mods{}, target.ClassCs2r64},
		{UIMAD, M(MWIDE), target.ClassUwide},
		{WARPGROUP, M(MARRIVE), target.ClassArrive},
		{WARPGROUP, M(MDEPBAR), target.ClassGroup},
	} {
		if got := x.op.ClassOf(&x.mods); got != x.want {
			t.Errorf("%s %v: %s, want %s", x.op, x.mods, got, x.want)
		}
	}
}

// TestColumns asks for what the rows must agree on.
func TestColumns(t *testing.T) {
	for o := Op(1); o < numOps; o++ {
		if u := o.Counterpart(); u != None && u != o && !u.Has(Uniform) {
			t.Errorf("the counterpart of %s is %s", o, u)
		}
		if o.Has(Reads|Writes) != (o.Space() != 0) {
			t.Errorf("%s touches memory %b", o, o.Space())
		}
		if o.Has(Plain) && (o.Has(Ordered) || o.Has(Reads) == o.Has(Writes)) {
			t.Errorf("%s is no plain access", o)
		}
		if o.Has(Matrix) && o.Has(Convergent) && !o.Has(Aligned) {
			t.Errorf("%s: PTX has no product of a warp's threads that is not .aligned", o)
		}
		if o.Has(Lut) && !o.Has(Commutes) || o.Has(Lut) && o.Has(Turns) {
			t.Errorf("%s: sources change places in more ways than one", o)
		}
	}
	for _, x := range []struct {
		op             Op
		mods           Mods
		leaves, awaits Work
	}{
		{SYNCS, M(MEXCH), Stored | Fetched, 0},
		{SYNCS, M(MPHASECHK), 0, Stored},
		{SYNCS, Mods{}, 0, 0},
		{UTMALDG, Mods{}, Fetched, Stored},
		{UTMAPF, Mods{}, Fetched, 0},
		{CCTL, M(MIVALL), 0, Loaded},
		{CCTL, Mods{}, 0, 0},
		{EXIT, Mods{}, 0, Fetched},
		{IADD3, Mods{}, 0, 0},
	} {
		if l, a := x.op.Work(&x.mods); l != x.leaves || a != x.awaits {
			t.Errorf("%s%s leaves %b and awaits %b", x.op, x.mods.Append(nil), l, a)
		}
	}
	if MOV.Pipe() != target.PipeAlu || IMAD.Pipe() != target.PipeMultiply || LDG.Pipe() != target.PipeMemory {
		t.Error("pipes")
	}
}
