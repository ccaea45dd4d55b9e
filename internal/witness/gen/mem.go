package gen

import (
	"fmt"
	"strings"
)

// loads are the widths of loads from the input: type, kind of register,
// alignment.
var loads = [...]struct {
	typ  string
	kind byte
	size int
}{
	{"u32", 'r', 4}, {"b32", 'x', 4}, {"u64", 'd', 8}, {"f32", 'f', 4}, {"f64", 'e', 8}, {"u16", 'h', 2}, {"u8", 'r', 1}, {"s8", 'r', 1}, {"s16", 'r', 2}, {"s8", 'h', 1}, {"s32", 'd', 4},
}

// memory makes an access to memory that no other thread writes.
func (m *maker) memory() Stmt {
	l := loads[m.r.IntN(len(loads))]
	idx := m.reg('r')
	switch m.r.IntN(10) {
	case 8:
		return m.vector()
	case 0, 1: // input, anywhere
		return &Seq{[]string{
			"{", ".reg .b32 %i;", ".reg .b64 %a;", fmt.Sprintf("and.b32 %%i, %s, %d;", idx, (inBytes-1)&^(l.size-1)), "cvt.u64.u32 %a, %i;", "add.u64 %a, %in, %a;",
			fmt.Sprintf("ld.global%s.%s %s, [%%a];", m.pick("", ".nc"), l.typ, m.reg(l.kind)), "}",
		}}
	case 2: // vectors of the input
		a, b := m.two('r')
		if m.chance(50) {
			return &Seq{[]string{fmt.Sprintf("ld.global.v2.u32 {%s, %s}, [%%in+%d];", a, b, 8*m.r.IntN(inBytes/8))}}
		}
		a, b = m.two('e')
		return &Seq{[]string{fmt.Sprintf("ld.global.v2.f64 {%s, %s}, [%%in+%d];", a, b, 16*m.r.IntN(inBytes/16))}}
	case 3: // scratch words of the thread's result
		at := scratch + l.size*m.r.IntN(64/l.size)
		lines := []string{fmt.Sprintf("st.global.%s [%%out+%d], %s;", unsign(l.typ), at, m.reg(l.kind))}
		return &Seq{byteOf(l.typ, l.kind, lines)}
	case 4:
		at := scratch + l.size*m.r.IntN(64/l.size)
		return &Seq{[]string{fmt.Sprintf("ld.global.%s %s, [%%out+%d];", l.typ, m.reg(l.kind), at)}}
	case 5: // local memory
		return &Seq{m.local(l.typ, l.size, m.reg(l.kind), idx)}
	case 6: // constants
		return &Seq{[]string{
			"{", ".reg .b32 %i;", ".reg .b64 %a;", fmt.Sprintf("and.b32 %%i, %s, 60;", idx), "mov.u64 %a, " + m.p.Name + "_tab;",
			".reg .b64 %b;", "cvt.u64.u32 %b, %i;", "add.u64 %a, %a, %b;", fmt.Sprintf("ld.const.u32 %s, [%%a];", m.reg('r')), "}",
		}}
	case 7: // the thread's own shared words
		if m.chance(50) {
			return &Seq{[]string{fmt.Sprintf("st.shared.u32 [%%sp+%d], %s;", 4*m.r.IntN(2), m.reg('r')), "// smem"}}
		}
		return &Seq{[]string{fmt.Sprintf("ld.shared.u32 %s, [%%sp+%d];", m.reg('r'), 4*m.r.IntN(2)), "// smem"}}
	}
	return m.atomic(idx)
}

// vector makes a wide access, or one through a generic address.
func (m *maker) vector() Stmt {
	a, b := m.two('r')
	switch m.r.IntN(4) {
	case 0:
		return &Seq{[]string{fmt.Sprintf("st.global.v4.u32 [%%out+%d], {%s, %s, %s, %s};", scratch+16*m.r.IntN(4), a, b, m.reg('r'), m.reg('x'))}}
	case 1:
		return &Seq{[]string{fmt.Sprintf("ld.shared.v2.u32 {%s, %s}, [%%sp];", a, b), "// smem"}}
	case 2:
		return &Seq{[]string{fmt.Sprintf("st.shared.u64 [%%sp], %s;", m.reg('d')), "// smem"}}
	}
	return &Seq{[]string{
		"{", "// smem", ".reg .b64 %a, %b;", "cvt.u64.u32 %a, %sp;", "cvta.shared.u64 %a, %a;", "cvta.global.u64 %b, %out;",
		fmt.Sprintf("selp.b64 %%a, %%a, %%b, %s;", m.reg('p')), fmt.Sprintf("st.u32 [%%a], %s;", a), fmt.Sprintf("ld.u32 %s, [%%a];", b), "}",
	}}
}

// byteOf makes a store of a byte of a 16-bit register store an integer: of
// what an instruction for f16 gave, the reference stores the number rounded.
func byteOf(typ string, kind byte, lines []string) []string {
	if kind != 'h' || !strings.HasSuffix(typ, "8") {
		return lines
	}
	at := len(lines) - 1
	if lines[at] == "}" {
		at--
	}
	op, reg, _ := strings.Cut(strings.TrimSuffix(lines[at], ";"), ", ")
	out := append([]string{"{", ".reg .b16 %byte;"}, lines[:at]...)
	out = append(out, "and.b16 %byte, "+reg+", 255;", op+", %byte;", "}")
	return append(out, lines[at+1:]...)
}

// unsign makes the type of a store.
func unsign(t string) string {
	if t[0] == 's' {
		return "u" + t[1:]
	}
	return t
}

// two picks two different registers.
func (m *maker) two(kind byte) (a, b string) {
	a = m.reg(kind)
	for b = a; b == a; {
		b = m.reg(kind)
	}
	return a, b
}

// local makes an access to local memory, at times through a generic address.
func (m *maker) local(typ string, size int, reg, idx string) []string {
	op, space := "ld", ".local"
	if m.chance(50) {
		op, typ = "st", unsign(typ)
	}
	lines := []string{
		"{", ".reg .b32 %i;", ".reg .b64 %a, %b;", fmt.Sprintf("and.b32 %%i, %s, %d;", idx, 63&^(size-1)), "mov.u64 %a, stack;",
		"cvt.u64.u32 %b, %i;", "add.u64 %a, %a, %b;",
	}
	if m.chance(30) {
		lines, space = append(lines, "cvta.local.u64 %a, %a;"), ""
	}
	if op == "st" {
		return byteOf(typ, reg[1], append(lines, fmt.Sprintf("st%s.%s [%%a], %s;", space, typ, reg), "}"))
	}
	return append(lines, fmt.Sprintf("ld%s.%s %s, [%%a];", space, typ, reg), "}")
}

// commuting are reductions on words of the accumulator; each has words of its
// own, since only operations of one kind commute.
var commuting = [...]struct {
	op   string
	kind byte
	at   int
}{
	{"add.u32", 'r', 0},
	{"and.b32", 'r', 16},
	{"or.b32", 'r', 32},
	{"xor.b32", 'r', 48},
	{"min.u32", 'r', 64},
	{"max.u32", 'r', 80},
	{"min.s32", 'r', 96},
	{"max.s32", 'r', 112},
	{"add.u64", 'd', 128},
	{"and.b64", 'd', 144},
	{"or.b64", 'd', 160},
	{"min.s64", 'd', 176},
	{"max.u64", 'd', 192},
}

// atomic makes a reduction that all threads share, or an atomic operation on
// the thread's own words.
func (m *maker) atomic(idx string) Stmt {
	c := commuting[m.r.IntN(len(commuting))]
	if m.chance(60) {
		size := 4
		if c.kind == 'd' {
			size = 8
		}
		return &Seq{[]string{
			"{", ".reg .b32 %i;", ".reg .b64 %a;", fmt.Sprintf("and.b32 %%i, %s, %d;", idx, 15&^(size-1)), "cvt.u64.u32 %a, %i;", "add.u64 %a, %acc, %a;",
			fmt.Sprintf("red.global.%s [%%a+%d], %s;", c.op, c.at, m.reg(c.kind)), "}",
		}}
	}
	at := scratch + 8*m.r.IntN(8)
	switch m.r.IntN(4) {
	case 0:
		return &Seq{[]string{fmt.Sprintf("atom.global.exch.b32 %s, [%%out+%d], %s;", m.reg('r'), at, m.reg('r'))}}
	case 1:
		return &Seq{[]string{fmt.Sprintf("atom.global.cas.b32 %s, [%%out+%d], %s, %s;", m.reg('r'), at, m.reg('r'), m.reg('r'))}}
	case 2:
		return &Seq{[]string{fmt.Sprintf("atom.global.%s.u32 %s, [%%out+%d], %s;", m.pick("inc", "dec"), m.reg('r'), at, m.reg('r'))}}
	}
	return &Seq{[]string{fmt.Sprintf("atom.global.%s %s, [%%out+%d], %s;", c.op, m.reg(c.kind), at, m.reg(c.kind))}}
}

// exchange makes an instruction of warps.
func (m *maker) exchange(w where) Stmt {
	d, a := m.reg('r'), m.reg('r')
	switch m.r.IntN(6) {
	case 0:
		if w.whole {
			c := m.pick("31", "0x1c03", "0x181f", "0x101f")
			mode := m.pick("bfly", "down", "idx")
			if mode == "down" && c != "31" || mode == "idx" && c == "0x1c03" {
				c = "31"
			}
			if m.chance(20) {
				mode, c = "up", "0"
			}
			return &Seq{[]string{fmt.Sprintf("shfl.sync.%s.b32 %s|%s, %s, %d, %s, $M;", mode, d, m.reg('p'), a, m.r.IntN(32), c)}}
		}
		return &Seq{[]string{"{", ".reg .b32 %i;", "bfind.u32 %i, $M;", fmt.Sprintf("shfl.sync.idx.b32 %s, %s, %%i, 31, $M;", d, a), "}"}}
	case 1:
		return &Seq{[]string{fmt.Sprintf("vote.sync.ballot.b32 %s, %s, $M;", d, m.reg('p'))}}
	case 2:
		return &Seq{[]string{fmt.Sprintf("vote.sync.%s.pred %s, %s%s, $M;", m.pick("all", "any", "uni"), m.reg('p'), m.pick("", "!"), m.reg('p'))}}
	case 3:
		return &Seq{[]string{fmt.Sprintf("redux.sync.%s %s, %s, $M;", m.pick("add.u32", "min.u32", "max.s32", "and.b32", "or.b32", "xor.b32", "max.u32", "min.s32", "add.s32"), d, a)}}
	case 4:
		if m.chance(50) {
			return &Seq{[]string{fmt.Sprintf("match.any.sync.b64 %s, %s, $M;", d, m.reg('d'))}}
		}
		return &Seq{[]string{fmt.Sprintf("match.any.sync.b32 %s, %s, $M;", d, a)}}
	}
	return &Seq{[]string{fmt.Sprintf("match.all.sync.b32 %s|%s, %s, $M;", d, m.reg('p'), a)}}
}

// barrier makes an exchange through shared memory.
func (m *maker) barrier() Stmt {
	a, d := m.reg('r'), m.reg('r')
	switch m.r.IntN(4) {
	case 0: // a value of another thread
		return &Seq{[]string{
			"{", ".reg .b32 %i, %j;", "// smem", "bar.sync 0;", fmt.Sprintf("st.shared.u32 [%%sp], %s;", a), "bar.sync 0;", fmt.Sprintf("add.u32 %%i, %%t, %d;", 1+m.r.IntN(95)), "rem.u32 %i, %i, %nt;",
			"mad.lo.u32 %j, %i, 16, %sm;", fmt.Sprintf("ld.shared.u32 %s, [%%j];", d), "bar.sync 0;", "}",
		}}
	case 1: // reduction in a bucket
		op := m.pick("add.u32", "or.b32", "xor.b32", "max.u32", "min.s32", "and.b32")
		return &Seq{[]string{
			"{", ".reg .b32 %i, %j;", ".reg .pred %z;", "// smem", "setp.lt.u32 %z, %t, 8;", "mad.lo.u32 %j, %t, 4, %sm;", "@%z st.shared.u32 [%j+1536], %t;", "bar.sync 0;",
			fmt.Sprintf("and.b32 %%i, %s, 7;", a), "mad.lo.u32 %i, %i, 4, %sm;", fmt.Sprintf("red.shared.%s [%%i+1536], %s;", op, m.reg('r')), "bar.sync 0;",
			fmt.Sprintf("ld.shared.u32 %s, [%%i+1536];", d), "bar.sync 0;", "}",
		}}
	case 2:
		return &Seq{[]string{fmt.Sprintf("bar.red.popc.u32 %s, 0, %s;", d, m.reg('p'))}}
	}
	return &Seq{[]string{fmt.Sprintf("bar.red.%s.pred %s, 0, %s;", m.pick("and", "or"), m.reg('p'), m.reg('p'))}}
}

// calls makes a call of some kind.
func (m *maker) calls(w where) Stmt {
	switch m.r.IntN(6) {
	case 0:
		if w.dead { // the reference crashes on a recursion that nothing reaches
			return m.call()
		}
		return m.recurse()
	case 1:
		return m.indirect()
	}
	return m.call()
}

// call makes a call of a function.
func (m *maker) call() Stmt {
	return &Seq{[]string{
		"{", ".param .b32 a0;", ".param .b64 a1;", ".param .b32 r0;", fmt.Sprintf("st.param.b32 [a0], %s;", m.reg('r')), fmt.Sprintf("st.param.b64 [a1], %s;", m.reg('d')),
		fmt.Sprintf("call%s (r0), %s_f%d, (a0, a1);", m.pick("", ".uni"), m.p.Name, m.r.IntN(len(m.p.Funcs))), fmt.Sprintf("ld.param.b32 %s, [r0];", m.reg('r')), "}",
	}}
}

// special makes instructions that fit no template.
func (m *maker) special(w where) Stmt {
	switch m.r.IntN(6) {
	case 0: // a chain of carries
		op := m.pick("add", "sub")
		a, b := m.two('r')
		return &Seq{[]string{
			fmt.Sprintf("%s.cc.u32 %s, %s, %s;", op, a, a, m.reg('r')), fmt.Sprintf("%sc.cc.u32 %s, %s, %s;", op, b, b, m.reg('r')),
			fmt.Sprintf("%sc.u32 %s, %s, %d;", op, m.reg('r'), m.reg('r'), m.r.IntN(3)),
		}}
	case 1:
		a, b := m.two('r')
		return &Seq{[]string{fmt.Sprintf("mov.b64 {%s, %s}, %s;", a, b, m.reg('d'))}}
	case 2:
		return &Seq{[]string{fmt.Sprintf("mov.b64 %s, {%s, %s};", m.reg('d'), m.reg('r'), m.reg('r'))}}
	case 3:
		a, b := m.two('h')
		if m.chance(50) {
			return &Seq{[]string{fmt.Sprintf("mov.b32 {%s, %s}, %s;", a, b, m.reg('x'))}}
		}
		return &Seq{[]string{fmt.Sprintf("mov.b32 %s, {%s, %s};", m.reg('x'), a, b)}}
	case 4:
		p, q := m.two('p')
		return &Seq{[]string{fmt.Sprintf("setp.%s.s32 %s|%s, %s, %s;", m.pick("lt", "ge", "eq"), p, q, m.reg('r'), m.reg('r'))}}
	}
	return &Seq{[]string{fmt.Sprintf("lop3.b32 %s, %s, %s, %s, 0x%x;", m.reg('r'), m.reg('r'), m.reg('r'), m.reg('r'), m.r.IntN(256))}}
}
