package estimate

import (
	"github.com/goptxas/goptxas/internal/codegen/sched/tuning"
	"github.com/goptxas/goptxas/internal/ori"
)

// Who shares a scheduler with a warp. Warps of one block are in step where
// they multiply together, and wait at the same time; those of other blocks fill
// the gaps.

// groupThreads is how many threads a warp group has: a warp on each scheduler.
const groupThreads = 128

// LeastTurns is how many turns at the special function unit a region of f must have
// for its rows to take turns. Where each warp of a scheduler is of another
// block, two rows of a thread need not.
func LeastTurns(f *ori.Func) int {
	if _, threads := Blocks(f, 1); threads <= groupThreads {
		return 3
	}
	return 2
}

// Slack is that of functions with exponentials between products, with so many
// registers.
func Slack(f *ori.Func, count int32, s *tuning.Slacks) int {
	blocks, threads := Blocks(f, count)
	switch {
	case max(1, blocks)*threads > 2*groupThreads:
		return s.Product
	case threads > groupThreads:
		return s.Alone
	}
	return s.Pair
}
