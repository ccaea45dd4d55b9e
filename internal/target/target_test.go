package target

import "testing"

func TestRowsAreOrderedAndFound(t *testing.T) {
	for i := range Archs {
		a := &Archs[i]
		if Find(a.Name) != a {
			t.Errorf("Find(%q) is not row %d", a.Name, i)
		}
		if i > 0 {
			p := &Archs[i-1]
			if a.SM < p.SM || a.SM == p.SM && a.Variant <= p.Variant || a.Family < p.Family {
				t.Errorf("%s stands before %s", p.Name, a.Name)
			}
		}
	}
	if Find("sm_70") != nil {
		t.Error("sm_70 found")
	}
}

// TestRowsAreWhole looks for what a chip's row must say: there is no older
// chip to fall back to.
func TestRowsAreWhole(t *testing.T) {
	for i := range Chips {
		c := &Chips[i]
		if c.timing == nil || c.bank0 == nil || c.Features == 0 || c.Uniforms == 0 || c.UniformBits == 0 || c.PTX.Plain == 0 ||
			c.Warps == 0 || c.Blocks == 0 || c.Shared < c.SharedEach || c.SharedEach == 0 {
			t.Errorf("sm_%d: the row has holes", c.SM)
		}
		if FindSM(c.SM) != c || c.Was != 0 && FindSM(c.Was) != c || int(c.Column) != i {
			t.Errorf("sm_%d is not found by its number", c.SM)
		}
		names := map[Variant]bool{}
		for j := range Archs {
			if Archs[j].Chip == c {
				names[Archs[j].Variant] = true
			}
		}
		if !names[Plain] || names[ArchSpecific] != (c.PTX.A != 0) || names[FamilyOnly] != (c.PTX.F != 0) || names[FamilyOnly] != (c.Group != 0) {
			t.Errorf("sm_%d: names %v, known to PTX since %+v, group %d", c.SM, names, c.PTX, c.Group)
		}
		if c.Has(Clusters) != (c.SharedReserved != 0) || c.Has(Clusters) != (c.bank0.Words[BankClusterSize].At != 0) || c.Has(Descriptors) != (c.bank0.Desc >= 0) {
			t.Errorf("sm_%d: features and constant bank 0 do not agree", c.SM)
		}
	}
	if FindSM(70) != nil || FindSM(0) != nil {
		t.Error("a chip is found that is none")
	}
}

// TestNames compares the sets of names with what they say.
func TestNames(t *testing.T) {
	for i := range Archs {
		a := &Archs[i]
		n := NameOf(a.SM, a.Variant)
		if (n != 0) != (a.Variant != Plain) {
			t.Errorf("%s is %#x", a.Name, n)
		}
		if family := OnF100 | OnF120; n != 0 && a.Group != 0 && n&family == 0 {
			t.Errorf("%s is in no family", a.Name)
		}
	}
	if since, ok := PTXSince(101); !ok || since.F != 88 {
		t.Errorf("sm_101 is known since %v", since)
	}
	if _, ok := PTXSince(99); ok {
		t.Error("PTX knows sm_99")
	}
}

// TestAccountAt: the account of tensor memory stands behind what else the
// system keeps.
func TestAccountAt(t *testing.T) {
	for name, want := range map[string]int64{"sm_100a": 0x40, "sm_103f": 0x40, "sm_110a": 0xc0} {
		if got := Find(name).AccountAt(); got != want {
			t.Errorf("%s: %#x, want %#x", name, got, want)
		}
	}
}
