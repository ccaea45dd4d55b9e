// Package arith is the meaning of SASS operations that compute lane by lane:
// integers, floats, halves, doubles, conversions, moves and video.
package arith
