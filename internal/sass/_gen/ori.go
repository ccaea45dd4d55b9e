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
	"reads":       "Reads",
	"writes":      "Writes",
	"effect":      "Effect",
	"ends":        "Terminator",
	"warp":        "Convergent",
	"commutes":    "Commutes",
	"uniform":     "Uniform",
	"pseudo":      "Pseudo",
	"floats":      "Floats",
	"single":      "Single",
	"double":      "Double",
	"pairs":       "Pairs",
	"cached":      "Cached",
	"folds":       "Folds",
	"texture":     "Texture",
	"described":   "Described",
	"gathered":    "Gathered",
	"group":       "Group",
	"exchange":    "Exchange",
	"plain":       "Plain",
	"ordered":     "Ordered",
	"atomic":      "Atomic",
	"matrix":      "Matrix",
	"aligned":     "Aligned",
	"map":         "TensorMap",
	"truth":       "Truth",
	"duplicable":  "Duplicable",
	"remat":       "Remat",
	"turns":       "Turns",
	"lut":         "Lut",
	"special":     "ReadsSpecial",
	"spaced":      "Spaced",
	"derives":     "Derives",
	"lanes":       "Lanes",
	"commits":     "Commits",
	"keeps":       "KeepsMatrix",
	"steered":     "Steered",
	"own":         "Own",
	"root":        "Root",
	"updates":     "Updates",
	"compares":    "Compares",
	"holds":       "Holds",
	"bars=read":   "BarsRead",
	"preds=read":  "ReadsPreds",
	"preds=write": "WritesPreds",
}

// spaceNames are the memories that an operation can touch.
var spaceNames = map[string]string{
	"global":   "SpaceGlobal",
	"shared":   "SpaceShared",
	"local":    "SpaceLocal",
	"tensor":   "SpaceTensor",
	"constant": "SpaceConstant",
	"generic":  "SpaceGeneric",
}

// proxyNames are the ways by which an operation can reach memory.
var proxyNames = map[string]string{
	"generic":  "ProxyGeneric",
	"async":    "ProxyAsync",
	"barrier":  "ProxyBarrier",
	"texture":  "ProxyTexture",
	"constant": "ProxyConstant",
}

// workNames are the sorts of work that go on behind an operation.
var workNames = map[string]string{
	"nothing": "0",
	"loaded":  "Loaded",
	"stored":  "Stored",
	"fetched": "Fetched",
	"copied":  "Copied",
}

// pseudo are the operations of Ori's early phases, which no machine has.
var pseudo = []*op{
	{name: "COPY", props: []string{"pseudo", "folds", "duplicable"}, counterpart: "COPY"},
	{name: "PHI", props: []string{"pseudo"}},
	{name: "PHISRC", props: []string{"pseudo"}},
	{name: "UNDEF", props: []string{"pseudo", "duplicable"}, counterpart: "UNDEF"},
}

// pseudoMods are modifiers of its own: a sum that may become one operation
// with a product, products of warp groups whose waits are not placed yet, an
// operation that PTX asks for twice, on both words of a pair, and an access to
// shared memory that happens, in its order among its like: threads of a warp may
// count on it that meet there without a barrier.
var pseudoMods = []string{"CONTRACT", "LOOSE", "OPEN", "PAIRED", "VOLATILE"}

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
	refines, works := 0, 0
	for _, o := range list {
		fmt.Fprintf(b, "\t%s: {name: %q, class: %d%s", o.name, o.name, o.class, o.columns())
		if len(o.refines) > 0 {
			fmt.Fprintf(b, ", refine: %d, nrefine: %d", refines, len(o.refines))
			refines += len(o.refines)
		}
		if len(o.works) > 0 {
			fmt.Fprintf(b, ", work: %d, nwork: %d", works, len(o.works))
			works += len(o.works)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n\nvar refines = [...]refine{\n")
	for _, o := range list {
		for _, r := range o.refines {
			fmt.Fprintf(b, "\t{M%s, %d}, // %s %s\n", r.mod, r.class, o.name, r.class)
		}
	}
	b.WriteString("}\n\nvar works = [...]workRow{\n")
	for _, o := range list {
		for _, w := range o.works {
			mod := "NoMod"
			if w.mod != "" {
				mod = "M" + w.mod
			}
			fmt.Fprintf(b, "\t{%s, %s, %s, %d}, // %s\n", mod, either(workNames, w.leaves), either(workNames, w.awaits), w.stall, o.name)
		}
	}
	b.WriteString("}\n\n")
	c.oriMods(b)
}

// columns writes what an entry says beside its class.
func (o *op) columns() string {
	s := ""
	if len(o.props) > 0 {
		s += ", props: " + either(propNames, o.props)
	}
	if len(o.space) > 0 {
		s += ", space: " + either(spaceNames, o.space)
	}
	if o.proxy != "" {
		s += ", proxy: " + proxyNames[o.proxy]
	}
	if o.counterpart != "" {
		s += ", counterpart: " + o.counterpart
	}
	return s
}

// either joins the names of words in a set.
func either(names map[string]string, words []string) string {
	if len(words) == 0 {
		return "0"
	}
	var list []string
	for _, w := range words {
		list = append(list, names[w])
	}
	return strings.Join(list, "|")
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
