package gen

import (
	"fmt"
	"strings"

	"github.com/goptxas/goptxas/internal/witness/gen/table"
)

// products are the matrix products of warps: the instruction, and how many
// registers result, factors and sum have. Sums of bytes and bits are exact;
// those of halves follow the machine.
var products = [...]struct {
	op         string
	d, a, b, c int
	kind       byte // of the registers of result and sum
}{
	{"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4, 4, 2, 4, 'r'},
	{"mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32", 4, 4, 2, 4, 'r'},
	{"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", 4, 4, 2, 4, 'r'},
	{"mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32", 4, 2, 1, 4, 'r'},
	{"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 2, 1, 1, 2, 'r'},
	{"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 2, 4, 2, 2, 'r'},
	{"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 2, 2, 1, 2, 'r'},
	{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 4, 2, 4, 'f'},
	{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 4, 2, 1, 4, 'f'},
	{"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 4, 2, 4, 'f'},
	{"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 4, 2, 4, 'f'},
}

// beside makes a matrix product, or a copy that goes on beside the program.
func (m *maker) beside(w where) Stmt {
	switch k := m.r.IntN(10); {
	case k < 4:
		return m.multiply()
	case k < 5:
		return &Seq{m.matrixLoad()}
	case k < 8 || !w.block:
		return m.copies()
	}
	return m.bulkCopy()
}

// multiply makes a product; a few read matrices from shared memory first.
func (m *maker) multiply() Stmt {
	p := products[m.r.IntN(len(products))]
	var taken []string
	list := func(n int, kind byte, result bool) string {
		var regs []string
		for range n {
			r := m.reg(kind)
			for result && strings.Contains(strings.Join(taken, ",")+",", r+",") {
				r = m.reg(kind)
			}
			if result {
				taken = append(taken, r)
			}
			regs = append(regs, r)
		}
		return "{" + strings.Join(regs, ", ") + "}"
	}
	d := list(p.d, p.kind, true)
	c := list(p.c, p.kind, false)
	if m.chance(50) {
		c = d
	}
	var lines []string
	if m.chance(20) {
		lines = m.matrixLoad()
	}
	return &Seq{append(lines, fmt.Sprintf("%s %s, %s, %s, %s;", p.op, d, list(p.a, 'r', false), list(p.b, 'r', false), c))}
}

// matrixLoad reads or writes the matrices that the sixteen bytes of all
// threads of the warp are.
func (m *maker) matrixLoad() []string {
	a, b := m.two('r')
	trans := m.pick("", ".trans")
	move := fmt.Sprintf("ldmatrix.sync.aligned.m8n8.x2%s.shared.b16 {%s, %s}, [%%sp];", trans, a, b)
	switch m.r.IntN(4) {
	case 0:
		move = fmt.Sprintf("ldmatrix.sync.aligned.m8n8.x1%s.shared.b16 {%s}, [%%sp];", trans, a)
	case 1:
		c := other(m, 'r', a, b)
		d := m.reg('x')
		move = fmt.Sprintf("ldmatrix.sync.aligned.m8n8.x4%s.shared.b16 {%s, %s, %s, %s}, [%%sp];", trans, a, b, c, d)
	case 2:
		move = fmt.Sprintf("stmatrix.sync.aligned.m8n8.x%s%s.shared.b16 [%%sp], {%s};", m.pick("1", "2", "4"), trans, "$R")
		n := 1
		switch {
		case strings.Contains(move, ".x2"):
			n = 2
		case strings.Contains(move, ".x4"):
			n = 4
		}
		var regs []string
		for range n {
			regs = append(regs, m.reg('r'))
		}
		move = strings.Replace(move, "$R", strings.Join(regs, ", "), 1)
	}
	return []string{"// smem", "bar.warp.sync $M;", move, "bar.warp.sync $M;"}
}

// someBytes chooses how much of a copy is not made, so that zeros take its
// place: a number of bytes in any shape that producers write, or a
// predicate.
func (m *maker) someBytes(lines []string, size int) ([]string, string) {
	if m.chance(50) {
		return lines, ""
	}
	if m.chance(30) {
		return lines, fmt.Sprintf(", %d", m.r.IntN(size+1))
	}
	lines = append(lines, ".reg .b32 %k;", ".reg .pred %q;", fmt.Sprintf("setp.lt.s32 %%q, %s, %s;", m.reg('r'), m.reg('r')))
	switch m.r.IntN(4) {
	case 0: // all or nothing
		lines = append(lines, fmt.Sprintf("selp.b32 %%k, %d, 0, %%q;", size))
	case 1:
		lines = append(lines, fmt.Sprintf("selp.b32 %%k, %d, %d, %%q;", m.r.IntN(size+1), m.r.IntN(size+1)))
	case 2:
		lines = append(lines, fmt.Sprintf("and.b32 %%k, %s, %d;", m.reg('r'), size-1))
	case 3:
		return lines, ", %q"
	}
	return lines, ", %k"
}

// copies makes asynchronous copies to the thread's own shared words, with
// other instructions while they are on their way.
func (m *maker) copies() Stmt {
	size := []int{4, 8, 16}[m.r.IntN(3)]
	kind := m.pick("ca", "ca", "cg")
	if kind == "cg" {
		size = 16
	}
	lines := []string{
		"{", "// smem", ".reg .b32 %i;", ".reg .b64 %a;", fmt.Sprintf("and.b32 %%i, %s, %d;", m.reg('r'), (inBytes-1)&^(size-1)), "cvt.u64.u32 %a, %i;", "add.u64 %a, %in, %a;",
	}
	lines, some := m.someBytes(lines, size)
	lines = append(lines, fmt.Sprintf("cp.async.%s.shared.global [%%sp], [%%a], %d%s;", kind, size, some))
	group := m.chance(60)
	if group {
		lines = append(lines, "cp.async.commit_group;")
	}
	for range m.r.IntN(4) {
		var p printer
		m.fill(table.Templates[m.r.IntN(len(table.Templates))], true).print(&p)
		lines = append(lines, strings.Split(strings.TrimSpace(p.out.String()), "\n")...)
	}
	if group {
		if m.chance(30) { // an empty group behind it
			lines = append(lines, "cp.async.commit_group;", "cp.async.wait_group 1;")
		} else {
			lines = append(lines, "cp.async.wait_group 0;")
		}
	} else {
		lines = append(lines, "cp.async.wait_all;")
	}
	a, b := m.two('r')
	return &Seq{append(lines, fmt.Sprintf("ld.shared.v2.u32 {%s, %s}, [%%sp];", a, b), "}")}
}

// bulkCopy has one thread start a bulk copy, counted by an mbarrier that is
// made and taken down again; all wait for it, and read it.
func (m *maker) bulkCopy() Stmt {
	bytes := 16 * (1 + m.r.IntN(16))
	at := 16 * m.r.IntN((inBytes-bytes)/16)
	lines := []string{
		"{", "// smem", ".shared .align 8 .b64 full$L;", ".shared .align 16 .b8 bulk$L[256];", ".reg .pred %first, %there;", ".reg .b32 %mb, %bulk;", ".reg .b64 %a;",
		"mov.u32 %mb, full$L;", "mov.u32 %bulk, bulk$L;", "setp.ne.u32 %first, %t, 0;", "@%first bra I$L;", "mbarrier.init.shared::cta.b64 [%mb], 1;", "fence.proxy.async;", "I$L:", "bar.sync 0;",
		"@%first bra C$L;", fmt.Sprintf("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%mb], %d;", bytes), fmt.Sprintf("add.u64 %%a, %%in, %d;", at),
		fmt.Sprintf("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%bulk], [%%a], %d, [%%mb];", bytes), "C$L:",
	}
	for range m.r.IntN(3) {
		var p printer
		m.fill(table.Templates[m.r.IntN(len(table.Templates))], true).print(&p)
		lines = append(lines, strings.Split(strings.TrimSpace(p.out.String()), "\n")...)
	}
	return &Seq{append(lines,
		"W$L:", "mbarrier.try_wait.parity.shared::cta.b64 %there, [%mb], 0;", "@!%there bra W$L;",
		fmt.Sprintf("rem.u32 %%mb, %%t, %d;", bytes/4), "mad.lo.u32 %bulk, %mb, 4, %bulk;", fmt.Sprintf("ld.shared.u32 %s, [%%bulk];", m.reg('r')), "bar.sync 0;",
		"mov.u32 %mb, full$L;", "@%first bra D$L;", "mbarrier.inval.shared::cta.b64 [%mb];", "D$L:", "bar.sync 0;", "}")}
}
