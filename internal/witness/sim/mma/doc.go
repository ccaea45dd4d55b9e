// Package mma is the meaning of SASS products of matrices in registers, of a
// warp or of a warp group, and of the loads and stores of their fragments.
package mma
