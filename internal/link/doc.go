// Package link makes a file of a module's compiled functions.
//
//   - What is in it: link.go begins it, kernel.go adds kernels and object.go
//     the functions of an object; uncalled.go finds functions that only a
//     debugger wants.
//   - Where variables lie: variables.go, names.go; what is relocated:
//     relocate.go, resolved.go; textures and samplers by name: refs.go.
//   - For debuggers: line tables (lines.go, inlined.go), debug sections
//     (debug.go), rules to go from a function to its caller (unwind.go).
//   - What the driver checks first: compat.go.
//
// Package cubin lays the file out and writes it.
package link
