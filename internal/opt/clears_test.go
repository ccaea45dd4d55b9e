package opt_test

import (
	"testing"

	"github.com/goptxas/goptxas/internal/opt/dead"
	"github.com/goptxas/goptxas/internal/opt/machine"
	"github.com/goptxas/goptxas/internal/ori"
)

// TestClears stores zeros, and what is not all zeros, to tensor memory.
func TestClears(t *testing.T) {
	const some = "MOV r4[0] = rz\nMOV r4[1] = 0x1\nSTTM.x2 tmem[u8[0]]+0x0, r4"
	runCases(t, []phaseCase{
		{"zeros", "MOV r0 = rz\nMOV r4[0] = r0\nMOV r4[1] = rz\nSTTM.x2 tmem[u8[0]]+0x0, r4", "STTM.x2 tmem[u8[0]]+0x0, rz", []func(*ori.Func) bool{machine.TensorClears, dead.DeadCode}},
		{"not all", some, some, []func(*ori.Func) bool{machine.TensorClears, dead.DeadCode}},
	})
}
