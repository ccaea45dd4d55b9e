package main

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// propNames are the facts about an operation that Ori keeps: the word in the
// description and the name of the property in package op.
var propNames = map[string]string{
	"reads":    "Reads",
	"writes":   "Writes",
	"effect":   "Effect",
	"ends":     "Terminator",
	"warp":     "Convergent",
	"commutes": "Commutes",
	"uniform":  "Uniform",
	"pseudo":   "Pseudo",
	"floats":   "Floats",
	"single":   "Single",
	"double":   "Double",
	"cached":   "Cached",
	"folds":    "Folds",
	"texture":  "Texture",
	"global":   "Global",
	"gathered": "Gathered",
	"group":    "Group",
	"exchange": "Exchange",
}

// pseudo are the operations of Ori's early phases, which no machine has.
var pseudo = []*op{
	{name: "COPY", props: []string{"pseudo", "folds"}},
	{name: "PHI", props: []string{"pseudo"}},
	{name: "PHISRC", props: []string{"pseudo"}},
	{name: "UNDEF", props: []string{"pseudo"}},
}

// pseudoMods are modifiers of its own: a sum that may become one operation
// with a product, and products of warp groups whose waits are not placed yet.
var pseudoMods = []string{"CONTRACT", "LOOSE", "OPEN"}

// oriFile writes the operations and modifiers of package op: the machine's
// mnemonics, each once. An entry like IMAD.WIDE is IMAD with a modifier that
// brings another class.
func (c *compiler) oriFile(b *bytes.Buffer) {
	var list []*op
	for _, o := range c.d.ops {
		base, mod, dotted := strings.Cut(o.name, ".")
		if !dotted {
			x := *o
			list = append(list, &x)
			continue
		}
		x := list[len(list)-1] // the plain name sorts before
		if x.name != base || len(o.props) > 0 {
			die(o.name, "an entry with a dot follows that of %s and has no attributes of its own", base)
		}
		x.refines = append([]refine{{mod, o.class}}, x.refines...)
	}
	list = append(list, pseudo...)
	b.WriteString("package op\n\n// The operations.\nconst (\n\tNone Op = iota\n")
	for _, o := range list {
		fmt.Fprintf(b, "\t%s\n", o.name)
	}
	b.WriteString("\tnumOps\n)\n\nvar ops = [numOps]row{\n")
	n := 0
	for _, o := range list {
		var words []string
		for _, w := range o.props {
			words = append(words, propNames[w])
		}
		fmt.Fprintf(b, "\t%s: {name: %q, class: %d", o.name, o.name, o.class)
		if len(words) > 0 {
			fmt.Fprintf(b, ", props: %s", strings.Join(words, "|"))
		}
		if len(o.refines) > 0 {
			fmt.Fprintf(b, ", refine: %d, nrefine: %d", n, len(o.refines))
			n += len(o.refines)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n\nvar refines = [...]refine{\n")
	for _, o := range list {
		for _, r := range o.refines {
			fmt.Fprintf(b, "\t{M%s, %d}, // %s %s\n", r.mod, r.class, o.name, r.class)
		}
	}
	b.WriteString("}\n\n")
	c.oriMods(b)
}

// modWords are the modifiers in the order of their numbers: every word
// between dots that a mnemonic can have.
func (c *compiler) modWords() []string {
	words := map[string]bool{}
	for _, w := range pseudoMods {
		words[w] = true
	}
	add := func(text string) {
		for _, w := range strings.Split(text, ".") {
			if w != "" && isWord(w) {
				words[w] = true
			}
		}
	}
	for _, o := range c.d.ops {
		_, mod, _ := strings.Cut(o.name, ".")
		add(mod)
	}
	for _, f := range c.forms {
		c.mnemonicTexts(f, add)
	}
	var names []string
	for w := range words {
		names = append(names, w)
	}
	sort.Strings(names)
	return names
}

// oriMods writes the modifiers.
func (c *compiler) oriMods(b *bytes.Buffer) {
	names := c.modWords()
	b.WriteString("// The modifiers.\nconst (\n\tNoMod Mod = iota\n")
	for _, w := range names {
		fmt.Fprintf(b, "\tM%s\n", w)
	}
	b.WriteString("\tnumMods\n)\n\nvar modNames = [numMods]string{\n\t\"\",\n")
	for _, w := range names {
		fmt.Fprintf(b, "\t%q,\n", w)
	}
	b.WriteString("}\n")
}

// mnemonicTexts calls add for every text that can stand in the mnemonic of a
// form: what comes before the first space.
func (c *compiler) mnemonicTexts(f *cform, add func(string)) {
	for _, it := range f.items {
		switch it.kind {
		case "Lit":
			text, _, ends := strings.Cut(c.texts[it.aux], " ")
			if add(text); ends {
				return
			}
		case "Mod":
			for _, v := range c.enums[it.aux] {
				if v.ok {
					add(v.text)
				}
			}
		}
	}
}

func isWord(s string) bool {
	for _, r := range s {
		if r != '_' && (r < '0' || r > '9') && (r|32 < 'a' || r|32 > 'z') {
			return false
		}
	}
	return true
}
