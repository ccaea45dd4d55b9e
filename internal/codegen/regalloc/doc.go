// Package regalloc assigns physical registers to numbered values. It works on
// plain data (package problem): files of registers, blocks, instructions and
// operands. It knows no instruction set and no compiler IR, so it has its own
// text form, its own independent checker (package check) and its own fuzzer.
//
// The method is the fat-point method. Every virtual register is a run of
// consecutive words; the words' live ranges are lists of program points. Each
// physical register keeps the set of points at which it is taken. The
// allocator walks the virtual registers in a chosen order and takes for each
// the slot with the least contest (primary cost, zero when it is free wherever
// it is wanted), breaking ties by a secondary cost (copies that would vanish,
// register banks, low numbers). A file is tried several times in different
// orders without spilling, and the best result is kept; when none fits the
// budget, the points where more words live than there are registers choose
// what to spill, and the trials start again.
//
//   - The search: solve.go, trials.go, strategy.go. What lives where:
//     live.go, flow.go and package liveness.
//   - One walk: fatpoint.go, over groups of registers that copies join
//     (coalesce.go), within the limits of blocks (limits.go), away from
//     registers that are read late (package waits).
//   - Walks that move what has a place: recolour.go below a step of
//     occupancy, evicted.go where nothing fits.
//   - Spilling: pressure.go and package overfull choose, split.go keeps
//     pieces in registers, package promises, remat.go, sunk.go and package sunk make values again, spill.go
//     writes the code, package reloads takes back what later spills made room
//     for, slots.go and package stores give it memory, rotate.go spreads its
//     temporaries.
package regalloc
