package syntax

import "goptxas/internal/engine/src"

// Names interns identifiers of one text into dense ids. The spelling of a
// name is the place of its first occurrence, so nothing is copied. It has
// one owner; reading is safe for concurrent use once it is filled.
type Names struct {
	text  []byte
	spans []span
	table []uint32 // open addressing: id, 0 when free
	mask  uint32
}

type span struct {
	pos  src.Pos
	size uint32
	hash uint32
}
