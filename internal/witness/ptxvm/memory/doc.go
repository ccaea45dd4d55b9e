// Package memory is the meaning of PTX instructions that load, store, update
// and convert addresses, and of those on the stack.
package memory
