// Package image puts a cubin into memory: sections get addresses, and their
// relocations are applied.
package image
