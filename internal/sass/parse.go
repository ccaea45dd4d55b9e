package sass

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/bits"
	"github.com/goptxas/goptxas/internal/target"
)

// Parse reads one instruction as AppendText writes it; the space before
// the semicolon and the semicolon itself may be missing. The result has an
// empty control field except for the reuse flags that the text shows.
//
// A form is found by trying every form of the operation: each is a small
// pattern, so this is a matcher with backtracking, meant for assembling
// listings and not for code generation (see New and Lookup).
func Parse(a *target.Arch, text string, pc uint64) (Inst, error) {
	return ParseLabels(a, text, pc, nil)
}

// LabelFunc returns the address of a label, for ParseLabels.
type LabelFunc func(name string) (addr uint64, ok bool)

// ParseLabels is Parse with a hook: where a code address is expected and a
// name stands, label gives the address of the name. Text that does not space
// its operands as AppendText does is tried again with that spacing.
func ParseLabels(a *target.Arch, text string, pc uint64, label LabelFunc) (Inst, error) {
	s := strings.TrimLeft(text, " \t")
	if end := strings.IndexByte(s, ';'); end >= 0 {
		s = s[:end+1]
	} else {
		s += ";"
	}
	if rest, ok := strings.CutPrefix(s, dataMark); ok {
		return parseData(text, rest)
	}
	guard, s, err := parseGuard(s)
	if err != nil {
		return Inst{}, fmt.Errorf("%q: %w", text, err)
	}
	m := matcher{a: a, pc: pc, label: label}
	return m.parse(text, s, guard)
}

// parse finds the instruction whose text behind the guard is s.
func (m *matcher) parse(text, s string, guard parsedGuard) (Inst, error) {
	i, found := m.find(s, guard)
	if i.form == 0 && found {
		if r := respace(s); r != s {
			i, found = m.find(r, guard)
		}
	}
	switch {
	case i.form != 0:
		return i, nil
	case !found:
		return Inst{}, fmt.Errorf("%q: unknown operation", text)
	}
	return Inst{}, &noForm{text, m.a}
}

// noForm is the error of a text that no form has. Most who meet it only ask
// whether there is a form, so it is put into words when somebody reads it.
type noForm struct {
	text string
	a    *target.Arch
}

func (e *noForm) Error() string {
	return fmt.Sprintf("%q: no form on %s has these operands and modifiers", e.text, e.a.Name)
}

// find tries every form of every operation whose name begins the mnemonic,
// longest name first. It returns the zero Inst when none fits, and whether
// there was an operation at all.
func (m *matcher) find(s string, guard parsedGuard) (i Inst, found bool) {
	seen := sieveOf(s)
	for n := opEnd(s); n > 0; n = strings.LastIndexByte(s[:n], '.') {
		op := FindOp(s[:n])
		if op == OpUnknown {
			continue
		}
		found = true
		for id := opForms[op]; id < opForms[op+1]; id++ {
			f := &forms[id]
			if !seen.passes(sieves[id]) || !f.on(m.a) || guard.uniform && !f.uguard || !guard.uniform && guard.written && f.uguard {
				continue
			}
			m.f = f
			w, ok := m.list(items[f.item:f.item+uint32(f.nitem)], s[n:], f.def, endOfText)
			if !ok {
				continue
			}
			i := Inst{w: w, form: FormID(id)}
			i.SetGuard(guard.Guard)
			if back := Decode(m.a, i.w); back.form == i.form {
				return i, true // else another form owns this word
			}
		}
	}
	return Inst{}, found
}

// respace writes one space between words, none before a comma or the
// semicolon and one after a comma, outside braces.
func respace(s string) string {
	out := make([]byte, 0, len(s)+8)
	depth := 0
	for n := range len(s) {
		c := s[n]
		switch {
		case c == ' ' || c == '\t':
			if len(out) > 0 && out[len(out)-1] != ' ' {
				out = append(out, ' ')
			}
			continue
		case c == '{':
			depth++
		case c == '}':
			depth--
		case (c == ',' || c == ';') && len(out) > 0 && out[len(out)-1] == ' ':
			out = out[:len(out)-1]
		}
		out = append(out, c)
		if c == ',' && depth == 0 {
			out = append(out, ' ')
		}
	}
	return string(out)
}

// opEnd returns the length of the mnemonic with its modifiers.
func opEnd(s string) int {
	for n := range len(s) {
		if s[n] == ' ' || s[n] == ';' {
			return n
		}
	}
	return len(s)
}

func parseData(text, s string) (Inst, error) {
	if len(s) >= 32 {
		hi, err1 := strconv.ParseUint(s[:16], 16, 64)
		lo, err2 := strconv.ParseUint(s[16:32], 16, 64)
		if err1 == nil && err2 == nil && strings.Trim(s[32:], " ;") == "" {
			return Inst{w: bits.Word{Lo: lo, Hi: hi}}, nil
		}
	}
	return Inst{}, fmt.Errorf("%q: want 32 hexadecimal digits", text)
}

type parsedGuard struct {
	Guard
	uniform, written bool
}

func parseGuard(s string) (parsedGuard, string, error) {
	g := parsedGuard{Guard: Always}
	rest, ok := strings.CutPrefix(s, "@")
	if !ok {
		return g, s, nil
	}
	g.written = true
	rest, g.Not = strings.CutPrefix(rest, "!")
	rest, g.uniform = strings.CutPrefix(rest, "U")
	if len(rest) < 3 || rest[0] != 'P' || rest[2] != ' ' {
		return g, s, fmt.Errorf("bad guard")
	}
	n := strings.IndexByte("0123456T", rest[1])
	if n < 0 {
		return g, s, fmt.Errorf("bad guard")
	}
	g.Pred = uint8(n)
	return g, strings.TrimLeft(rest[3:], " "), nil
}

// matcher tries one form against a text. Words are passed by value, so
// giving up on an alternative costs nothing to undo.
type matcher struct {
	a     *target.Arch
	f     *form
	pc    uint64
	label LabelFunc
	addr  bool // the sum being matched is an address
}

type next func(s string, w bits.Word) (bits.Word, bool)

func endOfText(s string, w bits.Word) (bits.Word, bool) {
	return w, s == ";" || s == " ;"
}

// list matches the items l at the start of s and then k.
func (m *matcher) list(l []item, s string, w bits.Word, k next) (bits.Word, bool) {
	if len(l) == 0 {
		return k(s, w)
	}
	it := &l[0]
	rest := func(s string, w bits.Word) (bits.Word, bool) { return m.list(l[1:], s, w, k) }
	switch it.kind {
	case kLit:
		if s, ok := strings.CutPrefix(s, texts[it.aux]); ok {
			return rest(s, w)
		}
		return w, false
	case kOpt:
		after := l[1+it.count:]
		if v, ok := m.list(l[1:1+it.count], s, w, func(s string, w bits.Word) (bits.Word, bool) {
			if it.absent(&w) {
				return w, false
			}
			return m.list(after, s, w, k)
		}); ok {
			return v, true
		}
		return m.list(after, s, w, k)
	case kSum:
		after := l[1+it.count:]
		m.addr = it.flags&fAddr != 0
		return m.sum(l[1:1+it.count], s, w, false, func(s string, w bits.Word) (bits.Word, bool) {
			return m.list(after, s, w, k)
		})
	case kMod:
		return m.mod(it, s, w, rest)
	}
	s, w, ok := m.field(it, s, w)
	if !ok {
		return w, false
	}
	return rest(s, w)
}

// sum matches terms joined by +; printed tells whether one has been seen.
func (m *matcher) sum(l []item, s string, w bits.Word, printed bool, k next) (bits.Word, bool) {
	if len(l) == 0 {
		return k(s, w)
	}
	t := &l[0]
	in, after := l[1:1+t.count], l[1+t.count:]
	at, ok := s, true
	if printed {
		at, ok = strings.CutPrefix(s, "+")
	} else if m.addr && len(after) == 0 && in[0].kind == kSImm {
		return m.lone(&in[0], s, w, k)
	}
	if ok {
		if v, ok := m.list(in, at, w, func(s string, w bits.Word) (bits.Word, bool) {
			return m.sum(after, s, w, true, k)
		}); ok {
			return v, true
		}
	}
	if t.flags&fOpt == 0 {
		return w, false
	}
	return m.sum(after, s, w, printed, k)
}

// lone matches an immediate that is a whole address: it has no sign.
func (m *matcher) lone(it *item, s string, w bits.Word, k next) (bits.Word, bool) {
	v, rest, ok := hexNumber(s)
	if !ok || v < 0 || uint64(v)>>it.shift>>it.width() != 0 {
		return w, false
	}
	return k(rest, it.set(w, uint64(v)>>it.shift))
}

// mod matches an enumeration: longer texts first, so that .F16x2 is not
// read as .F16.
func (m *matcher) mod(it *item, s string, w bits.Word, k next) (bits.Word, bool) {
	e := &enums[it.aux]
	vals := values[e.start : e.start+e.n]
	if def := it.get(&m.f.def); s != "" && (s[0] == ' ' || s[0] == ';') && def < uint64(len(vals)) && vals[def].text == VNone {
		if v, ok := k(s, it.set(w, def)); ok { // only the empty text is left
			return v, true
		}
		return w, false
	}
	for limit := len(s) + 1; ; {
		best, length := -1, -1
		for n, v := range vals {
			if v.text == hole {
				continue
			}
			if t := texts[v.text]; len(t) < limit && len(t) > length && (len(t) == 0 || s[0] == t[0]) && strings.HasPrefix(s, t) {
				best, length = n, len(t)
			}
		}
		if best < 0 {
			return w, false
		}
		def := it.get(&m.f.def)
		if def < uint64(len(vals)) && vals[def].text == vals[best].text {
			best = int(def) // of equal texts, the value an absent modifier has
		}
		if v, ok := k(s[length:], it.set(w, uint64(best))); ok {
			return v, true
		}
		limit = length
	}
}

func (m *matcher) field(it *item, s string, w bits.Word) (string, bits.Word, bool) {
	switch it.kind {
	case kReg, kUReg, kPred, kUPred, kBar, kSB:
		return m.register(it, s, w)
	case kUImm, kSImm, kRel:
		return m.integer(it, s, w)
	case kConst:
		return m.constant(it, s, w)
	case kHidden:
		return s, w, true
	case kOpen:
		s, w, _, ok := m.marks(it, s, w)
		return s, w, ok
	case kClose:
		if !w.Bit(uint(it.abs)) {
			return s, w, true
		}
		s, ok := strings.CutPrefix(s, "|")
		return s, w, ok
	}
	v, s, ok := parseFloat(it.kind, s)
	return s, it.set(w, v), ok
}

// marks reads the sign and the opening bar of an operand.
func (m *matcher) marks(it *item, s string, w bits.Word) (rest string, out bits.Word, abs, ok bool) {
	if it.neg != 0 {
		w = w.With(uint(it.neg), 1, 0)
	}
	if s != "" && (s[0] == '-' || s[0] == '~' || s[0] == '!') {
		if it.neg == 0 || s[0] != signChar(it) {
			return s, w, false, false
		}
		w = w.With(uint(it.neg), 1, 1)
		s = s[1:]
	}
	if it.abs != 0 {
		w = w.With(uint(it.abs), 1, 0)
		if s, abs = strings.CutPrefix(s, "|"); abs {
			w = w.With(uint(it.abs), 1, 1)
		}
	}
	return s, w, abs, true
}

func (m *matcher) register(it *item, s string, w bits.Word) (string, bits.Word, bool) {
	s, w, abs, ok := m.marks(it, s, w)
	if !ok {
		return s, w, false
	}
	s, ok = strings.CutPrefix(s, filePrefix[it.kind])
	if !ok || s == "" {
		return s, w, false
	}
	var v uint64
	top := uint64(1)<<it.width() - 1
	switch {
	case it.kind <= kUReg && s[0] == 'Z' || (it.kind == kPred || it.kind == kUPred) && s[0] == 'T':
		v, s = top, s[1:]
	default:
		n := 0
		for n < len(s) && n < 4 && s[n] >= '0' && s[n] <= '9' {
			v = v*10 + uint64(s[n]-'0')
			n++
		}
		if n == 0 || v > top || it.kind <= kUPred && v == top {
			return s, w, false
		}
		s = s[n:]
	}
	if it.flags&fRev != 0 {
		v = 7 - v
	}
	if it.flags&fEcho != 0 {
		if v != top {
			v -= uint64(it.count)
		}
		if v != it.get(&w) {
			return s, w, false
		}
	}
	w = it.set(w, v)
	if abs && it.flags&fOpen == 0 {
		if s, ok = strings.CutPrefix(s, "|"); !ok {
			return s, w, false
		}
	}
	if it.reuse != 0 {
		if s, ok = strings.CutPrefix(s, ".reuse"); ok {
			w = w.With(uint(it.reuse), 1, 1).With(109, 1, 1)
		}
	}
	return s, w, true
}

// hexNumber reads -0x… or 0x….
func hexNumber(s string) (v int64, rest string, ok bool) {
	s, neg := strings.CutPrefix(s, "-")
	s, ok = strings.CutPrefix(s, "0x")
	n := 0
	for n < len(s) && n < 16 && (s[n] >= '0' && s[n] <= '9' || s[n] >= 'a' && s[n] <= 'f') {
		n++
	}
	if !ok || n == 0 {
		return 0, s, false
	}
	u, err := strconv.ParseUint(s[:n], 16, 64)
	if err != nil {
		return 0, s, false
	}
	if neg {
		return -int64(u), s[n:], true
	}
	return int64(u), s[n:], true
}

func (m *matcher) integer(it *item, s string, w bits.Word) (string, bits.Word, bool) {
	v, rest, ok := hexNumber(s)
	if !ok {
		if it.kind != kRel || m.label == nil {
			return s, w, false
		}
		n := labelEnd(s)
		addr, known := m.label(s[:n])
		if !known {
			return s, w, false
		}
		v, rest = int64(addr), s[n:]
	}
	if it.kind == kRel {
		v -= int64(m.pc) + WordBytes
	}
	if it.kind == kUImm && v < 0 && it.width() < 64 {
		return s, w, false
	}
	w, ok = it.setImm(w, v)
	return rest, w, ok
}

// labelEnd returns the length of the name at the start of s.
func labelEnd(s string) int {
	n := strings.IndexAny(s, " ,;)]")
	if n < 0 {
		return len(s)
	}
	return n
}

func (m *matcher) constant(it *item, s string, w bits.Word) (string, bits.Word, bool) {
	s, w, _, ok := m.marks(it, s, w)
	if !ok {
		return s, w, false
	}
	if s, ok = strings.CutPrefix(s, "c["); !ok {
		return s, w, false
	}
	bank, s, ok := hexNumber(s)
	if !ok || bank < 0 || bank > 31 {
		return s, w, false
	}
	sep := "]["
	if it.flags&fSpace != 0 {
		sep = "] ["
	}
	if s, ok = strings.CutPrefix(s, sep); !ok {
		return s, w, false
	}
	off, s, ok := hexNumber(s)
	if !ok {
		return s, w, false
	}
	w, ok = it.setImm(w.With(bankBit, 5, uint64(bank)), off)
	if !ok {
		return s, w, false
	}
	s, ok = strings.CutPrefix(s, "]")
	return s, w, ok
}
