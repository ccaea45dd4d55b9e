package memory

import (
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// Atomics maps the operations of atom and red to the machine's.
var Atomics = []build.WordName{
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

// Atomic is an atom or red instruction being lowered.
type Atomic struct {
	T      isa.Type // of one element
	N      int      // elements
	Fn     op.Mod
	scope  op.Mod
	red    bool
	addr   *sema.Operand
	b, c   build.Value // operands
	space  isa.Space
	remote bool
	hint   bool
	old    build.Value // the result
}

// Atom lowers atom and red but those that are asynchronous.
func Atom(l *build.Builder) {
	x := &Atomic{T: l.Typ(0), N: 1, red: l.In.Op == isa.WRed, scope: op.MGPU, remote: Remote(l)}
	at := 1
	if x.red {
		at = 0
	}
	x.addr = &l.Args[at]
	x.space = Space(l, x.addr)
	acquire, release := AtomMods(l, x)
	x.N = len(l.Elements(at + 1))
	x.b = l.JoinedElements(at+1, x.T)
	if x.Fn == op.MCAS {
		x.c = l.JoinedElements(at+2, x.T)
	}
	many := l.Guard.Kind != ori.KNone && !direct(l, x)
	do := func() {
		if release {
			FenceBefore(l, x.scope)
		}
		atomOp(l, x)
		if acquire {
			FenceAfter(l, x.scope)
		}
		if !x.red {
			atomResult(l, x)
		}
	}
	if many {
		l.Alone(do)
		return
	}
	do()
}

// AtomMods reads the modifiers.
func AtomMods(l *build.Builder, x *Atomic) (acquire, release bool) {
	for _, w := range l.Body.ModsOf(l.In) {
		if m := build.OfWord(Atomics, w); m != op.NoMod {
			x.Fn = m
			l.Knows(w)
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
		l.Knows(w)
	}
	return acquire, release
}

// atomResult copies what was in memory to the destination.
func atomResult(l *build.Builder, x *Atomic) {
	es := l.Elements(0)
	for k := range es {
		if es[k].Kind == isa.KReg {
			d := l.Words(l.Regs[es[k].Ref])
			r := Part(l, x.old, x.T, k, len(es))
			l.Copy(d[:min(len(d), len(r))], r)
		}
	}
}

// Kind returns the modifiers that name the type of an atomic operation,
// and whether the machine does it on global memory.
func (x *Atomic) Kind() (op.Mods, bool) {
	bits := x.Fn == op.MEXCH || x.Fn == op.MCAS
	switch x.T {
	case isa.U32, isa.B32:
		return op.Mods{}, true
	case isa.S32:
		return op.M(op.MS32), true
	case isa.U64, isa.B64:
		return op.M(op.M64), true
	case isa.S64:
		return op.M(op.MS64), x.Fn == op.MMIN || x.Fn == op.MMAX
	case isa.B128:
		return op.M(op.M128), bits
	case isa.F32:
		return op.M([...]op.Mod{1: op.MF32, 2: op.MF32x2, 4: op.MF32x4}[x.N], op.MFTZ, op.MRN), x.Fn == op.MADD
	case isa.F64:
		return op.M(op.MF64, op.MRN), x.Fn == op.MADD
	case isa.F16, isa.F16x2:
		return op.M(halves(x, op.MF16x2, op.MF16x4, op.MF16x8), op.MRN), x.T == isa.F16x2 || x.N > 1
	case isa.BF16, isa.BF16x2:
		return op.M(halves(x, op.MBF16x2, op.MBF16x4, op.MBF16x8), op.MRN), x.T == isa.BF16x2 || x.N > 1
	case isa.E4M3x4:
		return op.M([...]op.Mod{1: op.ME4M3x4, 2: op.ME4M3x8, 4: op.ME4M3x16}[x.N], op.MRN), true
	case isa.E5M2x4:
		return op.M([...]op.Mod{1: op.ME5M2x4, 2: op.ME5M2x8, 4: op.ME5M2x16}[x.N], op.MRN), true
	}
	return op.Mods{}, false
}

// halves picks the modifier for as many half-precision lanes as x has.
func halves(x *Atomic, two, four, eight op.Mod) op.Mod {
	switch x.N * x.T.Bits() / 16 {
	case 4:
		return four
	case 8:
		return eight
	}
	return two
}

// direct reports whether x is one machine instruction.
func direct(l *build.Builder, x *Atomic) bool {
	_, ok := x.Kind()
	wide := x.T.Bits() == 64
	bits := x.Fn == op.MEXCH || x.Fn == op.MCAS
	switch {
	case !ok:
		return false
	case x.N > 1: // in global memory, whatever the address says
		return true
	case x.remote || x.space == isa.Generic:
		return x.T.Class() != isa.Float && x.T.Class() != isa.PackedFloat && !wide
	case x.space == isa.SpaceShared:
		return x.T.Class() != isa.Float && x.T.Class() != isa.PackedFloat && (!wide || bits)
	}
	return true
}

// atomOp lowers the operation itself.
func atomOp(l *build.Builder, x *Atomic) {
	_, ok := x.Kind()
	switch {
	case x.space != isa.SpaceGlobal && x.space != isa.SpaceShared && x.space != isa.Generic:
		l.Unsupported()
	case x.T.Bits() == 16 && x.N == 1:
		atomHalf(l, x)
	case !ok:
		l.Unsupported()
	case x.space == isa.SpaceGlobal:
		x.old = atomGlobal(l, x, op.ATOMG, expand.PT(), Address(l, x.addr, isa.SpaceGlobal)[0])
	case x.remote || x.space == isa.Generic:
		atomGeneric(l, x)
	case direct(l, x):
		atomShared(l, x)
	default:
		sharedLoop(l, x, Address(l, x.addr, isa.SpaceShared))
	}
}

// atomGlobal emits one atomic instruction on a 64-bit address. p receives
// whether the machine could do it.
func atomGlobal(l *build.Builder, x *Atomic, o op.Op, p, addr ori.Operand) build.Value {
	kind, _ := x.Kind()
	m := build.Join(build.Join(op.M(op.ME, x.Fn), kind), op.M(op.MSTRONG, x.scope))
	r := l.Tmp(max(1, x.N*x.T.Bits()/32))
	b := expand.Whole(l.Group(x.b))
	bare := addr
	bare.Flags &^= ori.Wide
	switch {
	case x.Fn == op.MCAS:
		l.Emit(o, m, build.Value{p, expand.Whole(r)}, bare, b, expand.Whole(l.Group(x.c)))
		return r
	case x.remote:
		l.Emit(o, m, build.Value{p, expand.Whole(r)}, bare, b)
		return r
	}
	d := Descriptor(l)
	if x.hint {
		d = PolicyDesc(l, l.Src(len(l.Args)-1, isa.B64))
	}
	if x.red && o == op.ATOMG && x.Fn != op.MEXCH {
		l.Emit(redOp(l), m, nil, d, addr, b)
		return nil
	}
	l.Emit(o, m, build.Value{p, expand.Whole(r)}, d, addr, b)
	return r
}

// redOp is the reduction without a result on global memory.
func redOp(l *build.Builder) op.Op {
	if !l.Arch.Has(target.NamedRed) {
		return op.RED
	}
	return op.REDG
}

// atomShared emits one atomic instruction on shared memory.
func atomShared(l *build.Builder, x *Atomic) {
	m := op.M(x.Fn)
	switch {
	case x.T.Bits() == 64:
		m = m.With(op.M64)
	case x.T.Bits() == 128:
		m = m.With(op.M128)
	case x.T == isa.S32 && (x.Fn == op.MMIN || x.Fn == op.MMAX || x.Fn == op.MADD):
		m = m.With(op.MS32)
	}
	srcs := append(Address(l, x.addr, isa.SpaceShared), expand.Whole(l.Group(x.b)))
	if x.Fn == op.MCAS {
		srcs = append(srcs, expand.Whole(l.Group(x.c)))
	}
	x.old = l.Tmp(build.Words(x.T))
	l.Emit(op.ATOMS, m, build.Value{expand.Whole(x.old)}, srcs...)
}

// genericAddress returns the 64-bit address of x as an operand.
func genericAddress(l *build.Builder, x *Atomic) ori.Operand {
	if x.remote {
		return remoteAddress(l, x.addr)
	}
	return Address(l, x.addr, isa.Generic)[0]
}

// atomGeneric lowers an operation on memory of any space. What the machine
// refuses lies in shared memory, in that of another block, or in local
// memory, which no other thread sees.
func atomGeneric(l *build.Builder, x *Atomic) {
	addr := genericAddress(l, x)
	if direct(l, x) {
		x.old = atomGlobal(l, x, op.ATOM, expand.PT(), addr)
		return
	}
	ok := l.Pred()
	r := atomGlobal(l, x, op.ATOM, ok, addr)
	x.old = l.Tmp(len(r))
	l.Copy(x.old, r)
	end := l.F.NewBlock()
	l.Branch(ok, end)
	base := l.Words(addr.Reg)[addr.Sub : addr.Sub+2]
	if addr.Imm != 0 {
		base = l.Add64(base, expand.Imm(uint64(addr.Imm), 2), false)
	}
	bits := x.Fn == op.MEXCH || x.Fn == op.MCAS
	if !bits {
		l.Either(inSpace(l, op.MS, base), func() {
			old := x.old
			sharedLoop(l, x, build.Value{ori.Addr(inWindow(l, base[0]), 0)})
			l.Copy(old, x.old)
			x.old = old
			l.Jump(end)
			l.Enter(l.F.NewBlock())
		}, nil)
		if l.Arch.Has(target.Clusters) {
			l.Either(inSpace(l, op.MD, base), func() { remoteLoop(l, x, base, end) }, nil)
		}
	}
	localUpdate(l, x, base)
	l.Fall(end)
}

// inWindow returns the address in shared memory of a generic one that lies
// there.
func inWindow(l *build.Builder, lo ori.Operand) ori.Operand {
	if !l.Arch.Has(target.Clusters) {
		return l.And2(lo, ori.Imm(oldSharedMask))
	}
	return l.Reg(lo)
}

// remoteLoop updates shared memory of another block.
func remoteLoop(l *build.Builder, x *Atomic, base build.Value, end *ori.Block) {
	at := ori.Addr(expand.Whole(l.Group(base)), 0)
	at.Flags &^= ori.Wide
	w := build.Width(x.T.Bits(), false)
	l.Repeat(func() ori.Operand {
		t := l.Tmp(len(x.old))
		l.Emit(op.LD, build.Join(op.M(op.ME), w), build.Value{expand.Whole(t)}, at)
		l.Copy(x.old, t)
		r := l.Tmp(len(x.old))
		l.Emit(op.ATOM, build.Join(op.M(op.ME, op.MCAST, op.MSPIN), w), build.Value{expand.PT(), expand.Whole(r)}, at, expand.Whole(t), expand.Whole(l.Group(apply(l, x, t))))
		return l.Cmp(op.MEQ, false, r, expand.Imm(1, len(r)))
	})
	l.Jump(end)
	l.Enter(l.F.NewBlock())
}

// localUpdate does the operation with a load and a store.
func localUpdate(l *build.Builder, x *Atomic, base build.Value) {
	srcs := build.Value{Descriptor(l), ori.Addr(expand.Whole(l.Group(base)), 0)}
	w := build.Join(op.M(op.ME), build.Width(x.T.Bits(), false))
	t := l.Tmp(len(x.old))
	l.Emit(op.LD, w, build.Value{expand.Whole(t)}, srcs...)
	l.Copy(x.old, t)
	l.Emit(op.ST, w, nil, append(srcs, expand.Whole(l.Group(apply(l, x, t))))...)
}

// sharedLoop updates shared memory by comparing and swapping until nobody
// else came between.
func sharedLoop(l *build.Builder, x *Atomic, at build.Value) {
	w := build.Width(x.T.Bits(), false)
	x.old = l.Tmp(build.Words(x.T))
	l.Repeat(func() ori.Operand {
		l.Emit(op.LDS, w, build.Value{expand.Whole(x.old)}, at...)
		next := expand.Whole(l.Group(apply(l, x, x.old)))
		if l.Arch.Has(target.SpinPredicate) {
			p := l.Pred()
			l.Emit(op.ATOMS, build.Join(op.M(op.MCAST, op.MSPIN), w), build.Value{p}, append(at, expand.Whole(x.old), next)...)
			return p
		}
		r := l.Tmp(len(x.old))
		l.Emit(op.ATOMS, build.Join(op.M(op.MCAST, op.MSPIN), w), build.Value{expand.Whole(r)}, append(at, expand.Whole(x.old), next)...)
		return l.Cmp(op.MEQ, false, r, expand.Imm(1, len(r)))
	})
}

// apply computes the new contents of memory.
func apply(l *build.Builder, x *Atomic, old build.Value) build.Value {
	signed := x.T.Class() == isa.Signed
	switch {
	case x.Fn == op.MCAS:
		return l.Sel(x.c, old, l.Cmp(op.MEQ, false, old, x.b))
	case x.Fn == op.MEXCH:
		return x.b
	case x.Fn == op.MMIN:
		return l.Sel(x.b, old, l.Cmp(op.MLT, signed, x.b, old))
	case x.Fn == op.MMAX:
		return l.Sel(x.b, old, l.Cmp(op.MGT, signed, x.b, old))
	case x.Fn == op.MAND || x.Fn == op.MOR || x.Fn == op.MXOR:
		r := make(build.Value, len(old))
		for k := range r {
			switch x.Fn {
			case op.MAND:
				r[k] = l.And2(old[k], x.b[k])
			case op.MOR:
				r[k] = l.Or2(old[k], x.b[k])
			default:
				r[k] = l.Xor2(old[k], x.b[k])
			}
		}
		return r
	case x.Fn == op.MADD:
		return applyAdd(l, x, old)
	}
	l.Unsupported()
	return nil
}

func applyAdd(l *build.Builder, x *Atomic, old build.Value) build.Value {
	switch x.T {
	case isa.F32:
		return build.Value{l.One(op.FADD, op.Mods{}, old[0], x.b[0])}
	case isa.F64:
		r := l.Tmp(2)
		// of two NaNs the first stays, and the reference's is the addend
		l.Emit(op.DADD, op.Mods{}, build.Value{expand.Whole(r)}, expand.Whole(l.Group(x.b)), expand.Whole(old))
		return r
	case isa.F16x2:
		return build.Value{l.One(op.HADD2, op.Mods{}, old[0], l.Reg(x.b[0]))}
	case isa.BF16x2:
		return build.Value{l.One(op.HADD2, op.M(op.MBF16_V2), old[0], l.Reg(x.b[0]))}
	}
	return l.Sum(old, x.b)
}

// atomHalf updates 16 bits of memory through the word around them.
func atomHalf(l *build.Builder, x *Atomic) {
	cell, half := halfCell(l, x)
	shift := l.Shl1(half, ori.Imm(3))
	sel := l.Sel1(ori.Imm(0x3254), ori.Imm(0x7610), l.Cmp1(op.MEQ, false, half, expand.RZ()))
	word := l.Tmp(1)
	l.Copy(word, build.Value{cell.load(l)})
	l.Repeat(func() ori.Operand {
		expect, next := word[0], ori.Operand{}
		if x.Fn == op.MCAS {
			low := l.Cmp1(op.MEQ, false, half, expand.RZ())
			expect = replaceHalf(l, word[0], x.b[0], low)
			next = replaceHalf(l, word[0], x.c[0], low)
		} else {
			next = l.One(op.PRMT, op.Mods{}, word[0], sel, halfSum(l, x, word[0]))
		}
		r := cell.swap(l, x, expect, next)
		same := l.Cmp1(op.MEQ, false, r, expect)
		if x.Fn == op.MCAS { // another value of the half itself ends it too
			mine := l.Shr1(l.Xor2(r, expect), shift)
			other := l.Cmp1(op.MNE, false, l.And2(mine, ori.Imm(0xffff)), expand.RZ())
			same = l.Plop(0xfc, same, other)
		}
		l.Copy(word, build.Value{r})
		return same
	})
	x.old = build.Value{l.Shr1(word[0], shift)}
}

// replaceHalf puts the low half of h into the low or high half of w.
func replaceHalf(l *build.Builder, w, h, low ori.Operand) ori.Operand {
	a := l.One(op.PRMT, op.Mods{}, w, ori.Imm(0x3254), l.Reg(h))
	b := l.One(op.PRMT, op.Mods{}, w, ori.Imm(0x5410), l.Reg(h))
	return l.Sel1(a, b, low)
}

// halfSum adds the operand to both halves of a word.
func halfSum(l *build.Builder, x *Atomic, w ori.Operand) ori.Operand {
	if x.Fn != op.MADD {
		l.Unsupported()
	}
	b := l.Reg(x.b[0])
	b.Flags |= ori.H0
	if x.T == isa.BF16 {
		return l.One(op.HADD2, op.M(op.MBF16_V2), w, b)
	}
	return l.One(op.HADD2, op.Mods{}, w, b)
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
func halfCell(l *build.Builder, x *Atomic) (c cell, half ori.Operand) {
	if x.space == isa.SpaceShared && !x.remote {
		a := Address(l, x.addr, isa.SpaceShared)[0]
		lo := expand.RZ()
		if a.Reg != ori.NoReg {
			lo = l.F.Word(a.Reg, int(a.Sub))
		}
		lo = l.Iadd(lo, expand.Word(uint32(a.Imm)))
		c = cell{shared: true, addr: ori.Addr(l.And2(lo, ori.Imm(^2)), 0), o: op.ATOMS, read: op.LDS}
		return c, l.And2(lo, ori.Imm(2))
	}
	a := genericAddress(l, x)
	base := l.Words(a.Reg)[a.Sub : a.Sub+2]
	if a.Imm != 0 {
		base = l.Add64(base, expand.Imm(uint64(a.Imm), 2), false)
	}
	at := ori.Addr(expand.Whole(l.Group(build.Value{l.And2(base[0], ori.Imm(^2)), base[1]})), 0)
	c = cell{addr: at, desc: Descriptor(l), o: op.ATOMG, read: op.LDG}
	if x.space != isa.SpaceGlobal {
		c.o, c.read = op.ATOM, op.LD
	}
	return c, l.And2(base[0], ori.Imm(2))
}

func (c *cell) load(l *build.Builder) ori.Operand {
	if c.shared {
		return l.One(c.read, op.Mods{}, c.addr)
	}
	return l.One(c.read, op.M(op.ME), c.desc, c.addr)
}

func (c *cell) swap(l *build.Builder, x *Atomic, expect, next ori.Operand) ori.Operand {
	r := l.Tmp(1)
	if c.shared {
		l.Emit(c.o, op.M(op.MCAS), r, c.addr, l.Reg(expect), l.Reg(next))
		return r[0]
	}
	bare := c.addr
	bare.Flags &^= ori.Wide
	l.Emit(c.o, op.M(op.ME, op.MCAS, op.MSTRONG, x.scope), build.Value{expand.PT(), r[0]}, bare, l.Reg(expect), l.Reg(next))
	return r[0]
}
