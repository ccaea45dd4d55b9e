// Package branch has what phases of the optimiser do with blocks and edges:
// branch.go simplifies them, edges.go changes them with what they bring to
// PHIs.
package branch
