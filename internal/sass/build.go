package sass

import (
	"bytes"

	"github.com/goptxas/goptxas/internal/target"
)

// New returns the instruction of form f with every optional operand and
// modifier absent, no guard and no barriers.
func New(f FormID) Inst {
	if int(f) >= len(forms) {
		return Inst{}
	}
	return Inst{w: forms[f].def, form: f}
}

// Forms calls yield for every form of op on architecture a.
func Forms(a *target.Arch, op Op, yield func(FormID) bool) {
	for id := opForms[op]; id < opForms[op+1]; id++ {
		if forms[id].on(a) && !yield(FormID(id)) {
			return
		}
	}
}

func (f *form) modItem(m Mod) *item {
	for _, r := range modRefs[f.mod : f.mod+uint32(f.nmod)] {
		if r.mod == m {
			return &items[f.item+uint32(r.item)]
		}
	}
	return nil
}

// Mod returns the value of modifier m of i, and whether i has m.
func (i *Inst) Mod(m Mod) (Value, bool) {
	it := forms[i.form].modItem(m)
	if it == nil {
		return VNone, false
	}
	v, ok := it.value(&i.w)
	return v.text, ok
}

// NMod returns the number of modifiers of i.
func (i *Inst) NMod() int { return int(forms[i.form].nmod) }

// ModAt returns modifier n of i in the order of the text, and its value.
func (i *Inst) ModAt(n int) (Mod, Value) {
	f := &forms[i.form]
	if uint(n) >= uint(f.nmod) {
		return ModNone, VNone
	}
	r := modRefs[f.mod+uint32(n)]
	v, ok := items[f.item+uint32(r.item)].value(&i.w)
	if !ok {
		return r.mod, VNone
	}
	return r.mod, v.text
}

// GuardFile returns the file of the guard of i: FileP, or FileUP in the
// uniform datapath.
func (i *Inst) GuardFile() File {
	if forms[i.form].uguard {
		return FileUP
	}
	return FileP
}

// Class returns the latency class of i: the operation's, unless a modifier
// such as the size of a matrix product brings its own.
func (i *Inst) Class() target.Class {
	r := &opRows[forms[i.form].op]
	if r.nrefine == 0 {
		return r.class
	}
	text := i.AppendText(nil, &target.Archs[0], 0) // spaces apart, the same on all
	for _, x := range refines[r.refine : r.refine+r.nrefine] {
		if hasModifier(text, x.mod) {
			return x.class
		}
	}
	return r.class
}

// hasModifier reports whether the mnemonic of an instruction's text has a
// modifier.
func hasModifier(text []byte, mod string) bool {
	if len(text) > 0 && text[0] == '@' {
		_, text, _ = bytes.Cut(text, []byte(" "))
	}
	name, _, _ := bytes.Cut(text, []byte(" "))
	for len(name) > 0 {
		var word []byte
		if word, name, _ = bytes.Cut(name, []byte(".")); string(word) == mod {
			return true
		}
	}
	return false
}
