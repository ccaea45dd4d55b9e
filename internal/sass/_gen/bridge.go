package main

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	oriop "github.com/goptxas/goptxas/internal/ori/op"
)

// The bridge from Ori to forms: for every operation of Ori the forms that it
// can become, the modifiers that each asks for and the fields that its
// operands go to. Forms with operands that Ori has no word for are left out.

// bshape is one form as Ori's instructions fill it.
type bshape struct {
	form   int
	f      *cform
	prefix string // modifier of an operation with a dot in its name
	steps  []bstep
	slots  []bslot
}

// bstep is a part of the mnemonic: a modifier, or a field with the modifiers
// that each of its values stands for.
type bstep struct {
	mod     string
	field   int
	choices []bchoice
}

type bchoice struct {
	value int
	mods  []string
	def   bool // what the field holds anyway
}

// bslot is one operand.
type bslot struct {
	kind    string
	flags   []string
	field   int // register, number, bank's offset or the base of an address
	uni     int // uniform part of an address
	off     int // its offset
	desc    int // its descriptor, or the bank of a constant
	opt     int // the group that may be absent
	marks   int // what must stand behind it
	choices []bmark
	names   []bname
}

// bmark is a value of a field behind an operand.
type bmark struct{ field, value, marks, all int }

// bname is a special register and the value of a field that names it.
type bname struct{ special, value int }

const noField = 255

// markWords are what can stand behind an operand of Ori's, a bit each.
var markWords = []struct{ word, name string }{
	{"reuse", "Reuse"},
	{"64", "Wide"},
	{"H0_H0", "H0"},
	{"H1_H1", "H1"},
	{"H1", "Top"},
	{"negA", "NegA"},
	{"negB", "NegB"},
	{"tnspA", "TnspA"},
	{"tnspB", "TnspB"},
	{"A_REUSE", "ReuseA"},
	{"A_KEEP", "KeepA"},
	{"B_REUSE", "ReuseB"},
	{"B_KEEP", "KeepB"},
	{"BUFFER1", "Buffer1"},
	{"BUFFER2", "Buffer2"},
	{"F32", "Both"},
	{"B1", "B1"},
	{"B2", "B2"},
	{"B3", "B3"},
}

// marksOf returns the bits of the words of a text, and false if Ori lacks one.
func marksOf(text string) (bits int, ok bool) {
	for _, w := range strings.Split(strings.TrimPrefix(text, "."), ".") {
		switch w {
		case "", "F32x2", "HI_LO": // both words of a pair, as they lie
			continue
		case "BUFFER3":
			b, _ := marksOf(".BUFFER1.BUFFER2")
			bits |= b
			continue
		}
		found := false
		for n, m := range markWords {
			if m.word == w {
				bits, found = bits|1<<n, true
			}
		}
		if !found {
			return 0, false
		}
	}
	return bits, true
}

// bridge returns the shapes of every operation of Ori, in its order.
func (c *compiler) bridge() (ops []string, shapes map[string][]*bshape) {
	shapes = map[string][]*bshape{}
	dotted, plain := map[string][]*bshape{}, map[string][]*bshape{}
	for id, f := range c.forms {
		base, prefix, dot := strings.Cut(c.d.ops[f.op-1].name, ".")
		s := &bshape{form: id + 1, f: f, prefix: prefix}
		p := bparser{c: c, f: f, s: s}
		if !p.parse() {
			continue
		}
		if dot {
			dotted[base] = append(dotted[base], s)
		} else {
			plain[base] = append(plain[base], s)
		}
	}
	for _, o := range c.d.ops {
		if strings.Contains(o.name, ".") {
			continue
		}
		ops = append(ops, o.name)
		shapes[o.name] = append(dotted[o.name], plain[o.name]...)
	}
	return ops, shapes
}

// specialNamed is the number of the special register with a name, or 0.
func specialNamed(name string) int { return int(oriop.FindSpecial(name)) }

// field returns what a form's default word holds in an item.
func (f *cform) field(it *citem) int {
	get := func(lo, n int) int {
		v := 0
		for i := range n {
			b := lo + i
			v |= int(f.def[b/64]>>(b%64)&1) << i
		}
		return v
	}
	return get(it.lo, it.n) | get(it.lo2, it.n2)<<it.n
}

// choicesOf lists the values of a modifier of the mnemonic, those of more
// words first. Of equal texts the default counts, else the first.
func (c *compiler) choicesOf(f *cform, it *citem) []bchoice {
	var out []bchoice
	seen := map[string]int{}
	def := f.field(it)
	for n, v := range c.enums[it.aux] {
		if !v.ok {
			continue
		}
		x := bchoice{value: n, def: n == def}
		if v.text != "" {
			x.mods = strings.Split(strings.TrimPrefix(v.text, "."), ".")
		}
		if at, ok := seen[v.text]; ok {
			if x.def {
				out[at] = x
			}
			continue
		}
		seen[v.text] = len(out)
		out = append(out, x)
	}
	sort.SliceStable(out, func(i, j int) bool { return len(out[i].mods) > len(out[j].mods) })
	return out
}

// bridgeFile writes the tables of package emit.
func (c *compiler) bridgeFile(b *bytes.Buffer) {
	w := bridgeWriter{mods: map[string]int{}}
	for n, m := range c.modWords() {
		w.mods[m] = n + 1
	}
	ops, shapes := c.bridge()
	b.WriteString("package emit\n\nimport \"github.com/goptxas/goptxas/internal/ori/op\"\n\n// What can stand behind an operand.\nconst (\n")
	for n, m := range markWords {
		fmt.Fprintf(b, "\tmark%s mark = %d\n", m.name, 1<<n)
	}
	b.WriteString(")\n\nvar families = [...]family{\n")
	var groups, rows bytes.Buffer
	first, row := 0, 0
	for n, name := range ops {
		k := 0
		for l := shapes[name]; len(l) > 0; k++ {
			m := 1
			for m < len(l) && l[m].prefix == l[0].prefix {
				m++
			}
			fmt.Fprintf(&groups, "\t{%d, %d, %d}, // %s %s\n", w.mods[l[0].prefix], row, m, name, l[0].prefix)
			for _, s := range l[:m] {
				w.shape(&rows, s)
			}
			row, l = row+m, l[m:]
		}
		fmt.Fprintf(b, "\t%d: {%d, %d}, // %s\n", n+1, first, k, name)
		first += k
	}
	fmt.Fprintf(b, "}\n\nvar groups = [...]group{\n%s}\n\nvar shapes = [...]shape{\n%s}\n\n", groups.String(), rows.String())
	for _, p := range []struct {
		name, row string
		pool      *pool
	}{
		{"steps", "step", &w.steps},
		{"choices", "choice", &w.choices},
		{"slots", "slot", &w.slots},
		{"suffixes", "suffix", &w.suffixes},
		{"specials", "special", &w.names},
	} {
		fmt.Fprintf(b, "var %s = [...]%s{\n%s}\n\n", p.name, p.row, p.pool.buf.String())
	}
}

type bridgeWriter struct {
	mods                                   map[string]int
	steps, choices, slots, suffixes, names pool
}

func (w *bridgeWriter) shape(b *bytes.Buffer, s *bshape) {
	var steps, slots []string
	for _, x := range s.steps {
		steps = append(steps, w.step(x))
	}
	sig, fixed := uint64(0), len(s.slots) <= 16
	for n, x := range s.slots {
		slots = append(slots, w.slot(x))
		if x.opt != noField || strings.Contains(strings.Join(x.flags, "|"), "Implied") {
			fixed = false
		}
		if n < 16 {
			sig |= uint64(kindNumber[x.kind]) << (4 * n)
		}
	}
	flags := ""
	if fixed {
		flags += ", fixed: true"
	}
	if s.f.uguard {
		flags += ", uniform: true"
	}
	fmt.Fprintf(b, "\t{form: %d, chips: 0x%x, step: %d, nstep: %d, slot: %d, nslot: %d, sig: 0x%x%s}, // %s\n",
		s.form, s.f.sms, w.steps.add(steps), len(steps), w.slots.add(slots), len(slots), sig, flags, s.f.where)
}

func (w *bridgeWriter) step(x bstep) string {
	if x.mod != "" {
		return fmt.Sprintf("\t{mod: %d},\n", w.mods[x.mod])
	}
	var rows []string
	for _, v := range x.choices {
		if len(v.mods) > 4 {
			die(strings.Join(v.mods, "."), "a modifier of more than four words")
		}
		var m [4]int
		for n, t := range v.mods {
			if m[n] = w.mods[t]; m[n] == 0 {
				die(t, "no such modifier")
			}
		}
		rows = append(rows, fmt.Sprintf("\t{%d, %d, %v, [4]op.Mod{%d, %d, %d, %d}},\n", v.value, len(v.mods), v.def, m[0], m[1], m[2], m[3]))
	}
	return fmt.Sprintf("\t{field: %d, choice: %d, n: %d},\n", x.field, w.choices.add(rows), len(rows))
}

func (w *bridgeWriter) slot(x bslot) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\t{kind: %s, field: %d, uni: %d, off: %d, desc: %d, opt: %d", x.kind, x.field, x.uni, x.off, x.desc, x.opt)
	if len(x.flags) > 0 {
		fmt.Fprintf(&b, ", flags: %s", strings.Join(x.flags, " | "))
	}
	if x.marks != 0 {
		fmt.Fprintf(&b, ", marks: %d", x.marks)
	}
	var rows []string
	for _, m := range x.choices {
		rows = append(rows, fmt.Sprintf("\t{%d, %d, %d, %d},\n", m.field, m.value, m.marks, m.all))
	}
	if len(rows) > 0 {
		fmt.Fprintf(&b, ", suffix: %d, nsuffix: %d", w.suffixes.add(rows), len(rows))
	}
	rows = nil
	for _, m := range x.names {
		rows = append(rows, fmt.Sprintf("\t{%d, %d},\n", m.special, m.value))
	}
	if len(rows) > 0 {
		fmt.Fprintf(&b, ", name: %d, nname: %d", w.names.add(rows), len(rows))
	}
	return b.String() + "},\n"
}
