package elf

import (
	"bytes"
	"errors"
	"strings"
)

// Strings is a string table as the list of its strings in file order. The
// first is the empty name of index 0. A reader that splits a table and
// joins it again gets the same bytes.
type Strings []string

// ErrStrings says that a string table does not begin and end with a zero
// byte, as the format asks.
var ErrStrings = errors.New("string table does not begin and end with a zero byte")

// SplitStrings cuts a table at its zero bytes.
func SplitStrings(b []byte) (Strings, error) {
	if len(b) == 0 || b[0] != 0 || b[len(b)-1] != 0 {
		return nil, ErrStrings
	}
	n := bytes.Count(b, []byte{0})
	whole := string(b)
	list := make(Strings, 0, n)
	for len(whole) > 0 {
		i := strings.IndexByte(whole, 0)
		list = append(list, whole[:i])
		whole = whole[i+1:]
	}
	return list, nil
}

// Bytes joins the table.
func (l Strings) Bytes() []byte {
	n := 0
	for _, s := range l {
		n += len(s) + 1
	}
	b := make([]byte, 0, n)
	for _, s := range l {
		b = append(b, s...)
		b = append(b, 0)
	}
	return b
}

// Offsets maps every string to its first place in the table.
func (l Strings) Offsets() map[string]uint32 {
	m := make(map[string]uint32, len(l))
	at := uint32(0)
	for _, s := range l {
		if _, dup := m[s]; !dup {
			m[s] = at
		}
		at += uint32(len(s)) + 1
	}
	return m
}

// StringAt returns the string of a table at an offset.
func StringAt(b []byte, off uint32) (string, bool) {
	if uint64(off) >= uint64(len(b)) {
		return "", false
	}
	i := bytes.IndexByte(b[off:], 0)
	if i < 0 {
		return "", false
	}
	return string(b[off : int(off)+i]), true
}
