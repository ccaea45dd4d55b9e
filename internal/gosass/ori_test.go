package gosass

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goptxas/goptxas/internal/ori"
)

// TestOri reads a dump as text and as records and prints the same; a damaged
// one is refused.
func TestOri(t *testing.T) {
	const text = "# phase=CSE target=sm_90\nfunc k kernel {\n  reg r0 1/1\n  b0:\n    S2R r0 = SR_TID.X\n    STG.E [r0.64+0x0], r0\n    EXIT\n}\n"
	m, err := ori.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string]string{"text": text, "records": string(m.AppendRecords(nil)), "bad": "func k {\n", "cut": string(m.AppendRecords(nil)[:40]), "empty": ""} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := run("ori", file)
		if name == "text" || name == "records" {
			if code != 0 || out != m.Funcs[0].String() || !strings.Contains(out, "S2R r0 = SR_TID.X") {
				t.Errorf("%s: exit %d, %s%s", name, code, errs, out)
			}
		} else if code == 0 {
			t.Errorf("%s: taken", name)
		}
	}
}
