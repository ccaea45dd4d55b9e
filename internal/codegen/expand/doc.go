// Package expand holds the long expansions of arithmetic, on Ori: values of
// one and two words (wide.go), division by constants and by values (divide.go,
// divlong.go), quotients and roots rounded right (exact32.go, exact64.go),
// minima (minmax.go). Whoever writes Ori can use it: its Writer (writer.go)
// makes instructions and leaves them to whoever places them, and it knows
// nothing of the language that the function was written in.
package expand
