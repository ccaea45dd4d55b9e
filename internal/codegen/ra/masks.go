package ra

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
)

// Bits are often wanted together with the same predicate, such as one that
// says that a loop has another turn. It masks the whole word once:
//
//	PLOP3.LUT s = q, p, pt, 0xc0, 0x0     SEL g = h, rz, p
//	                                      LOP3.LUT s, rz = g, 0x4, rz, 0xc0, ~pt

// masks are the masked words of a block.
type masks struct {
	x     *flags
	count map[masked]int
	words map[masked]ori.Reg
}

// masked is a word and the predicates that must hold beside a bit of it.
type masked struct {
	word   ori.Reg
	beside [2]ori.Operand
}

// masksOf counts the conjunctions of b by what would mask a word for them.
func (x *flags) masksOf(b *ori.Block) *masks {
	m := &masks{x: x, count: map[masked]int{}, words: map[masked]ori.Reg{}}
	for i := range b.Instrs {
		if k, _, ok := m.conjunction(i); ok {
			m.count[k]++
		}
	}
	return m
}

// conjunction reads i as a conjunction of one bit with other predicates.
func (m *masks) conjunction(i *ori.Instr) (k masked, bit ori.Reg, ok bool) {
	if i.Op != op.PLOP3 || i.NDst != 1 || i.Guard.Kind != ori.KNone || len(i.Args) != 6 || !i.Args[5].Is(0) || i.Args[0].Kind != ori.KReg {
		return k, bit, false
	}
	if lut := i.Args[4]; !lut.Is(lutAnd3) && !(lut.Is(lutAnd) && i.Args[3] == ori.Zero(ori.P)) {
		return k, bit, false
	}
	n := 0
	for j := 1; j <= 3; j++ {
		switch a := i.Args[j]; {
		case m.x.isBit(&a) && a.Flags == 0 && !ok:
			word, _ := m.x.place(a.Reg)
			k.word, bit, ok = word.Reg, a.Reg, true
		case n < 2 && !m.x.isBit(&a) && (a.Kind == ori.KReg && a.Class == ori.P || a == ori.Zero(ori.P)):
			k.beside[n] = a
			n++
		default:
			return k, bit, false
		}
	}
	return k, bit, ok && !m.x.isBit(&i.Args[0])
}

// together makes i, if it is a conjunction of which there are several, look at
// the bit of a masked word.
func (m *masks) together(i *ori.Instr) bool {
	k, bit, ok := m.conjunction(i)
	if !ok || m.count[k] < m.x.cost.Masked {
		return false
	}
	f := m.x.f
	word, mask := m.x.place(bit)
	g, ok := m.words[k]
	if !ok {
		put := func(o op.Op, mods op.Mods, d ori.Reg, srcs ...ori.Operand) {
			t := f.NewInstr(o, mods, []ori.Operand{f.Words(d)}, srcs)
			t.Line, t.Loc = i.Line, i.Loc
			i.Block().InsertBefore(t, i)
		}
		p := k.beside[0]
		if p == ori.Zero(ori.P) {
			p = k.beside[1]
		} else if k.beside[1] != ori.Zero(ori.P) {
			both := f.NewReg(ori.P, 1)
			put(op.PLOP3, op.M(op.MLUT), both, p, k.beside[1], ori.Zero(ori.P), ori.Imm(lutAnd), ori.Imm(0))
			p = f.Words(both)
		}
		g = f.NewReg(ori.R, 1)
		put(op.SEL, op.Mods{}, g, word, ori.Zero(ori.R), p)
		m.words[k] = g
	}
	d := i.Args[0].Reg
	i.Op, i.Mods = op.LOP3, op.M(op.MLUT)
	f.SetArgs(i, []ori.Operand{f.Words(d), ori.Zero(ori.R)}, bitOf(f.Words(g), mask))
	m.drop(d)
	return true
}

// drop forgets words that were masked with predicate r, or that have r as a bit.
func (m *masks) drop(r ori.Reg) {
	for k := range m.words {
		a := ori.Operand{Kind: ori.KReg, Reg: r}
		has := k.beside[0].Kind == ori.KReg && k.beside[0].Reg == r || k.beside[1].Kind == ori.KReg && k.beside[1].Reg == r
		if m.x.isBit(&a) {
			word, _ := m.x.place(r)
			has = has || word.Reg == k.word
		}
		if has {
			delete(m.words, k)
		}
	}
}
