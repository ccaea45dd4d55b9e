// Package timing follows the clock of a warp in timed mode: when results
// arrive and sources are read, by the hazard checker's tables.
package timing
