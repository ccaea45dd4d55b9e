package isa

import "github.com/goptxas/goptxas/internal/target"

// Conversions.

const (
	tAnyInt  = tInt8 | tInt
	tNarrow2 = tE4M3x2 | tE5M2x2 | tE2M3x2 | tE3M2x2
	tNarrow4 = tE4M3x4 | tE5M2x4 | tE2M3x4 | tE3M2x4 | tE2M1x4
	tFloat3  = tF16 | tF32 | tF64
)

var cvtForms = []Form{
	{Types: []TypeSet{tAnyInt, tAnyInt}, Args: "xy", Mods: []Slot{SlotSat}},
	{Types: []TypeSet{tAnyInt, tFloat3}, Args: "xy", Mods: []Slot{SlotSat, SlotFtz, SlotRound}, Need: []Slot{SlotRound}, Rnd: rInt},
	{Types: []TypeSet{tFloat3, tAnyInt}, Args: "xy", Mods: []Slot{SlotSat, SlotFtz, SlotRound}, Need: []Slot{SlotRound}, Rnd: rFloat},

	// Narrower floats round, wider ones do not, equal ones may round to an
	// integral value.
	{Types: []TypeSet{tF16, tF32}, Args: "xy", May: eRelu | eSatf, Mods: []Slot{SlotSat, SlotFtz, SlotRound}, Need: []Slot{SlotRound}, Rnd: rFloat},
	{Types: []TypeSet{tF16 | tF32, tF64}, Args: "xy", Mods: []Slot{SlotSat, SlotFtz, SlotRound}, Need: []Slot{SlotRound}, Rnd: rFloat},
	{Types: []TypeSet{tF32 | tF64, tF16}, Args: "xy", Mods: []Slot{SlotSat, SlotFtz, SlotRound}},
	{Types: []TypeSet{tF64, tF32}, Args: "xy", Mods: []Slot{SlotSat, SlotFtz, SlotRound}},
	{Types: []TypeSet{tF16, tF16}, Args: "xy", Mods: []Slot{SlotSat, SlotFtz, SlotRound}, Rnd: rInt},
	{Types: []TypeSet{tF32, tF32}, Args: "xy", Mods: []Slot{SlotSat, SlotFtz, SlotRound}, Rnd: rInt},
	{Types: []TypeSet{tF64, tF64}, Args: "xy", Mods: []Slot{SlotSat, SlotFtz, SlotRound}, Rnd: rInt},

	{Types: []TypeSet{tBF, tBF}, Args: "xy", Mods: []Slot{SlotRound}, Rnd: rInt},
	{Types: []TypeSet{tInt, tBF}, Args: "xy", Mods: []Slot{SlotRound}, Need: []Slot{SlotRound}, Rnd: rInt},
	{Types: []TypeSet{tBF, tInt | tF64}, Args: "db", Mods: []Slot{SlotRound}, Need: []Slot{SlotRound}, Rnd: rFloat},
	{Types: []TypeSet{tBF, tF32}, Args: "db", May: eRelu | eSatf, Mods: []Slot{SlotSat, SlotFtz, SlotRound}, Need: []Slot{SlotRound}, Rnd: rFloat},
	{Types: []TypeSet{tBF, tF16}, Args: "xy", Mods: []Slot{SlotRound}, Rnd: rFloat},
	{Types: []TypeSet{tF16 | tF64, tBF}, Args: "xy", Mods: []Slot{SlotRound}, Rnd: rFloat},
	{Types: []TypeSet{tF32, tBF}, Args: "dy", Mods: []Slot{SlotFtz, SlotRound}, Rnd: rFloat},
	{Types: []TypeSet{tInt8, tBF}, Args: "dy", Mods: []Slot{SlotRound}, Need: []Slot{SlotRound}, Rnd: rInt}, // in registers of 8 bits only
	{Types: []TypeSet{tBF, tInt8}, Args: "!"},

	{Types: []TypeSet{tTF32, tF32}, Args: "db", May: eRelu | eSatf, Mods: []Slot{SlotRound}, Need: []Slot{SlotRound}, Rnd: rRN | rRZ | rRNA},

	// Packs of two and four.
	{Types: []TypeSet{tF16x2, tF32}, Args: "xyy?u", May: eRelu | eSatf, Mods: []Slot{SlotSat, SlotRound, SlotFtz}, Need: []Slot{SlotRound}, Rnd: rRN | rRZ | rRS},
	{Types: []TypeSet{tBFx2, tF32}, Args: "xbb?u", May: eRelu | eSatf, Mods: []Slot{SlotSat, SlotRound, SlotFtz}, Need: []Slot{SlotRound}, Rnd: rRN | rRZ | rRS},
	{Types: []TypeSet{tNarrow2 | tE2M1x2, tF32}, Args: "dbb", May: eRelu, Must: eSatf, Mods: []Slot{SlotRound}, Need: []Slot{SlotRound}, Rnd: rRN},
	{Types: []TypeSet{tE4M3x2 | tE5M2x2, tF16x2}, Args: "db", May: eRelu, Must: eSatf, Mods: []Slot{SlotRound}, Need: []Slot{SlotRound}, Rnd: rRN},
	{Types: []TypeSet{tF16x2, tNarrow2 | tE2M1x2}, Args: "db", May: eRelu, Mods: []Slot{SlotRound}, Need: []Slot{SlotRound}, Rnd: rRN},
	{Types: []TypeSet{tUE8M0x2, tF32}, Args: "dbb", May: eSatf | eRelu, Mods: []Slot{SlotRound}, Need: []Slot{SlotRound}, Rnd: rRZ | rRP},
	{Types: []TypeSet{tUE8M0x2, tBFx2}, Args: "db", May: eSatf | eRelu, Mods: []Slot{SlotRound}, Need: []Slot{SlotRound}, Rnd: rRZ | rRP},
	{Types: []TypeSet{tBFx2, tUE8M0x2}, Args: "db", May: eSatf | eRelu, Mods: []Slot{SlotRound}, Need: []Slot{SlotRound}, Rnd: rRN},
	{Types: []TypeSet{tNarrow4, tF32}, Args: "dVu", May: eRelu, Must: eSatf, Mods: []Slot{SlotRound}, Need: []Slot{SlotRound}, Rnd: rRS},
}

var opCvt = Op{Rows: []Row{
	{
		Name: "cvt", Forms: cvtForms,
		Gates: []Gate{
			{Name: "cvt with .ue8m0x2", V: 86, Only: target.OnF100 | target.OnF120, T: tUE8M0x2, Inst: true},
			{Name: "cvt with .e2m3x2/.e3m2x2", V: 86, Only: target.OnF100 | target.OnF120, T: tE2M3x2 | tE3M2x2 | tE2M1x2, Inst: true},
		},
		Rules: []Rule{
			{NoSlot, cvtBFGate},
			{NoSlot, cvtFP8Gate},
			{NoSlot, cvtSatfGate},
			{SlotFtz, cvtFtz},
			{SlotSat, cvtSat},
			{SlotSat, cvtRelu},
			{SlotSat, cvtHalf},
		},
		Flags: fConvert | fSpecial,
	},
	{
		Words: []Word{WPack}, Name: "cvt.pack",
		Forms: []Form{
			{Types: []TypeSet{tInt16, tS32}, Args: "Uyy"},
			{Types: []TypeSet{tInt8 | tU4 | tS4 | tU2 | tS2, tS32, tB32}, Args: "UyyC"},
		},
		Mods: []Slot{SlotSat}, Need: []Slot{SlotSat},
		Gates: []Gate{
			{V: 65, SM: 72, TargetFirst: true, If: notSubByte},
			{V: 65, If: subByte},
			{Name: "cvt.pack with sub-byte type", V: 65, SM: 75, T: tU4 | tS4 | tU2 | tS2},
		},
		Flags: fConvert,
	},
}}

func subByte(c *checker) bool    { return (tU4 | tS4 | tU2 | tS2).has(c.in.Types[0]) }
func notSubByte(c *checker) bool { return !subByte(c) }

// cvtBFGate: conversions of bf16 came in two steps, those of f32 first.
func cvtBFGate(c *checker) {
	in := c.in
	d, s := in.Types[0], in.Types[1]
	var g Gate
	switch {
	case (d == BF16 || d == BF16x2 || d == F16x2) && s == F32:
		if d == F16x2 && in.Mod(SlotRound) == WRs || d == BF16x2 && in.Mod(SlotRound) == WRs {
			return
		}
		g = Gate{Name: "&", V: 70, SM: 80, TargetFirst: true}
	case d == TF32:
		r := in.Mod(SlotRound)
		if r != WRn && r != WRz {
			return
		}
		g = Gate{Name: "cvt with .tf32.f32." + r.String(), V: 78, SM: 90, TargetFirst: true, Plain: true}
	case d == F32 && s == BF16:
		g = Gate{Name: "cvt with .f32.bf16", V: 71, SM: 80, TargetFirst: true}
	case d == BF16 || s == BF16:
		if d == BF16 {
			c.gate(&Gate{Name: "&", V: 70, SM: 80, TargetFirst: true})
		}
		g = Gate{Name: "cvt with " + d.String() + s.String(), V: 78, SM: 90, TargetFirst: true, Plain: true}
	default:
		return
	}
	c.gate(&g)
}

// cvtFP8Gate: sm_90 had conversions of e4m3 and e5m2 first, sm_89 got them
// with PTX 8.1.
func cvtFP8Gate(c *checker) {
	in := c.in
	if !(tE4M3x2 | tE5M2x2).has(in.Types[0]) && !(tE4M3x2 | tE5M2x2).has(in.Types[1]) {
		return
	}
	const name = "cvt with .e4m3x2/.e5m2x2"
	first := 89
	if c.ctx.Version < 81 {
		first = 90
	}
	if c.ctx.SM < first {
		c.errorf("Feature '%s' requires .target sm_%d or higher", name, first)
	}
	if c.lacks(81, 0) && c.lacks(0, 90) && !c.lacks(0, 89) {
		c.errorf("Feature '%s on sm_89' requires PTX ISA .version 8.1 or later", name)
	} else if c.ctx.Version < 78 {
		c.errorf("Feature '%s' requires PTX ISA .version 7.8 or later", name)
	}
}

// cvtSatfGate: .satfinite outside the 8-bit floats is younger than the
// conversions themselves.
func cvtSatfGate(c *checker) {
	in := c.in
	d := in.Types[0]
	if in.early&eSatf == 0 || !(tF16 | tF16x2 | tBF | tBFx2 | tTF32).has(d) || in.Types[1] != F32 {
		return
	}
	name := "cvt" + d.String() + ".f32"
	v, sm := Version(81), 0
	if d == TF32 {
		r := in.Mod(SlotRound)
		if r == WRn || r == WRz {
			v, sm = 86, 100
		}
		name += "." + r.String()
	}
	if c.ctx.Version < v {
		c.errorf("Modifier '.satfinite' on '%s' requires PTX ISA .version %s or later", name, v)
	}
	if c.ctx.SM < sm {
		c.errorf("Modifier '.satfinite' on '%s' requires .target sm_%d or higher", name, sm)
	}
}

// cvtFtz: subnormals are flushed where an f32 is read or written.
func cvtFtz(c *checker) {
	in := c.in
	if !in.Has(SlotFtz) {
		return
	}
	d, s := in.Types[0], in.Types[1]
	wide := d.Bits() == 64 || s.Bits() == 64
	if d != F32 && s != F32 || wide && c.ctx.Version < 15 && d.Bits() == 64 {
		c.errorf("Modifier '.ftz' does not apply to this type of convert operation")
	}
}

// cvtSat: an integer that always fits does not saturate.
func cvtSat(c *checker) {
	in := c.in
	if !in.Has(SlotSat) || !in.Types[0].IsInt() || !in.Types[1].IsInt() {
		return
	}
	d, s := in.Types[0], in.Types[1]
	if d.Class() == s.Class() && d.Bits() >= s.Bits() || s.Class() == Unsigned && d.Bits() > s.Bits() {
		c.illegal(".sat")
	}
}

// cvtRelu: what .relu and .satfinite do not go with.
func cvtRelu(c *checker) {
	in := c.in
	d, s := in.Types[0], in.Types[1]
	if in.early&eRelu != 0 {
		if d == UE8M0x2 || s == UE8M0x2 {
			c.errorf("Illegal modifier '.relu' for instruction 'cvt' with type '.ue8m0x2'")
		}
		if s == UE8M0x2 {
			c.errorf("Illegal modifier '.relu' for instruction 'cvt' with type '%s%s'", d, s)
		}
		if in.Mod(SlotRound) == WRna {
			c.errorf("Modifier '.relu' cannot be combined with modifier '.rna'")
		}
		c.reluHalf(d)
	}
	if in.early&eSatf == 0 {
		return
	}
	if s == UE8M0x2 {
		c.errorf("Illegal modifier '.satfinite' for instruction 'cvt' with type '%s%s'", d, s)
	}
	if in.Has(SlotSat) {
		c.errorf("Modifier '.satfinite' cannot be combined with modifier '.sat'")
	}
	if !in.Has(SlotRound) && (d == F16 || d == BF16) {
		c.errorf("Modifier '.satfinite' cannot be combined with modifier ''")
	}
	if in.Has(SlotFtz) {
		c.errorf("Modifier '.satfinite' cannot be combined with modifier '.ftz'")
	}
	if r := in.Mod(SlotRound); s == F32 && d != UE8M0x2 && (r == WRm || r == WRp) {
		c.errorf("Modifier '.satfinite' cannot be combined with modifier '.%s'", r)
	}
}

// reluHalf: what .relu of a conversion to half precision does not go with.
func (c *checker) reluHalf(d Type) {
	if c.in.Has(SlotSat) {
		c.errorf("Modifier '.relu' cannot be combined with modifier '.sat'")
	}
	if c.in.Has(SlotFtz) && (d == BF16 || d == BF16x2) {
		c.errorf("Modifier '.relu' cannot be combined with modifier '.ftz'")
	}
}

// cvtHalf: conversions of f32 to a pair of halves, and limited ones to one,
// flush nothing; only those to f16 saturate; and .relu rounds to the nearest
// or towards zero.
func cvtHalf(c *checker) {
	in := c.in
	d, s := in.Types[0], in.Types[1]
	pair := d == F16x2 || d == BF16x2
	if s != F32 || !pair && d != F16 && d != BF16 {
		return
	}
	limited := in.early&(eRelu|eSatf) != 0
	if d != F16 && in.Has(SlotSat) && !limited {
		c.illegal(".sat")
	}
	if (pair || d == F16 && limited) && in.Has(SlotFtz) {
		c.illegal(".ftz")
	}
	if r := in.Mod(SlotRound); in.early&eRelu != 0 && !pair && (r == WRm || r == WRp) {
		c.errorf("Illegal rounding modifier for instruction '%s'", c.row.Name)
	}
}
