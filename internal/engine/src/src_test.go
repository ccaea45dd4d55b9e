package src

import "testing"

func TestLine(t *testing.T) {
	text := "one\ntwo\n# 40 \"a.cu\"\nforty\nforty-one"
	f := &File{Name: "in.ptx", Text: []byte(text), Markers: []Marker{{Start: 21, Line: 40, Name: "a.cu"}}}
	for _, c := range []struct {
		p    Pos
		name string
		line int
	}{
		{0, "in.ptx", 1},
		{3, "in.ptx", 1},
		{4, "in.ptx", 2},
		{8, "in.ptx", 3},
		{21, "a.cu", 40},
		{27, "a.cu", 41},
		{Pos(len(text)), "a.cu", 41},
		{NoPos - 1, "a.cu", 41},
	} {
		if name, line := f.Line(c.p); name != c.name || line != c.line {
			t.Errorf("Line(%d) = %s:%d, want %s:%d", c.p, name, line, c.name, c.line)
		}
	}
}
