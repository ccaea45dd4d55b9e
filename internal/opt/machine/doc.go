// Package machine has the phases that know what the machine has, before
// instructions are chosen: sums of warp-group products (accumulate.go),
// atomics of a warp (aggregate.go), results that nobody reads and bits that
// nobody looks at (unread.go, ignored.go), shared vectors (groups.go), tests
// of pairs of words (hightest.go), extremes of three numbers and of sums
// (extremes.go), fences and stores behind them
// (viewfence.go, proxyfence.go, latestores.go), tensor memory (clears.go, tensorruns.go).
package machine
