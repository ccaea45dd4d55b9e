package opgen

import (
	"fmt"
	"strings"
)

// wmmaStride is the stride that launches pass: more than any line has, and
// a multiple of 16 bytes.
func (f *Matrix) wmmaStride() int {
	for _, t := range [...]string{"k128", "m8n8k32"} { // bits and nibbles
		if strings.Contains(f.Text, t) && !strings.HasSuffix(f.Text, "s32") {
			return 256
		}
	}
	return 48
}

// wmmaShapes are the shapes of wmma with the types they have.
var wmmaShapes = [...]struct {
	m, n, k int
	types   string // of A and B
	sums    string
}{
	{16, 16, 16, "f16", "f16 f32"},
	{8, 32, 16, "f16", "f16 f32"},
	{32, 8, 16, "f16", "f16 f32"},
	{16, 16, 16, "bf16", "f32"},
	{8, 32, 16, "bf16", "f32"},
	{32, 8, 16, "bf16", "f32"},
	{16, 16, 8, "tf32", "f32"},
	{8, 8, 4, "f64", "f64"},
	{16, 16, 16, "s8 u8", "s32"},
	{8, 32, 16, "s8 u8", "s32"},
	{32, 8, 16, "s8 u8", "s32"},
	{8, 8, 32, "s4 u4", "s32"},
	{8, 8, 128, "b1", "s32"},
}

// WmmaForms returns every spelling of wmma.
func WmmaForms() []Matrix {
	var out []Matrix
	for _, s := range wmmaShapes {
		shape := fmt.Sprintf("m%dn%dk%d", s.m, s.n, s.k)
		sums := strings.Fields(s.sums)
		for _, t := range strings.Fields(s.types) {
			a, b := fragments(s.m*s.k, t), fragments(s.k*s.n, t)
			if t == "f16" {
				a, b = 8, 8
			}
			out = append(out, wmmaAccess("load.a", shape, t, a)...)
			out = append(out, wmmaAccess("load.b", shape, t, b)...)
			out = append(out, wmmaProducts(shape, t, sums, a, b, s.m*s.n)...)
		}
		for _, t := range sums {
			out = append(out, wmmaAccess("load.c", shape, t, fragments(s.m*s.n, t))...)
			out = append(out, wmmaAccess("store.d", shape, t, fragments(s.m*s.n, t))...)
		}
	}
	return out
}

// wmmaAccess spells the loads or stores of a fragment.
func wmmaAccess(op, shape, t string, n int) []Matrix {
	var out []Matrix
	for _, layout := range [...]string{"row", "col"} {
		small := t == "s4" || t == "u4" || t == "b1"
		if small && (layout == "row") != (op == "load.a") {
			continue
		}
		for _, space := range [...]string{".global", ".shared", ".shared::cta", "generic"} {
			for _, stride := range [...]string{"", "imm", "reg"} {
				f := Matrix{
					Text: fmt.Sprintf("wmma.%s.sync.aligned.%s.%s%s.%s", op, layout, shape, strings.TrimSuffix(space, "generic"), t),
					Wide: t == "f64", Memory: space, Stride: stride, Fills: [3]string{"bits"},
				}
				f.Frags[0] = n
				out = append(out, f)
			}
		}
	}
	return out
}

// wmmaProducts spells the products of one shape and type.
func wmmaProducts(shape, t string, sums []string, a, b, elements int) []Matrix {
	var out []Matrix
	add := func(text, d, c string) {
		out = append(out, Matrix{
			Text: text, Frags: [4]int{fragments(elements, d), a, b, fragments(elements, c)}, Wide: t == "f64",
			Fills: [3]string{matrixFill(t), matrixFill(t), matrixFill(c)}, Narrow: d == "f16" || d == "f32",
		})
	}
	for _, layouts := range [...]string{"row.col", "row.row", "col.row", "col.col"} {
		if (t == "s4" || t == "u4" || t == "b1") && layouts != "row.col" {
			continue
		}
		head := "wmma.mma.sync.aligned." + layouts + "." + shape
		switch {
		case t == "f16":
			for _, d := range sums {
				for _, c := range sums {
					add(head+"."+d+"."+c, d, c)
				}
			}
		case t == "f64":
			for _, r := range [...]string{"", ".rn", ".rz", ".rm", ".rp"} {
				add(head+r+".f64.f64.f64.f64", "f64", "f64")
			}
		case t == "b1":
			for _, op := range [...]string{"xor", "and"} {
				add("wmma.mma."+op+".popc.sync.aligned."+layouts+"."+shape+".s32.b1.b1.s32", "s32", "s32")
			}
		default:
			text := head + "." + sums[0] + "." + t + "." + t + "." + sums[0]
			add(text, sums[0], sums[0])
			if sums[0] == "s32" {
				add(text+".satfinite", "s32", "s32")
			}
		}
	}
	return out
}

// memoryKernel writes a load, whose registers are stored lane by lane, or a
// store, which scatters them.
func (f *Matrix) memoryKernel(name string) string {
	var b strings.Builder
	reg, typ, size := f.registers()
	fmt.Fprintf(&b, ".visible .entry %s(.param .u64 in, .param .u64 out, .param .u32 stride)\n{\n", name)
	b.WriteString("\t.reg .b32 %r<64>, %t<8>;\n\t.reg .b64 %rd<64>, %p<8>;\n\t.reg .pred %q;\n")
	b.WriteString("\tld.param.u64 %p0, [in];\n\tld.param.u64 %p1, [out];\n\tld.param.u32 %t0, [stride];\n\tmov.u32 %t1, %tid.x;\n")
	store := strings.Contains(f.Text, "store")
	shared := strings.HasPrefix(f.Memory, ".shared")
	if shared {
		fmt.Fprintf(&b, "\t.shared .align 32 .b8 mem_%s[8192];\n\tmov.u32 %%t5, mem_%s;\n", name, name)
		b.WriteString(copyLoop("in", name, true))
	}
	var names []string
	for n := range f.Frags[0] {
		names = append(names, fmt.Sprintf("%s%d", reg, n))
	}
	list := "{" + strings.Join(names, ", ") + "}"
	tail := map[string]string{"": "", "imm": fmt.Sprint(", ", f.wmmaStride()), "reg": ", %t0"}[f.Stride]
	own := "%p1"
	if store {
		own = "%p0"
	}
	fmt.Fprintf(&b, "\tmad.wide.u32 %%p3, %%t1, 64, %s;\n", own)
	if store {
		for n, r := range names {
			fmt.Fprintf(&b, "\tld.global.%s %s, [%%p3+%d];\n", typ, r, n*size)
		}
		to := "%p1"
		if shared {
			to = "%t5"
		}
		fmt.Fprintf(&b, "\t%s [%s], %s%s;\n", f.Text, to, list, tail)
		if shared {
			b.WriteString(copyLoop("out", name, false))
		}
	} else {
		from := "%p0"
		if shared {
			from = "%t5"
		}
		fmt.Fprintf(&b, "\t%s %s, [%s]%s;\n", f.Text, list, from, tail)
		for n, r := range names {
			fmt.Fprintf(&b, "\tst.global.%s [%%p3+%d], %s;\n", typ, n*size, r)
		}
	}
	b.WriteString("\tret;\n}\n")
	return b.String()
}

// copyLoop copies the buffer in to shared memory, or that to the buffer out.
func copyLoop(label, name string, in bool) string {
	s := "\tbar.sync 0;\n\tmov.u32 %t2, 0;\n"
	s += fmt.Sprintf("L_%s_%s:\n\tmad.lo.u32 %%t3, %%t2, 128, 0;\n\tshl.b32 %%t4, %%t1, 2;\n\tadd.u32 %%t3, %%t3, %%t4;\n", label, name)
	s += "\tadd.u32 %t6, %t5, %t3;\n\tcvt.u64.u32 %p4, %t3;\n"
	if in {
		s += "\tadd.u64 %p5, %p0, %p4;\n\tld.global.b32 %t7, [%p5];\n\tst.shared.b32 [%t6], %t7;\n"
	} else {
		s += "\tadd.u64 %p5, %p1, %p4;\n\tld.shared.b32 %t7, [%t6];\n\tst.global.b32 [%p5], %t7;\n"
	}
	return s + fmt.Sprintf("\tadd.u32 %%t2, %%t2, 1;\n\tsetp.lt.u32 %%q, %%t2, 64;\n\t@%%q bra L_%s_%s;\n\tbar.sync 0;\n", label, name)
}
