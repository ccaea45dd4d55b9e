// Package code reads instruction words for the simulator: operands by row
// number of the register file (decode.go), modifiers as numbers (parts.go),
// and the longer forms of matrix instructions (forms.go).
package code
