package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/target"
)

// cform is a compiled form: one opcode of one line on architectures that
// agree about every field.
type cform struct {
	op     int
	sms    int
	mask   [2]uint64
	match  [2]uint64
	def    [2]uint64
	items  []citem
	args   []carg
	mods   []cmod
	uguard bool
	pow2   bool
	rank   int
	where  string
}

type citem struct {
	kind, flags                 string
	lo, n, lo2, n2              int
	neg, abs, scale, count, aux int
	def, reuse                  int
	implied                     int
}

type carg struct {
	item, width, wmod, wcol int
	role, file              string
	addr                    bool
}

type cmod struct{ mod, item int }

type compiler struct {
	d      *desc
	texts  []string
	textID map[string]int
	enums  [][]value
	enumID map[string]int
	mods   []string
	modID  map[string]int
	forms  []*cform
}

func compile(d *desc) *compiler {
	c := &compiler{d: d, textID: map[string]int{}, enumID: map[string]int{}, modID: map[string]int{}}
	c.text("")
	c.mod("") // zero is no modifier
	for i, o := range d.ops {
		for _, l := range o.lines {
			for _, opc := range l.opcodes {
				c.line(i+1, o, l, opc)
			}
		}
	}
	return c
}

func (c *compiler) text(s string) int { return number(c.textID, &c.texts, s) }

func (c *compiler) mod(s string) int { return number(c.modID, &c.mods, s) }

// number returns the place of s in a list, at whose end it goes when new.
func number(ids map[string]int, list *[]string, s string) int {
	id, ok := ids[s]
	if !ok {
		id = len(*list)
		ids[s] = id
		*list = append(*list, s)
	}
	return id
}

func (c *compiler) enum(vals []value) int {
	var k strings.Builder
	for _, v := range vals {
		k.WriteString(v.text + "/" + strconv.FormatBool(v.ok) + "/" + fmt.Sprint(v.width) + "|")
	}
	if id, ok := c.enumID[k.String()]; ok {
		return id
	}
	c.enumID[k.String()] = len(c.enums)
	c.enums = append(c.enums, vals)
	return len(c.enums) - 1
}

// find returns the variant of a named enumeration on architecture column i.
func (c *compiler) find(name string, i int) *enum {
	for _, e := range c.d.enums {
		if e.name == name && e.sms>>i&1 != 0 {
			return e
		}
	}
	return nil
}

// line compiles one opcode of one line: it groups the architectures by what
// they make of the fields and emits one form per group.
func (c *compiler) line(opID int, o *op, l *line, opc int) {
	c.lineWith(opID, o, l, opc, true)
	if l.rank == 0 && usesConst(expand(l, c.d.subst(l.where, l.template, firstSM(l.sms)), opc, true)) {
		c.lineWith(opID, o, l, opc, false)
	}
}

// lineWith is line for bound or for bindless constants.
func (c *compiler) lineWith(opID int, o *op, l *line, opc int, bound bool) {
	type group struct {
		items []item
		mask  int
	}
	groups := map[string]*group{}
	var keys []string
	for i := range chips {
		if l.sms>>i&1 == 0 {
			continue
		}
		text := c.d.subst(l.where, l.template, i)
		items := expand(l, text, opc, bound)
		if (!bound || usesConst(items)) && !chips[i].Has(target.ConstantOperands) {
			continue
		}
		key := text + c.variant(l, items, i)
		if groups[key] == nil {
			groups[key] = &group{items: items}
			keys = append(keys, key)
		}
		groups[key].mask |= 1 << i
	}
	for _, k := range keys {
		c.form(opID, o, l, opc, groups[k].items, groups[k].mask, !bound)
	}
}

// variant tells apart architectures that read the same text differently: by
// the width of uniform registers and the variants of enumerations.
func (c *compiler) variant(l *line, items []item, i int) string {
	key := ""
	for _, it := range items {
		if it.kind == "UReg" {
			key = strconv.Itoa(chips[i].UniformBits)
		}
	}
	for _, it := range items {
		if it.enum == "" {
			continue
		}
		e := c.find(it.enum, i)
		if e == nil {
			die(l.where, "enumeration %s has no values on sm_%d", it.enum, chips[i].SM)
		}
		key += "/" + e.line
	}
	return key
}

func usesConst(items []item) bool {
	for _, it := range items {
		if it.kind == "Const" {
			return true
		}
	}
	return false
}

func firstSM(mask int) int {
	for i := range chips {
		if mask>>i&1 != 0 {
			return i
		}
	}
	return 0
}

func (f *cform) fix(where string, lo, n int, v uint64) {
	for i := range n {
		b := lo + i
		h, s := b/64, b%64
		if f.mask[h]>>s&1 != 0 && f.match[h]>>s&1 != v>>i&1 {
			die(where, "bit %d is fixed twice", b)
		}
		f.mask[h] |= 1 << s
		f.match[h] |= (v >> i & 1) << s
	}
}

func (f *cform) setDef(lo, n int, v uint64) {
	for i := range n {
		b := lo + i
		f.def[b/64] = f.def[b/64]&^(1<<(b%64)) | (v>>i&1)<<(b%64)
	}
}

func (c *compiler) form(opID int, o *op, l *line, opc int, items []item, mask int, bindless bool) {
	f := &cform{op: opID, sms: mask, where: l.where, pow2: l.pow2, rank: l.rank}
	f.uguard = o.uguard || l.uguard
	f.fix(l.where, 0, 12, uint64(opc))
	for _, x := range l.fixed {
		f.fix(l.where, x.lo, x.n, uint64(x.v))
	}
	if shaped := strings.Contains(l.template, "$"); bindless || shaped && opc>>9 >= 6 {
		f.fix(l.where, 91, 1, 1) // a uniform register at bit 32
	} else if usesConst(items) {
		f.fix(l.where, 91, 1, 0) // one would mean a bindless constant
	}
	f.def = f.match
	f.setDef(12, 3, 7)
	f.setDef(110, 6, 63)
	sm := firstSM(mask)
	uwidth := chips[sm].UniformBits
	modItems := map[string]int{}
	for n := range items {
		f.items = append(f.items, c.item(f, l, &items[n], sm, uwidth))
		it := &items[n]
		if it.kind == "Mod" {
			name := modName(it)
			modItems[name] = n
			f.mods = append(f.mods, cmod{c.mod(name), n})
		}
	}
	for _, x := range l.defs {
		f.setDef(x.lo, x.n, uint64(x.v))
	}
	for n := range items {
		c.arg(f, l, &items[n], n, modItems)
	}
	c.forms = append(c.forms, f)
}

// modName is the name of a modifier: of its enumeration, or its own text.
func modName(it *item) string {
	if it.enum != "" {
		return it.enum
	}
	name := ""
	for _, v := range it.inline {
		if v.ok && v.text != "" {
			name += strings.ReplaceAll(strings.TrimPrefix(v.text, "."), ".", "_")
		}
		if len(name) > 24 {
			break
		}
	}
	if name == "" {
		name = "none"
	}
	return name
}

func (c *compiler) item(f *cform, l *line, it *item, sm, uwidth int) citem {
	ci := citem{kind: it.kind, neg: it.neg, abs: it.abs, scale: it.scale, count: it.count, reuse: it.reuse, implied: it.implied, flags: itemFlags(it)}
	var vals []value
	switch it.kind {
	case "Lit":
		ci.aux = c.text(it.text)
	case "Mod":
		vals = it.inline
		if it.enum != "" {
			vals = c.find(it.enum, sm).vals
		}
		ci.aux = c.enum(vals)
	case "UReg":
		ci.reuse = 0
	}
	if it.hidden {
		ci.kind = "Hidden"
	}
	if it.echo {
		ci.count = it.plus
	}
	total := 0
	for n, p := range it.pieces {
		w := p.n
		if w == 0 {
			w = uwidth
			if it.kind == "Mod" {
				for w = 0; 1<<w < len(vals); w++ {
				}
			}
		}
		if n == 0 {
			ci.lo, ci.n = p.lo, w
		} else {
			ci.lo2, ci.n2 = p.lo, w
		}
		total += w
	}
	if it.kind == "Mod" && len(vals) > 1<<total {
		die(l.where, "%d values do not fit in %d bits", len(vals), total)
	}
	ci.def = it.def
	if ci.def == -2 {
		ci.def = 1<<total - 1
	}
	c.defaults(f, it, &ci, vals, total)
	return ci
}

// itemFlags is the Go expression of an item's flags.
func itemFlags(it *item) string {
	var out []string
	for _, x := range []struct {
		on   bool
		flag string
	}{
		{it.negCh == '~', "fInv"},
		{it.rev, "fRev"},
		{it.opt, "fOpt"},
		{it.role == "write", "fWrite"},
		{it.kind == "Const" && it.text != "", "fSpace"},
		{it.open, "fOpen"},
		{it.kind == "Sum" && !it.constant, "fAddr"},
		{it.echo, "fEcho"},
	} {
		if x.on {
			out = append(out, x.flag)
		}
	}
	if len(out) == 0 {
		return "0"
	}
	return strings.Join(out, "|")
}

// defaults puts into the form's default word what a field holds when its
// operand or modifier is absent.
func (c *compiler) defaults(f *cform, it *item, ci *citem, vals []value, total int) {
	v := uint64(0)
	switch it.kind {
	case "Opt", "Term":
		if it.def == -1 {
			return
		}
		v = uint64(ci.def)
		if it.neg != 0 {
			f.setDef(it.neg, 1, v>>total&1)
		}
	case "Reg", "UReg", "Pred", "UPred":
		if it.rev || it.def >= 0 {
			return
		}
		v = 1<<total - 1
	case "Mod":
		for i, x := range vals {
			if x.ok && x.text == "" {
				v = uint64(i)
				break
			}
		}
		if len(vals) > 0 && !vals[0].ok && v == 0 {
			for i, x := range vals {
				if x.ok {
					v = uint64(i)
					break
				}
			}
		}
	default:
		return
	}
	f.setDef(ci.lo, ci.n, v)
	if ci.n2 > 0 {
		f.setDef(ci.lo2, ci.n2, v>>ci.n)
	}
	// Fixed bits win over defaults.
	for h := range 2 {
		f.def[h] = f.def[h]&^f.mask[h] | f.match[h]
	}
}

var argFile = map[string]string{
	"Reg": "FileR", "UReg": "FileU", "Pred": "FileP", "UPred": "FileUP", "Bar": "FileB", "SB": "FileSB",
	"UImm": "FileNone", "SImm": "FileNone", "F32": "FileNone", "F64": "FileNone", "F16": "FileNone", "BF16": "FileNone",
	"Rel": "FileNone", "Const": "FileNone",
}

func (c *compiler) arg(f *cform, l *line, it *item, n int, modItems map[string]int) {
	file, ok := argFile[it.kind]
	if !ok || it.echo {
		return
	}
	a := carg{item: n, width: 1, wmod: 255, file: file, role: "Read", addr: it.addr}
	switch {
	case it.role == "write":
		a.role = "Write"
	case it.role == "both":
		a.role = "Both"
	case it.addr:
		a.role = "Address"
	}
	if it.width != "" {
		name, col, has := strings.Cut(it.width, "/")
		if has {
			a.wcol = int(col[0] - '1')
		}
		if w, err := strconv.Atoi(name); err == nil {
			a.width = w
		} else if w := map[string]int{"lo": 254, "hi": 253, "coord": 252}[name]; w != 0 {
			a.wmod = w
			if w == 252 {
				a.width = modItems["texdim"]
			}
		} else if m, ok := modItems[name]; ok {
			a.wmod = m
		} else {
			die(l.where, "no modifier %q to give a width", it.width)
		}
	}
	f.args = append(f.args, a)
}
