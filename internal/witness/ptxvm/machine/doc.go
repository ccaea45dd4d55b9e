// Package machine is what instructions of PTX run on: a checked module made
// ready (program.go, decode.go, operand.go), grids, blocks and warps (cta.go,
// warp.go, gather.go, barrier.go, call.go), memory whose every variable has
// an owner (memory.go, heap.go, tensormem.go), work that happens later
// (late.go, mbarrier.go, products.go), and what watches all of it (races.go,
// watch.go, probe.go, open.go).
//
// A family of instructions stands on two types. Decoder reads an instruction
// once: its operands, modifiers and types. Warp is what the decoded closure
// runs on: columns of 32 lanes, memory, and faults.
package machine
