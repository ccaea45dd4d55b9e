package sema

import (
	"strings"

	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// pragmaRow is one pragma that belongs inside functions. A pragma is
// recognised by how it begins.
type pragmaRow struct {
	name  string
	feat  feature
	value bool // takes a number
	entry bool // only for kernels
}

var pragmaRows = [...]pragmaRow{
	{name: "used_bytes_mask", feat: feature{name: "used_bytes_mask", version: 83, sm: 50}, value: true},
	{name: "enable_smem_spilling", feat: feature{name: "enable_smem_spilling", version: 87, sm: 75}, entry: true},
	{name: "frequency", feat: feature{name: "frequency", version: 90}, value: true},
}

// nounroll is the one pragma that may stand anywhere.
const nounroll = "nounroll"

// Pragma is a pragma inside a body: it concerns the instruction after it.
type Pragma struct {
	Text string
	At   int32 // Instrs of the body
}

// pragma reads the strings of a .pragma: of the module (fn is nil), of a
// kernel before its body, or inside a body.
func (c *context) pragma(a *syntax.Attr, fn *Func, inBody bool) {
	c.gate(a.Pos, &featPragma)
	for _, s := range c.tree.Strs[a.Strs.First : a.Strs.First+a.Strs.Len] {
		text := string(c.tree.StrText(s))
		row := findPragma(text)
		if row == nil {
			c.keepPragma(text, fn)
			continue
		}
		if !inBody {
			c.error(a.Pos, "Pragma '"+text+"' is allowed only within function scope")
			continue
		}
		if row.entry && !fn.Entry {
			c.error(a.Pos, "Pragma '"+text+"' cannot be specified for device functions")
			continue
		}
		c.gate(a.Pos, &row.feat)
		if row.value {
			c.pragmaValue(row, text)
		}
		c.keepPragma(text, fn)
	}
}

// keepPragma remembers a pragma; whether it is supported is said when the
// function is compiled.
func (c *context) keepPragma(text string, fn *Func) {
	if fn == nil {
		c.m.Pragmas = append(c.m.Pragmas, text)
		return
	}
	fn.Pragmas = append(fn.Pragmas, text)
}

func findPragma(text string) *pragmaRow {
	for i := range pragmaRows {
		if strings.HasPrefix(text, pragmaRows[i].name) {
			return &pragmaRows[i]
		}
	}
	return nil
}

// pragmaFaults returns what is wrong with the number of a pragma.
func pragmaFaults(text string) []string {
	_, arg, _ := strings.Cut(text, " ")
	var list []string
	digits := numberLen(arg)
	invalid := "Invalid value '" + arg + "' specified for .pragma '" + text + "'"
	switch {
	case arg == "":
		list = append(list, "Argument(s) to pragma '"+text+"' cannot be empty")
	case digits == 0 && arg[0] != '-':
		list = append(list, invalid)
	}
	if digits == 0 || digits != len(arg) {
		list = append(list, invalid)
	}
	return list
}

// pragmaValue checks the number at once for a frequency; other pragmas
// complain when they are used.
func (c *context) pragmaValue(row *pragmaRow, text string) {
	if row.name != "frequency" {
		return
	}
	for _, why := range pragmaFaults(text) {
		c.error(noPos, why)
	}
}

// numberLen returns the length of the decimal or hexadecimal number at the
// start of s.
func numberLen(s string) int {
	if strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X") {
		n := 2
		for n < len(s) && isHex(s[n]) {
			n++
		}
		if n == 2 {
			return 1 // the zero alone
		}
		return n
	}
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
