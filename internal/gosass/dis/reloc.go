package dis

import (
	"bytes"
	"strconv"

	"github.com/goptxas/goptxas/internal/cubin"
)

// relocate replaces the number that a relocation patches by the expression
// it stands for, as nvdisasm prints it.
func (t *textSection) relocate(text []byte, r *cubin.Reloc) []byte {
	if r.Sym == nil {
		return text
	}
	e := t.expression(r)
	switch r.Type {
	case cubin.RelAbs32Lo:
		return replaceNumber(text, "32@lo("+e+")")
	case cubin.RelAbs32Hi:
		return replaceNumber(text, "32@hi("+e+")")
	case cubin.RelUnified32Lo:
		return replaceNumber(text, "32@lo(fun@unified("+e+"))")
	case cubin.RelUnified32Hi:
		return replaceNumber(text, "32@hi(fun@unified("+e+"))")
	case cubin.RelAbs32at32, cubin.RelAbs47at34, cubin.RelAbs55, cubin.RelAbs56, cubin.RelAbs16at32:
		return replaceNumber(text, "`("+e+")")
	case cubin.RelConst19at40, cubin.RelConst21at38, cubin.RelConst22at37:
		return replaceConst(text, "`("+e+")")
	case cubin.RelAbs24at40:
		return addOffset(text, "`("+e+")")
	}
	return text
}

// expression is the symbol with its addend; places in the function's own
// section have labels.
func (t *textSection) expression(r *cubin.Reloc) string {
	switch {
	case r.Addend == 0:
		return r.Sym.Name
	case r.Sym.Section == t.sec:
		if l, ok := t.labels[r.Sym.Value+uint64(r.Addend)]; ok {
			return "(" + r.Sym.Name + " + " + l + "@srel)"
		}
	}
	return "(" + r.Sym.Name + " + 0x" + strconv.FormatInt(r.Addend, 16) + ")"
}

// replaceLast replaces the last occurrence of a number.
func replaceLast(text, old []byte, by string) []byte {
	n := bytes.LastIndex(text, old)
	if n < 0 {
		return text
	}
	return splice(text, n, n+len(old), by)
}

func splice(text []byte, from, to int, by string) []byte {
	tail := append([]byte(by), text[to:]...)
	return append(text[:from], tail...)
}

// replaceNumber replaces the last hexadecimal number of a text.
func replaceNumber(text []byte, by string) []byte {
	n := bytes.LastIndex(text, []byte("0x"))
	if n < 0 {
		return text
	}
	end := n + 2
	for end < len(text) && isHex(text[end]) {
		end++
	}
	if n > 0 && text[n-1] == '-' {
		n--
	}
	return splice(text, n, end, by)
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }

// replaceConst replaces the bank and offset of a constant operand.
func replaceConst(text []byte, by string) []byte {
	n := bytes.Index(text, []byte("c["))
	if n < 0 {
		return text
	}
	n += len("c[")
	end := bytes.Index(text[n:], []byte("]["))
	if end < 0 {
		return text
	}
	last := bytes.IndexByte(text[n+end+2:], ']')
	if last < 0 {
		return text
	}
	return splice(text, n, n+end+2+last, by)
}

// addOffset adds a term to an address.
func addOffset(text []byte, by string) []byte {
	n := bytes.LastIndexByte(text, ']')
	if n < 0 {
		return text
	}
	if bytes.HasSuffix(text[:n], []byte("[RZ")) {
		return splice(text, n-len("RZ"), n, by)
	}
	return splice(text, n, n, "+"+by)
}
