// Package order is what the rules of the PTX ISA order and what they leave
// open: clocks and what is known of them (views.go), who touched a word last
// (cells.go), which registers asynchronous products own (registers.go), and
// the pairs of places that nothing orders (races.go).
package order
