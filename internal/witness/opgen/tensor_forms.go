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

// copyForms are the other instructions that sm_100 brought to the engines
// that copy and to matrices of narrow elements.
func copyForms() (list []TensorForm) {
	const elect, guard = "elect.sync _|%p1, 0xffffffff;", "@%p1 "
	for _, s := range []string{
		"cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [%rd4], [%r3], %r1, %rd1, %h1;",
		"cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd4], [%r3], %r1, %h1;",
		"cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 [%rd4, {%r1,%r2,%r5,%r6,%r7}];",
		"cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd4, {%r1,%r2,%r5,%r6,%r7}], [%r3];",
		"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [%r3], [%rd4, {%r1,%r2,%r5,%r6,%r7}], [%r3];",
		"cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%r3], [%rd4, {%r1,%r2,%r5,%r6,%r7}], [%r3];",
		"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::1 [%r3], [%rd4, {%r1,%r2}], [%r3];",
		"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%r3], [%rd4, {%r1,%r2}], [%r3];",
		"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.cta_group::2 [%r3], [%rd4, {%r1,%r2}], [%r3], %h1;",
		"st.bulk.weak.shared::cta [%r3], %rd1, 0;",
		"st.bulk.weak.shared::cta [%r3], 512, 0;",
		"clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r3], [%r3];",
		"clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%r3], [%r3];",
	} {
		list = append(list, TensorForm{Text: guard + s, Before: elect})
	}
	coords := map[int]string{3: "%r1,%r2,%r5", 4: "%r1,%r2,%r5,%r6", 5: "%r1,%r2,%r5,%r6,%r7"}
	for d := 3; d <= 5; d++ {
		for _, space := range []string{"cluster", "cta"} {
			for _, mode := range []string{"im2col::w", "im2col::w::128"} {
				list = append(list, TensorForm{
					Before: elect,
					Text:   fmt.Sprintf("%scp.async.bulk.tensor.%dd.shared::%s.global.%s.mbarrier::complete_tx::bytes [%%r3], [%%rd4, {%s}], [%%r3], {%%h1,%%h1};", guard, d, space, mode, coords[d]),
				})
			}
		}
	}
	for _, m := range []struct {
		name string
		n    int
	}{
		{"m16n16.x1.trans.shared.b8", 2},
		{"m16n16.x2.trans.shared.b8", 4},
		{"m16n16.x1.trans.shared.b8x16.b4x16_p64", 2},
		{"m16n16.x2.trans.shared.b8x16.b6x16_p32", 4},
		{"m8n16.x1.shared.b8x16.b6x16_p32", 1},
		{"m8n16.x2.shared.b8x16.b4x16_p64", 2},
		{"m8n16.x4.shared.b8x16.b4x16_p64", 4},
	} {
		list = append(list, TensorForm{Text: fmt.Sprintf("ldmatrix.sync.aligned.%s %s, [%%r3];", m.name, numbered(10, m.n)), After: "st.global.b32 [%rd4], %r10;"})
	}
	for n := 1; n <= 4; n *= 2 {
		list = append(list, TensorForm{Text: fmt.Sprintf("stmatrix.sync.aligned.m16n8.x%d.trans.shared.b8 [%%r3], %s;", n, numbered(4, n))})
	}
	for _, t := range []string{"e4m3x4", "e5m2x4"} {
		for _, fn := range []string{"add", "min", "max", "add.acc::f16"} {
			list = append(list, TensorForm{Text: "multimem.ld_reduce.relaxed.gpu.global." + fn + ".v4." + t + " " + numbered(10, 4) + ", [%rd4];", After: "st.shared.v4.b32 [%r3], " + numbered(10, 4) + ";"})
		}
	}
	for _, s := range []string{"st.async.mmio.release.sys.global.b32 [%rd4], %r1;", "st.async.mmio.release.sys.global.b64 [%rd4], %rd1;", "red.async.mmio.release.sys.global.add.u64 [%rd4], %rd1;"} {
		list = append(list, TensorForm{Text: s})
	}
	return list
}
