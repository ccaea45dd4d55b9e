// Package control is the meaning of SASS jumps, calls, convergence barriers,
// barriers of blocks and clusters, and special registers.
package control
