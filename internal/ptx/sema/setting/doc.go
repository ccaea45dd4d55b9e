// Package setting is what every check of PTX needs to know about where it
// stands: the module, the text, the version and the target (context.go), which
// parts of the language these have (gate.go), and pragmas, which may stand
// anywhere (pragma.go).
package setting
