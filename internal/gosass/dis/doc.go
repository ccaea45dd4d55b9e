// Package dis prints cubins.
//
//   - As sources that package asm turns into the same file again: source.go,
//     source_code.go.
//   - As listings in the words of nvdisasm: list.go, on code.go, label.go and
//     reloc.go; with source lines (lines.go), with the registers alive
//     (life.go), of words without a file (raw.go).
//   - As graphs (cfg.go) and as JSON (json.go); analyse.go and flow.go find
//     the blocks.
//
// dis.go has the options.
package dis
