package lowered

import (
	"strings"
	"testing"
)

// TestKernel: good text becomes Ori, and what the front end refuses is told.
func TestKernel(t *testing.T) {
	code, err := kernel("sm_90", "add.s32 %r3, %r1, %r2;")
	if err != nil || !strings.Contains(code, "IADD3") {
		t.Errorf("%v\n%s", err, code)
	}
	if _, err := kernel("sm_90", "add.s32 %r3, %r1;"); err == nil {
		t.Error("an operand too few")
	}
	Check(t, [][3]string{{"sm_90", "bar.sync 0; ld.global.u32 %r1, [%rd1];", "BAR.SYNC ; LDG ; !STG"}})
}
