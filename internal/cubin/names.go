package cubin

// Names tells which names of a file are unique: only those can stand for
// what they name.
type Names struct {
	sections map[*Section]int
	symbols  map[*Symbol]int
	secCount map[string]int
	symCount map[*SymTab]map[string]int
	table    map[*Symbol]*SymTab
}

// Names numbers sections and symbols, from 1, and counts names.
func (f *File) Names() *Names {
	n := &Names{
		sections: map[*Section]int{}, symbols: map[*Symbol]int{}, secCount: map[string]int{},
		symCount: map[*SymTab]map[string]int{}, table: map[*Symbol]*SymTab{},
	}
	for i, s := range f.Sections {
		n.sections[s] = i + 1
		n.secCount[s.Name]++
		t, ok := s.Content.(*SymTab)
		if !ok {
			continue
		}
		count := map[string]int{}
		n.symCount[t] = count
		for j, x := range t.Symbols {
			n.symbols[x] = j + 1
			n.table[x] = t
			count[x.Name]++
		}
	}
	return n
}

// Section returns the number of a section and whether its name is unique.
func (n *Names) Section(s *Section) (int, bool) {
	return n.sections[s], s.Name != "" && n.secCount[s.Name] == 1
}

// Symbol returns the number of a symbol and whether its name is unique in
// its table.
func (n *Names) Symbol(s *Symbol) (int, bool) {
	return n.symbols[s], s.Name != "" && n.symCount[n.table[s]][s.Name] == 1
}
