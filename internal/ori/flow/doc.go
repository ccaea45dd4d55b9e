// Package flow analyses Ori functions. The function keeps each result with the
// version it was made from (cache.go), so asking again costs nothing until the
// function changes; Verify proves that what is kept is still true.
//
//   - Control flow: order of blocks and dominators (dom.go), loops (loop.go).
//   - Values: who writes and reads what (values.go, index.go), liveness
//     (live.go), proof of SSA form (ssa.go).
//   - Memory: what each access touches (access.go, alias.go).
//   - Threads of a warp: which values they share and where they part
//     (uniform.go), where they are apart (divergence.go), where one is alone
//     (alone.go), where they gather (gather.go), which convergence barriers
//     are held (held.go).
//   - Products of warp groups: which registers are pending where (groups.go).
package flow
