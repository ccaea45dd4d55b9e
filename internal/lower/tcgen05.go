package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
)

// tcgen05 lowers the operations on tensor memory. Those of a warp move
// registers; the others are orders of one thread to the tensor core, which
// runs beside the program until a commit tells a barrier.
func (l *lowerer) tcgen05() {
	for _, w := range [...]isa.Word{isa.WSync, isa.WAligned, isa.WCtaGroup1} {
		l.knows(w)
	}
	for _, r := range &tensorOps {
		if l.has(r.word) {
			l.tensorUse(r.use)
			r.lower(l)
			return
		}
	}
	l.unsupported()
}

// tensorUse notes how the function uses tensor memory: the driver must
// prepare it.
func (l *lowerer) tensorUse(use int32) {
	switch {
	case l.has(isa.WCtaGroup2):
		if use&ori.TensorAccount != 0 {
			use ^= ori.TensorAccount | ori.TensorAccount2
		}
		use |= ori.TensorTwo
	case l.has(isa.WCtaGroup1):
		use |= ori.TensorOne
	}
	if l.layout.Object && use&(ori.TensorAccount|ori.TensorAccount2) != 0 {
		l.fail("tensor memory is allocated in an object")
	}
	l.f.Props.Tensor |= use
}

// tensorOps say how the operations are lowered.
var tensorOps = [...]struct {
	word  isa.Word
	use   int32
	lower func(*lowerer)
}{
	{isa.WAlloc, ori.TensorTouched | ori.TensorAccount, func(l *lowerer) { l.alone(l.tensorAlloc) }},
	{isa.WDealloc, ori.TensorTouched | ori.TensorAccount, func(l *lowerer) { l.alone(l.tensorDealloc) }},
	{isa.WRelinquishAllocPermit, ori.TensorAccount, func(l *lowerer) { l.alone(l.tensorRelinquish) }},
	// Before and behind a fence stand a barrier and operations on tensor
	// memory, which keep their order without it.
	{isa.WFenceBeforeThreadSync, 0, func(*lowerer) {}},
	{isa.WFenceAfterThreadSync, 0, func(*lowerer) {}},
	{isa.WWaitLd, 0, func(l *lowerer) { l.emit(op.NOP, op.Mods{}, nil).Guard = ori.Operand{} }},
	{isa.WWaitSt, 0, func(l *lowerer) {
		l.emit(op.FENCE, op.M(op.MVIEW, op.MASYNC, op.MT), nil).Guard = ori.Operand{}
	}},
	{isa.WLd, ori.TensorTouched, func(l *lowerer) { l.alone(l.tensorLoadRegs) }},
	{isa.WSt, ori.TensorTouched, func(l *lowerer) { l.alone(l.tensorStore) }},
	{isa.WCp, ori.TensorTouched, (*lowerer).tensorCopy},
	{isa.WCommit, ori.TensorTouched, (*lowerer).tensorCommit},
	{isa.WShift, ori.TensorTouched, (*lowerer).tensorShift},
	{isa.WMma, ori.TensorTouched, (*lowerer).tensorMMA},
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
func (l *lowerer) tensorMoved() (m tensorMove) {
	for _, s := range &tensorShapes {
		if l.has(s.word) {
			m.shape, m.words = s.mod, s.words
			m.split = s.word == isa.W16x32bx2
		}
	}
	for _, c := range &tensorCounts {
		if l.has(c.word) {
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
func (l *lowerer) tensorAt(a *sema.Operand) ori.Operand {
	x := l.address(a, isa.SpaceShared)[0]
	u := l.f.Words(l.f.NewReg(ori.UR, 1))
	if x.Reg == ori.NoReg {
		l.toUniform(u, word(uint32(x.Imm)), ori.Operand{})
		x.Imm = 0
	} else {
		l.toUniform(u, l.f.Word(x.Reg, int(x.Sub)), ori.Operand{})
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
func (l *lowerer) tensorLoadRegs() {
	m := l.tensorMoved()
	pack := op.NoMod
	if l.has(isa.WPack16b) {
		pack = op.MPACK16BIT
	}
	var stat []op.Mod
	at := 1
	if l.has(isa.WRed) {
		stat, at = l.tensorStat(), 2
	}
	place := l.tensorAt(&l.args[at])
	load := func(upper bool) (r, s value) {
		r = l.tmp(m.words)
		p := place
		if upper {
			p = upperHalf(place, &l.args[at+1])
		}
		if stat == nil {
			l.emit(op.LDTM, m.mods(upper, pack), value{whole(r)}, p)
			return r, nil
		}
		s = l.tmp(1)
		shape := m.mods(upper, op.NoMod, op.MSTAT)
		for _, x := range stat {
			shape = shape.With(x)
		}
		l.emit(op.LDTM, shape, value{s[0], whole(r)}, p)
		return r, s
	}
	r, s := load(false)
	if m.split {
		r2, s2 := load(true)
		r, s = l.byHalves(r, r2), l.byHalves(s, s2)
	}
	for k, e := range l.elements(0) {
		if e.Kind == isa.KReg {
			l.copyRun(l.words(l.regs[e.Ref])[:1], r[k:k+1])
		}
	}
	if stat != nil && l.args[1].Kind == isa.KReg {
		l.copy(l.dst(1)[:1], s)
	}
}

// byHalves takes the words of the first half of the lanes from a and those
// of the second from b.
func (l *lowerer) byHalves(a, b value) value {
	if a == nil {
		return nil
	}
	lane := l.one(op.S2R, op.Mods{}, ori.Special(op.SRLaneID))
	low := l.test(op.ISETP, op.M(op.MLT, op.MU32, op.MAND), lane, ori.Imm(16), pt())
	out := make(value, len(a))
	for n := range a {
		out[n] = l.one(op.SEL, op.Mods{}, a[n], b[n], low)
	}
	return out
}

// tensorStat reads what a load computes from what it loads.
func (l *lowerer) tensorStat() []op.Mod {
	fn := op.MMAX
	if l.has(isa.WMin) {
		fn = op.MMIN
	}
	l.knows(isa.WMax)
	if l.has(isa.WAbs) {
		if fn = op.MMAXABS; l.has(isa.WMin) {
			fn = op.MMINABS
		}
	}
	list := []op.Mod{fn}
	switch l.typ(0) {
	case isa.F32:
		list = append(list, op.MF32)
	case isa.S32:
		list = append(list, op.MS32)
	}
	if l.has(isa.WNaN) {
		list = append(list, op.MNAN)
	}
	return list
}

// tensorStore lowers tcgen05.st.
func (l *lowerer) tensorStore() {
	m := l.tensorMoved()
	pack := op.NoMod
	if l.has(isa.WUnpack16b) {
		pack = op.MEXPAND16BIT
	}
	var v value
	for _, e := range l.elements(len(l.args) - 1) {
		v = append(v, l.read(&e, isa.B32)...)
	}
	if len(v) != m.words {
		l.unsupported()
	}
	data := l.tensorData(v)
	at := l.tensorAt(&l.args[0])
	l.emit(op.STTM, m.mods(false, pack), nil, at, data)
	if m.split {
		l.emit(op.STTM, m.mods(true, pack), nil, upperHalf(at, &l.args[1]), data)
	}
}

// tensorData joins the words that a store moves. Zeros alone are no
// registers.
func (l *lowerer) tensorData(v value) ori.Operand {
	for _, w := range v {
		if w.Kind != ori.KZero {
			return whole(l.group(v))
		}
	}
	return rz()
}

// group2 tells operations of a pair of blocks.
func (l *lowerer) group2(m op.Mods) op.Mods {
	if l.has(isa.WCtaGroup2) {
		return m.With(op.M2CTA)
	}
	return m
}

// tensorCopies are the shapes of copies from shared memory.
var tensorCopies = []wordName{
	{isa.W128x256b, op.NoMod},
	{isa.W4x256b, op.M4dp256bit},
	{isa.W128x128b, op.M128dp128bit},
	{isa.W32x128b, op.M4x32dp128bit},
	{isa.WWarpx20213, op.M2x64dp128bit_lw02_lw13},
	{isa.WWarpx20123, op.M2x64dp128bit_lw01_lw23},
}

// tensorCopy lowers tcgen05.cp.
func (l *lowerer) tensorCopy() {
	l.knows(isa.W64x128b)
	l.knows(isa.WWarpx4)
	m := l.group2(op.M(op.MT, op.MS))
	if s := l.which(tensorCopies); s != op.NoMod {
		m = m.With(s)
	}
	switch l.typ(1) {
	case isa.B4x16P64:
		m = m.With(op.MU4x16P64)
	case isa.B6x16P32:
		m = m.With(op.MU6x16P32)
	}
	base, off := l.tensorWord(&l.args[0])
	l.issue(&order{blocks: []value{{base}, l.src(1, isa.B64)}, do: func(u []ori.Operand) *ori.Instr {
		u[0].Kind, u[0].Imm = ori.KTmem, off
		u[1].Kind = ori.KGdesc
		return l.emit(op.UTCCP, m, nil, u...)
	}})
}

// tensorWord returns an address of tensor memory as a word and an offset.
func (l *lowerer) tensorWord(a *sema.Operand) (ori.Operand, int64) {
	x := l.address(a, isa.SpaceShared)[0]
	if x.Reg == ori.NoReg {
		return word(uint32(x.Imm)), 0
	}
	return l.f.Word(x.Reg, int(x.Sub)), x.Imm
}

// tensorShift lowers tcgen05.shift.
func (l *lowerer) tensorShift() {
	l.knows(isa.WDown)
	m := l.group2(op.Mods{}).With(op.MDOWN)
	base, off := l.tensorWord(&l.args[0])
	l.issue(&order{blocks: []value{{base}}, do: func(u []ori.Operand) *ori.Instr {
		u[0].Kind, u[0].Imm = ori.KTmem, off
		return l.emit(op.UTCSHIFT, m, nil, u[0])
	}})
}

// tensorCommit lowers tcgen05.commit: a barrier, or the same one in several
// blocks of the cluster, is told when all before is done.
func (l *lowerer) tensorCommit() {
	l.knows(isa.WMbarrierArriveOne)
	m := l.group2(op.Mods{})
	x := &order{blocks: []value{{l.sharedWord(&l.args[0])}}}
	if l.has(isa.WMulticastCluster) {
		m = m.With(op.MMULTICAST)
		x.blocks = append(x.blocks, value{l.halves(l.src1(1, isa.B16), rz())})
	}
	x.do = func(u []ori.Operand) *ori.Instr {
		u[0].Kind = ori.KAddr
		srcs := append(value{u[0], ori.Zero(ori.UR)}, u[1:]...)
		return l.emit(op.UTCBAR, m, nil, srcs...)
	}
	l.issue(x)
}
