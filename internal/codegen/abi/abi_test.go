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

// TestAround: what lives through a call finds a place among registers that are kept, the stack pointer aside.
func TestAround(t *testing.T) {
	for words, want := range map[int]int{0: 2, 1: 3, 2: 17, 5: 20, 6: 23, 15: 32, 16: 37, 19: 40, 20: 45} {
		if got := Around(words); got != want {
			t.Errorf("%d words: %d registers, want %d", words, got, want)
		}
	}
}
