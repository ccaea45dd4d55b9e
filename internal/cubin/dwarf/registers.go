package dwarf

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Register says that a word of a PTX register lies in a machine register
// while the program is between two places of a function.
type Register struct {
	Name       string // of the PTX register
	Word       uint32
	Type       uint8  // see TypeOf
	Machine    uint32 // RegisterR or RegisterP and a number
	Start, End uint32
}

// The numbers of machine registers.
const (
	RegisterP uint32 = 0x02000000
	RegisterR uint32 = 0x05000000
)

// RegisterTypes are the types of PTX registers in the order of their numbers
// in .nv_debug_info_reg_type.
var RegisterTypes = [...]string{"b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f16x2", "f32", "f64", "pred", "b128"}

// TypeOf returns the number of a type, that of 32 bits for one that has none.
func TypeOf(name string) uint8 {
	if n := slices.Index(RegisterTypes[:], name); n >= 0 {
		return uint8(n)
	}
	return 2
}

// AppendRegisters writes the registers of a function to the contents of
// .nv_debug_info_reg_sass and .nv_debug_info_reg_type: by machine register,
// then by place.
func AppendRegisters(sass, types []byte, fn string, list []Register) (a, b []byte) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y Register) int {
		return cmp.Or(cmp.Compare(x.Machine, y.Machine), cmp.Compare(x.Start, y.Start))
	})
	head := binary.LittleEndian.AppendUint32(append([]byte(fn), 0), uint32(len(list)))
	sass, types = append(sass, head...), append(types, head...)
	for _, r := range list {
		sass = binary.LittleEndian.AppendUint32(sass, r.Word)
		sass = append(append(sass, r.Name...), 0)
		for _, v := range [...]uint32{r.Machine, r.Start, r.End} {
			sass = binary.LittleEndian.AppendUint32(sass, v)
		}
		types = append(types, r.Type)
	}
	return sass, types
}
