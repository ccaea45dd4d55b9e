// Package src names places in source text: files, byte offsets and the
// lines they stand on, including lines renumbered by line markers.
package src

import "sort"

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
}

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
	return name, line + countLines(f.Text, from, p)
}

func countLines(text []byte, from, to Pos) int {
	n := 0
	for _, c := range text[min(int(from), len(text)):min(int(to), len(text))] {
		if c == '\n' {
			n++
		}
	}
	return n
}
