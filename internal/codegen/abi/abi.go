// Package abi holds the calling convention: which registers have a meaning of
// their own, which a function keeps for its caller, and what the machine takes
// for itself.
package abi

// Registers with a meaning (calling convention of the reference).
const (
	StackReg  = 1 // the stack pointer
	FrameReg  = 2 // what locals are addressed from where the stack pointer moves
	CallerReg = 3 // the caller's stack pointer where a function with arguments on the stack begins: the frame may lie any distance below them

	FirstArgReg = 4  // arguments and results from here on
	NumArgRegs  = 12 // so many
	ReturnReg   = 20 // the return address, a pair
)

// What a call keeps: R1 is the stack pointer; R2, R16 to R19, R22 to R31 and
// from R32 on four of every eight registers keep their values, as do UR36 and
// B6 and all above them. Predicates do not.
const (
	FreeUniforms = 36 // uniform registers a function may use without saving any
	FreeBarriers = 6  // convergence barriers likewise
)

// Saved reports whether register n of file R keeps its value in a call.
func Saved(n int) bool {
	switch {
	case n >= 32:
		return n%8 >= 4
	case n >= 16:
		return n != 20 && n != 21
	}
	return n == 1 || n == 2
}

// Around is how many registers a function has that keeps so many words while it calls another.
func Around(words int) (n int) {
	for words++; words > 0; n++ { // the stack pointer is one of them
		if Saved(n) {
			words--
		}
	}
	return n
}

// Counts of registers.
const (
	MaxRegisters    = 255 // that a thread may name
	HiddenRegisters = 2   // that the machine takes above the highest one code names: a kernel that declares fewer faults (seen on sm_90)
	CallRegisters   = 24  // the least a kernel that calls reports
	emptyRegisters  = 4   // that a kernel without values reports: R0, R1 and the hidden ones
	unitRegisters   = 8   // that the machine deals out at once
)

// Reported is the count that a function reports whose code names n registers.
// The reference's counts of small kernels are those of registers from R2 on,
// which cost nothing below the first unit.
func Reported(n int32) int32 {
	if n += HiddenRegisters; n <= emptyRegisters {
		return emptyRegisters
	}
	return max(n, unitRegisters)
}
