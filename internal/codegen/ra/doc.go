// Package ra gives the virtual registers of an Ori function physical ones. It
// describes the function to package regalloc as plain data (ra.go, abi.go),
// tries allocations (attempt.go) and writes the answer back into Ori
// (apply.go): register numbers, spill code, copies that became nothing
// (expand.go).
//
// What it tells the allocator: which values can be made again (remat.go), how
// many registers cost nothing (occupancy.go), what must stay in registers
// because other threads, or operations that go on by themselves, still need it
// (hold.go, groups.go), and what calls destroy (routine.go).
//
// What it does before: accumulators that are copied into each other become one
// register (join.go) or wait in local memory (park.go, gather.go), and
// predicates become bits of words where there are too few (flags.go, masks.go,
// carried.go).
package ra
