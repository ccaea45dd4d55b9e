package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
)

// diffWord is one word of a buffer that the two codes leave different.
type diffWord struct {
	Buffer int    `json:"buffer"` // among the buffers of the launch
	Offset int    `json:"offset"`
	Ref    uint32 `json:"ref"`
	Ours   uint32 `json:"ours"`
}

// dumps are the files that take what the two codes of one row leave.
type dumps struct {
	words     int // to find; with none nothing is written
	ref, ours string
}

func newDumps(words int, dir string, n int) *dumps {
	base := filepath.Join(dir, fmt.Sprint(n))
	return &dumps{words: words, ref: base + ".ref", ours: base + ".ours"}
}

// name returns the file of one side.
func (d *dumps) name(ours bool) string {
	switch {
	case d.words == 0:
		return ""
	case ours:
		return d.ours
	}
	return d.ref
}

// compare returns the first words that differ, and removes the files.
func (d *dumps) compare(r *row) []diffWord {
	if d.words == 0 {
		return nil
	}
	a, err1 := os.ReadFile(d.ref)
	b, err2 := os.ReadFile(d.ours)
	os.Remove(d.ref)  //nolint:errcheck // the folder goes too
	os.Remove(d.ours) //nolint:errcheck // likewise
	if err1 != nil || err2 != nil || r.Outcome != "differ" || len(a) != len(b) {
		return nil
	}
	var sizes []int
	for n := range r.launch.Args {
		if x := r.launch.Args[n].Buf; x > 0 {
			sizes = append(sizes, x)
		}
		for _, x := range r.launch.Args[n].Ptrs {
			if x.Own() {
				sizes = append(sizes, x.Buf)
			}
		}
	}
	return differing(a, b, sizes, d.words)
}

// differing returns the first words in which a and b differ: buffers of the
// given sizes one behind the other.
func differing(a, b []byte, sizes []int, most int) []diffWord {
	var list []diffWord
	for n, size := range sizes {
		size = min(size, len(a))
		for at := 0; at < size && len(list) < most; at += 4 {
			var x, y [4]byte
			copy(x[:], a[at:size])
			copy(y[:], b[at:size])
			if x != y {
				list = append(list, diffWord{n, at, binary.LittleEndian.Uint32(x[:]), binary.LittleEndian.Uint32(y[:])})
			}
		}
		a, b = a[size:], b[size:]
	}
	return list
}
