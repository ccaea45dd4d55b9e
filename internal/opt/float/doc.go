// Package float has the phases about floating point: fused products
// (contract.go), signs and saturation in the operations that read them
// (signs.go, saturate.go), constants (double.go, halves.go, literals.go), two
// operations as one (pack.go and packtree.go for halves, packfloats.go for
// pairs, unpack.go).
package float
