// Package tcgen05 is the meaning of the PTX instructions on tensor memory.
package tcgen05
