package setting

import (
	"strings"

	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
)

// pragmaRow is one pragma that belongs inside functions. A pragma is
// recognised by how it begins.
type pragmaRow struct {
	Name  string
	feat  Feature
	value bool // takes a number
	entry bool // only for kernels
}

var pragmaRows = [...]pragmaRow{
	{Name: "used_bytes_mask", feat: Feature{Name: "used_bytes_mask", Version: 83, sm: 50}, value: true},
	{Name: "enable_smem_spilling", feat: Feature{Name: "enable_smem_spilling", Version: 87, sm: 75}, entry: true},
	{Name: "frequency", feat: Feature{Name: "frequency", Version: 90}, value: true},
}

// Nounroll is the one pragma that may stand anywhere.
const Nounroll = "nounroll"

// Pragma reads the strings of a .pragma: of the module (fn is nil), of a
// kernel before its body, or inside a body.
func (c *Context) Pragma(a *syntax.Attr, fn *sema.Func, inBody bool) {
	c.Gate(a.Pos, &featPragma)
	for _, s := range c.Tree.Strs[a.Strs.First : a.Strs.First+a.Strs.Len] {
		text := string(c.Tree.StrText(s))
		row := FindPragma(text)
		if row == nil {
			c.keepPragma(text, fn)
			continue
		}
		if !inBody {
			c.Error(a.Pos, "Pragma '"+text+"' is allowed only within function scope")
			continue
		}
		if row.entry && !fn.Entry {
			c.Error(a.Pos, "Pragma '"+text+"' cannot be specified for device functions")
			continue
		}
		c.Gate(a.Pos, &row.feat)
		if row.value {
			c.pragmaValue(row, text)
		}
		c.keepPragma(text, fn)
	}
}

// keepPragma remembers a pragma; whether it is supported is said when the
// function is compiled.
func (c *Context) keepPragma(text string, fn *sema.Func) {
	if fn == nil {
		c.Module.Pragmas = append(c.Module.Pragmas, text)
		return
	}
	fn.Pragmas = append(fn.Pragmas, text)
}

// FindPragma is the row of a pragma that belongs inside functions, or nil.
func FindPragma(text string) *pragmaRow {
	for i := range pragmaRows {
		if strings.HasPrefix(text, pragmaRows[i].Name) {
			return &pragmaRows[i]
		}
	}
	return nil
}

// PragmaFaults returns what is wrong with the number of a pragma.
func PragmaFaults(text string) []string {
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
func (c *Context) pragmaValue(row *pragmaRow, text string) {
	if row.Name != "frequency" {
		return
	}
	for _, why := range PragmaFaults(text) {
		c.Error(NoPos, why)
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
