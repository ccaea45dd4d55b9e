package src

import "bytes"

// Place is where a word stands in the text: the line as it is written, and
// the columns of the word in it, counted in bytes from 1. End is the column
// behind it.
type Place struct {
	Text     []byte // the line without its end
	Col, End int
	Pos      Pos // of the word
}

// Place returns where p points: the word there, or the last one before it on
// its line where p stands behind all of them. With a quoted word of a
// message, it is the occurrence of that word on the line nearest to p.
func (f *File) Place(p Pos, quoted string) Place {
	at := min(int(p), len(f.Text))
	start := bytes.LastIndexByte(f.Text[:at], '\n') + 1
	end := len(f.Text)
	if n := bytes.IndexByte(f.Text[at:], '\n'); n >= 0 {
		end = at + n
	}
	line := bytes.TrimRight(f.Text[start:end], "\r")
	col := min(at-start, len(line))
	if n, ok := nearest(line, quoted, col); ok {
		return Place{line, n + 1, n + len(quoted) + 1, Pos(start + n)}
	}
	for col > 0 && (col == len(line) || line[col] == ' ' || line[col] == '\t') {
		col--
	}
	for col > 0 && isWord(line[col]) && isWord(line[col-1]) {
		col--
	}
	stop := col
	for stop < len(line) && isWord(line[stop]) {
		stop++
	}
	return Place{line, col + 1, max(stop, col+1) + 1, Pos(start + col)}
}

// nearest finds a word in a line, the whole of it, closest to a column.
func nearest(line []byte, word string, col int) (int, bool) {
	best, found := 0, false
	for from := 0; word != ""; {
		n := bytes.Index(line[from:], []byte(word))
		if n < 0 {
			break
		}
		n += from
		from = n + 1
		stop := n + len(word)
		if n > 0 && isWord(line[n-1]) && isWord(word[0]) && word[0] != '.' ||
			stop < len(line) && isWord(line[stop]) && line[stop] != '.' && isWord(line[stop-1]) {
			continue
		}
		if !found || abs(n-col) < abs(best-col) {
			best, found = n, true
		}
	}
	return best, found
}

func abs(n int) int { return max(n, -n) }

// isWord reports whether a byte belongs to a name or an instruction.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '%' || c == '.'
}
