// Package warp is the meaning of PTX instructions that threads do together:
// shuffles, votes, reductions and barriers.
package warp
