package async

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// tcgen05 lowers the operations on tensor memory. Those of a warp move
// registers; the others are orders of one thread to the tensor core, which
// runs beside the program until a commit tells a barrier.
func tcgen05(l *build.Builder) {
	for _, w := range [...]isa.Word{isa.WSync, isa.WAligned, isa.WCtaGroup1} {
		l.Knows(w)
	}
	for _, r := range &tensorOps {
		if l.Has(r.word) {
			tensorUse(l, r.use)
			r.lower(l)
			return
		}
	}
	l.Unsupported()
}

// tensorUse notes how the function uses tensor memory: the driver must
// prepare it.
func tensorUse(l *build.Builder, use int32) {
	switch {
	case l.Has(isa.WCtaGroup2):
		if use&ori.TensorAccount != 0 {
			use ^= ori.TensorAccount | ori.TensorAccount2
		}
		use |= ori.TensorTwo
	case l.Has(isa.WCtaGroup1):
		use |= ori.TensorOne
	}
	l.F.Props.Tensor |= use
}

// tensorOps say how the operations are lowered.
var tensorOps = [...]struct {
	word  isa.Word
	use   int32
	lower func(*build.Builder)
}{
	{isa.WAlloc, ori.TensorTouched | ori.TensorAccount, func(l *build.Builder) { l.Alone(func() { tensorAlloc(l) }) }},
	{isa.WDealloc, ori.TensorTouched | ori.TensorAccount, func(l *build.Builder) { l.Alone(func() { tensorDealloc(l) }) }},
	{isa.WRelinquishAllocPermit, ori.TensorAccount, func(l *build.Builder) { l.Alone(func() { tensorRelinquish(l) }) }},
	// Before and behind a fence stand a barrier and operations on tensor
	// memory, which keep their order without it.
	{isa.WFenceBeforeThreadSync, 0, func(*build.Builder) {}},
	{isa.WFenceAfterThreadSync, 0, func(*build.Builder) {}},
	{isa.WWaitLd, 0, func(l *build.Builder) { l.Emit(op.NOP, op.Mods{}, nil).Guard = ori.Operand{} }},
	{isa.WWaitSt, 0, func(l *build.Builder) {
		l.Emit(op.FENCE, op.M(op.MVIEW, op.MASYNC, op.MT), nil).Guard = ori.Operand{}
	}},
	{isa.WLd, ori.TensorTouched, func(l *build.Builder) { l.Alone(func() { tensorLoadRegs(l) }) }},
	{isa.WSt, ori.TensorTouched, func(l *build.Builder) { l.Alone(func() { tensorStore(l) }) }},
	{isa.WCp, ori.TensorTouched, tensorCopy},
	{isa.WCommit, ori.TensorTouched, tensorCommit},
	{isa.WShift, ori.TensorTouched, tensorShift},
	{isa.WMma, ori.TensorTouched, tensorMMA},
}

// tensorShapes are the shapes of loads and stores, with the registers that
// one repetition takes.
var tensorShapes = [...]struct {
	word  isa.Word
	mod   op.Mod
	words int
}{
	{isa.W32x32b, op.NoMod, 1},
	{isa.W16x64b, op.M16dp64bit, 1},
	{isa.W16x128b, op.M16dp128bit, 2},
	{isa.W16x256b, op.M16dp256bit, 4},
	{isa.W16x32bx2, op.M16dp32bit_t0_t15, 1},
}

// tensorCounts are the numbers of repetitions.
var tensorCounts = [...]struct {
	word isa.Word
	mod  op.Mod
	n    int
}{
	{isa.WX1, op.NoMod, 1},
	{isa.WX2, op.Mx2, 2},
	{isa.WX4, op.Mx4, 4},
	{isa.WX8, op.Mx8, 8},
	{isa.WX16, op.Mx16, 16},
	{isa.WX32, op.Mx32, 32},
	{isa.WX64, op.Mx64, 64},
	{isa.WX128, op.Mx128, 128},
}

// tensorMove is a load or store of registers as it is put together.
type tensorMove struct {
	shape, count op.Mod
	words        int // registers
	split        bool
}

// tensorMoved reads shape and count.
func tensorMoved(l *build.Builder) (m tensorMove) {
	for _, s := range &tensorShapes {
		if l.Has(s.word) {
			m.shape, m.words = s.mod, s.words
			m.split = s.word == isa.W16x32bx2
		}
	}
	for _, c := range &tensorCounts {
		if l.Has(c.word) {
			m.count = c.mod
			m.words *= c.n
		}
	}
	return m
}

// mods are the modifiers of the operation on one half of the lanes.
func (m *tensorMove) mods(upper bool, pack op.Mod, first ...op.Mod) op.Mods {
	list := first
	shape := m.shape
	if upper {
		shape = op.M16dp32bit_t16_t31
	}
	for _, x := range [...]op.Mod{shape, m.count, pack} {
		if x != op.NoMod {
			list = append(list, x)
		}
	}
	return op.M(list...)
}

// tensorAt returns an address of tensor memory, which is the same for all
// threads, as a place in a uniform register.
func tensorAt(l *build.Builder, a *sema.Operand) ori.Operand {
	x := memory.Address(l, a, isa.SpaceShared)[0]
	u := l.F.Words(l.F.NewReg(ori.UR, 1))
	if x.Reg == ori.NoReg {
		l.ToUniform(u, expand.Word(uint32(x.Imm)), ori.Operand{})
		x.Imm = 0
	} else {
		l.ToUniform(u, l.F.Word(x.Reg, int(x.Sub)), ori.Operand{})
	}
	u.Kind, u.Imm = ori.KTmem, x.Imm
	return u
}

// upperHalf returns the place of the second half of a split access.
func upperHalf(at ori.Operand, split *sema.Operand) ori.Operand {
	at.Imm += int64(split.Value)
	return at
}

// tensorLoadRegs lowers tcgen05.ld and tcgen05.ld.red: a split access is one
// for each half of the lanes.
func tensorLoadRegs(l *build.Builder) {
	m := tensorMoved(l)
	pack := op.NoMod
	if l.Has(isa.WPack16b) {
		pack = op.MPACK16BIT
	}
	var stat []op.Mod
	at := 1
	if l.Has(isa.WRed) {
		stat, at = tensorStat(l), 2
	}
	place := tensorAt(l, &l.Args[at])
	load := func(upper bool) (r, s build.Value) {
		r = l.Tmp(m.words)
		p := place
		if upper {
			p = upperHalf(place, &l.Args[at+1])
		}
		s = l.Tmp(1)
		shape := m.mods(upper, op.NoMod, op.MSTAT)
		for _, x := range stat {
			shape = shape.With(x)
		}
		l.Emit(op.LDTM, shape, build.Value{s[0], expand.Whole(r)}, p)
		return r, s
	}
	var r, s build.Value
	switch {
	case stat == nil:
		r = l.Tmp(m.words)
		l.Emit(op.LDTM, m.mods(false, pack), build.Value{expand.Whole(r)}, place)
		if m.split {
			loadOver(l, m.mods(true, pack), r, upperHalf(place, &l.Args[at+1]))
		}
	case m.split:
		r, s = load(false)
		r2, s2 := load(true)
		r, s = byHalves(l, r, r2), byHalves(l, s, s2)
	default:
		r, s = load(false)
	}
	for k, e := range l.Elements(0) {
		if e.Kind == isa.KReg {
			l.CopyRun(l.Words(l.Regs[e.Ref])[:1], r[k:k+1])
		}
	}
	if stat == nil {
		return
	}
	if e := &l.Elements(1)[0]; e.Kind == isa.KReg {
		l.Copy(l.Words(l.Regs[e.Ref])[:1], s)
	}
}

// loadOver loads the second half of the lanes into registers that hold the
// first. The guard, which always holds, says that the write leaves something.
func loadOver(l *build.Builder, mods op.Mods, r build.Value, place ori.Operand) {
	i := l.Emit(op.LDTM, mods, build.Value{expand.Whole(r)}, place)
	if i.Guard.Kind == ori.KNone {
		i.Guard = ori.Zero(ori.UP)
	}
}

// byHalves takes the words of the first half of the lanes from a and those
// of the second from b.
func byHalves(l *build.Builder, a, b build.Value) build.Value {
	if a == nil {
		return nil
	}
	lane := l.One(op.S2R, op.Mods{}, ori.Special(op.SRLaneID))
	low := l.Test(op.ISETP, op.M(op.MLT, op.MU32, op.MAND), lane, ori.Imm(16), expand.PT())
	out := make(build.Value, len(a))
	for n := range a {
		out[n] = l.One(op.SEL, op.Mods{}, a[n], b[n], low)
	}
	return out
}

// tensorStat reads what a load computes from what it loads.
func tensorStat(l *build.Builder) []op.Mod {
	fn := op.MMAX
	if l.Has(isa.WMin) {
		fn = op.MMIN
	}
	l.Knows(isa.WMax)
	if l.Has(isa.WAbs) {
		if fn = op.MMAXABS; l.Has(isa.WMin) {
			fn = op.MMINABS
		}
	}
	list := []op.Mod{fn}
	switch l.Typ(0) {
	case isa.F32:
		list = append(list, op.MF32)
	case isa.S32:
		list = append(list, op.MS32)
	}
	if l.Has(isa.WNaN) {
		list = append(list, op.MNAN)
	}
	return list
}

// tensorStore lowers tcgen05.st.
func tensorStore(l *build.Builder) {
	m := tensorMoved(l)
	pack := op.NoMod
	if l.Has(isa.WUnpack16b) {
		pack = op.MEXPAND16BIT
	}
	var v build.Value
	for _, e := range l.Elements(len(l.Args) - 1) {
		v = append(v, l.Read(&e, isa.B32)...)
	}
	if len(v) != m.words {
		l.Unsupported()
	}
	data := tensorData(l, v)
	at := tensorAt(l, &l.Args[0])
	l.Emit(op.STTM, m.mods(false, pack), nil, at, data)
	if m.split {
		l.Emit(op.STTM, m.mods(true, pack), nil, upperHalf(at, &l.Args[1]), data)
	}
}

// tensorData joins the words that a store moves. Zeros alone are no
// registers.
func tensorData(l *build.Builder, v build.Value) ori.Operand {
	for _, w := range v {
		if w.Kind != ori.KZero {
			return expand.Whole(l.Group(v))
		}
	}
	return expand.RZ()
}

// tensorCopies are the shapes of copies from shared memory.
var tensorCopies = []build.WordName{
	{isa.W128x256b, op.NoMod},
	{isa.W4x256b, op.M4dp256bit},
	{isa.W128x128b, op.M128dp128bit},
	{isa.W32x128b, op.M4x32dp128bit},
	{isa.WWarpx20213, op.M2x64dp128bit_lw02_lw13},
	{isa.WWarpx20123, op.M2x64dp128bit_lw01_lw23},
}

// tensorCopy lowers tcgen05.cp.
func tensorCopy(l *build.Builder) {
	l.Knows(isa.W64x128b)
	l.Knows(isa.WWarpx4)
	m := group2(l, op.M(op.MT, op.MS))
	if s := l.Which(tensorCopies); s != op.NoMod {
		m = m.With(s)
	}
	switch l.Typ(1) {
	case isa.B4x16P64:
		m = m.With(op.MU4x16P64)
	case isa.B6x16P32:
		m = m.With(op.MU6x16P32)
	}
	base, off := tensorWord(l, &l.Args[0])
	l.Issue(&build.Order{Blocks: []build.Value{{base}, l.Src(1, isa.B64)}, Do: func(u []ori.Operand) *ori.Instr {
		u[0].Kind, u[0].Imm = ori.KTmem, off
		u[1].Kind = ori.KGdesc
		return l.Emit(op.UTCCP, m, nil, u...)
	}})
}

// tensorShift lowers tcgen05.shift.
func tensorShift(l *build.Builder) {
	l.Knows(isa.WDown)
	m := group2(l, op.Mods{}).With(op.MDOWN)
	base, off := tensorWord(l, &l.Args[0])
	l.Issue(&build.Order{Blocks: []build.Value{{base}}, Do: func(u []ori.Operand) *ori.Instr {
		u[0].Kind, u[0].Imm = ori.KTmem, off
		return l.Emit(op.UTCSHIFT, m, nil, u[0])
	}})
}

// tensorCommit lowers tcgen05.commit: a barrier, or the same one in several
// blocks of the cluster, is told when all before is done.
func tensorCommit(l *build.Builder) {
	l.Knows(isa.WMbarrierArriveOne)
	m := group2(l, op.Mods{})
	x := &build.Order{Blocks: []build.Value{{sharedWord(l, &l.Args[0])}}}
	if l.Has(isa.WMulticastCluster) {
		m = m.With(op.MMULTICAST)
		x.Blocks = append(x.Blocks, build.Value{halves(l, l.Src1(1, isa.B16), expand.RZ())})
	}
	x.Do = func(u []ori.Operand) *ori.Instr {
		u[0].Kind = ori.KAddr
		srcs := append(build.Value{u[0], ori.Zero(ori.UR)}, u[1:]...)
		return l.Emit(op.UTCBAR, m, nil, srcs...)
	}
	l.Issue(x)
}
