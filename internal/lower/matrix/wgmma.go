package matrix

import (
	"strings"

	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
)

// wgmma lowers the matrix operations of four warps together. They run
// beside the program: their registers are neither read nor written from
// wgmma.mma_async to the wgmma.wait_group that covers it.
func wgmma(l *build.Builder) {
	l.Knows(isa.WSync)
	l.Knows(isa.WAligned)
	switch {
	case l.Has(isa.WFence):
		l.Alone(func() {
			warpGroup(l)
			l.Emit(op.WARPGROUP, op.M(op.MARRIVE), nil)
		})
	case l.Has(isa.WCommitGroup):
		l.Alone(func() { commitGroup(l) })
	case l.Has(isa.WWaitGroup):
		l.Alone(func() {
			l.Emit(op.WARPGROUP, op.M(op.MDEPBAR, op.MLE), nil, group0(), ori.Imm(min(int64(l.Args[0].Value), maxGroups)))
		})
	case l.Has(isa.WMmaAsync):
		l.Alone(func() { mmaAsync(l) })
	default:
		l.Unsupported()
	}
}

// maxGroups is the largest number of pending groups that WARPGROUP.DEPBAR
// can leave: it has three bits.
const maxGroups = 7

// group0 is the counter of groups.
func group0() ori.Operand { return ori.Special(op.SRGroup0) }

// warpGroup brings the threads of each warp together, once in a block.
func warpGroup(l *build.Builder) {
	if l.Gathered == l.Cur {
		return
	}
	l.Gathered = l.Cur
	l.Emit(op.WARPSYNC, op.M(op.MALL), nil)
}

// commitGroup ends a group: its last operation says so. A group without any
// in this block is ended by one that does nothing.
func commitGroup(l *build.Builder) {
	if i := l.Open; i != nil && i.Block() == l.Cur {
		l.F.SetArgs(i, i.Dsts(), append(append([]ori.Operand(nil), i.Srcs()...), group0()))
		l.Open = nil
		return
	}
	warpGroup(l)
	none := ori.Operand{Kind: ori.KGdesc, Class: ori.UR, Reg: ori.NoReg}
	l.Emit(op.HGMMA, op.M(op.M64x8x16, op.MF16), build.Value{expand.RZ()}, none, expand.RZ(), ori.Zero(ori.UP).Not(), group0())
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
func groupKind(l *build.Builder) (g groupMMA) {
	shape := op.NoMod
	for _, w := range l.Body.ModsOf(l.In) {
		if s := w.String(); strings.HasPrefix(s, "m64n") {
			l.Knows(w)
			shape = op.FindMod(strings.NewReplacer("m", "", "n", "x", "k", "x").Replace(s))
		}
	}
	var types [2]op.Mod
	for n := range types {
		for _, r := range groupTypes {
			if r.t == l.Typ(n+1) {
				g.op, types[n] = r.op, r.mod
			}
		}
	}
	if shape == op.NoMod || g.op == op.None {
		l.Unsupported()
	}
	var list []op.Mod
	if g.sparse = l.Has(isa.WSp); g.sparse {
		list = append(list, op.MSP)
	}
	list = append(list, shape)
	float := op.MF32
	if l.Typ(0) == isa.F16 {
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
		if l.Has(isa.WSatfinite) {
			list = append(list, op.MSAT)
		}
	case op.BGMMA:
		if !l.Has(isa.WAnd) || !l.Has(isa.WPopc) {
			l.Unsupported()
		}
		list = append(list, op.MAND, op.MPOPC)
	}
	g.mods = op.M(list...)
	return g
}

// mmaAsync lowers wgmma.mma_async. The accumulator is a register of its own,
// copied to and from the registers of the source: copies that do not vanish
// are found when registers are assigned.
func mmaAsync(l *build.Builder) {
	g := groupKind(l)
	warpGroup(l)
	at := 3
	if g.sparse {
		at = 5
	}
	groupMarks(l, &g, at)
	es := l.Elements(0)
	acc := l.Tmp(len(es))
	l.F.Regs[acc[0].Reg].Align = groupAlign
	for k := range es {
		l.Copy(acc[k:k+1], l.Words(l.Regs[es[k].Ref])[:1])
	}
	var srcs build.Value
	var quad ori.Operand
	if l.Args[1].Kind == isa.KVector {
		var a build.Value
		for _, e := range l.Elements(1) {
			a = append(a, l.Read(&e, isa.B32)...)
		}
		x := expand.Whole(l.Group(a))
		if g.marks&ori.NegA != 0 {
			x = x.Negate()
			g.marks &^= ori.NegA
		}
		srcs = append(srcs, x)
		quad = descriptors(l, nil, l.Src(2, isa.B64))
	} else {
		quad = descriptors(l, l.Src(1, isa.B64), l.Src(2, isa.B64))
	}
	quad.Imm = g.marks
	srcs = append(srcs, quad)
	c := expand.Whole(acc)
	scale := scale(l, at)
	if scale.Kind == ori.KZero && scale.Flags&ori.Inv != 0 {
		c = expand.RZ()
	}
	srcs = append(srcs, c)
	if scale.Kind != ori.KZero || scale.Flags != 0 { // else it always counts
		srcs = append(srcs, scale)
	}
	if g.sparse {
		srcs = append(srcs, l.Reg(l.Src1(3, isa.B32)))
		if g.op == op.HGMMA {
			srcs = append(srcs, ori.Imm(int64(l.Args[4].Value)))
		} else if l.Args[4].Value != 0 {
			l.Unsupported()
		}
	}
	l.Open = l.Emit(g.op, g.mods, build.Value{expand.Whole(acc)}, srcs...)
	for k := range es {
		l.Copy(l.Words(l.Regs[es[k].Ref])[:1], acc[k:k+1])
	}
}

// groupAlign is what the first register of an accumulator is a multiple of.
const groupAlign = 8

// groupMarks reads what follows the predicate: signs, then transpositions.
func groupMarks(l *build.Builder, g *groupMMA, at int) {
	rest := l.Args[min(len(l.Args), at+1):]
	signs := [...]int64{ori.NegA, ori.NegB}
	turns := [...]int64{ori.TnspA, ori.TnspB}
	if l.Args[1].Kind == isa.KVector {
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
		l.Unsupported()
	}
}

// descriptors puts the descriptors of two matrices side by side into uniform
// registers; the first may be absent.
func descriptors(l *build.Builder, a, b build.Value) ori.Operand {
	u := l.F.NewReg(ori.UR, 4)
	q := l.F.Words(u)
	if a == nil { // nobody looks at the first two words
		first := q
		first.N = 2
		l.Emit(op.UNDEF, op.Mods{}, build.Value{first})
	}
	for n := range a {
		l.Emit(op.R2UR, op.Mods{}, build.Value{l.F.Word(u, n)}, l.Reg(a[n]))
	}
	for n := range b {
		l.Emit(op.R2UR, op.Mods{}, build.Value{l.F.Word(u, n+2)}, l.Reg(b[n]))
	}
	q.Kind = ori.KGdesc
	return q
}

// scale returns the predicate of argument n, which all threads share, as a
// uniform one: whether the accumulator counts.
func scale(l *build.Builder, n int) ori.Operand {
	p := l.Predicate(n)
	if p.Kind == ori.KZero {
		t := ori.Zero(ori.UP)
		t.Flags = p.Flags
		return t
	}
	u := l.F.Words(l.F.NewReg(ori.UP, 1))
	l.Emit(op.VOTEU, op.M(op.MANY), build.Value{u}, p)
	return u
}
