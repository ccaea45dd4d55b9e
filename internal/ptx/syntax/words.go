package syntax

// Word is the identity of a static word: an opcode, a modifier, a type or a
// directive, without its dot.
type Word uint16
