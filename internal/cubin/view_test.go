package cubin

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/target"
	"github.com/goptxas/goptxas/internal/witness/cases"
)

// TestFunctions reads the facts of known samples.
func TestFunctions(t *testing.T) {
	for _, s := range cases.Cubins(t) {
		f, err := Read(s.Data)
		if err != nil {
			t.Fatal(err)
		}
		list := f.Functions()
		switch s.Name {
		case "local.sm_90a":
			if k := list[0]; len(list) != 1 || !k.Entry || k.Frame != 208 || k.MinStack != 208 || len(k.Params) != 2 || k.Banks[0] != 0x210+12 {
				t.Errorf("%s: %+v", s.Name, k)
			}
		case "shared.sm_90a":
			if len(list) != 2 || list[1].Name != "k1" || list[1].Shared != 0x400+72+8 || list[0].Barriers != 3 {
				t.Errorf("%s: %+v", s.Name, list)
			}
		case "funcs.sm_80-c":
			if len(list) != 5 || list[0].Regs == 0 {
				t.Errorf("%s: %d functions", s.Name, len(list))
			}
		case "global.sm_80":
			names := ""
			for _, v := range f.Variables() {
				names += v.Symbol.Name + "=" + v.Where + " "
			}
			if !strings.Contains(names, "ptrs=.nv.global.init") || !strings.Contains(names, "buf=.nv.global ") {
				t.Errorf("%s: %s", s.Name, names)
			}
		}
	}
}

// TestPlace: by descending alignment and ascending size; constants of a program
// in order, those seen from outside first.
func TestPlace(t *testing.T) {
	d := []Decl{
		{Name: "a", Space: SpaceConst, Size: 4, Align: 4},
		{Name: "b", Space: SpaceConst, Bind: BindGlobal, Size: 20, Align: 16},
		{Name: "c", Space: SpaceConst, Bind: BindGlobal, Size: 64, Align: 4},
		{Name: "z", Size: 100, Align: 16},
		{Name: "i", Size: 4, Align: 4, Init: []byte{1, 2, 3, 4}},
		{Name: "y", Bind: BindGlobal, Size: 100, Align: 16},
		{Name: "x", Size: 8, Align: 16},
		{Name: "w", Size: 1, Align: 4},
	}
	for object, offsets := range map[bool][]uint64{
		false: {84, 0, 20, 128, 0, 16, 0, 228},
		true:  {20, 0, 24, 128, 0, 16, 0, 228},
	} {
		Place(d, object)
		for i, want := range offsets {
			if d[i].Offset != want {
				t.Errorf("%s at %d, want %d", d[i].Name, d[i].Offset, want)
			}
		}
	}
}

// TestAddressSlot: external functions of the last kernel, then globals, then
// external functions that only earlier kernels call.
func TestAddressSlot(t *testing.T) {
	m := &Module{
		Arch: target.Find("sm_90a"),
		Decls: []Decl{
			{Name: "early", Space: SpaceFunc, Bind: BindGlobal},
			{Name: "late", Space: SpaceFunc, Bind: BindGlobal},
			{Name: "local"},
			{Name: "seen", Bind: BindGlobal},
			{Name: "konst", Space: SpaceConst},
		},
		Kernels: []Kernel{{Name: "k1", Calls: []string{"early", "late"}}, {Name: "k2", Calls: []string{"late"}}},
	}
	for name, want := range map[string]uint32{"late": 0, "seen": 8, "local": 16, "early": 24} {
		if got, ok := m.AddressSlots()[name]; !ok || got != want {
			t.Errorf("%s at %d, want %d", name, got, want)
		}
	}
	if _, ok := m.AddressSlots()["konst"]; ok {
		t.Error("a constant has a slot")
	}
}
