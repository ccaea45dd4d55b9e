// Package directive has the words that sources of cubins are written in:
// package dis prints them, package asm reads them.
package directive

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/cubin"
)

// Line is a line split into words and key=value pairs.
type Line struct {
	Words []string
	keys  []string
	vals  []string
}

// Value returns the value of a key, "" when absent.
func (d *Line) Value(key string) string {
	for i, k := range d.keys {
		if k == key {
			return d.vals[i]
		}
	}
	return ""
}

// Number returns the number of a key, 0 when absent.
func (d *Line) Number(key string) (uint64, error) {
	v := d.Value(key)
	if v == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(v, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%s=%s is no number", key, v)
	}
	return n, nil
}

// Split cuts a line at blanks. Words in quotes are unquoted; a word with an
// equals sign outside quotes is a pair.
func Split(line string) (*Line, error) {
	d := &Line{}
	for {
		line = strings.TrimLeft(line, " \t,")
		if line == "" {
			return d, nil
		}
		word, rest, err := cutWord(line)
		if err != nil {
			return nil, err
		}
		line = rest
		if strings.HasPrefix(line, "=") {
			var val string
			if val, line, err = cutWord(line[1:]); err != nil {
				return nil, err
			}
			d.keys, d.vals = append(d.keys, word), append(d.vals, val)
			continue
		}
		d.Words = append(d.Words, word)
	}
}

// cutWord takes one word off a line: to the next blank, comma or equals
// sign, or a quoted string. A leading @ or # belongs to the word that
// follows, quoted or not.
func cutWord(line string) (word, rest string, err error) {
	prefix := ""
	if strings.HasPrefix(line, "@\"") {
		prefix, line = "@", line[1:]
	}
	if strings.HasPrefix(line, "\"") {
		q, err := strconv.QuotedPrefix(line)
		if err != nil {
			return "", "", fmt.Errorf("unfinished string")
		}
		s, err := strconv.Unquote(q)
		return prefix + s, line[len(q):], err
	}
	n := strings.IndexAny(line, " \t,=")
	if n < 0 {
		n = len(line)
	}
	return line[:n], line[n:], nil
}

var BindNames = [...]string{"LOCAL", "GLOBAL", "WEAK"}

var SymTypeNames = [16]string{
	cubin.SymNone: "NOTYPE", cubin.SymObject: "OBJECT", cubin.SymFunc: "FUNC", cubin.SymSection: "SECTION",
	cubin.SymTexture: "TEXTURE", cubin.SymSampler: "SAMPLER", cubin.SymSurface: "SURFACE", cubin.SymCudaObject: "CUDA_OBJECT",
}

// AttrWords are the directives of the four record formats.
var AttrWords = [...]string{cubin.NVal: ".attr.n", cubin.BVal: ".attr.b", cubin.HVal: ".attr.h", cubin.SVal: ".attr"}
