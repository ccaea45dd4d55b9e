// Package syntax turns PTX text into trees. Package printer turns trees into
// text again, package format lays text out anew without a tree.
//
// Scan reads a whole file once: it checks the bytes, parses what stands at
// module level and finds the extent of every function body without looking
// inside. ParseBody parses one body; bodies of one file may be parsed at
// the same time, each into its own Tree with its own names.
package syntax
