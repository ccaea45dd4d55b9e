package estimate

import (
	"slices"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/target"
)

// Tight is how many registers beyond what is alive allocation takes at least, which it nearly always does with.
const Tight = 3

// Cliffs are register counts at which one block fewer fits on a multiprocessor.
type Cliffs []int32

// usual are those of blocks of 64 or 128 threads, where every warp counts, on a
// multiprocessor of 65,536 registers.
var usual = Cliffs{32, 40, 48, 56, 64, 72, 80, 96, 128, 168, Most}

// Most is how many registers a thread may have.
const Most = 255

// CliffsOf are those of f: a block of 256 threads that has more than 48 registers may
// as well have 64, and of one warp 32 fit with 64; where shared memory leaves room for three blocks of
// 128 threads, 168 are as good as 128. Before a last step that is longer than usual
// stands one that leaves a sixth of all registers, so that runs of them find room.
// From Blackwell on, where nobody has timed what registers gain that cost blocks for which there is no shared
// memory, only orders that promise to be faster take them.
func CliffsOf(f *ori.Func, a *target.Arch) Cliffs {
	threads := blockOf(f)
	if threads == 0 {
		if !Guessed(f) {
			return usual
		}
		threads = groupThreads
	}
	most, room := min(Most, registers/threads/8*8), int32(maxBlocks)
	if a.Family < target.Blackwell {
		room = sharedBlocks(f, threads)
	}
	var list Cliffs
	last, step := int32(0), int32(0) // below all there are: of the list, and as usual
	for n, c := range usual {
		if c < most {
			step = c
		}
		if c != Most && min(fit(threads, c), room) <= min(fit(threads, usual[n+1]), room) {
			continue
		}
		if soft := (most - most/6) / 8 * 8; c >= most && last < step && soft > last {
			list = append(list, soft)
			last = step
		}
		if list = append(list, c); c < most {
			last = c
		}
	}
	return list
}

// First is the first of them: fewer registers are of no use.
func (c Cliffs) First() int32 { return c[0] }

// Of is the number of registers that so many words alive are likely to do
// with before occupancy drops, or 0.
func (c Cliffs) Of(words int32) int32 {
	for _, n := range c {
		if n >= words+Tight {
			return n
		}
	}
	return 0
}

// Below is how many words are likely to do with the registers of the step
// before a cliff.
func (c Cliffs) Below(cliff int32) int32 {
	return c[slices.Index(c, cliff)-1] - Tight
}

// Room is how many words may be alive where as many as limit are wanted: the
// same number of registers does for them.
func (c Cliffs) Room(limit int32) int32 { return max(limit, c.Of(limit)-Tight) }

// StepBelow is the number of registers at the end of the step of occupancy
// before the one that so many words are alive in, or 0 if there is none.
func (c Cliffs) StepBelow(words int32) int32 {
	at := c.Of(words)
	if at == 0 {
		return Most
	}
	if k := slices.Index(c, at); k > 0 {
		return c[k-1]
	}
	return 0
}
