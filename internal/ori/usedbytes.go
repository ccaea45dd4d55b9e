package ori

// UsedBytes says which bytes of a load anybody looks at: bit n is byte n of
// Size.
type UsedBytes struct {
	Size uint8
	Mask uint32
}

// UseBytes notes that the load at a place of the text needs only some of its
// bytes.
func (f *Func) UseBytes(line int32, u UsedBytes) {
	if f.Used == nil {
		f.Used = map[int32]UsedBytes{}
	}
	f.Used[line] = u
}
