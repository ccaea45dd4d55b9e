package code

import (
	"slices"

	"github.com/goptxas/goptxas/internal/engine/fp"
)

// Pick returns the position in names of the first part that stands there,
// or none.
func Pick(parts []string, none int, names ...string) int {
	for _, p := range parts {
		if n := slices.Index(names, p); n >= 0 {
			return n
		}
	}
	return none
}

// IntType reads U8 to S64.
func IntType(name string) (fp.Int, bool) {
	switch name {
	case "U2", "S2":
		return fp.Int{Bits: 2, Signed: name[0] == 'S'}, true
	case "U4", "S4":
		return fp.Int{Bits: 4, Signed: name[0] == 'S'}, true
	case "U8", "S8":
		return fp.Int{Bits: 8, Signed: name[0] == 'S'}, true
	case "U16", "S16":
		return fp.Int{Bits: 16, Signed: name[0] == 'S'}, true
	case "U32", "S32":
		return fp.Int{Bits: 32, Signed: name[0] == 'S'}, true
	case "U64", "S64":
		return fp.Int{Bits: 64, Signed: name[0] == 'S'}, true
	}
	return fp.Int{Bits: 32, Signed: true}, false
}

// FirstInt reads the first integer type of a mnemonic.
func FirstInt(parts []string) fp.Int {
	for _, p := range parts {
		if t, ok := IntType(p); ok {
			return t
		}
	}
	return fp.Int{Bits: 32, Signed: true}
}

// Formats reads the float formats of a mnemonic in order.
func Formats(parts []string) []fp.Format {
	var list []fp.Format
	for _, p := range parts {
		for f, name := range formatNames {
			if name != "" && name == p {
				list = append(list, fp.Format(f))
			}
		}
	}
	return list
}

var formatNames = [...]string{
	fp.F16: "F16", fp.BF16: "BF16", fp.TF32: "TF32", fp.E4M3: "E4M3", fp.E5M2: "E5M2", fp.E2M3: "E2M3", fp.E3M2: "E3M2",
	fp.E2M1: "E2M1", fp.UE8M0: "E8", fp.F32: "F32", fp.F64: "F64",
}

// FirstFormat reads the first float format of a mnemonic; f32 has no name.
func FirstFormat(parts []string) fp.Format {
	if f := Formats(parts); len(f) > 0 {
		return f[0]
	}
	return fp.F32
}

// AccessSize reads the width of a memory access.
func AccessSize(i *Inst, parts []string) error {
	i.Size = 4
	switch Pick(parts, 4, "U8", "S8", "U16", "S16", "32", "64", "128", "256") {
	case 0:
		i.Size = 1
	case 1:
		i.Size, i.Sext = 1, true
	case 2:
		i.Size = 2
	case 3:
		i.Size, i.Sext = 2, true
	case 5:
		i.Size = 8
	case 6:
		i.Size = 16
	case 7:
		i.Size = 32
	}
	return nil
}
