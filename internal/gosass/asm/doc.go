// Package asm assembles sources of cubins, as package dis prints them, and
// kernels written by hand: asm.go reads lines, content.go makes the contents
// of sections, code.go instructions, and kernel.go files of kernels that say
// no more than their code, parameters and sizes.
package asm
