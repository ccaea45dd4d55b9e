package asm

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/sass"
	"github.com/goptxas/goptxas/internal/target"
)

// code assembles the instructions of a section.
func (as *assembler) code(d *draft) ([]byte, error) {
	return assembleCode(as.name, d.lines, as.arch)
}

// assembleCode makes words of instruction lines: two passes, the first for
// labels.
func assembleCode(name string, lines []srcLine, a *target.Arch) ([]byte, error) {
	labels := map[string]uint64{}
	var body []srcLine
	for _, l := range lines {
		if label, ok := labelLine(l.text); ok {
			if _, dup := labels[label]; dup {
				return nil, &asmError{name, l.no, fmt.Sprintf("label %s is defined twice", label)}
			}
			labels[label] = uint64(len(body)) * sass.WordBytes
			continue
		}
		body = append(body, l)
	}
	out := make([]byte, 0, len(body)*sass.WordBytes)
	for n, l := range body {
		w, err := assembleLine(l.text, a, uint64(n)*sass.WordBytes, labels)
		if err != nil {
			return nil, &asmError{name, l.no, err.Error()}
		}
		out = binary.LittleEndian.AppendUint64(out, w.Lo)
		out = binary.LittleEndian.AppendUint64(out, w.Hi)
	}
	return out, nil
}

// labelLine reads "name:".
func labelLine(text string) (string, bool) {
	s, ok := strings.CutSuffix(text, ":")
	if !ok || strings.ContainsAny(s, "; \t") && !strings.HasPrefix(s, "\"") {
		return "", false
	}
	if strings.HasPrefix(s, "\"") {
		u, err := strconv.Unquote(s)
		return u, err == nil
	}
	return s, true
}

// assembleLine reads one instruction:
//
//	/*0010*/ @P0 BRA `(.L_x_0) ; [B------:R-:W-:Y:S05] =0x...
//
// The address is a comment. Without a control column the instruction waits
// for every barrier and stalls as long as it can, which is always right.
func assembleLine(text string, a *target.Arch, pc uint64, labels map[string]uint64) (bits.Word, error) {
	if strings.HasPrefix(text, "/*") {
		_, rest, ok := strings.Cut(text, "*/")
		if !ok {
			return bits.Word{}, fmt.Errorf("unfinished comment")
		}
		text = strings.TrimSpace(rest)
	}
	ins, tail, ok := strings.Cut(text, ";")
	if !ok {
		return bits.Word{}, fmt.Errorf("%q: want an instruction with its semicolon", text)
	}
	ctrl, word, err := cutTail(strings.TrimSpace(tail))
	if err != nil || word != nil {
		if word == nil {
			return bits.Word{}, err
		}
		return *word, err
	}
	ins, err = placeLabels(ins, labels)
	if err != nil {
		return bits.Word{}, err
	}
	i, err := sass.Parse(a, ins+";", pc)
	if err != nil {
		return bits.Word{}, err
	}
	if !i.Known() {
		return i.Word(), nil
	}
	if ctrl != nil {
		i.SetCtrl(*ctrl)
	} else {
		i.SetCtrl(safe(i.Ctrl()))
	}
	return i.Encode(a)
}

// safe is the control of an instruction without a control column. Stalls
// above 11 go without bit 109.
func safe(c sass.Ctrl) sass.Ctrl {
	c.Stall, c.Wait, c.Reuse = 15, 0x3f, 0
	return c
}

// cutTail reads what follows the semicolon.
func cutTail(tail string) (*sass.Ctrl, *bits.Word, error) {
	var ctrl *sass.Ctrl
	if rest, ok := strings.CutPrefix(tail, "["); ok {
		col, after, ok := strings.Cut(rest, "]")
		if !ok {
			return nil, nil, fmt.Errorf("unfinished control column")
		}
		c, err := sass.ParseCtrl(col)
		if err != nil {
			return nil, nil, err
		}
		ctrl = &c
		tail = strings.TrimSpace(after)
	}
	if rest, ok := strings.CutPrefix(tail, "=0x"); ok && len(rest) == 32 {
		hi, err1 := strconv.ParseUint(rest[:16], 16, 64)
		lo, err2 := strconv.ParseUint(rest[16:], 16, 64)
		if err1 == nil && err2 == nil {
			return ctrl, &bits.Word{Lo: lo, Hi: hi}, nil
		}
	}
	if tail != "" {
		return nil, nil, fmt.Errorf("%q: want a control column or =0x and 32 digits", tail)
	}
	return ctrl, nil, nil
}

// placeLabels replaces `(name) by the address of the name.
func placeLabels(ins string, labels map[string]uint64) (string, error) {
	for {
		n := strings.Index(ins, "`(")
		if n < 0 {
			return ins, nil
		}
		end := strings.IndexByte(ins[n:], ')')
		if end < 0 {
			return "", fmt.Errorf("unfinished label")
		}
		name := ins[n+2 : n+end]
		at, ok := labels[name]
		if !ok {
			return "", fmt.Errorf("no label %q", name)
		}
		ins = ins[:n] + "0x" + strconv.FormatUint(at, 16) + ins[n+end+1:]
	}
}
