// Package dag finds what must stand before what in a region of a basic block,
// and lists it.
//
//   - The graph: dag.go has the edges for registers and memory; groups.go and
//     open.go those for products of warp groups; sectors.go keeps narrow
//     stores to one sector together.
//   - The list: list.go takes, cycle by cycle, the ready instruction with the
//     longest path behind it. loads.go ranks by loads instead, scarce.go
//     makes the paths where one unit takes most of the time, turns.go where
//     rows share the special function unit.
package dag
