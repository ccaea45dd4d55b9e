// Package perfmodel estimates how long the warps of a multiprocessor take
// together: what each of them executed is known, and this lets them share
// schedulers and units. It compares codes of one kernel with each other.
package perfmodel
