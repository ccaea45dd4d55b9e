package abi

import "testing"

// TestSaved pins which registers a call keeps, as the reference's functions
// save them.
func TestSaved(t *testing.T) {
	for n, want := range map[int]bool{
		0: false, StackReg: true, FrameReg: true, CallerReg: false, FirstArgReg: false, FirstArgReg + NumArgRegs - 1: false,
		16: true, 19: true, ReturnReg: false, ReturnReg + 1: false, 22: true, 31: true, 32: false, 35: false, 36: true, 39: true, 40: false, 252: true,
	} {
		if Saved(n) != want {
			t.Errorf("R%d: %v", n, Saved(n))
		}
	}
	for n := FirstArgReg; n < FirstArgReg+NumArgRegs; n++ {
		if Saved(n) {
			t.Errorf("R%d passes arguments and is kept", n)
		}
	}
}

// TestReported: what the machine takes for itself is in the count, and small
// kernels take a whole unit.
func TestReported(t *testing.T) {
	for n, want := range map[int32]int32{0: 4, 2: 4, 3: 8, 6: 8, 7: 9, 22: CallRegisters, MaxRegisters - HiddenRegisters: MaxRegisters} {
		if got := Reported(n); got != want {
			t.Errorf("%d named: %d, want %d", n, got, want)
		}
	}
}
