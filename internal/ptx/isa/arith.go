package isa

var opAdd = Op{Rows: []Row{{
	Name: "add",
	Forms: []Form{
		{Types: []TypeSet{tInt | tF32 | tF64 | tF16 | tF16x2 | tBF | tBFx2 | tF32x2 | tU16x2 | tS16x2}, Args: "daa"},
		{Types: []TypeSet{tF32, tHalf}, Args: "dba"},
	},
	Mods: []Slot{SlotRound, SlotSat, SlotFtz, SlotCc},
}}}
