package cubin

import "strings"

// Function is a kernel or device function as the file describes it.
type Function struct {
	Name     string
	Entry    bool
	Symbol   *Symbol
	Text     *Section
	Code     []byte
	Regs     int
	Frame    uint32
	MinStack uint32
	Barriers int
	Shared   uint64
	Banks    [8]uint64 // sizes of its constant banks
	Params   []Param
	Attrs    []Attr // the records of .nv.info.K that the fields above do not hold
}

// Functions lists the code sections of a file in file order.
func (f *File) Functions() []Function {
	var list []Function
	at := map[*Section]int{}
	for _, s := range f.Sections {
		if name, ok := strings.CutPrefix(s.Name, ".text."); ok && s.Data() != nil {
			at[s] = len(list)
			list = append(list, Function{Name: name, Text: s, Code: s.Data()})
		}
	}
	bySym := map[*Symbol]*Function{}
	for _, s := range f.Symtab() {
		if n, ok := at[s.Section]; ok && s.Type == SymFunc && s.Name == list[n].Name {
			list[n].Symbol, list[n].Entry = s, s.Other&OtherEntry != 0
			bySym[s] = &list[n]
		}
	}
	for _, s := range f.Sections {
		if n, ok := at[s.Info.Section]; ok {
			list[n].belongs(s)
		}
	}
	if s := f.Find(".nv.info"); s != nil {
		if in, ok := s.Content.(*Info); ok {
			in.resources(bySym)
		}
	}
	return list
}

// belongs takes the facts of a section that belongs to the function.
func (k *Function) belongs(s *Section) {
	switch rest, isBank := strings.CutPrefix(s.Name, ".nv.constant"); {
	case isBank && rest != "" && rest[0] >= '0' && rest[0] <= '7':
		k.Banks[rest[0]-'0'] = s.Size()
	case strings.HasPrefix(s.Name, ".nv.shared."):
		k.Shared = s.Size()
	case s.Type == TypeInfo:
		k.attributes(s)
	}
}

// attributes reads the kernel's own records.
func (k *Function) attributes(s *Section) {
	in, ok := s.Content.(*Info)
	if !ok {
		return
	}
	for _, a := range in.Attrs {
		switch {
		case a.ID == AttrNumBarriers:
			k.Barriers = int(a.Value)
		case a.ID == AttrKParamInfo && len(a.Words) == 2:
			w := a.Words[1]
			p := Param{Offset: uint16(a.Words[0] >> 16), Size: w >> 18, Space: uint8(w >> 8 & 15), LogAlign: uint8(w)}
			k.Params = withParam(k.Params, a.Words[0], p)
		case a.ID == AttrKParamInfoV2 && len(a.Words) == 2:
			k.Params = withParam(k.Params, a.Words[0], Param{Offset: uint16(a.Words[0] >> 16), Size: a.Words[1]})
		default:
			k.Attrs = append(k.Attrs, a)
		}
	}
}

// resources reads the records that .nv.info keeps about functions.
func (in *Info) resources(funcs map[*Symbol]*Function) {
	for _, a := range in.Attrs {
		if len(a.Syms) != 1 || len(a.Words) != 1 || funcs[a.Syms[0]] == nil {
			continue
		}
		k := funcs[a.Syms[0]]
		switch a.ID {
		case AttrRegCount:
			k.Regs = int(a.Words[0])
		case AttrFrameSize:
			k.Frame = a.Words[0]
		case AttrMinStackSize, AttrMaxStackSize:
			k.MinStack = a.Words[0]
		}
	}
}

// Variable is a variable with the section that holds it.
type Variable struct {
	Symbol *Symbol
	Where  string
}

// Variables lists the variables that a file defines.
func (f *File) Variables() []Variable {
	var list []Variable
	for _, s := range f.Symtab() {
		if s.Section != nil && (s.Type == SymObject || s.Type == SymCudaObject) {
			list = append(list, Variable{s, s.Section.Name})
		}
	}
	return list
}

// withParam puts a parameter at its number, the low half of the record's
// first word: the compiler writes the last first, the linker the first.
func withParam(list []Param, place uint32, p Param) []Param {
	n := int(place & 0xffff)
	for len(list) <= n {
		list = append(list, Param{})
	}
	list[n] = p
	return list
}
