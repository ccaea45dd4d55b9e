// Package isel makes the instructions of a function ones that the machine has,
// and adds those that the machine wants beside them.
//
//   - Forms: legalize.go puts operands where a form of the machine takes them
//     and the rest into registers; hoist.go keeps constants in registers
//     around loops; balance.go spreads integer instructions over two units;
//     zeros.go clears pairs of registers at once.
//   - Convergence: converge.go adds BSSY and BSYNC so that threads which part
//     at a branch meet again, breaks.go does so inside loops that some
//     threads leave, spare.go takes regions away where barriers run out,
//     together.go gathers a warp before operations of the whole warp, and
//     polls.go lets other threads run while one polls memory.
//   - Products of warp groups: loose.go frees them from the order of the
//     source, groupwaits.go places their arrivals and waits, groups.go makes
//     sure that nothing touches their registers meanwhile, lacking.go tells
//     the user which waits the source lacks.
//   - The uniform datapath: roots.go moves values there that only the general
//     one can make.
package isel
