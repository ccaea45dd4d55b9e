// Package uniform moves what all threads of a warp share to the uniform
// datapath: values (uniform_values.go; uniform_weigh.go says which are worth
// it, uniform_tests.go parts comparisons), bases of addresses
// (uniform_bases.go), descriptors and other tuples (uniform_pairs.go,
// uniform_tuples.go), constants (uniform.go, uniform_doubles.go), and what
// there is no room for elsewhere (uniform_keep.go).
// split_shared.go parts registers that hold both.
package uniform
