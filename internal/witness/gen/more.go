package gen

import (
	"fmt"

	"github.com/goptxas/goptxas/internal/witness/gen/table"
)

// wide makes one statement of a program in the whole language.
func (m *maker) wide(w where) Stmt {
	k := m.r.IntN(100)
	switch {
	case k < 8 && w.depth < 4:
		return m.branch(w)
	case k < 12 && w.depth < 3:
		return m.loop(w)
	case k < 14 && w.depth < 3:
		return m.tangle(w)
	case k < 16 && w.depth < 4:
		return m.way(w)
	case k < 21 && w.warp && !w.inFunc:
		return m.gather(w)
	case k < 26 && w.block && !w.inFunc:
		return m.wholeBlock()
	case k < 30 && (len(m.p.Funcs) > 0 || w.inFunc):
		return m.anyCall(w)
	case k < 33 && w.block && !w.inFunc:
		return m.fill(table.Uniforms[m.r.IntN(len(table.Uniforms))], false)
	case k < 37:
		return m.packing()
	case k < 39:
		return m.stack()
	case k < 41 && !w.inFunc:
		return m.hint()
	case k < 43 && !w.inFunc:
		return m.quad()
	case k < 59 && !w.inFunc:
		return m.access()
	case k < 62 && !w.inFunc:
		return m.atomic(m.reg('r'))
	case k < 65 && w.depth < 3:
		return m.carried(w)
	case k < 67 && w.depth < 2:
		return m.maze(w)
	}
	return m.plain()
}

// anyCall makes a call of some kind, or a return.
func (m *maker) anyCall(w where) Stmt {
	switch {
	case w.inFunc && m.chance(40):
		return m.early(w)
	case w.inFunc && len(m.p.Funcs) > 0: // the ones before this one
		return m.call()
	case w.inFunc:
		return m.plain()
	case m.chance(20):
		return m.structCall()
	}
	return m.calls(w)
}

// packing makes instructions that fit no form.
func (m *maker) packing() Stmt {
	if m.chance(40) {
		return m.carries()
	}
	a, b := m.two('h')
	switch m.r.IntN(6) {
	case 0:
		return &Seq{[]string{fmt.Sprintf("mov.b64 {%s, %s, %s, _}, %s;", a, b, other(m, 'h', a, b), m.reg('d'))}}
	case 1:
		return &Seq{[]string{fmt.Sprintf("mov.b64 %s, {%s, %s, %s, %s};", m.reg('d'), a, b, m.reg('h'), m.reg('h'))}}
	case 2:
		return &Seq{[]string{fmt.Sprintf("mov.u32 %s, %s;", m.reg('r'), m.pick("%laneid", "%tid.x", "%ntid.x", "%nctaid.x", "%ctaid.x", "%lanemask_lt", "%lanemask_ge", "%lanemask_eq", "%tid.y", "WARP_SZ"))}}
	case 3:
		return &Seq{[]string{fmt.Sprintf("mov.pred %s, %s;", m.reg('p'), m.reg('p'))}}
	}
	return m.special(where{})
}

// other picks a register that is neither a nor b.
func other(m *maker, kind byte, a, b string) string {
	c := m.reg(kind)
	for c == a || c == b {
		c = m.reg(kind)
	}
	return c
}

// gather makes an instruction of warps.
func (m *maker) gather(w where) Stmt {
	d, a := m.bits32(), m.bits32()
	switch k := m.r.IntN(8); {
	case k < 3 && w.whole:
		lane, c := m.reg('r'), m.reg('r')
		if m.chance(50) {
			lane = fmt.Sprint(m.r.IntN(32))
		}
		if m.chance(50) {
			c = fmt.Sprintf("0x%x", m.r.IntN(32)|m.r.IntN(32)<<8)
		}
		return &Seq{[]string{fmt.Sprintf("shfl.sync.%s.b32 %s|%s, %s, %s, %s, $M;", m.pick("up", "down", "bfly", "idx"), d, m.reg('p'), a, lane, c)}}
	case k == 3:
		return &Seq{[]string{fmt.Sprintf("elect.sync %s|%s, $M;", d, m.reg('p'))}}
	case k > 5 && w.depth < 4:
		return m.parted(w)
	case k == 4:
		return &Seq{[]string{fmt.Sprintf("match.all.sync.b64 %s|%s, %s, $M;", d, m.reg('p'), m.reg('d'))}}
	}
	return m.exchange(w)
}

// wholeBlock makes an instruction for all threads of the block.
func (m *maker) wholeBlock() Stmt {
	id := 1 + m.r.IntN(15)
	a, d := m.reg('r'), m.reg('r')
	switch m.r.IntN(6) {
	case 0:
		return &Seq{[]string{fmt.Sprintf("%s %d%s;", m.pick("bar.sync", "barrier.sync", "barrier.sync.aligned", "bar.cta.sync", "barrier.cta.sync"), id, m.pick("", ", %nt"))}}
	case 1: // the number in a register
		return &Seq{[]string{"{", ".reg .b32 %id;", fmt.Sprintf("and.b32 %%id, %s, 7;", m.reg('u')), m.pick("bar.sync", "barrier.sync", "barrier.cta.sync.aligned") + " %id" + m.pick("", ", %nt") + ";", "}"}}
	case 2:
		return &Seq{[]string{fmt.Sprintf("%s.popc.u32 %s, %d, %s%s;", m.pick("bar.red", "barrier.red", "barrier.cta.red.aligned"), d, id, m.pick("", "%nt, "), m.reg('p'))}}
	case 3:
		return &Seq{[]string{fmt.Sprintf("%s.%s.pred %s, %d, %s%s%s;", m.pick("bar.cta.red", "barrier.red.aligned"), m.pick("and", "or"), m.reg('p'), id, m.pick("", "%nt, "), m.pick("", "!"), m.reg('p'))}}
	case 4: // the first warp waits for the others, who go on
		return &Seq{[]string{
			"{", ".reg .b32 %i;", ".reg .pred %z;", "// smem", "bar.sync 0;", fmt.Sprintf("st.shared.u32 [%%sp], %s;", a), "setp.lt.u32 %z, %t, 32;", "@%z bra W$L;",
			fmt.Sprintf("bar.arrive %d, %%nt;", id), "bra D$L;", "W$L:", fmt.Sprintf("bar.sync %d, %%nt;", id), fmt.Sprintf("add.u32 %%i, %%t, %d;", 16+m.r.IntN(60)), "rem.u32 %i, %i, %nt;",
			"mad.lo.u32 %i, %i, 16, %sm;", fmt.Sprintf("ld.shared.u32 %s, [%%i];", d), "D$L:", "bar.sync 0;", "}",
		}}
	}
	return m.barrier()
}
