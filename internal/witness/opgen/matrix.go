package opgen

import (
	"fmt"
	"strings"
)

// Matrix is one matrix instruction of a warp with the registers it takes:
// mma, or a load, store or product of wmma.
type Matrix struct {
	Text     string // the mnemonic
	Frags    [4]int // registers of D, A, B and C; a load has D, a store C
	Wide     bool   // of 64 bits
	Sparse   bool
	Selector int
	Meta     string // kind of metadata: "pairs", "ones" or "mixed", in any order
	Fills    [3]string
	Memory   string // space of a load or store, "" for generic
	Stride   string // "", "imm" or "reg"
	Narrow   bool   // results of f16, bf16, tf32 or f8 products: last bits are the machine's
}

// fragments returns how many registers a warp's lane holds of elements.
func fragments(elements int, typ string) int {
	switch typ {
	case "f16", "bf16":
		return elements / 64
	case "f32", "s32", "tf32", "f64":
		return elements / 32
	case "s8", "u8", "e4m3", "e5m2":
		return elements / 128
	case "s4", "u4":
		return elements / 256
	}
	return elements / 1024
}

// matrixFill is the contents that exercise a type.
func matrixFill(typ string) string {
	switch typ {
	case "f16", "bf16", "f32", "f64":
		return typ
	case "tf32":
		return "f32"
	case "s32":
		return "edge"
	case "e4m3", "e5m2":
		return "f8"
	}
	return "bits"
}

// mmaShapes are shapes with the multiplicands and accumulators they have;
// how many
// metadata selectors the sparse ones have.
var mmaShapes = [...]struct {
	m, n, k int
	sparse  bool
	types   string // of A and B: all pairs
	sums    string
	selects int
}{
	{16, 8, 8, false, "f16", "f16 f32", 0},
	{16, 8, 8, false, "bf16", "f32", 0},
	{16, 8, 16, false, "f16", "f16 f32", 0},
	{16, 8, 16, false, "bf16", "f32", 0},
	{16, 8, 4, false, "tf32", "f32", 0},
	{16, 8, 8, false, "tf32", "f32", 0},
	{8, 8, 4, false, "f64", "f64", 0},
	{16, 8, 4, false, "f64", "f64", 0},
	{16, 8, 8, false, "f64", "f64", 0},
	{16, 8, 16, false, "f64", "f64", 0},
	{8, 8, 16, false, "s8 u8", "s32", 0},
	{16, 8, 16, false, "s8 u8", "s32", 0},
	{16, 8, 32, false, "s8 u8", "s32", 0},
	{8, 8, 32, false, "s4 u4", "s32", 0},
	{16, 8, 32, false, "s4 u4", "s32", 0},
	{16, 8, 64, false, "s4 u4", "s32", 0},
	{8, 8, 128, false, "b1", "s32", 0},
	{16, 8, 128, false, "b1", "s32", 0},
	{16, 8, 256, false, "b1", "s32", 0},
	{16, 8, 16, false, "e4m3 e5m2", "f16 f32", 0},
	{16, 8, 32, false, "e4m3 e5m2", "f16 f32", 0},

	{16, 8, 16, true, "f16", "f16 f32", 4},
	{16, 8, 16, true, "bf16", "f32", 4},
	{16, 8, 32, true, "f16", "f16 f32", 2},
	{16, 8, 32, true, "bf16", "f32", 2},
	{16, 8, 8, true, "tf32", "f32", 4},
	{16, 8, 16, true, "tf32", "f32", 2},
	{16, 8, 32, true, "s8 u8", "s32", 2},
	{16, 8, 64, true, "s8 u8", "s32", 1},
	{16, 8, 64, true, "s4 u4", "s32", 2},
	{16, 8, 128, true, "s4 u4", "s32", 1},
	{16, 8, 64, true, "e4m3 e5m2", "f16 f32", 1},
}

// MmaForms returns every spelling of mma.
func MmaForms() []Matrix {
	var out []Matrix
	for _, s := range mmaShapes {
		for _, sum := range strings.Fields(s.sums) {
			for _, a := range strings.Fields(s.types) {
				for _, b := range strings.Fields(s.types) {
					out = append(out, mmaForms(s.m, s.n, s.k, s.sparse, sum, a, b, s.selects)...)
				}
			}
		}
	}
	return append(out, quadForms()...)
}

// mmaForms spells one shape of given types.
func mmaForms(m, n, k int, sparse bool, sum, a, b string, selects int) []Matrix {
	var out []Matrix
	depth := k
	kinds, rounds, ops, sats := []string{""}, []string{""}, []string{""}, []string{""}
	if sparse {
		depth, kinds = k/2, []string{".sp", ".sp::ordered_metadata"}
	}
	switch {
	case sum == "f64":
		rounds = []string{"", ".rn", ".rz", ".rm", ".rp"}
	case a == "b1":
		ops = []string{".xor.popc", ".and.popc"}
	case sum == "s32":
		sats = []string{"", ".satfinite"}
	}
	for _, kind := range kinds {
		for _, round := range rounds {
			for _, op := range ops {
				for _, sat := range sats {
					for sel := range max(1, selects) {
						f := Matrix{
							Text:  fmt.Sprintf("mma%s.sync.aligned.m%dn%dk%d.row.col%s%s.%s.%s.%s.%s%s", kind, m, n, k, round, sat, sum, a, b, sum, op),
							Frags: [4]int{fragments(m*n, sum), fragments(m*depth, a), fragments(k*n, b), fragments(m*n, sum)},
							Wide:  sum == "f64", Sparse: sparse, Selector: sel, Meta: "pairs",
							Fills: [3]string{matrixFill(a), matrixFill(b), matrixFill(sum)}, Narrow: sum == "f16" || sum == "f32",
						}
						if a == "tf32" {
							f.Meta = "ones"
						}
						out = append(out, f)
					}
				}
			}
		}
	}
	return out
}

// quadForms spells the oldest shape, which has layouts.
func quadForms() []Matrix {
	var out []Matrix
	for _, layouts := range [...]string{"row.row", "row.col", "col.row", "col.col"} {
		for _, types := range [...]string{"f32 f32", "f16 f16", "f32 f16"} {
			d, c, _ := strings.Cut(types, " ")
			size := func(t string) int {
				if t == "f16" {
					return 4
				}
				return 8
			}
			out = append(out, Matrix{
				Text:  fmt.Sprintf("mma.sync.aligned.m8n8k4.%s.%s.f16.f16.%s", layouts, d, c),
				Frags: [4]int{size(d), 2, 2, size(c)}, Fills: [3]string{"f16", "f16", matrixFill(c)},
			})
		}
	}
	return out
}

// Kernel writes the kernel of a form: every lane reads its registers from
// 256 bytes of the first buffer, A and B and C at 64 bytes each, and leaves
// 64 bytes in the second.
func (f *Matrix) Kernel(name string) string {
	if f.Memory != "none" && strings.HasPrefix(f.Text, "wmma.") && !strings.HasPrefix(f.Text, "wmma.mma") {
		return f.memoryKernel(name)
	}
	var b strings.Builder
	reg, typ, size := f.registers()
	fmt.Fprintf(&b, ".visible .entry %s(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 out)\n{\n", name)
	fmt.Fprintf(&b, "\t.reg .b32 %%r<64>, %%t<4>;\n\t.reg .b64 %%rd<64>, %%p<8>;\n")
	b.WriteString("\tmov.u32 %t1, %tid.x;\n")
	at := 0
	list := [4]string{}
	for k := range 4 {
		var names []string
		for n := range f.Frags[k] {
			names = append(names, fmt.Sprintf("%s%d", reg, at+n))
		}
		at += f.Frags[k]
		list[k] = "{" + strings.Join(names, ", ") + "}"
		param := [...]string{"out", "pa", "pb", "pc"}[k]
		fmt.Fprintf(&b, "\tld.param.u64 %%p%d, [%s];\n\tmad.wide.u32 %%p%d, %%t1, 64, %%p%d;\n", k, param, k, k)
		if k == 0 {
			continue
		}
		for n, r := range names {
			fmt.Fprintf(&b, "\tld.global.%s %s, [%%p%d+%d];\n", typ, r, k, n*size)
		}
	}
	tail := ""
	if f.Sparse {
		b.WriteString("\tmov.u64 %p4, metadata_" + f.Meta + ";\n\tmad.wide.u32 %p4, %t1, 4, %p4;\n\tld.global.b32 %t2, [%p4];\n")
		tail = fmt.Sprintf(", %%t2, %d", f.Selector)
	}
	fmt.Fprintf(&b, "\t%s %s, %s, %s, %s%s;\n", f.Text, list[0], list[1], list[2], list[3], tail)
	for n := range f.Frags[0] {
		fmt.Fprintf(&b, "\tst.global.%s [%%p0+%d], %s%d;\n", typ, n*size, reg, n)
	}
	b.WriteString("\tret;\n}\n")
	return b.String()
}

func (f *Matrix) registers() (reg, typ string, size int) {
	if f.Wide {
		return "%rd", "b64", 8
	}
	return "%r", "b32", 4
}

// Launch writes the launch of a form's kernel.
func (f *Matrix) Launch(name string, seed int) string {
	if f.Memory != "" {
		return fmt.Sprintf("//: run %s grid=1 block=32\n//: buf 8192 %s %d\n//: buf 8192 zero\n//: u32 %d\n", name, f.Fills[0], seed, f.wmmaStride())
	}
	s := fmt.Sprintf("//: run %s grid=1 block=32\n", name)
	for k, fill := range f.Fills {
		s += fmt.Sprintf("//: buf 2048 %s %d\n", fill, seed+k)
	}
	return s + "//: buf 2048 zero\n"
}

// MatrixFile writes a file of kernels, k0 and up, with their launches.
func MatrixFile(forms []Matrix, arch string, seed int) string {
	var b, body strings.Builder
	for n := range forms {
		name := fmt.Sprintf("k%d", n)
		fmt.Fprintf(&b, "// %s: %s %d\n", name, forms[n].Text, forms[n].Selector)
		b.WriteString(forms[n].Launch(name, seed+10*n))
		body.WriteString(forms[n].Kernel(name))
	}
	fmt.Fprintf(&b, ".version 9.0\n.target %s\n.address_size 64\n", arch)
	b.WriteString(metadata("pairs", []uint32{4, 8, 12, 9, 13, 14}) + metadata("ones", []uint32{4, 14}))
	b.WriteString(metadata("mixed", []uint32{4, 8, 12, 9, 13, 14, 1, 2, 3, 6, 7, 11}))
	return b.String() + body.String()
}

// metadata writes a table of metadata for the 32 lanes.
func metadata(name string, nibbles []uint32) string {
	var words []string
	x := uint32(12345)
	for range 32 {
		w := uint32(0)
		for k := range 8 {
			x = x*1664525 + 1013904223
			w |= nibbles[x>>16%uint32(len(nibbles))] << (4 * k)
		}
		words = append(words, fmt.Sprintf("0x%x", w))
	}
	return fmt.Sprintf(".global .align 4 .b32 metadata_%s[32] = {%s};\n", name, strings.Join(words, ", "))
}
