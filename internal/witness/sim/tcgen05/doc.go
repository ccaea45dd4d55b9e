// Package tcgen05 is the meaning of the SASS operations on tensor memory.
package tcgen05
