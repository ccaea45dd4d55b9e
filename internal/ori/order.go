package ori

// Order lists the instructions of every block.
func (f *Func) Order() [][]*Instr {
	list := make([][]*Instr, len(f.Blocks))
	for n, b := range f.Blocks {
		for i := range b.Instrs {
			list[n] = append(list[n], i)
		}
	}
	return list
}

// Reorder puts the instructions of every block in an order they had.
func (f *Func) Reorder(order [][]*Instr) {
	for n, b := range f.Blocks {
		for _, i := range order[n] {
			i.Remove()
		}
		for _, i := range order[n] {
			b.Append(i)
		}
	}
	f.Touch()
}

// Size counts the instructions of f.
func (f *Func) Size() (n int) {
	for _, b := range f.Blocks {
		n += b.Len()
	}
	return n
}
