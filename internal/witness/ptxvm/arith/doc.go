// Package arith is the meaning of PTX instructions that compute lane by lane:
// integers, floats, bits, comparisons, conversions, moves and video.
package arith
