package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/target"
)

// chips are the columns of availability, oldest first. Variants of one chip
// (sm_90, sm_90a) share a column.
var chips = &target.Chips

const allSMs = 1<<len(target.Chips) - 1

// value is one enumerator: its text, whether it exists, and how many
// registers it makes the operands that refer to it span.
type value struct {
	text  string
	ok    bool
	width [3]int
}

type enum struct {
	name string
	sms  int
	vals []value
	line string
}

type fixed struct{ lo, n, v int }

type line struct {
	op       *op
	opcodes  []int
	sms      int
	fixed    []fixed
	defs     []fixed // what bits without a field hold unless the word says otherwise
	rank     int     // forms of higher rank are tried first
	pow2     bool    // bits 32 to 63 must be a shift: see form.pow2
	uguard   bool
	template string
	where    string // file:line
}

type op struct {
	name        string
	class       target.Class
	refines     []refine // by modifiers, the first that fits wins
	bars        string   // barriers it can set: "", "read" or "both"
	uguard      bool
	props       []string // facts that Ori keeps, as words of propNames
	space       []string // memories it touches, as words of spaceNames
	proxy       string   // the way by which it reaches memory, of proxyNames
	counterpart string   // the operation of the uniform datapath that computes the same
	works       []work   // by modifiers, all that fit count
	does        *meaning // what the simulator does for it
	lines       []*line
	doc         string
}

// refine is the latency class that a modifier brings.
type refine struct {
	mod   string
	class target.Class
}

// work is what an operation leaves behind and what must be over before it,
// with a modifier or always.
type work struct {
	mod            string
	leaves, awaits []string // words of workNames
	stall          int      // the least stall behind it, 0 if its class says
}

// macro is a piece of template with a name, written %name where it is used.
type macro struct {
	name string
	sms  int
	text string
}

type desc struct {
	enums  []*enum
	macros []macro
	ops    []*op
}

// subst replaces the macros of a template by their text on architecture
// column i.
func (d *desc) subst(where, s string, i int) string {
	for {
		at := strings.IndexByte(s, '%')
		if at < 0 {
			return s
		}
		end := at + 1
		for end < len(s) && (s[end] >= 'a' && s[end] <= 'z' || s[end] >= '0' && s[end] <= '9') {
			end++
		}
		text, found := "", false
		for _, m := range d.macros {
			if m.name == s[at+1:end] && m.sms>>i&1 != 0 {
				text, found = m.text, true
			}
		}
		if !found {
			die(where, "no macro %s on sm_%d", s[at:end], chips[i].SM)
		}
		s = s[:at] + text + s[end:]
	}
}

func parseMacro(where, s string) macro {
	head, text, _ := strings.Cut(s, " ")
	name, tag, has := strings.Cut(head, "@")
	m := macro{name: name, sms: allSMs, text: strings.TrimSpace(text)}
	if has {
		m.sms = parseSMs(where, tag)
	}
	return m
}

func die(where, format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s: %s\n", where, fmt.Sprintf(format, args...))
	os.Exit(1)
}

// parseSMs reads a tag without its @: a comma list of N, N-M, N+.
func parseSMs(where, s string) int {
	mask := 0
	for _, part := range strings.Split(s, ",") {
		lo, hi := 0, 0
		if a, b, ok := strings.Cut(part, "-"); ok {
			lo, _ = strconv.Atoi(a)
			hi, _ = strconv.Atoi(b)
		} else if a, ok := strings.CutSuffix(part, "+"); ok {
			lo, _ = strconv.Atoi(a)
			hi = 999
		} else {
			lo, _ = strconv.Atoi(part)
			hi = lo
		}
		n := 0
		for i := range chips {
			if sm := chips[i].SM; sm >= lo && sm <= hi {
				mask |= 1 << i
				n++
			}
		}
		if n == 0 {
			die(where, "no architecture in %q", part)
		}
	}
	return mask
}

func readDesc(dir string) *desc {
	files, err := filepath.Glob(filepath.Join(dir, "*.sass"))
	if err != nil || len(files) == 0 {
		die(dir, "no description files")
	}
	sort.Strings(files)
	d := &desc{}
	byName := map[string]*op{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			die(name, "%v", err)
		}
		sc := bufio.NewScanner(f)
		sc.Buffer(nil, 1<<20)
		var cur *op
		pending := ""
		for n := 1; sc.Scan(); n++ {
			where := fmt.Sprintf("%s:%d", filepath.Base(name), n)
			text := sc.Text()
			if rest, ok := strings.CutSuffix(text, "\\"); ok {
				pending += rest
				continue
			}
			text, pending = pending+text, ""
			trimmed := strings.TrimSpace(text)
			switch {
			case trimmed == "" || trimmed[0] == '#':
			case strings.HasPrefix(text, "enum "):
				d.enums = append(d.enums, parseEnum(where, trimmed[5:]))
				cur = nil
			case strings.HasPrefix(text, "let "): // before operations, which have no keyword
				d.macros = append(d.macros, parseMacro(where, trimmed[4:]))
				cur = nil
			case text[0] != ' ':
				cur = parseOp(where, trimmed)
				if old := byName[cur.name]; old != nil {
					die(where, "%s is described twice; keep one entry", cur.name)
				}
				byName[cur.name] = cur
				d.ops = append(d.ops, cur)
			default:
				if cur == nil {
					die(where, "a form without an operation")
				}
				cur.lines = append(cur.lines, parseLine(where, cur, trimmed))
			}
		}
		f.Close()
	}
	sort.SliceStable(d.ops, func(i, j int) bool { return d.ops[i].name < d.ops[j].name })
	d.resolve()
	return d
}

// parseEnum reads "name[@sms] v0 v1 …"; "_" is the empty text, "?" a hole,
// a suffix *n or *n/m/k the width of operands that refer to the enumeration
// as xname, xname/2, xname/3, and a prefix n= jumps to value n.
func parseEnum(where, s string) *enum {
	f := strings.Fields(s)
	name, tag, has := strings.Cut(f[0], "@")
	e := &enum{name: name, sms: allSMs, line: where}
	if has {
		e.sms = parseSMs(where, tag)
	}
	for _, v := range f[1:] {
		if fill, ok := strings.CutSuffix(v, "%"); ok {
			e.fill(fill)
			continue
		}
		if series, ok := strings.CutPrefix(v, "("); ok {
			e.series(where, series)
			continue
		}
		if at, rest, ok := strings.Cut(v, "="); ok {
			if n, err := strconv.Atoi(at); err == nil {
				for len(e.vals) < n {
					e.vals = append(e.vals, value{})
				}
				v = rest
			}
		}
		e.vals = append(e.vals, parseValue(v))
	}
	return e
}

// series adds one value per number of "FIRST..LAST+STEP)TEXT*#:DIV": every #
// in TEXT becomes the number, and the width is the number divided by DIV.
func (e *enum) series(where, s string) {
	var first, last, step, div int
	bounds, text, _ := strings.Cut(s, ")")
	text, width, _ := strings.Cut(text, "*#:")
	if n, err := fmt.Sscanf(bounds, "%d..%d+%d", &first, &last, &step); n != 3 || err != nil || step <= 0 {
		die(where, "series (%s", s)
	}
	if _, err := fmt.Sscanf(width, "%d", &div); err != nil || div <= 0 {
		die(where, "series (%s", s)
	}
	for n := first; n <= last; n += step {
		v := value{ok: true, text: strings.ReplaceAll(text, "#", strconv.Itoa(n))}
		v.width[0] = max(n/div, 1)
		e.vals = append(e.vals, v)
	}
}

// fill names the holes of an eight-bit enumeration by their number.
func (e *enum) fill(prefix string) {
	for n := range 256 {
		if n == len(e.vals) {
			e.vals = append(e.vals, value{})
		}
		if !e.vals[n].ok {
			e.vals[n] = value{text: prefix + strconv.Itoa(n), ok: true}
		}
	}
}

func parseValue(v string) value {
	x := value{ok: true}
	if t, w, ok := strings.Cut(v, "*"); ok && w != "" && w[0] >= '0' && w[0] <= '9' {
		v = t
		for n, c := range strings.SplitN(w, "/", 3) {
			x.width[n], _ = strconv.Atoi(c)
		}
	}
	switch v {
	case "?":
		x.ok = false
	case "_":
	default:
		x.text = v
	}
	return x
}

// parseOp reads "NAME class attribute… # comment". An attribute is a class
// that a modifier brings (.WIDE>wide), the barriers that the operation can
// set (bars, bars=read), @UP, a column with a value (space=global) or a word of
// propNames.
func parseOp(where, s string) *op {
	s, doc, _ := strings.Cut(s, "#")
	f := strings.Fields(s)
	if len(f) < 2 {
		die(where, "an operation needs a name and a latency class")
	}
	o := &op{name: f[0], class: classNamed(where, f[1]), doc: strings.TrimSpace(doc)}
	for _, w := range f[2:] {
		mod, class, refines := strings.Cut(w, ">")
		switch {
		case refines && strings.HasPrefix(mod, "."):
			o.refines = append(o.refines, refine{mod[1:], classNamed(where, class)})
		case w == "bars":
			o.bars = "both"
		case w == "bars=read":
			o.bars = "read"
			o.props = append(o.props, w)
		case w == "@UP":
			o.uguard = true
		case propNames[w] != "":
			o.props = append(o.props, w)
		case !o.column(where, w):
			die(where, "%s: what is %q?", o.name, w)
		}
	}
	o.complete(where)
	return o
}

// column reads an attribute with a value: space=, proxy=, counterpart=, does=, leaves=,
// awaits= and stall=, the last three also for a modifier alone
// (.EXCH:leaves=stored).
func (o *op) column(where, w string) bool {
	name, value, ok := strings.Cut(w, "=")
	mod, rest, has := strings.Cut(name, ":")
	if has && strings.HasPrefix(mod, ".") {
		name = rest
	} else {
		mod = "."
	}
	switch {
	case !ok:
		return false
	case name == "space":
		o.space = wordsOf(where, spaceNames, value)
	case name == "proxy":
		o.proxy = wordsOf(where, proxyNames, value)[0]
	case name == "counterpart":
		o.counterpart = value
	case name == "does":
		o.does = parseMeaning(where, o.name, value)
	case name == "leaves":
		o.works = append(o.works, work{mod: mod[1:], leaves: wordsOf(where, workNames, value)})
	case name == "awaits":
		o.works = append(o.works, work{mod: mod[1:], awaits: wordsOf(where, workNames, value)})
	case name == "stall":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > target.MaxStall {
			die(where, "%s: a stall of %q", o.name, value)
		}
		o.works = append(o.works, work{mod: mod[1:], stall: n})
	default:
		return false
	}
	return true
}

// wordsOf reads a list of words of which each must have a name.
func wordsOf(where string, names map[string]string, value string) []string {
	list := strings.Split(value, ",")
	for _, w := range list {
		if names[w] == "" {
			die(where, "what is %q?", w)
		}
	}
	return list
}

// complete refuses an entry that leaves open what has no default: what an
// operation means, which memory it reads or writes and by which way, and what an operation of the engines that copy
// and multiply by themselves leaves behind.
func (o *op) complete(where string) {
	accesses := slices.Contains(o.props, "reads") || slices.Contains(o.props, "writes")
	if o.does == nil {
		die(where, "%s: does= is missing: what the simulator does for it, or %s", o.name, unknownMeaning)
	}
	if accesses != (len(o.space) > 0) {
		die(where, "%s: space= belongs to what reads or writes memory", o.name)
	}
	if accesses != (o.proxy != "") {
		die(where, "%s: proxy= belongs to what reads or writes memory", o.name)
	}
	if o.class == target.ClassTma && !slices.ContainsFunc(o.works, func(w work) bool { return len(w.leaves) > 0 }) {
		die(where, "%s: leaves= is missing: asynchronous operations say what goes on behind them", o.name)
	}
}

// resolve refuses entries that do not agree with others or with their forms.
func (d *desc) resolve() {
	byName := map[string]*op{}
	for _, o := range d.ops {
		byName[o.name] = o
	}
	for _, o := range d.ops {
		if o.counterpart == "" {
			continue
		}
		if u := byName[o.counterpart]; u == nil || !slices.Contains(u.props, "uniform") {
			die(o.name, "the counterpart %s is no operation of the uniform datapath", o.counterpart)
		}
	}
}

// classNamed is the latency class with a name. There is no class for what
// nobody thought of.
func classNamed(where, name string) target.Class {
	for c := range target.NumClasses {
		if c.String() == name {
			return c
		}
	}
	die(where, "no latency class %q", name)
	return 0
}

func parseLine(where string, o *op, s string) *line {
	head, tmpl, ok := strings.Cut(s, ":: ")
	if !ok {
		if h, ok2 := strings.CutSuffix(s, "::"); ok2 {
			head = h
		} else {
			die(where, "a form needs \":: \" between its opcodes and its text")
		}
	}
	l := &line{op: o, sms: allSMs, where: where, template: strings.TrimSpace(tmpl)}
	for _, f := range strings.Fields(head) {
		switch {
		case f == "@UP":
			l.uguard = true
		case f[0] == '@':
			l.sms = parseSMs(where, f[1:])
		case strings.Trim(f, "!") == "":
			l.rank = len(f)
		case f == "32:32=pow2":
			l.pow2 = true
		case strings.Contains(f, "~"):
			l.defs = append(l.defs, parseFixed(where, strings.Replace(f, "~", "=", 1)))
		case strings.Contains(f, "="):
			l.fixed = append(l.fixed, parseFixed(where, f))
		default:
			n, err := strconv.ParseUint(f, 16, 12)
			if err != nil {
				die(where, "opcode %q: want three hexadecimal digits", f)
			}
			l.opcodes = append(l.opcodes, int(n))
		}
	}
	if len(l.opcodes) == 0 {
		die(where, "a form without opcode")
	}
	return l
}

func parseFixed(where, s string) fixed {
	pos, val, _ := strings.Cut(s, "=")
	lo, n, has := strings.Cut(pos, ":")
	f := fixed{n: 1}
	var err1, err2, err3 error
	f.lo, err1 = strconv.Atoi(lo)
	if has {
		f.n, err2 = strconv.Atoi(n)
	}
	v, err3 := strconv.ParseInt(val, 0, 64)
	f.v = int(v)
	if err1 != nil || err2 != nil || err3 != nil || f.n > 32 || v>>f.n != 0 {
		die(where, "fixed bits %q: want LO=V or LO:N=V", s)
	}
	return f
}
