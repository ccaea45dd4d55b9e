package sass

import (
	"bytes"
	"fmt"

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

// Sig packs the kinds of up to 16 operands, as Lookup wants them.
type Sig uint64

// Shape is the kind and register file of one operand in a Sig.
type Shape uint8

// Operand shapes.
const (
	ShapeR Shape = iota + 1
	ShapeU
	ShapeP
	ShapeUP
	ShapeB
	ShapeSB
	ShapeImm
	ShapeFloat
	ShapeConst
	ShapeLabel
)

// SigOf packs the shapes of operands.
func SigOf(shapes ...Shape) Sig {
	var s Sig
	for n, x := range shapes {
		s |= Sig(x) << (4 * n)
	}
	return s
}

func (f *form) sig() Sig {
	var s Sig
	for n, a := range args[f.arg : f.arg+uint32(f.narg)] {
		s |= Sig(shapeOf(&a, items[f.item+uint32(a.item)].kind)) << (4 * n)
	}
	return s
}

func shapeOf(a *argInfo, k kind) Shape {
	if a.file != FileNone {
		return Shape(a.file)
	}
	switch k {
	case kUImm, kSImm:
		return ShapeImm
	case kConst:
		return ShapeConst
	case kRel:
		return ShapeLabel
	}
	return ShapeFloat
}

// Sig returns the shapes of the operands of form f.
func (f FormID) Sig() Sig { return forms[f].sig() }

// Op returns the operation of form f.
func (f FormID) Op() Op { return forms[f].op }

// NArg returns the number of operands of form f.
func (f FormID) NArg() int { return int(forms[f].narg) }

// On reports whether architecture a has form f.
func (f FormID) On(a *target.Arch) bool { return f != 0 && int(f) < len(forms) && forms[f].on(a) }

// Lookup returns the first form of op on a whose operands have shapes sig
// and which has every modifier of mods, or zero. Optional operands count.
func Lookup(a *target.Arch, op Op, sig Sig, mods ...Mod) FormID {
	for id := opForms[op]; id < opForms[op+1]; id++ {
		f := &forms[id]
		if f.on(a) && f.sig() == sig && f.hasMods(mods) {
			return FormID(id)
		}
	}
	return 0
}

// Forms calls yield for every form of op on architecture a.
func Forms(a *target.Arch, op Op, yield func(FormID) bool) {
	for id := opForms[op]; id < opForms[op+1]; id++ {
		if forms[id].on(a) && !yield(FormID(id)) {
			return
		}
	}
}

func (f *form) hasMods(mods []Mod) bool {
	for _, m := range mods {
		if f.modItem(m) == nil {
			return false
		}
	}
	return true
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

// SetMod sets modifier m of i to v.
func (i *Inst) SetMod(m Mod, v Value) error {
	it := forms[i.form].modItem(m)
	if it == nil {
		return fmt.Errorf("%s has no modifier %s", i.Op(), m)
	}
	e := &enums[it.aux]
	for n, x := range values[e.start : e.start+e.n] {
		if x.text == v {
			i.w = it.set(i.w, uint64(n))
			return nil
		}
	}
	return fmt.Errorf("%s: modifier %s has no value %q", i.Op(), m, texts[v])
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
