// Package src names places in source text: files, byte offsets and the
// lines they stand on, including lines renumbered by line markers.
package src

import (
	"bytes"
	"sort"
	"sync"
)

// Pos is a byte offset in a File. NoPos means no particular place.
type Pos uint32

// NoPos marks a message or node that belongs to no place in the text.
const NoPos = ^Pos(0)

// MaxSize is the size of the largest file whose offsets fit in a Pos.
const MaxSize = 1<<32 - 2

// A Marker renumbers the text after it: the line that starts at Start is
// line Line of the file called Name, as a `# N "file"` directive says.
type Marker struct {
	Start Pos
	Line  int
	Name  string
}

// File is one input text. Lines are found on demand, so that text without
// faults never pays for them. A File is safe for concurrent use once its
// markers are complete.
type File struct {
	Name    string // as the user typed it
	Text    []byte
	Markers []Marker // sorted by Start

	once  sync.Once
	lines []uint32 // newlines before each block of the text
}

// block is how much text one entry of the line index stands for: a message
// costs at most one block, and text without faults is never indexed.
const block = 1 << 9

// Line returns the file name and the line number that a message about p
// should show, with line markers applied. The first line is 1.
func (f *File) Line(p Pos) (name string, line int) {
	name, line = f.Name, 1
	from := Pos(0)
	n := sort.Search(len(f.Markers), func(i int) bool { return f.Markers[i].Start > p })
	if n > 0 {
		m := &f.Markers[n-1]
		from, line = m.Start, m.Line
		if m.Name != "" {
			name = m.Name
		}
	}
	return name, line + f.newlines(p) - f.newlines(from)
}

// newlines returns the number of newlines before p.
func (f *File) newlines(p Pos) int {
	f.once.Do(f.index)
	at := min(int(p), len(f.Text))
	b := at / block
	return int(f.lines[b]) + bytes.Count(f.Text[b*block:at], []byte{'\n'})
}

func (f *File) index() {
	f.lines = make([]uint32, len(f.Text)/block+1)
	for b := 1; b < len(f.lines); b++ {
		f.lines[b] = f.lines[b-1] + uint32(bytes.Count(f.Text[(b-1)*block:b*block], []byte{'\n'}))
	}
}
