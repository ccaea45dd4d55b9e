package knobs

import (
	"errors"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
)

// parse reads text as a value of knob k into v.
func (s *Set) parse(k *Knob, text string, v *value) (err error) {
	switch k.Kind {
	case Bool:
		v.n, err = parseBool(text)
	case Int:
		v.n, err = parseInt(text)
	case IntExtra:
		n, extra, found := strings.Cut(text, ":")
		v.n, err = parseInt(n)
		if err == nil && found {
			v.hi, err = parseInt(extra)
		}
	case Range:
		err = parseRange(text, v)
	case List:
		v.many = new(many)
		v.many.list, err = parseList(text)
	case Float, Double:
		v.f, err = parseFloat(text, k.Kind)
	case String:
		v.s = text
	case When:
		v.many = new(many)
		v.many.cases, err = parseWhen(text)
	case Pairs, Opcodes:
		v.many = new(many)
		v.many.pairs, err = s.parseOpcodes(text, k.Kind == Pairs)
	default:
		err = fmt.Errorf("cannot be set")
	}
	return err
}

func parseBool(text string) (int64, error) {
	switch strings.ToLower(text) {
	case "true", "on", "yes", "1":
		return 1, nil
	case "false", "off", "no", "0":
		return 0, nil
	}
	return 0, fmt.Errorf("%q is not true or false", text)
}

func parseInt(text string) (int64, error) {
	if n, ok := fewDigits(text); ok {
		return n, nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 0, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("integer %q is out of range", text)
	}
	if err != nil {
		return 0, fmt.Errorf("%q is not an integer", text)
	}
	return n, nil
}

// fewDigits reads a number as nearly all defaults are written: every start of the
// program reads all of them.
func fewDigits(text string) (n int64, ok bool) {
	if len(text) == 0 || len(text) > 9 || text[0] == '0' && len(text) > 1 {
		return 0, false
	}
	for k := range len(text) {
		c := text[k] - '0'
		if c > 9 {
			return 0, false
		}
		n = 10*n + int64(c)
	}
	return n, true
}

func parseRange(text string, v *value) (err error) {
	lo, hi, found := strings.Cut(text, "..")
	if !found {
		hi = lo
	}
	if v.n, err = parseInt(lo); err != nil {
		return err
	}
	if v.hi, err = parseInt(hi); err != nil {
		return err
	}
	if v.n > v.hi {
		return fmt.Errorf("range %s is empty", text)
	}
	return nil
}

func parseList(text string) (list []int64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		n, err := parseInt(part)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

func parseFloat(text string, k Kind) (float64, error) {
	size := 64
	if k == Float {
		size = 32
	}
	f, err := strconv.ParseFloat(text, size)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("%q is not a finite %v", text, k)
	}
	return f, nil
}

// parseWhen reads COND?VALUE;COND?VALUE;VALUE where COND is KEY=PATTERN, more
// of them joined by &.
func parseWhen(text string) (cases []Case, err error) {
	for part := range strings.SplitSeq(text, ";") {
		cond, val, found := strings.Cut(part, "?")
		if !found {
			cases = append(cases, Case{Value: strings.TrimSpace(part)})
			continue
		}
		c := Case{Value: strings.TrimSpace(val)}
		for f := range strings.SplitSeq(cond, "&") {
			key, pattern, ok := strings.Cut(f, "=")
			key, pattern = strings.TrimSpace(key), strings.TrimSpace(pattern)
			if !ok || key == "" {
				return nil, fmt.Errorf("condition %q is not KEY=PATTERN", f)
			}
			if _, err := path.Match(pattern, ""); err != nil {
				return nil, fmt.Errorf("pattern %q: %w", pattern, err)
			}
			c.Cond = append(c.Cond, Fact{key, pattern})
		}
		cases = append(cases, c)
	}
	return cases, nil
}

func (c *Case) holds(facts []Fact) bool {
	for _, want := range c.Cond {
		ok := false
		for _, f := range facts {
			if f.Key == want.Key {
				// parseWhen checked the pattern.
				m, _ := path.Match(want.Value, f.Value)
				ok = ok || m
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

func (s *Set) parseOpcodes(text string, numbered bool) (pairs []Pair, err error) {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		name, num, found := strings.Cut(part, ":")
		if found != numbered {
			return nil, fmt.Errorf("%q is not %s", part, shape(numbered))
		}
		p := Pair{Name: strings.TrimSpace(name)}
		if !s.isOpcode(p.Name) {
			return nil, fmt.Errorf("%q is not an opcode", p.Name)
		}
		if numbered {
			if p.N, err = parseInt(num); err != nil {
				return nil, err
			}
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}

func (s *Set) isOpcode(name string) bool {
	if s.IsOpcode != nil {
		return s.IsOpcode(name)
	}
	for i, c := range name {
		switch {
		case c == '_', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
		case i > 0 && (c == '.' || c >= '0' && c <= '9'):
		default:
			return false
		}
	}
	return name != ""
}

func shape(numbered bool) string {
	if numbered {
		return "OPCODE:NUMBER"
	}
	return "an opcode name"
}
