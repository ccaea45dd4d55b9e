package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// descriptor returns the memory descriptor that global accesses name.
func (l *lowerer) descriptor() ori.Operand {
	if l.desc == ori.NoReg {
		l.desc = l.f.NewReg(ori.UR, 2)
		if !l.arch.Has(target.Descriptors) { // has none: emission leaves it out
			for n := range 2 {
				l.atEntry(l.f.NewInstr(op.UMOV, op.Mods{}, value{l.f.Word(l.desc, n)}, value{ori.Zero(ori.UR)}))
			}
			d := l.f.Words(l.desc)
			d.Kind = ori.KDesc
			return d
		}
		o := op.ULDC
		if l.arch.Has(target.UniformLoads) {
			o = op.LDCU
		}
		l.atEntry(l.f.NewInstr(o, op.M(op.M64), value{l.f.Words(l.desc)}, value{ori.Const(0, l.arch.Bank0().Desc)}))
	}
	d := l.f.Words(l.desc)
	d.Kind = ori.KDesc
	return d
}

// atEntry adds an instruction at the start of the function, after those
// added before it.
func (l *lowerer) atEntry(i *ori.Instr) {
	b := l.order[0]
	if l.entry == nil {
		b.Prepend(i)
	} else {
		b.InsertAfter(i, l.entry)
	}
	l.entry = i
}

// width returns the modifiers that say how much a memory access moves.
func width(bits int, signed bool) op.Mods {
	switch {
	case bits == 8 && signed:
		return op.M(op.MS8)
	case bits == 8:
		return op.M(op.MU8)
	case bits == 16 && signed:
		return op.M(op.MS16)
	case bits == 16:
		return op.M(op.MU16)
	case bits == 64:
		return op.M(op.M64)
	case bits == 128:
		return op.M(op.M128)
	}
	return op.Mods{}
}

// join appends the modifiers of b to a.
func join(a, b op.Mods) op.Mods {
	for _, m := range b {
		if m != op.NoMod {
			a = a.With(m)
		}
	}
	return a
}

// space returns the state space an access goes to.
func (l *lowerer) space(a *sema.Operand) isa.Space {
	s := isa.Generic
	if l.in.NSpaces > 0 {
		s = l.in.Spaces[0]
	} else if a.Base == isa.KSymbol {
		s = a.Space
	}
	return s.Base()
}

// ld lowers ld.
func (l *lowerer) ld() {
	t := l.typ(0)
	a := &l.args[1]
	switch s := l.space(a); s {
	case isa.SpaceParam:
		l.ldParam(t, a)
	case isa.SpaceGlobal, isa.Generic, isa.SpaceShared, isa.SpaceLocal:
		l.load(t, s, a)
	case isa.SpaceConst:
		l.ldConst(t, a)
	default:
		l.unsupported()
	}
}

// What a constant operand adds to an index: 16 bits, signed.
const (
	minBankOffset = -1 << 15
	maxBankOffset = 1<<15 - 1 - 16
)

// ldConst reads the user's constants from bank 3.
func (l *lowerer) ldConst(t isa.Type, a *sema.Operand) {
	l.ordering()
	off := int64(a.Value)
	src := ori.Const(3, 0)
	switch a.Base {
	case isa.KReg:
		src.Reg, src.Class = l.index(a), ori.R
		if off < minBankOffset || off > maxBankOffset {
			src.Reg = l.iadd(l.f.Words(src.Reg), word(uint32(off))).Reg
			off = 0
		}
	case isa.KSymbol:
		sym := l.moduleSym(a)
		if sym < 0 {
			l.unsupported()
		}
		if l.layout.Object {
			l.ldConstObject(t, l.m.Syms[sym].Name, off)
			return
		}
		off += l.layout.Const[l.m.Syms[sym].Name]
	default:
		l.unsupported()
	}
	es := l.elements(0)
	for k := range es {
		src.Imm = off + int64(k*t.Bits()/8)
		if es[k].Kind == isa.KSink {
			continue
		}
		l.spread(l.words(l.regs[es[k].Ref]), l.bank(src, t.Bits(), t.Class() == isa.Signed), t)
	}
}

// bank reads a value from a constant bank; 128 bits in two halves, since the
// unit moves 64.
func (l *lowerer) bank(src ori.Operand, bits int, signed bool) value {
	r := l.tmp(max(1, bits/32))
	if bits < 128 {
		l.emit(op.LDC, width(bits, signed), value{whole(r)}, src)
		return r
	}
	l.emit(op.LDC, op.M(op.M64), value{whole(r[:2])}, src)
	src.Imm += 8
	l.emit(op.LDC, op.M(op.M64), value{whole(r[2:])}, src)
	return r
}

// elements returns the operands of a vector argument, or the argument
// itself.
func (l *lowerer) elements(n int) []sema.Operand {
	a := &l.args[n]
	if a.Kind == isa.KVector {
		return l.body.Of(a.Elems)
	}
	return l.args[n : n+1]
}

// spread copies a loaded value to its register, which may be wider.
func (l *lowerer) spread(d, r value, t isa.Type) {
	l.copy(d[:min(len(d), len(r))], r)
	for n := len(r); n < len(d); n++ {
		if t.Class() == isa.Signed {
			l.emit(op.SHF, op.M(op.MR, op.MS32, op.MHI), d[n:n+1], rz(), ori.Imm(31), r[len(r)-1])
		} else {
			l.emit(op.MOV, op.Mods{}, d[n:n+1], rz())
		}
	}
}

// access describes a memory operation of each space.
type access struct {
	load, store op.Op
	global      bool // carries .E and a descriptor
}

func accessOf(s isa.Space) access {
	switch s {
	case isa.SpaceShared:
		return access{op.LDS, op.STS, false}
	case isa.SpaceLocal:
		return access{op.LDL, op.STL, false}
	case isa.SpaceGlobal:
		return access{op.LDG, op.STG, true}
	}
	return access{op.LD, op.ST, true}
}

// ordering collects what cache operators, eviction hints, consistency and
// scope say about a global access: the modifiers before and after the width,
// and the fences around it.
type ordering struct {
	before, after    op.Mods
	acquire, release bool
	scope            op.Mod // of the fences
	level2           op.Mod // what the second level does with 256 bits
	hint             bool   // the last argument is a cache policy
	mmio             bool
}

// placements maps cache operators and eviction hints to modifiers.
var placements = []wordName{
	{isa.WCs, op.MEF},
	{isa.WL1EvictFirst, op.MEF},
	{isa.WLu, op.MLU},
	{isa.WL1EvictUnchanged, op.MEU},
	{isa.WL1EvictLast, op.MEL},
	{isa.WL1NoAllocate, op.MNA},
	{isa.WL264B, op.MLTC64B},
	{isa.WL2128B, op.MLTC128B},
	{isa.WL2256B, op.MLTC256B},
}

// ordering reads the modifiers of the current access.
func (l *lowerer) ordering() ordering {
	var o ordering
	strong := op.NoMod
	ordered := false
	for _, w := range l.body.ModsOf(l.in) {
		l.knows(w)
		switch w {
		case isa.WWeak, isa.WV2, isa.WV4, isa.WV8, isa.WL1EvictNormal, isa.WSt:
		case isa.WL2EvictFirst:
			o.level2 = op.MEFL2
		case isa.WL2EvictLast:
			o.level2 = op.MELL2
		case isa.WL2EvictNormal:
			o.level2 = op.MENL2
		case isa.WNc:
			o.after = op.M(op.MCONSTANT)
		case isa.WVolatile:
			strong = op.MSYS
		case isa.WMmio:
			o.mmio = true
		case isa.WRelaxed:
			ordered = true
		case isa.WAcquire:
			ordered, o.acquire = true, true
		case isa.WRelease:
			ordered, o.release = true, true
		case isa.WCta:
			o.scope = op.MSM
		case isa.WCluster, isa.WGpu:
			o.scope = op.MGPU
		case isa.WSys:
			o.scope = op.MSYS
		case isa.WCa, isa.WWb:
			strong = op.MSM
		case isa.WCg:
			strong = op.MGPU
		case isa.WCv, isa.WWt:
			strong = op.MSYS
		case isa.WL2CacheHint:
			o.hint = true
		default:
			if m := ofWord(placements, w); m != op.NoMod {
				o.before = o.before.With(m)
			} else if !w.IsType() && !w.IsSpace() {
				l.unsupported()
			}
		}
	}
	if ordered {
		strong = o.scope
	}
	switch {
	case o.mmio:
		o.after = op.M(op.MMMIO, op.MSYS)
	case strong != op.NoMod && !o.after.Has(op.MCONSTANT):
		o.after = op.M(op.MSTRONG, strong)
	}
	return o
}

// target returns the operands that name the memory of an access: descriptor
// and address. Remote shared memory and device registers take no descriptor.
func (l *lowerer) target(a *sema.Operand, s isa.Space, o *ordering) value {
	if o.level2 != op.NoMod {
		l.unsupported()
	}
	switch x := accessOf(s); {
	case !x.global:
		return l.address(a, s)
	case l.remote():
		return value{l.remoteAddress(a)}
	case o.mmio:
		return value{l.pointer(a, s)}
	case o.hint:
		return append(value{l.policyDesc(l.src(len(l.args)-1, isa.B64))}, l.address(a, s)...)
	}
	return append(value{l.descriptor()}, l.address(a, s)...)
}

// remote reports whether the current instruction names the shared memory of
// any block of the cluster.
func (l *lowerer) remote() bool { return l.in.NSpaces > 0 && l.in.Spaces[0] == isa.SpaceSharedCluster }

// sharedAddress is an address in shared memory, of that space or generic. A
// generic one has the same low word from sm_90 on.
func (l *lowerer) sharedAddress(a *sema.Operand) ori.Operand {
	x := l.address(a, isa.SpaceShared)[0]
	if l.in.NSpaces > 0 || l.arch.Bank0().SharedWindow < 0 || x.Reg == ori.NoReg {
		return x
	}
	low := l.one(op.LDC, op.Mods{}, ori.Const(0, l.arch.Bank0().SharedWindow))
	return ori.Addr(l.one(op.IADD3, op.Mods{}, l.f.Word(x.Reg, int(x.Sub)), low.Negate(), rz()), x.Imm)
}

// remoteAddress makes an address in the cluster's shared memory generic, for
// the forms that take no descriptor.
func (l *lowerer) remoteAddress(a *sema.Operand) ori.Operand {
	x := l.address(a, isa.SpaceShared)[0]
	lo := rz()
	if x.Reg != ori.NoReg {
		lo = l.f.Word(x.Reg, int(x.Sub))
	}
	r := ori.Addr(whole(l.group(value{lo, l.sharedHigh()})), x.Imm)
	r.Flags &^= ori.Wide
	return r
}

// sharedHigh is the high word of generic addresses of shared memory.
func (l *lowerer) sharedHigh() ori.Operand {
	return l.one(op.S2R, op.Mods{}, ori.Special(op.SRSharedWindowHi))
}

// fenceBefore orders earlier accesses before a release.
func (l *lowerer) fenceBefore(scope op.Mod) {
	if scope == op.MSM || scope == op.NoMod {
		l.emit(op.MEMBAR, op.M(op.MALL, op.MCTA), nil)
		return
	}
	l.emit(op.MEMBAR, op.M(op.MALL, scope), nil)
	l.emit(op.ERRBAR, op.Mods{}, nil)
	if l.arch.Has(target.Clusters) {
		l.emit(op.CGAERRBAR, op.Mods{}, nil)
	}
}

// fenceAfter orders an acquire before later accesses. Inside a block the
// machine keeps them in order: only we must not move or join any across.
func (l *lowerer) fenceAfter(scope op.Mod) {
	if scope == op.MSM || scope == op.NoMod {
		l.emit(op.NOP, op.Mods{}, nil)
		return
	}
	l.emit(op.CCTL, op.M(op.MIVALL), nil)
}

// modsOf joins the modifiers of an access.
func modsOf(x access, o *ordering, w op.Mods) op.Mods {
	if !x.global {
		return w
	}
	return join(join(join(op.M(op.ME), o.before), w), o.after)
}

// vector returns the elements that an access moves, their bits together, and
// the space: the shared memory of another block has generic addresses.
func (l *lowerer) vector(n int, t isa.Type, s isa.Space) ([]sema.Operand, int, isa.Space) {
	es := l.elements(n)
	bits := t.Bits() * len(es)
	if l.remote() {
		s = isa.Generic
	}
	return es, bits, s
}

// load lowers a load from a space with addresses in registers.
func (l *lowerer) load(t isa.Type, s isa.Space, a *sema.Operand) {
	es, bits, s := l.vector(0, t, s)
	if bits > 128 {
		l.loadWide(t, s, a, es)
		return
	}
	o := l.ordering()
	l.withDefault(&o, s, l.opts.Caches.Load, l.opts.Caches.ForceLoad)
	x := accessOf(s)
	m := modsOf(x, &o, width(bits, t.Class() == isa.Signed && len(es) == 1))
	srcs := l.target(a, s, &o)
	r := l.tmp(max(1, bits/32))
	l.emit(x.load, m, value{whole(r)}, srcs...)
	if o.acquire {
		l.fenceAfter(o.scope)
	}
	for k := range es {
		if es[k].Kind != isa.KSink {
			l.spread(l.words(l.regs[es[k].Ref]), l.part(r, t, k, len(es)), t)
		}
	}
}

// part takes element k of a loaded vector.
func (l *lowerer) part(r value, t isa.Type, k, n int) value {
	w := words(t)
	if t.Bits() >= 32 || n == 1 {
		return r[k*w : k*w+w]
	}
	at := k * t.Bits() / 8
	sel := int64(0x7770)
	if t.Bits() == 16 {
		sel = 0x7710
	}
	b := int64(at % 4)
	sel += b
	if t.Bits() == 16 {
		sel += b << 4
		if t.Class() == isa.Signed { // the upper bytes repeat the sign
			top := 8 | (b + 1)
			sel = top<<12 | top<<8 | sel&0xff
		}
	} else if t.Class() == isa.Signed {
		top := 8 | b
		sel = top<<12 | top<<8 | top<<4 | b
	}
	return value{l.one(op.PRMT, op.Mods{}, r[at/4], ori.Imm(sel), rz())}
}

// st lowers st to memory that is written at once.
func (l *lowerer) st() {
	t := l.typ(0)
	a := &l.args[0]
	s := l.space(a)
	if s == isa.SpaceParam {
		l.stParam(t, a)
		return
	}
	if s != isa.SpaceGlobal && s != isa.Generic && s != isa.SpaceShared && s != isa.SpaceLocal {
		l.unsupported()
	}
	es, bits, s := l.vector(1, t, s)
	if bits > 128 {
		l.storeWide(t, s, a, es)
		return
	}
	x := accessOf(s)
	o := l.ordering()
	l.withDefault(&o, s, l.opts.Caches.Store, l.opts.Caches.ForceStore)
	if o.release {
		l.fenceBefore(o.scope)
	}
	m := modsOf(x, &o, width(bits, false))
	srcs := l.target(a, s, &o)
	var v value
	for k := range es {
		v = append(v, l.read(&es[k], t)...)
	}
	if t.Bits() < 32 && len(es) > 1 {
		v = l.joined(v, t.Bits())
	}
	srcs = append(srcs, whole(l.group(v)))
	l.emit(x.store, m, nil, srcs...)
}

// joined packs narrow elements into words; a last word may be partial.
func (l *lowerer) joined(v value, bits int) value {
	for len(v)*bits%32 != 0 {
		v = append(v, rz())
	}
	return l.packed(v, bits)
}

// maxOffset is the largest offset an address field holds: 24 bits, signed.
const maxOffset = 1<<23 - 1

// address returns the operands that name the memory of an address.
func (l *lowerer) address(a *sema.Operand, s isa.Space) value {
	if a.Kind != isa.KAddr || a.Index >= 0 {
		l.unsupported()
	}
	off := int64(a.Value)
	wide := s == isa.SpaceGlobal || s == isa.Generic
	var base value
	switch a.Base {
	case isa.KReg:
		base = l.words(l.regs[a.Ref])
	case isa.KSymbol:
		base, off = l.place(a)
	default:
		base = value{rz()}
	}
	if wide && len(base) < 2 {
		l.fail("32-bit address in a 64-bit space")
	}
	if !wide {
		base = base[:1]
	}
	if off > maxOffset || off < -maxOffset-1 {
		if wide {
			base = l.add64(base, imm(uint64(off), 2), false)
		} else {
			base = value{l.one(op.IADD3, op.Mods{}, base[0], word(uint32(off)), rz())}
		}
		off = 0
	}
	if base[0].Kind == ori.KZero {
		return value{ori.Addr(ori.Operand{}, off)}
	}
	if wide {
		return value{ori.Addr(whole(l.pair(base)), off)}
	}
	return value{ori.Addr(l.reg(base[0]), off)}
}

// place returns where a variable lies: the words of a base and an offset.
func (l *lowerer) place(a *sema.Operand) (base value, off int64) {
	off = int64(a.Value)
	if v := l.variable(a); v != nil {
		switch {
		case v.bank:
			return value{rz()}, off + v.param
		case v.words == nil:
			return value{l.stack()}, off + v.off
		}
	}
	if n := a.Local(); n >= 0 && a.Formal() < 0 {
		switch l.body.Vars[n].Space {
		case isa.SpaceLocal:
			return value{l.stack()}, off + l.locals[n]
		case isa.SpaceShared, isa.SpaceSharedCTA:
			if l.layout.Object {
				return value{l.sharedAt(SharedSymbol(l.m, l.body, n))}, off
			}
			return value{l.window()}, off + l.shared[n]
		}
	}
	sym := l.moduleSym(a)
	if sym < 0 {
		l.unsupported()
	}
	name := l.m.Syms[sym].Name
	if l.layout.Object {
		return l.placeObject(name, a.Space.Base()), off
	}
	switch a.Space.Base() {
	case isa.SpaceShared:
		if a, ok := l.layout.Dynamic[name]; ok { // behind all static variables
			return value{l.window()}, off + (int64(l.f.Props.SharedBytes)+a-1)/a*a
		}
		return value{l.window()}, off + l.sharedVariable(name)
	case isa.SpaceConst:
		return value{rz()}, off + l.layout.Const[name]
	case isa.SpaceLocal:
		top := l.tmp(1)
		l.emit(op.LDC, op.Mods{}, top, ori.Const(0, l.arch.Bank0().Stack))
		return top, off - l.layout.Local[name]
	case isa.SpaceGlobal:
		return l.slot(name), off
	}
	l.unsupported()
	return nil, 0
}

// moduleSym returns the symbol of the module that an operand names, also
// where the body declares it, or -1.
func (l *lowerer) moduleSym(a *sema.Operand) int32 {
	if a.Formal() >= 0 {
		return -1
	}
	if n := a.Local(); n >= 0 {
		return l.m.OwnSym(l.body.Func, n)
	}
	return a.Ref
}

// slot reads an address that the driver leaves in a bank of constants.
func (l *lowerer) slot(name string) value {
	t := l.tmp(2)
	l.emit(op.LDC, op.M(op.M64), value{whole(t)}, ori.Operand{Kind: ori.KSymbol, Reg: l.f.Module.Symbol(name)})
	return t
}

// symbol returns the address of a variable as a value.
func (l *lowerer) symbol(a *sema.Operand, n int) value {
	if h, ok := l.reference(a); ok {
		return h[:n]
	}
	base, off := l.place(a)
	if len(base) == 2 {
		if off != 0 {
			base = l.add64(base, imm(uint64(off), 2), false)
		}
	} else {
		base = value{l.one(op.IADD3, op.Mods{}, base[0], word(uint32(off)), rz()), rz()}
	}
	return base[:n]
}

// SharedReserved is what the system keeps at the start of shared memory on
// sm_90 and later.
const SharedReserved = target.SystemShared

// window returns the address of this block's shared memory: on sm_90 and
// later the block's rank in its cluster stands in the top byte.
func (l *lowerer) window() ori.Operand {
	if !l.arch.Has(target.Clusters) {
		return rz()
	}
	if l.rank == ori.NoReg {
		id := l.f.NewReg(ori.R, 1)
		l.rank = l.f.NewReg(ori.R, 1)
		l.atEntry(l.f.NewInstr(op.S2R, op.Mods{}, value{l.f.Words(id)}, value{ori.Special(op.SRClusterCtaID)}))
		t := l.f.NewReg(ori.R, 1)
		l.atEntry(l.f.NewInstr(op.SHF, op.M(op.ML, op.MU32), value{l.f.Words(t)}, value{l.f.Words(id), ori.Imm(24), rz()}))
		l.atEntry(l.f.NewInstr(op.IADD3, op.Mods{}, value{l.f.Words(l.rank)}, value{l.f.Words(t), ori.Imm(SharedReserved), rz()}))
	}
	return l.f.Words(l.rank)
}
