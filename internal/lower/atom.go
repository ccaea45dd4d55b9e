package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// atomics maps the operations of atom and red to the machine's.
var atomics = []wordName{
	{isa.WAdd, op.MADD},
	{isa.WMin, op.MMIN},
	{isa.WMax, op.MMAX},
	{isa.WInc, op.MINC},
	{isa.WDec, op.MDEC},
	{isa.WAnd, op.MAND},
	{isa.WOr, op.MOR},
	{isa.WXor, op.MXOR},
	{isa.WExch, op.MEXCH},
	{isa.WCas, op.MCAS},
}

// atomic is an atom or red instruction being lowered.
type atomic struct {
	t      isa.Type // of one element
	n      int      // elements
	fn     op.Mod
	scope  op.Mod
	red    bool
	addr   *sema.Operand
	b, c   value // operands
	space  isa.Space
	remote bool
	hint   bool
	old    value // the result
}

// atom lowers atom and red but those that are asynchronous.
func (l *lowerer) atom() {
	x := &atomic{t: l.typ(0), n: 1, red: l.in.Op == isa.WRed, scope: op.MGPU, remote: l.remote()}
	at := 1
	if x.red {
		at = 0
	}
	x.addr = &l.args[at]
	x.space = l.space(x.addr)
	acquire, release := l.atomMods(x)
	x.n = len(l.elements(at + 1))
	x.b = l.joinedElements(at+1, x.t)
	if x.fn == op.MCAS {
		x.c = l.joinedElements(at+2, x.t)
	}
	many := l.guard.Kind != ori.KNone && !l.direct(x)
	do := func() {
		if release {
			l.fenceBefore(x.scope)
		}
		l.atomOp(x)
		if acquire {
			l.fenceAfter(x.scope)
		}
		if !x.red {
			l.atomResult(x)
		}
	}
	if many {
		l.alone(do)
		return
	}
	do()
}

// atomMods reads the modifiers.
func (l *lowerer) atomMods(x *atomic) (acquire, release bool) {
	for _, w := range l.body.ModsOf(l.in) {
		if m := ofWord(atomics, w); m != op.NoMod {
			x.fn = m
			l.knows(w)
		}
		switch w {
		case isa.WRelaxed, isa.WGpu, isa.WCluster, isa.WNoftz, isa.WV2, isa.WV4, isa.WV8:
		case isa.WCta:
			x.scope = op.MSM
		case isa.WSys:
			x.scope = op.MSYS
		case isa.WAcquire:
			acquire = true
		case isa.WRelease:
			release = true
		case isa.WAcqRel:
			acquire, release = true, true
		case isa.WL2CacheHint:
			x.hint = true
		default:
			continue
		}
		l.knows(w)
	}
	return acquire, release
}

// joinedElements reads an operand that may be a vector, narrow elements
// packed into words.
func (l *lowerer) joinedElements(n int, t isa.Type) value {
	es := l.elements(n)
	var v value
	for k := range es {
		v = append(v, l.read(&es[k], t)...)
	}
	if t.Bits() < 32 && len(es) > 1 {
		return l.joined(v, t.Bits())
	}
	return v
}

// atomResult copies what was in memory to the destination.
func (l *lowerer) atomResult(x *atomic) {
	es := l.elements(0)
	for k := range es {
		if es[k].Kind == isa.KReg {
			d := l.words(l.regs[es[k].Ref])
			r := l.part(x.old, x.t, k, len(es))
			l.copy(d[:min(len(d), len(r))], r)
		}
	}
}

// kind returns the modifiers that name the type of an atomic operation,
// and whether the machine does it on global memory.
func (x *atomic) kind() (op.Mods, bool) {
	bits := x.fn == op.MEXCH || x.fn == op.MCAS
	switch x.t {
	case isa.U32, isa.B32:
		return op.Mods{}, true
	case isa.S32:
		return op.M(op.MS32), true
	case isa.U64, isa.B64:
		return op.M(op.M64), true
	case isa.S64:
		return op.M(op.MS64), x.fn == op.MMIN || x.fn == op.MMAX
	case isa.B128:
		return op.M(op.M128), bits
	case isa.F32:
		return op.M([...]op.Mod{1: op.MF32, 2: op.MF32x2, 4: op.MF32x4}[x.n], op.MFTZ, op.MRN), x.fn == op.MADD
	case isa.F64:
		return op.M(op.MF64, op.MRN), x.fn == op.MADD
	case isa.F16, isa.F16x2:
		return op.M(halves(x, op.MF16x2, op.MF16x4, op.MF16x8), op.MRN), x.t == isa.F16x2 || x.n > 1
	case isa.BF16, isa.BF16x2:
		return op.M(halves(x, op.MBF16x2, op.MBF16x4, op.MBF16x8), op.MRN), x.t == isa.BF16x2 || x.n > 1
	case isa.E4M3x4:
		return op.M([...]op.Mod{1: op.ME4M3x4, 2: op.ME4M3x8, 4: op.ME4M3x16}[x.n], op.MRN), true
	case isa.E5M2x4:
		return op.M([...]op.Mod{1: op.ME5M2x4, 2: op.ME5M2x8, 4: op.ME5M2x16}[x.n], op.MRN), true
	}
	return op.Mods{}, false
}

// halves picks the modifier for as many half-precision lanes as x has.
func halves(x *atomic, two, four, eight op.Mod) op.Mod {
	switch x.n * x.t.Bits() / 16 {
	case 4:
		return four
	case 8:
		return eight
	}
	return two
}

// direct reports whether x is one machine instruction.
func (l *lowerer) direct(x *atomic) bool {
	_, ok := x.kind()
	wide := x.t.Bits() == 64
	bits := x.fn == op.MEXCH || x.fn == op.MCAS
	switch {
	case !ok:
		return false
	case x.n > 1: // in global memory, whatever the address says
		return true
	case x.remote || x.space == isa.Generic:
		return x.t.Class() != isa.Float && x.t.Class() != isa.PackedFloat && !wide
	case x.space == isa.SpaceShared:
		return x.t.Class() != isa.Float && x.t.Class() != isa.PackedFloat && (!wide || bits)
	}
	return true
}

// atomOp lowers the operation itself.
func (l *lowerer) atomOp(x *atomic) {
	_, ok := x.kind()
	switch {
	case x.space != isa.SpaceGlobal && x.space != isa.SpaceShared && x.space != isa.Generic:
		l.unsupported()
	case x.t.Bits() == 16 && x.n == 1:
		l.atomHalf(x)
	case !ok:
		l.unsupported()
	case x.space == isa.SpaceGlobal:
		x.old = l.atomGlobal(x, op.ATOMG, pt(), l.address(x.addr, isa.SpaceGlobal)[0])
	case x.remote || x.space == isa.Generic:
		l.atomGeneric(x)
	case l.direct(x):
		l.atomShared(x)
	default:
		l.sharedLoop(x, l.address(x.addr, isa.SpaceShared))
	}
}

// atomGlobal emits one atomic instruction on a 64-bit address. p receives
// whether the machine could do it.
func (l *lowerer) atomGlobal(x *atomic, o op.Op, p, addr ori.Operand) value {
	kind, _ := x.kind()
	m := join(join(op.M(op.ME, x.fn), kind), op.M(op.MSTRONG, x.scope))
	r := l.tmp(max(1, x.n*x.t.Bits()/32))
	b := whole(l.group(x.b))
	bare := addr
	bare.Flags &^= ori.Wide
	switch {
	case x.fn == op.MCAS:
		l.emit(o, m, value{p, whole(r)}, bare, b, whole(l.group(x.c)))
		return r
	case x.remote:
		l.emit(o, m, value{p, whole(r)}, bare, b)
		return r
	}
	d := l.descriptor()
	if x.hint {
		d = l.policyDesc(l.src(len(l.args)-1, isa.B64))
	}
	if x.red && o == op.ATOMG && x.fn != op.MEXCH {
		l.emit(l.redOp(), m, nil, d, addr, b)
		return nil
	}
	l.emit(o, m, value{p, whole(r)}, d, addr, b)
	return r
}

// redOp is the reduction without a result on global memory.
func (l *lowerer) redOp() op.Op {
	if !l.arch.Has(target.NamedRed) {
		return op.RED
	}
	return op.REDG
}

// atomShared emits one atomic instruction on shared memory.
func (l *lowerer) atomShared(x *atomic) {
	m := op.M(x.fn)
	switch {
	case x.t.Bits() == 64:
		m = m.With(op.M64)
	case x.t.Bits() == 128:
		m = m.With(op.M128)
	case x.t == isa.S32 && (x.fn == op.MMIN || x.fn == op.MMAX || x.fn == op.MADD):
		m = m.With(op.MS32)
	}
	srcs := append(l.address(x.addr, isa.SpaceShared), whole(l.group(x.b)))
	if x.fn == op.MCAS {
		srcs = append(srcs, whole(l.group(x.c)))
	}
	x.old = l.tmp(words(x.t))
	l.emit(op.ATOMS, m, value{whole(x.old)}, srcs...)
}

// genericAddress returns the 64-bit address of x as an operand.
func (l *lowerer) genericAddress(x *atomic) ori.Operand {
	if x.remote {
		return l.remoteAddress(x.addr)
	}
	return l.address(x.addr, isa.Generic)[0]
}

// atomGeneric lowers an operation on memory of any space. What the machine
// refuses lies in shared memory, in that of another block, or in local
// memory, which no other thread sees.
func (l *lowerer) atomGeneric(x *atomic) {
	addr := l.genericAddress(x)
	if l.direct(x) {
		x.old = l.atomGlobal(x, op.ATOM, pt(), addr)
		return
	}
	ok := l.pred()
	r := l.atomGlobal(x, op.ATOM, ok, addr)
	x.old = l.tmp(len(r))
	l.copy(x.old, r)
	end := l.f.NewBlock()
	l.branch(ok, end)
	base := l.words(addr.Reg)[addr.Sub : addr.Sub+2]
	if addr.Imm != 0 {
		base = l.add64(base, imm(uint64(addr.Imm), 2), false)
	}
	bits := x.fn == op.MEXCH || x.fn == op.MCAS
	if !bits {
		l.either(l.inSpace(op.MS, base), func() {
			old := x.old
			l.sharedLoop(x, value{ori.Addr(l.inWindow(base[0]), 0)})
			l.copy(old, x.old)
			x.old = old
			l.jump(end)
			l.enter(l.f.NewBlock())
		}, nil)
		if l.arch.Has(target.Clusters) {
			l.either(l.inSpace(op.MD, base), func() { l.remoteLoop(x, base, end) }, nil)
		}
	}
	l.localUpdate(x, base)
	l.fall(end)
}

// inWindow returns the address in shared memory of a generic one that lies
// there.
func (l *lowerer) inWindow(lo ori.Operand) ori.Operand {
	if !l.arch.Has(target.Clusters) {
		return l.and2(lo, ori.Imm(oldSharedMask))
	}
	return l.reg(lo)
}

// remoteLoop updates shared memory of another block.
func (l *lowerer) remoteLoop(x *atomic, base value, end *ori.Block) {
	at := ori.Addr(whole(l.group(base)), 0)
	at.Flags &^= ori.Wide
	w := width(x.t.Bits(), false)
	l.repeat(func() ori.Operand {
		t := l.tmp(len(x.old))
		l.emit(op.LD, join(op.M(op.ME), w), value{whole(t)}, at)
		l.copy(x.old, t)
		r := l.tmp(len(x.old))
		l.emit(op.ATOM, join(op.M(op.ME, op.MCAST, op.MSPIN), w), value{pt(), whole(r)}, at, whole(t), whole(l.group(l.apply(x, t))))
		return l.cmp(op.MEQ, false, r, imm(1, len(r)))
	})
	l.jump(end)
	l.enter(l.f.NewBlock())
}

// localUpdate does the operation with a load and a store.
func (l *lowerer) localUpdate(x *atomic, base value) {
	srcs := value{l.descriptor(), ori.Addr(whole(l.group(base)), 0)}
	w := join(op.M(op.ME), width(x.t.Bits(), false))
	t := l.tmp(len(x.old))
	l.emit(op.LD, w, value{whole(t)}, srcs...)
	l.copy(x.old, t)
	l.emit(op.ST, w, nil, append(srcs, whole(l.group(l.apply(x, t))))...)
}

// sharedLoop updates shared memory by comparing and swapping until nobody
// else came between.
func (l *lowerer) sharedLoop(x *atomic, at value) {
	w := width(x.t.Bits(), false)
	x.old = l.tmp(words(x.t))
	l.repeat(func() ori.Operand {
		l.emit(op.LDS, w, value{whole(x.old)}, at...)
		next := whole(l.group(l.apply(x, x.old)))
		if l.arch.Has(target.SpinPredicate) {
			p := l.pred()
			l.emit(op.ATOMS, join(op.M(op.MCAST, op.MSPIN), w), value{p}, append(at, whole(x.old), next)...)
			return p
		}
		r := l.tmp(len(x.old))
		l.emit(op.ATOMS, join(op.M(op.MCAST, op.MSPIN), w), value{whole(r)}, append(at, whole(x.old), next)...)
		return l.cmp(op.MEQ, false, r, imm(1, len(r)))
	})
}

// apply computes the new contents of memory.
func (l *lowerer) apply(x *atomic, old value) value {
	signed := x.t.Class() == isa.Signed
	switch {
	case x.fn == op.MCAS:
		return l.sel(x.c, old, l.cmp(op.MEQ, false, old, x.b))
	case x.fn == op.MEXCH:
		return x.b
	case x.fn == op.MMIN:
		return l.sel(x.b, old, l.cmp(op.MLT, signed, x.b, old))
	case x.fn == op.MMAX:
		return l.sel(x.b, old, l.cmp(op.MGT, signed, x.b, old))
	case x.fn == op.MAND || x.fn == op.MOR || x.fn == op.MXOR:
		r := make(value, len(old))
		for k := range r {
			switch x.fn {
			case op.MAND:
				r[k] = l.and2(old[k], x.b[k])
			case op.MOR:
				r[k] = l.or2(old[k], x.b[k])
			default:
				r[k] = l.xor2(old[k], x.b[k])
			}
		}
		return r
	case x.fn == op.MADD:
		return l.applyAdd(x, old)
	}
	l.unsupported()
	return nil
}

func (l *lowerer) applyAdd(x *atomic, old value) value {
	switch x.t {
	case isa.F32:
		return value{l.one(op.FADD, op.Mods{}, old[0], x.b[0])}
	case isa.F64:
		r := l.tmp(2)
		// of two NaNs the first stays, and the reference's is the addend
		l.emit(op.DADD, op.Mods{}, value{whole(r)}, whole(l.group(x.b)), whole(old))
		return r
	case isa.F16x2:
		return value{l.one(op.HADD2, op.Mods{}, old[0], l.reg(x.b[0]))}
	case isa.BF16x2:
		return value{l.one(op.HADD2, op.M(op.MBF16_V2), old[0], l.reg(x.b[0]))}
	}
	return l.sum(old, x.b)
}

// atomHalf updates 16 bits of memory through the word around them.
func (l *lowerer) atomHalf(x *atomic) {
	cell, half := l.halfCell(x)
	shift := l.shl1(half, ori.Imm(3))
	sel := l.sel1(ori.Imm(0x3254), ori.Imm(0x7610), l.cmp1(op.MEQ, false, half, rz()))
	word := l.tmp(1)
	l.copy(word, value{cell.load(l)})
	l.repeat(func() ori.Operand {
		expect, next := word[0], ori.Operand{}
		if x.fn == op.MCAS {
			low := l.cmp1(op.MEQ, false, half, rz())
			expect = l.replaceHalf(word[0], x.b[0], low)
			next = l.replaceHalf(word[0], x.c[0], low)
		} else {
			next = l.one(op.PRMT, op.Mods{}, word[0], sel, l.halfSum(x, word[0]))
		}
		r := cell.swap(l, x, expect, next)
		same := l.cmp1(op.MEQ, false, r, expect)
		if x.fn == op.MCAS { // another value of the half itself ends it too
			mine := l.shr1(l.xor2(r, expect), shift)
			other := l.cmp1(op.MNE, false, l.and2(mine, ori.Imm(0xffff)), rz())
			same = l.plop(0xfc, same, other)
		}
		l.copy(word, value{r})
		return same
	})
	x.old = value{l.shr1(word[0], shift)}
}

// replaceHalf puts the low half of h into the low or high half of w.
func (l *lowerer) replaceHalf(w, h, low ori.Operand) ori.Operand {
	a := l.one(op.PRMT, op.Mods{}, w, ori.Imm(0x3254), l.reg(h))
	b := l.one(op.PRMT, op.Mods{}, w, ori.Imm(0x5410), l.reg(h))
	return l.sel1(a, b, low)
}

// halfSum adds the operand to both halves of a word.
func (l *lowerer) halfSum(x *atomic, w ori.Operand) ori.Operand {
	if x.fn != op.MADD {
		l.unsupported()
	}
	b := l.reg(x.b[0])
	b.Flags |= ori.H0
	if x.t == isa.BF16 {
		return l.one(op.HADD2, op.M(op.MBF16_V2), w, b)
	}
	return l.one(op.HADD2, op.Mods{}, w, b)
}

// cell is a word of memory that can be compared and swapped.
type cell struct {
	shared bool
	addr   ori.Operand
	desc   ori.Operand
	o      op.Op
	read   op.Op
}

// halfCell returns the aligned word around a 16-bit value and the value's
// offset in it: 0 or 2.
func (l *lowerer) halfCell(x *atomic) (c cell, half ori.Operand) {
	if x.space == isa.SpaceShared && !x.remote {
		a := l.address(x.addr, isa.SpaceShared)[0]
		lo := rz()
		if a.Reg != ori.NoReg {
			lo = l.f.Word(a.Reg, int(a.Sub))
		}
		lo = l.iadd(lo, word(uint32(a.Imm)))
		c = cell{shared: true, addr: ori.Addr(l.and2(lo, ori.Imm(^2)), 0), o: op.ATOMS, read: op.LDS}
		return c, l.and2(lo, ori.Imm(2))
	}
	a := l.genericAddress(x)
	base := l.words(a.Reg)[a.Sub : a.Sub+2]
	if a.Imm != 0 {
		base = l.add64(base, imm(uint64(a.Imm), 2), false)
	}
	at := ori.Addr(whole(l.group(value{l.and2(base[0], ori.Imm(^2)), base[1]})), 0)
	c = cell{addr: at, desc: l.descriptor(), o: op.ATOMG, read: op.LDG}
	if x.space != isa.SpaceGlobal {
		c.o, c.read = op.ATOM, op.LD
	}
	return c, l.and2(base[0], ori.Imm(2))
}

func (c *cell) load(l *lowerer) ori.Operand {
	if c.shared {
		return l.one(c.read, op.Mods{}, c.addr)
	}
	return l.one(c.read, op.M(op.ME), c.desc, c.addr)
}

func (c *cell) swap(l *lowerer, x *atomic, expect, next ori.Operand) ori.Operand {
	r := l.tmp(1)
	if c.shared {
		l.emit(c.o, op.M(op.MCAS), r, c.addr, l.reg(expect), l.reg(next))
		return r[0]
	}
	bare := c.addr
	bare.Flags &^= ori.Wide
	l.emit(c.o, op.M(op.ME, op.MCAS, op.MSTRONG, x.scope), value{pt(), r[0]}, bare, l.reg(expect), l.reg(next))
	return r[0]
}
