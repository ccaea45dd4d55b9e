// Package cse finds computations that were done before: by dominance (cse.go),
// inside a block by the values that words hold (localcse.go), and on some of
// the ways to a block (partial.go).
package cse
