package target

// Limits are what a multiprocessor has for the blocks that run on it at once,
// from the compute capabilities table of the CUDA programming guide.
type Limits struct {
	Warps      int
	Blocks     int
	Shared     int // bytes
	SharedEach int // bytes that one block may have
}

const kb = 1024

// Registers of a multiprocessor, and the units in which warps take them:
// the same on every architecture.
const (
	RegistersPerSM = 65536
	registerUnit   = 256 // for a warp
	parts          = 4   // of a multiprocessor, each with its own registers and warps
)

// Occupancy returns how many warps of blocks with this many threads,
// registers for each thread and bytes of shared memory run at once on a
// multiprocessor, and what bounds them.
func Occupancy(a *Arch, threads, registers, shared int) (warps int, bound string) {
	l := &a.Limits
	each := max(1, (threads+31)/32)
	blocks, bound := l.Blocks, "blocks"
	less := func(n int, why string) {
		if n < blocks {
			blocks, bound = n, why
		}
	}
	less(l.Warps/each, "warps")
	perWarp := (max(1, registers)*32 + registerUnit - 1) / registerUnit * registerUnit
	less(RegistersPerSM/parts/perWarp*parts/each, "registers")
	if shared > 0 {
		less(l.Shared/shared, "shared memory")
	}
	return blocks * each, bound
}

// RegisterSteps returns the largest register counts with which each number of
// warps fits, most warps first.
func RegisterSteps(a *Arch) (steps []RegisterStep) {
	for regs := 255; regs >= 8; regs-- {
		warps := min(a.Warps, RegistersPerSM/parts/((regs*32+registerUnit-1)/registerUnit*registerUnit)*parts)
		if n := len(steps); n == 0 || steps[n-1].Warps != warps {
			steps = append(steps, RegisterStep{regs, warps})
		}
	}
	return steps
}

// RegisterStep is a register count and the warps that fit with it.
type RegisterStep struct {
	Registers int `json:"registers"`
	Warps     int `json:"warps"`
}

// FullRegisters is the largest number of registers a thread can have where
// as many warps run as the architecture allows.
func FullRegisters(a *Arch) int {
	return RegistersPerSM / (a.Warps * 32) / 8 * 8
}
