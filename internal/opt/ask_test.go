package opt_test

import (
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/opt"
	"github.com/goptxas/goptxas/internal/opt/address"
	"github.com/goptxas/goptxas/internal/opt/control"
	"github.com/goptxas/goptxas/internal/opt/cse"
	"github.com/goptxas/goptxas/internal/opt/float"
	"github.com/goptxas/goptxas/internal/ori"
)

// TestAsk: a phase that may change nothing changes nothing, and one that may
// does.
func TestAsk(t *testing.T) {
	const head = "func f kernel {\nreg r0 1/1\nreg r1 1/1\nreg r2 1/1\nreg r3 1/1\nreg p4 1/1\nb0:\n"
	for _, c := range []struct {
		name, body string
		phase      func(*ori.Func) bool
	}{
		{"CopyProp", "S2R r0 = SR_TID.X\nCOPY r1 = r0\nSTS [r1+0x0], r0\nEXIT", opt.CopyProp},
		{"Fold", "IADD3 r0 = 0x1, 0x2, rz\nSTS [0x0], r0\nEXIT", opt.Fold},
		{"Canonical", "S2R r0 = SR_TID.X\nISETP.LT.AND p4 = 0x5, r0, pt\n@p4 STS [0x0], r0\nEXIT", opt.Canonical},
		{"Combine", "S2R r0 = SR_TID.X\nSHF.L.U32 r1 = r0, 0x2, rz\nIADD3 r2 = r1, 0x9, rz\nSTS [r0+0x0], r2\nEXIT", opt.Combine},
		{"CSE", "S2R r0 = SR_TID.X\nIMAD r1 = r0, 0x3, rz\nIMAD r2 = r0, 0x3, rz\nSTS [r1+0x0], r2\nEXIT", cse.CSE},
		{"LocalCSE", "S2R r0 = SR_TID.X\nIMAD r1 = r0, 0x3, rz\nIMAD r2 = r0, 0x3, rz\nSTS [r1+0x0], r2\nEXIT", cse.LocalCSE},
		{"KnownBits", "S2R r0 = SR_LANEID\nLOP3.LUT r1 = r0, 0x1f, rz, 0xc0\nSTS [0x0], r1\nEXIT", opt.KnownBits},
		{"AddressFold", "S2R r0 = SR_TID.X\nIADD3 r1 = r0, 0x10, rz\nSTS [r1+0x0], r0\nEXIT", address.AddressFold},
		{"Contract", "S2R r0 = SR_TID.X\nFMUL.CONTRACT r1 = r0, r0\nFADD.CONTRACT r2 = r1, -r0\nSTS [r0+0x0], r2\nEXIT", float.Contract},
		{"Selects", "S2R r0 = SR_TID.X\nISETP.LT.AND p4 = r0, 0x5, pt\nMOV r1 = rz\n@p4 MOV r2 = r0 else r1\nSTS [0x0], r2\nEXIT", func(f *ori.Func) bool { return control.Selects(f, 3) }},
	} {
		for _, may := range []bool{false, true} {
			text := head + c.body + "\n}\n"
			if strings.Contains(c.body, " else ") {
				text = strings.Replace(text, "{\n", "{\nprops ssa\n", 1)
			}
			m, err := ori.Parse(text)
			if err != nil {
				t.Fatal(c.name, err)
			}
			f := m.Funcs[0]
			f.Ask = func(string, int) bool { return may }
			was := f.String()
			c.phase(f)
			if changed := f.String() != was; changed != may {
				t.Errorf("%s: may change: %v, changed: %v\n%s", c.name, may, changed, f)
			}
		}
	}
}
