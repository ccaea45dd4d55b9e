package opgen

import (
	"fmt"
	"strings"
)

// TensorForm is an instruction on tensor memory with what must stand before
// and behind it for its results to count.
type TensorForm struct {
	Text   string
	Before string
	After  string
}

// numbered writes registers in braces, from %r<first> on.
func numbered(first, n int) string {
	var list []string
	for k := range n {
		list = append(list, fmt.Sprintf("%%r%d", first+k))
	}
	return "{" + strings.Join(list, ",") + "}"
}

// TensorForms are the instructions on tensor memory with every shape, count,
// kind, group and collector that the language has. Registers %r1 to %r9,
// %rd1 to %rd4, %p1 and %h1 are free to use.
func TensorForms() (list []TensorForm) {
	list = append(list, tensorMoves()...)
	for _, g := range []string{"cta_group::1", "cta_group::2"} {
		list = append(list, tensorCopyForms(g)...)
		list = append(list, tensorProducts(g)...)
	}
	return append(list, tensorStationary()...)
}

// tensorMoves are the loads and stores of registers.
func tensorMoves() (list []TensorForm) {
	shapes := []struct {
		name     string
		per, max int
	}{{"32x32b", 1, 128}, {"16x64b", 1, 128}, {"16x128b", 2, 64}, {"16x256b", 4, 32}, {"16x32bx2", 1, 128}}
	for _, s := range shapes {
		split := ""
		if s.name == "16x32bx2" {
			split = ", 16"
		}
		for n := 1; n <= s.max; n *= 2 {
			for _, half := range []bool{false, true} {
				pack, unpack := "", ""
				if half {
					pack, unpack = ".pack::16b", ".unpack::16b"
				}
				regs := numbered(10, n*s.per)
				list = append(list,
					TensorForm{
						Text:  fmt.Sprintf("tcgen05.ld.sync.aligned.%s.x%d%s.b32 %s, [%%r1]%s;", s.name, n, pack, regs, split),
						After: "tcgen05.wait::ld.sync.aligned; st.global.b32 [%rd4], %r10;",
					},
					TensorForm{
						Text:  fmt.Sprintf("tcgen05.st.sync.aligned.%s.x%d%s.b32 [%%r1]%s, %s;", s.name, n, unpack, split, regs),
						After: "tcgen05.wait::st.sync.aligned;",
					})
			}
		}
	}
	return list
}

// tensorCopyForms are what is neither a move nor a product.
func tensorCopyForms(g string) (list []TensorForm) {
	for _, s := range []string{"128x256b", "4x256b", "128x128b", "64x128b.warpx2::02_13", "64x128b.warpx2::01_23", "32x128b.warpx4"} {
		for _, f := range []string{"", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64"} {
			list = append(list, TensorForm{Text: fmt.Sprintf("tcgen05.cp.%s.%s%s [%%r1], %%rd1;", g, s, f)})
		}
	}
	for _, s := range []string{
		"tcgen05.alloc.%s.sync.aligned.shared::cta.b32 [%%r3], 64;",
		"tcgen05.alloc.%s.sync.aligned.shared::cta.b32 [%%r3], %%r2;",
		"tcgen05.dealloc.%s.sync.aligned.b32 %%r1, 32;",
		"tcgen05.dealloc.%s.sync.aligned.b32 %%r1, %%r2;",
		"tcgen05.relinquish_alloc_permit.%s.sync.aligned;",
		"tcgen05.commit.%s.mbarrier::arrive::one.b64 [%%rd1];",
		"tcgen05.commit.%s.mbarrier::arrive::one.shared::cluster.b64 [%%r3];",
		"tcgen05.commit.%s.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%%r3], %%h1;",
		"tcgen05.shift.%s.down [%%r1];",
	} {
		list = append(list, TensorForm{Text: fmt.Sprintf(s, g)})
	}
	return list
}

// tensorProducts are the matrix products of a group.
func tensorProducts(g string) (list []TensorForm) {
	lanes := numbered(1, 4)
	if g == "cta_group::2" {
		lanes = numbered(1, 8)
	}
	put := func(sp, kind, mods, tail string) {
		meta := ""
		if sp != "" {
			meta = " [%r5],"
		}
		for _, a := range []string{"%rd1", "[%r2]"} {
			list = append(list, TensorForm{Text: fmt.Sprintf("tcgen05.mma%s.%s.kind::%s%s [%%r1], %s, %%rd2,%s %%r3%s;", sp, g, kind, mods, a, meta, tail)})
		}
	}
	for _, sp := range []string{"", ".sp"} {
		for _, kind := range []string{"f16", "tf32", "f8f6f4", "i8"} {
			for _, c := range []string{"", ".collector::a::fill", ".collector::a::use", ".collector::a::lastuse", ".collector::a::discard"} {
				put(sp, kind, c, ", %p1")
			}
			put(sp, kind, "", ", "+lanes+", %p1")
			put(sp, kind, "", ", 0")
			put(sp, kind, "", ", 1")
			if kind == "f16" || kind == "tf32" {
				put(sp, kind, "", ", %p1, 7")
				put(sp, kind, "", ", "+lanes+", %p1, 15")
			}
		}
		for _, kind := range []string{
			"mxf8f6f4.block_scale", "mxf8f6f4.block_scale.scale_vec::1X", "mxf8f6f4.block_scale.block32",
			"mxf4.block_scale", "mxf4.block_scale.scale_vec::2X", "mxf4.block_scale.block32",
			"mxf4nvf4.block_scale.scale_vec::2X", "mxf4nvf4.block_scale.scale_vec::4X",
			"mxf4nvf4.block_scale.block16", "mxf4nvf4.block_scale.block32",
		} {
			for _, c := range []string{"", ".collector::a::fill", ".collector::a::use", ".collector::a::lastuse"} {
				put(sp, kind, c, ", [%r6], [%r7], %p1")
			}
		}
	}
	list = append(list, TensorForm{Text: fmt.Sprintf("tcgen05.mma.%s.kind::f16.ashift [%%r1], [%%r2], %%rd2, %%r3, %%p1;", g)})
	return list
}

// tensorStationary are the products whose second matrix stays.
func tensorStationary() (list []TensorForm) {
	for _, sp := range []string{"", ".sp"} {
		meta := ""
		if sp != "" {
			meta = " [%r5],"
		}
		for _, kind := range []string{"f16", "tf32", "f8f6f4", "i8"} {
			collectors := []string{""}
			for b := range 4 {
				for _, u := range []string{"fill", "use", "lastuse", "discard"} {
					collectors = append(collectors, fmt.Sprintf(".collector::b%d::%s", b, u))
				}
			}
			for _, c := range collectors {
				for _, a := range []string{"%rd1", "[%r2]"} {
					for _, zero := range []string{"", ", %rd3"} {
						list = append(list, TensorForm{Text: fmt.Sprintf("tcgen05.mma.ws%s.cta_group::1.kind::%s%s [%%r1], %s, %%rd2,%s %%r3, %%p1%s;", sp, kind, c, a, meta, zero)})
					}
				}
			}
		}
	}
	return list
}
