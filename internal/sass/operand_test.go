package sass

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/target"
)

// archOf returns an architecture that has form f.
func archOf(f *form) *target.Arch {
	for n := range target.Archs {
		if a := &target.Archs[n]; f.on(a) {
			return a
		}
	}
	return nil
}

// operands renders the operands of an instruction as role:name:width.
func operands(i *Inst) string {
	var out []string
	files := [...]string{"", "R", "UR", "P", "UP", "B", "SB"}
	for n := range i.NArg() {
		o := i.Arg(n)
		switch o.Kind {
		case KindReg:
			out = append(out, fmt.Sprintf("%c:%s%d:%d", "rwba"[o.Role], files[o.File], o.Reg, o.Width))
		case KindConst:
			out = append(out, fmt.Sprintf("c%d:%#x", o.Bank, o.Imm))
		case KindLabel:
			out = append(out, fmt.Sprintf("to:%+d", o.Imm))
		default:
			out = append(out, fmt.Sprintf("%#x", o.Imm))
		}
	}
	return strings.Join(out, " ")
}

// TestRoles states the roles and widths of one instruction of each kind.
func TestRoles(t *testing.T) {
	for _, c := range []struct{ arch, text, want string }{
		{"sm_90a", "FFMA R2, R4.reuse, R200, R68 ;", "w:R2:1 r:R4:1 r:R200:1 r:R68:1"},
		{"sm_90a", "DFMA R44, R60, R62, -R44 ;", "w:R44:2 r:R60:2 r:R62:2 r:R44:2"},
		{"sm_90a", "IMAD.WIDE R4, R7, R6, R4 ;", "w:R4:2 w:P7:1 r:R7:1 r:R6:1 r:R4:2"},
		{"sm_90a", "ISETP.EQ.AND P1, PT, R15, RZ, PT ;", "w:P1:1 w:P7:1 r:R15:1 r:R255:1 r:P7:1"},
		{"sm_90a", "LDG.E.128 R4, desc[UR4][R2.64+0x10] ;", "w:P7:1 w:R4:4 a:UR4:2 a:R2:2 0x10 r:P7:1"},
		{"sm_90a", "STG.E.64 desc[UR4][R2.64], R6 ;", "a:UR4:2 a:R2:2 0x0 r:R6:2"},
		{"sm_80", "STG.E [R2.64], R0 ;", "a:R2:2 0x0 a:UR4:2 r:R0:1"},
		{"sm_90a", "ATOMG.E.CAS.128.STRONG.GPU PT, R8, [R16+0x400], R8, R12 ;", "w:P7:1 w:R8:4 a:R16:2 0x400 r:R8:4 r:R12:4"},
		{"sm_90a", "HGMMA.64x128x16.F32.BF16 R24, gdesc[UR16], R24, gsb0 ;", "w:R24:64 a:UR16:4 r:R24:64 r:UP7:1"},
		{"sm_90a", "UTMALDG.3D [UR8], [UR4] ;", "a:UR8:5 a:UR4:2"},
		{"sm_90a", "HMMA.16816.F32 R4, R4, R10, R12 ;", "w:R4:4 r:R4:4 r:R10:2 r:R12:4 r:UP7:1"},
		{"sm_100a", "LDTM.x32 R4, tmem[UR4] ;", "w:R4:32 a:UR4:1 0x0"},
		{"sm_75", "IADD3 R3, R12, c[0x0][0x160], R10 ;", "w:R3:1 w:P7:1 w:P7:1 r:R12:1 c0:0x160 r:R10:1"},
		{"sm_90a", "BRA 0x90 ;", "r:P7:1 to:+128"},
		{"sm_90a", "LDSM.16.M88.4 R4, [R8+UR4] ;", "w:R4:4 a:R8:1 a:UR4:1 0x0"},
		{"sm_80", "TLD4.SCR.B R16, R18, R3, R2, 0x0, 0x58, 2D ;", "w:P7:1 w:R16:2 w:R18:2 r:R3:1 r:R2:1 0x0 0x58 0xf"},
		{"sm_80", "TEX.SCR.B.LL R6, R4, R8, R10, 2D ;", "w:P7:1 w:R6:2 w:R4:2 r:R8:2 r:R10:1 0xf"},
		{"sm_75", "TLD.SCR.B.LZ R6, R4, R0, R5, 1D ;", "w:P7:1 w:R6:2 w:R4:2 r:R0:1 r:R5:1 0xf"},
		{"sm_80", "TXD.B R6, R4, R8, R12, ARRAY_2D ;", "w:P7:1 w:R6:2 w:R4:2 r:R8:4 r:R12:4 0xf"},
		{"sm_90a", "TXD.AOFFI R6, R4, R8, R12, UR4, 0x0, 2D ;", "w:P7:1 w:R6:2 w:R4:2 r:R8:3 r:R12:4 r:UR4:1 0x0 0xf"},
		{"sm_90a", "TEX.LL RZ, R7, R6, R0, UR4, 0x0, 2D, 0x1 ;", "w:P7:1 w:R255:0 w:R7:1 r:R6:2 r:R0:1 r:UR4:1 0x0 0x1"},
	} {
		i, err := Parse(target.Find(c.arch), c.text, 0)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := operands(&i); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestCtrl checks the control column both ways over all its values.
func TestCtrl(t *testing.T) {
	n := 0
	for v := uint64(0); v < 1<<ctrlBits; v += 7 {
		i := Inst{w: nop.With(ctrlBit, ctrlBits, v)}
		c := i.Ctrl()
		back, err := ParseCtrl(c.String())
		if err != nil || back != c {
			t.Fatalf("%s reads as %+v, %v", c, back, err)
		}
		j := Inst{w: nop}
		j.SetCtrl(back)
		if j.w != i.w {
			t.Fatalf("%s gives %x, want %x", c, j.w, i.w)
		}
		n++
	}
	for _, s := range []string{"", "B------", "B------:R-:W-:-:S16", "B1-----:R-:W-:-:S00", "B------:R-:W-:-:S00:x"} {
		if _, err := ParseCtrl(s); err == nil {
			t.Errorf("%q must be refused", s)
		}
	}
	t.Logf("%d control fields", n)
}

// TestLabels checks the hook for names of code addresses.
func TestLabels(t *testing.T) {
	a := target.Find("sm_90a")
	i, err := ParseLabels(a, "@P0 BRA .L_x_1 ;", 0x100, func(name string) (uint64, bool) { return 0x80, name == ".L_x_1" })
	if err != nil {
		t.Fatal(err)
	}
	if got, want := i.Text(a, 0x100), "@P0 BRA 0x80;"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := ParseLabels(a, "BRA nowhere ;", 0, func(string) (uint64, bool) { return 0, false }); err == nil {
		t.Error("an unknown label must be refused")
	}
}

// TestClass checks latency classes, which may hang on a modifier.
func TestClass(t *testing.T) {
	a := target.Find("sm_90a")
	for text, want := range map[string]target.Class{
		"FFMA R2, R4, R200, R68 ;":              target.ClassFma,
		"HMMA.1688.F32 R4, R4, R10, R12 ;":      target.ClassMma1,
		"HMMA.16816.F32 R4, R4, R10, R12 ;":     target.ClassMma2,
		"HMMA.1688.F32.TF32 R4, R4, R10, R12 ;": target.ClassMma2,
		"CS2R R8, SRZ ;":                        target.ClassCs2r64,
		"CS2R.32 R8, SR_CLOCKLO ;":              target.ClassCs2r32,
		"MUFU.RCP R0, R0 ;":                     target.ClassXu,
		"MUFU.RCP64H R0, R0 ;":                  target.ClassXu,
		"F2F.F64.F32 R4, R3 ;":                  target.ClassXu64,
		"HADD2.F32 R9, -RZ, R3.H1_H1 ;":         target.ClassHalf32,
	} {
		i, err := Parse(a, text, 0)
		if err != nil {
			t.Error(err)
		} else if got := i.Class(); got != want {
			t.Errorf("%s: class %s, want %s", text, got, want)
		}
	}
}

// TestSpacing checks that the parser takes text spaced otherwise.
func TestSpacing(t *testing.T) {
	a := target.Find("sm_90a")
	for _, c := range [][2]string{
		{"FADD   R1,R2 ,  -R3", "FADD R1, R2, -R3;"},
		{"\t@!P0  DEPBAR.LE SB0,0x1,{5,4}", "@!P0 DEPBAR.LE SB0, 0x1, {5,4};"},
		{"FFMA R1, R2, +INF, R3 ;", "FFMA R1, R2, +INF , R3;"},
		{"FMUL R1,R2,-0.05 ;", "FMUL R1, R2, -0.050000000745058059692;"},
	} {
		i, err := Parse(a, c[0], 0)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := i.Text(a, 0); got != c[1] {
			t.Errorf("%q prints as %q, want %q", c[0], got, c[1])
		}
	}
}

// TestDestinations checks that the operations that produce a register say
// so: every golden instruction with a register at bits 16 to 23 outside an
// address writes it, except the stores that keep data there.
func TestDestinations(t *testing.T) {
	checked := 0
	for id := 1; id < len(forms); id++ {
		f := &forms[id]
		for n := range int(f.narg) {
			a := &args[f.arg+uint32(n)]
			it := &items[f.item+uint32(a.item)]
			if it.kind != kReg && it.kind != kUReg || it.lo != 16 || a.addr {
				continue
			}
			checked++
			if a.role != Write && f.op != OpSTG {
				t.Errorf("form %d of %s reads a register at bit 16", id, f.op)
			}
		}
	}
	t.Logf("%d destinations", checked)
}
