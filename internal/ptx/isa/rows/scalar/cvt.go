package scalar

import (
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/isa/row"
	"github.com/goptxas/goptxas/internal/target"
)

// Conversions.

const (
	tAnyInt  = row.Int8 | row.Int
	tNarrow2 = row.E4M3x2 | row.E5M2x2 | row.E2M3x2 | row.E3M2x2
	tNarrow4 = row.E4M3x4 | row.E5M2x4 | row.E2M3x4 | row.E3M2x4 | row.E2M1x4
	tFloat3  = row.F16 | row.F32 | row.F64
)

var cvtForms = []row.Form{
	{Types: []row.TypeSet{tAnyInt, tAnyInt}, Args: "xy", Mods: []isa.Slot{isa.SlotSat}},
	{Types: []row.TypeSet{tAnyInt, tFloat3}, Args: "xy", Mods: []isa.Slot{isa.SlotSat, isa.SlotFtz, isa.SlotRound}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RoundInt},
	{Types: []row.TypeSet{tFloat3, tAnyInt}, Args: "xy", Mods: []isa.Slot{isa.SlotSat, isa.SlotFtz, isa.SlotRound}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RoundFloat},

	// Narrower floats round, wider ones do not, equal ones may round to an
	// integral value.
	{Types: []row.TypeSet{row.F16, row.F32}, Args: "xy", May: row.EarlyRelu | row.EarlySatf, Mods: []isa.Slot{isa.SlotSat, isa.SlotFtz, isa.SlotRound}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RoundFloat},
	{Types: []row.TypeSet{row.F16 | row.F32, row.F64}, Args: "xy", Mods: []isa.Slot{isa.SlotSat, isa.SlotFtz, isa.SlotRound}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RoundFloat},
	{Types: []row.TypeSet{row.F32 | row.F64, row.F16}, Args: "xy", Mods: []isa.Slot{isa.SlotSat, isa.SlotFtz, isa.SlotRound}},
	{Types: []row.TypeSet{row.F64, row.F32}, Args: "xy", Mods: []isa.Slot{isa.SlotSat, isa.SlotFtz, isa.SlotRound}},
	{Types: []row.TypeSet{row.F16, row.F16}, Args: "xy", Mods: []isa.Slot{isa.SlotSat, isa.SlotFtz, isa.SlotRound}, Rnd: row.RoundInt},
	{Types: []row.TypeSet{row.F32, row.F32}, Args: "xy", Mods: []isa.Slot{isa.SlotSat, isa.SlotFtz, isa.SlotRound}, Rnd: row.RoundInt},
	{Types: []row.TypeSet{row.F64, row.F64}, Args: "xy", Mods: []isa.Slot{isa.SlotSat, isa.SlotFtz, isa.SlotRound}, Rnd: row.RoundInt},

	{Types: []row.TypeSet{row.BF16, row.BF16}, Args: "xy", Mods: []isa.Slot{isa.SlotRound}, Rnd: row.RoundInt},
	{Types: []row.TypeSet{row.Int, row.BF16}, Args: "xy", Mods: []isa.Slot{isa.SlotRound}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RoundInt},
	{Types: []row.TypeSet{row.BF16, row.Int | row.F64}, Args: "db", Mods: []isa.Slot{isa.SlotRound}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RoundFloat},
	{Types: []row.TypeSet{row.BF16, row.F32}, Args: "db", May: row.EarlyRelu | row.EarlySatf, Mods: []isa.Slot{isa.SlotSat, isa.SlotFtz, isa.SlotRound}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RoundFloat},
	{Types: []row.TypeSet{row.BF16, row.F16}, Args: "xy", Mods: []isa.Slot{isa.SlotRound}, Rnd: row.RoundFloat},
	{Types: []row.TypeSet{row.F16 | row.F64, row.BF16}, Args: "xy", Mods: []isa.Slot{isa.SlotRound}, Rnd: row.RoundFloat},
	{Types: []row.TypeSet{row.F32, row.BF16}, Args: "dy", Mods: []isa.Slot{isa.SlotFtz, isa.SlotRound}, Rnd: row.RoundFloat},
	{Types: []row.TypeSet{row.Int8, row.BF16}, Args: "dy", Mods: []isa.Slot{isa.SlotRound}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RoundInt}, // in registers of 8 bits only
	{Types: []row.TypeSet{row.BF16, row.Int8}, Args: "!"},

	{Types: []row.TypeSet{row.TF32, row.F32}, Args: "db", May: row.EarlyRelu | row.EarlySatf, Mods: []isa.Slot{isa.SlotRound}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RN | row.RZ | row.RNA},

	// Packs of two and four.
	{Types: []row.TypeSet{row.F16x2, row.F32}, Args: "xyy?u", May: row.EarlyRelu | row.EarlySatf, Mods: []isa.Slot{isa.SlotSat, isa.SlotRound, isa.SlotFtz}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RN | row.RZ | row.RS},
	{Types: []row.TypeSet{row.BF16x2, row.F32}, Args: "xbb?u", May: row.EarlyRelu | row.EarlySatf, Mods: []isa.Slot{isa.SlotSat, isa.SlotRound, isa.SlotFtz}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RN | row.RZ | row.RS},
	{Types: []row.TypeSet{tNarrow2 | row.E2M1x2, row.F32}, Args: "dbb", May: row.EarlyRelu | row.EarlySatf, Mods: []isa.Slot{isa.SlotRound}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RN},
	{Types: []row.TypeSet{row.E4M3x2 | row.E5M2x2 | row.E2M1x2, row.F16x2}, Args: "db", May: row.EarlyRelu | row.EarlySatf, Mods: []isa.Slot{isa.SlotRound}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RN},
	{Types: []row.TypeSet{row.F16x2, tNarrow2 | row.E2M1x2}, Args: "db", May: row.EarlyRelu, Mods: []isa.Slot{isa.SlotRound}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RN},
	{Types: []row.TypeSet{row.UE8M0x2, row.F32}, Args: "dbb", May: row.EarlySatf | row.EarlyRelu, Mods: []isa.Slot{isa.SlotRound}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RZ | row.RP},
	{Types: []row.TypeSet{row.UE8M0x2, row.BF16x2}, Args: "db", May: row.EarlySatf | row.EarlyRelu, Mods: []isa.Slot{isa.SlotRound}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RZ | row.RP},
	{Types: []row.TypeSet{row.BF16x2, row.UE8M0x2}, Args: "db", May: row.EarlySatf | row.EarlyRelu, Mods: []isa.Slot{isa.SlotRound}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RN},
	{Types: []row.TypeSet{tNarrow4, row.F32}, Args: "dVu", May: row.EarlyRelu | row.EarlySatf, Mods: []isa.Slot{isa.SlotRound}, Need: []isa.Slot{isa.SlotRound}, Rnd: row.RS},
}

var Cvt = row.Op{Rows: []row.Row{
	{
		Name: "cvt", Forms: cvtForms,
		Gates: []row.Gate{
			{Name: "cvt with .ue8m0x2", V: 86, Only: target.OnF100 | target.OnF120, T: row.UE8M0x2, Inst: true},
			{Name: "cvt with .e2m3x2/.e3m2x2", V: 86, Only: target.OnF100 | target.OnF120, T: row.E2M3x2 | row.E3M2x2, Inst: true},
			{Name: "cvt with .e2m1x2", V: 86, Only: target.OnF100 | target.OnF120, T: row.E2M1x2, Inst: true},
		},
		Rules: []row.Rule{
			{At: isa.NoSlot, Do: cvtBFGate},
			{At: isa.NoSlot, Do: cvtRandom},
			{At: isa.NoSlot, Do: cvtFour},
			{At: isa.NoSlot, Do: cvtFP8Gate},
			{At: isa.NoSlot, Do: cvtSatfGate},
			{At: isa.SlotNoftz, Do: cvtTF32Gate},
			{At: isa.SlotNoftz, Do: cvtNeedsSatf},
			{At: isa.SlotFtz, Do: cvtFtz},
			{At: isa.SlotSat, Do: cvtSat},
			{At: isa.SlotSat, Do: cvtRelu},
			{At: isa.SlotSat, Do: cvtHalf},
		},
		Flags: row.FlagConvert | row.FlagSpecial | row.FlagPredVoid,
	},
	{
		Words: []isa.Word{isa.WPack}, Name: "cvt.pack",
		Forms: []row.Form{
			{Types: []row.TypeSet{row.Int16, row.S32}, Args: "Uyy"},
			{Types: []row.TypeSet{row.Int8 | row.U4 | row.S4 | row.U2 | row.S2, row.S32, row.B32}, Args: "UyyC"},
		},
		Mods: []isa.Slot{isa.SlotSat}, Need: []isa.Slot{isa.SlotSat},
		Gates: []row.Gate{
			{V: 65, SM: 72, TargetFirst: true, If: notSubByte},
			{V: 65, If: subByte},
			{Name: "cvt.pack with sub-byte type", V: 65, SM: 75, T: row.U4 | row.S4 | row.U2 | row.S2},
		},
		Flags: row.FlagConvert | row.FlagPredVoid,
	},
}}

func subByte(c *row.Checker) bool    { return (row.U4 | row.S4 | row.U2 | row.S2).Has(c.In.Types[0]) }
func notSubByte(c *row.Checker) bool { return !subByte(c) }

// cvtFour: four floats become a word.
func cvtFour(c *row.Checker) {
	if o := &c.In.Args[1]; o.Kind == isa.KVector && tNarrow4.Has(c.In.Types[0]) && len(o.Elems) != 4 {
		c.Errorf("Arguments mismatch for instruction 'cvt'")
	}
}

// cvtNeedsSatf: floats of eight bits and less but scales have no infinity to
// go to, so that every conversion to them says that it stops before.
func cvtNeedsSatf(c *row.Checker) {
	if in := c.In; in.Early&row.EarlySatf == 0 && (tNarrow2 | tNarrow4 | row.E2M1x2).Has(in.Types[0]) {
		c.Errorf("'.satfinite' modifier required for instruction 'cvt' with destination type '%s'", in.Types[0])
	}
}

// cvtBFGate: conversions of bf16 came in two steps, those of f32 first.
func cvtBFGate(c *row.Checker) {
	in := c.In
	d, s := in.Types[0], in.Types[1]
	var g row.Gate
	switch {
	case (d == isa.BF16 || d == isa.BF16x2 || d == isa.F16x2) && s == isa.F32:
		g = row.Gate{Name: "&", V: 70, SM: 80, TargetFirst: true}
	case d == isa.TF32:
		g = row.Gate{Name: ".tf32", Plain: true, V: 70, SM: 80, TargetFirst: true}
	case d == isa.F32 && s == isa.BF16:
		g = row.Gate{Name: "cvt with .f32.bf16", V: 71, SM: 80, TargetFirst: true}
	case d == isa.BF16 || s == isa.BF16:
		if d == isa.BF16 {
			c.Gate(&row.Gate{Name: "&", V: 70, SM: 80, TargetFirst: true})
		}
		g = row.Gate{Name: "cvt with " + d.String() + s.String(), V: 78, SM: 90, TargetFirst: true, Plain: true}
	default:
		return
	}
	c.Gate(&g)
}

// cvtTF32Gate: rounding to tf32 as other floats do came later.
func cvtTF32Gate(c *row.Checker) {
	if r := c.In.Mod(isa.SlotRound); c.In.Types[0] == isa.TF32 && (r == isa.WRn || r == isa.WRz) {
		c.Gate(&row.Gate{Name: "cvt with .tf32.f32." + r.String(), V: 78, SM: 90, TargetFirst: true, Plain: true})
	}
}

// cvtRandom: rounding by random bits has an operand for them, of plain bits.
func cvtRandom(c *row.Checker) {
	in := c.In
	if (row.F16x2 | row.BF16x2).Has(in.Types[0]) && in.Types[1] == isa.F32 {
		bits := len(in.Args) == 4
		plain := bits && in.Args[3].Kind == isa.KReg && in.Args[3].Type == isa.B32
		if bits != (in.Mod(isa.SlotRound) == isa.WRs) || bits != plain {
			c.Errorf("Arguments mismatch for instruction 'cvt'")
		}
	}
}

// cvtFP8Gate: sm_90 had conversions of e4m3 and e5m2 first, sm_89 got them
// with PTX 8.1.
func cvtFP8Gate(c *row.Checker) {
	in := c.In
	if !(row.E4M3x2 | row.E5M2x2).Has(in.Types[0]) && !(row.E4M3x2 | row.E5M2x2).Has(in.Types[1]) {
		return
	}
	const name = "cvt with .e4m3x2/.e5m2x2"
	first := 89
	if c.Ctx.Version < 81 {
		first = 90
	}
	if c.Ctx.SM < first {
		c.Errorf("Feature '%s' requires .target sm_%d or higher", name, first)
	}
	if c.Lacks(81, 0) && c.Lacks(0, 90) && !c.Lacks(0, 89) {
		c.Errorf("Feature '%s on sm_89' requires PTX ISA .version 8.1 or later", name)
	} else if c.Ctx.Version < 78 {
		c.Errorf("Feature '%s' requires PTX ISA .version 7.8 or later", name)
	}
}

// cvtSatfGate: .satfinite outside the 8-bit floats is younger than the
// conversions themselves.
func cvtSatfGate(c *row.Checker) {
	in := c.In
	d := in.Types[0]
	if in.Early&row.EarlySatf == 0 || !(row.F16 | row.F16x2 | row.BF16 | row.BF16x2 | row.TF32).Has(d) || in.Types[1] != isa.F32 {
		return
	}
	name := "cvt" + d.String() + ".f32"
	v, sm := isa.Version(81), 0
	if d == isa.TF32 {
		r := in.Mod(isa.SlotRound)
		if r == isa.WRn || r == isa.WRz {
			v, sm = 86, 100
		}
		name += "." + r.String()
	}
	if c.Ctx.Version < v {
		c.Errorf("Modifier '.satfinite' on '%s' requires PTX ISA .version %s or later", name, v)
	}
	if c.Ctx.SM < sm {
		c.Errorf("Modifier '.satfinite' on '%s' requires .target sm_%d or higher", name, sm)
	}
}

// cvtFtz: subnormals are flushed where an f32 is read or written.
func cvtFtz(c *row.Checker) {
	in := c.In
	if !in.Has(isa.SlotFtz) {
		return
	}
	d, s := in.Types[0], in.Types[1]
	wide := d.Bits() == 64 || s.Bits() == 64
	if d != isa.F32 && s != isa.F32 || wide && c.Ctx.Version < 15 && d.Bits() == 64 {
		c.Errorf("Modifier '.ftz' does not apply to this type of convert operation")
	}
}

// cvtSat: an integer that always fits does not saturate.
func cvtSat(c *row.Checker) {
	in := c.In
	if !in.Has(isa.SlotSat) || !in.Types[0].IsInt() || !in.Types[1].IsInt() {
		return
	}
	d, s := in.Types[0], in.Types[1]
	if d.Class() == s.Class() && d.Bits() >= s.Bits() || s.Class() == isa.Unsigned && d.Bits() > s.Bits() {
		c.Illegal(".sat")
	}
}

// cvtRelu: what .relu and .satfinite do not go with.
func cvtRelu(c *row.Checker) {
	in := c.In
	d, s := in.Types[0], in.Types[1]
	if in.Early&row.EarlyRelu != 0 {
		if d == isa.UE8M0x2 || s == isa.UE8M0x2 {
			c.Errorf("Illegal modifier '.relu' for instruction 'cvt' with type '.ue8m0x2'")
		}
		if s == isa.UE8M0x2 {
			c.Errorf("Illegal modifier '.relu' for instruction 'cvt' with type '%s%s'", d, s)
		}
		if in.Mod(isa.SlotRound) == isa.WRna {
			c.Errorf("Modifier '.relu' cannot be combined with modifier '.rna'")
		}
		reluHalf(c, d)
	}
	if in.Early&row.EarlySatf == 0 {
		return
	}
	if s == isa.UE8M0x2 {
		c.Errorf("Illegal modifier '.satfinite' for instruction 'cvt' with type '%s%s'", d, s)
	}
	if in.Has(isa.SlotSat) {
		c.Errorf("Modifier '.satfinite' cannot be combined with modifier '.sat'")
	}
	if !in.Has(isa.SlotRound) && (d == isa.F16 || d == isa.BF16) {
		c.Errorf("Modifier '.satfinite' cannot be combined with modifier ''")
	}
	if in.Has(isa.SlotFtz) {
		c.Errorf("Modifier '.satfinite' cannot be combined with modifier '.ftz'")
	}
	if r := in.Mod(isa.SlotRound); s == isa.F32 && d != isa.UE8M0x2 && (r == isa.WRm || r == isa.WRp) {
		c.Errorf("Modifier '.satfinite' cannot be combined with modifier '.%s'", r)
	}
}

// reluHalf: what .relu of a conversion to half precision does not go with.
func reluHalf(c *row.Checker, d isa.Type) {
	if c.In.Has(isa.SlotSat) {
		c.Errorf("Modifier '.relu' cannot be combined with modifier '.sat'")
	}
	if c.In.Has(isa.SlotFtz) && (d == isa.BF16 || d == isa.BF16x2) {
		c.Errorf("Modifier '.relu' cannot be combined with modifier '.ftz'")
	}
}

// cvtHalf: conversions of f32 to a pair of halves, and limited ones to one,
// flush nothing; only those to f16 saturate; and .relu rounds to the nearest
// or towards zero.
func cvtHalf(c *row.Checker) {
	in := c.In
	d, s := in.Types[0], in.Types[1]
	pair := d == isa.F16x2 || d == isa.BF16x2
	if s != isa.F32 || !pair && d != isa.F16 && d != isa.BF16 {
		return
	}
	limited := in.Early&(row.EarlyRelu|row.EarlySatf) != 0
	if d != isa.F16 && in.Has(isa.SlotSat) && !limited {
		c.Illegal(".sat")
	}
	if (pair || d == isa.F16 && limited) && in.Has(isa.SlotFtz) {
		c.Illegal(".ftz")
	}
	if r := in.Mod(isa.SlotRound); in.Early&row.EarlyRelu != 0 && !pair && (r == isa.WRm || r == isa.WRp) {
		c.Errorf("Illegal rounding modifier for instruction '%s'", c.Row.Name)
	}
}
