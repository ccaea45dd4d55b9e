package lower

import (
	"strings"

	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// wgmma lowers the matrix operations of four warps together. They run
// beside the program: their registers are neither read nor written from
// wgmma.mma_async to the wgmma.wait_group that covers it.
func (l *lowerer) wgmma() {
	l.knows(isa.WSync)
	l.knows(isa.WAligned)
	switch {
	case l.has(isa.WFence):
		l.alone(func() {
			l.warpGroup()
			l.emit(op.WARPGROUP, op.M(op.MARRIVE), nil)
		})
	case l.has(isa.WCommitGroup):
		l.alone(l.commitGroup)
	case l.has(isa.WWaitGroup):
		l.alone(func() {
			l.emit(op.WARPGROUP, op.M(op.MDEPBAR, op.MLE), nil, group0(), ori.Imm(min(int64(l.args[0].Value), maxGroups)))
		})
	case l.has(isa.WMmaAsync):
		l.alone(l.mmaAsync)
	default:
		l.unsupported()
	}
}

// maxGroups is the largest number of pending groups that WARPGROUP.DEPBAR
// can leave: it has three bits.
const maxGroups = 7

// group0 is the counter of groups.
func group0() ori.Operand { return ori.Special(op.SRGroup0) }

// warpGroup brings the threads of each warp together, once in a block.
func (l *lowerer) warpGroup() {
	if l.gathered == l.cur {
		return
	}
	l.gathered = l.cur
	l.emit(op.WARPSYNC, op.M(op.MALL), nil)
}

// commitGroup ends a group: its last operation says so. A group without any
// in this block is ended by one that does nothing.
func (l *lowerer) commitGroup() {
	if i := l.open; i != nil && i.Block() == l.cur {
		l.f.SetArgs(i, i.Dsts(), append(append([]ori.Operand(nil), i.Srcs()...), group0()))
		l.open = nil
		return
	}
	l.warpGroup()
	none := ori.Operand{Kind: ori.KGdesc, Class: ori.UR, Reg: ori.NoReg}
	l.emit(op.HGMMA, op.M(op.M64x8x16, op.MF16), value{rz()}, none, rz(), ori.Zero(ori.UP).Not(), group0())
}

// groupMMA is one warp-group matrix operation as it is put together.
type groupMMA struct {
	op     op.Op
	mods   op.Mods
	marks  int64 // of the matrices
	sparse bool
}

// groupTypes are the operation and the modifier for each type of elements.
var groupTypes = [...]struct {
	t   isa.Type
	op  op.Op
	mod op.Mod
}{
	{isa.F16, op.HGMMA, op.NoMod},
	{isa.BF16, op.HGMMA, op.MBF16},
	{isa.TF32, op.HGMMA, op.MTF32},
	{isa.E4M3, op.QGMMA, op.ME4M3},
	{isa.E5M2, op.QGMMA, op.ME5M2},
	{isa.S8, op.IGMMA, op.MS8},
	{isa.U8, op.IGMMA, op.MU8},
	{isa.B1, op.BGMMA, op.NoMod},
}

// kind finds the operation and its modifiers.
func (l *lowerer) groupKind() (g groupMMA) {
	shape := op.NoMod
	for _, w := range l.body.ModsOf(l.in) {
		if s := w.String(); strings.HasPrefix(s, "m64n") {
			l.knows(w)
			shape = op.FindMod(strings.NewReplacer("m", "", "n", "x", "k", "x").Replace(s))
		}
	}
	var types [2]op.Mod
	for n := range types {
		for _, r := range groupTypes {
			if r.t == l.typ(n+1) {
				g.op, types[n] = r.op, r.mod
			}
		}
	}
	if shape == op.NoMod || g.op == op.None {
		l.unsupported()
	}
	var list []op.Mod
	if g.sparse = l.has(isa.WSp); g.sparse {
		list = append(list, op.MSP)
	}
	list = append(list, shape)
	float := op.MF32
	if l.typ(0) == isa.F16 {
		float = op.MF16
	}
	switch g.op {
	case op.HGMMA:
		list = append(list, float)
		if types[0] != op.NoMod {
			list = append(list, types[0])
		}
	case op.QGMMA:
		list = append(list, float, types[0], types[1])
	case op.IGMMA:
		list = append(list, types[0], types[1])
		if l.has(isa.WSatfinite) {
			list = append(list, op.MSAT)
		}
	case op.BGMMA:
		if !l.has(isa.WAnd) || !l.has(isa.WPopc) {
			l.unsupported()
		}
		list = append(list, op.MAND, op.MPOPC)
	}
	g.mods = op.M(list...)
	return g
}

// mmaAsync lowers wgmma.mma_async. The accumulator is a register of its own,
// copied to and from the registers of the source: copies that do not vanish
// are found when registers are assigned.
func (l *lowerer) mmaAsync() {
	g := l.groupKind()
	l.warpGroup()
	at := 3
	if g.sparse {
		at = 5
	}
	l.groupMarks(&g, at)
	es := l.elements(0)
	acc := l.tmp(len(es))
	l.f.Regs[acc[0].Reg].Align = groupAlign
	for k := range es {
		l.copy(acc[k:k+1], l.words(l.regs[es[k].Ref])[:1])
	}
	var srcs value
	var quad ori.Operand
	if l.args[1].Kind == isa.KVector {
		var a value
		for _, e := range l.elements(1) {
			a = append(a, l.read(&e, isa.B32)...)
		}
		x := whole(l.group(a))
		if g.marks&ori.NegA != 0 {
			x = x.Negate()
			g.marks &^= ori.NegA
		}
		srcs = append(srcs, x)
		quad = l.descriptors(nil, l.src(2, isa.B64))
	} else {
		quad = l.descriptors(l.src(1, isa.B64), l.src(2, isa.B64))
	}
	quad.Imm = g.marks
	srcs = append(srcs, quad)
	c := whole(acc)
	scale := l.scale(at)
	if scale.Kind == ori.KZero && scale.Flags&ori.Inv != 0 {
		c = rz()
	}
	srcs = append(srcs, c)
	if scale.Kind != ori.KZero || scale.Flags != 0 { // else it always counts
		srcs = append(srcs, scale)
	}
	if g.sparse {
		srcs = append(srcs, l.reg(l.src1(3, isa.B32)))
		if g.op == op.HGMMA {
			srcs = append(srcs, ori.Imm(int64(l.args[4].Value)))
		} else if l.args[4].Value != 0 {
			l.unsupported()
		}
	}
	l.open = l.emit(g.op, g.mods, value{whole(acc)}, srcs...)
	for k := range es {
		l.copy(l.words(l.regs[es[k].Ref])[:1], acc[k:k+1])
	}
}

// groupAlign is what the first register of an accumulator is a multiple of.
const groupAlign = 8

// groupMarks reads what follows the predicate: signs, then transpositions.
func (l *lowerer) groupMarks(g *groupMMA, at int) {
	rest := l.args[min(len(l.args), at+1):]
	signs := [...]int64{ori.NegA, ori.NegB}
	turns := [...]int64{ori.TnspA, ori.TnspB}
	if l.args[1].Kind == isa.KVector {
		turns[0] = ori.TnspB // A in registers is never transposed
	}
	for n := range rest {
		v := int64(rest[n].Value)
		switch {
		case n < 2 && v == -1:
			g.marks |= signs[n]
		case n >= 2 && v != 0:
			g.marks |= turns[n-2]
		}
	}
	if g.marks != 0 && (g.op == op.IGMMA || g.op == op.BGMMA) {
		l.unsupported()
	}
}

// descriptors puts the descriptors of two matrices side by side into uniform
// registers; the first may be absent.
func (l *lowerer) descriptors(a, b value) ori.Operand {
	u := l.f.NewReg(ori.UR, 4)
	q := l.f.Words(u)
	if a == nil { // nobody looks at the first two words
		first := q
		first.N = 2
		l.emit(op.UNDEF, op.Mods{}, value{first})
	}
	for n := range a {
		l.emit(op.R2UR, op.Mods{}, value{l.f.Word(u, n)}, l.reg(a[n]))
	}
	for n := range b {
		l.emit(op.R2UR, op.Mods{}, value{l.f.Word(u, n+2)}, l.reg(b[n]))
	}
	q.Kind = ori.KGdesc
	return q
}

// scale returns the predicate of argument n, which all threads share, as a
// uniform one: whether the accumulator counts.
func (l *lowerer) scale(n int) ori.Operand {
	p := l.predicate(n)
	if p.Kind == ori.KZero {
		t := ori.Zero(ori.UP)
		t.Flags = p.Flags
		return t
	}
	u := l.f.Words(l.f.NewReg(ori.UP, 1))
	l.emit(op.VOTEU, op.M(op.MANY), value{u}, p)
	return u
}
