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

// Descriptor returns the memory descriptor that global accesses name: none in
// registers where the machine has no descriptors, or where the bank that holds
// it belongs to the kernel that code is put into. Emission leaves that out.
func Descriptor(l *build.Builder) ori.Operand {
	if !l.Arch.Has(target.Descriptors) || l.Layout.Patch {
		return ori.Operand{Kind: ori.KDesc, Class: ori.UR, Reg: ori.NoReg}
	}
	if l.Desc == ori.NoReg {
		l.Desc = l.F.NewReg(ori.UR, 2)
		o := op.ULDC
		if l.Arch.Has(target.UniformLoads) {
			o = op.LDCU
		}
		l.AtEntry(l.F.NewInstr(o, op.M(op.M64), build.Value{l.F.Words(l.Desc)}, build.Value{ori.Const(0, l.Arch.Bank0().Desc)}))
	}
	d := l.F.Words(l.Desc)
	d.Kind = ori.KDesc
	return d
}

// Space returns the state space an access goes to.
func Space(l *build.Builder, a *sema.Operand) isa.Space {
	s := isa.Generic
	if l.In.NSpaces > 0 {
		s = l.In.Spaces[0]
	} else if a.Base == isa.KSymbol {
		s = a.Space
	}
	return s.Base()
}

// What a constant operand adds to an index: 16 bits, signed.
const (
	minBankOffset = -1 << 15
	maxBankOffset = 1<<15 - 1 - 16
)

// bank reads a value from a constant bank; 128 bits in two halves, since the
// unit moves 64.
func bank(l *build.Builder, src ori.Operand, bits int, signed bool) build.Value {
	r := l.Tmp(max(1, bits/32))
	if bits < 128 {
		l.Emit(op.LDC, build.Width(bits, signed), build.Value{expand.Whole(r)}, src)
		return r
	}
	l.Emit(op.LDC, op.M(op.M64), build.Value{expand.Whole(r[:2])}, src)
	src.Imm += 8
	l.Emit(op.LDC, op.M(op.M64), build.Value{expand.Whole(r[2:])}, src)
	return r
}

// Access describes a memory operation of each space.
type Access struct {
	Load, Store op.Op
	Global      bool // carries .E and a descriptor
}

func AccessOf(s isa.Space) Access {
	switch s {
	case isa.SpaceShared:
		return Access{op.LDS, op.STS, false}
	case isa.SpaceLocal:
		return Access{op.LDL, op.STL, false}
	case isa.SpaceGlobal:
		return Access{op.LDG, op.STG, true}
	}
	return Access{op.LD, op.ST, true}
}

// Ordering collects what cache operators, eviction hints, consistency and
// scope say about a global access: the modifiers before and after the width,
// and the fences around it.
type Ordering struct {
	before, after    op.Mods
	acquire, release bool
	scope            op.Mod // of the fences
	level2           op.Mod // what the second level does with 256 bits
	hint             bool   // the last argument is a cache policy
	mmio             bool
}

// Placements maps cache operators and eviction hints to modifiers.
var Placements = []build.WordName{
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
func ordering(l *build.Builder) Ordering {
	var o Ordering
	strong := op.NoMod
	ordered := false
	for _, w := range l.Body.ModsOf(l.In) {
		l.Knows(w)
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
			if m := build.OfWord(Placements, w); m != op.NoMod {
				o.before = o.before.With(m)
			} else if !w.IsType() && !w.IsSpace() {
				l.Unsupported()
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

// Target returns the operands that name the memory of an access: descriptor
// and address. Remote shared memory and device registers take no descriptor.
func Target(l *build.Builder, a *sema.Operand, s isa.Space, o *Ordering) build.Value {
	if o.level2 != op.NoMod {
		l.Unsupported()
	}
	switch x := AccessOf(s); {
	case !x.Global:
		return Address(l, a, s)
	case Remote(l):
		return build.Value{remoteAddress(l, a)}
	case o.mmio:
		return build.Value{pointer(l, a, s)}
	case o.hint:
		return append(build.Value{PolicyDesc(l, l.Src(len(l.Args)-1, isa.B64))}, Address(l, a, s)...)
	}
	return append(build.Value{Descriptor(l)}, Address(l, a, s)...)
}

// Remote reports whether the current instruction names the shared memory of
// any block of the cluster.
func Remote(l *build.Builder) bool {
	return l.In.NSpaces > 0 && l.In.Spaces[0] == isa.SpaceSharedCluster
}

// SharedAddress is an address in shared memory, of that space or generic. A
// generic one has the same low word from sm_90 on.
func SharedAddress(l *build.Builder, a *sema.Operand) ori.Operand {
	x := Address(l, a, isa.SpaceShared)[0]
	if l.In.NSpaces > 0 || l.Arch.Bank0().SharedWindow < 0 || x.Reg == ori.NoReg {
		return x
	}
	low := l.One(op.LDC, op.Mods{}, ori.Const(0, l.Arch.Bank0().SharedWindow))
	return ori.Addr(l.One(op.IADD3, op.Mods{}, l.F.Word(x.Reg, int(x.Sub)), low.Negate(), expand.RZ()), x.Imm)
}

// remoteAddress makes an address in the cluster's shared memory generic, for
// the forms that take no descriptor.
func remoteAddress(l *build.Builder, a *sema.Operand) ori.Operand {
	x := Address(l, a, isa.SpaceShared)[0]
	lo := expand.RZ()
	if x.Reg != ori.NoReg {
		lo = l.F.Word(x.Reg, int(x.Sub))
	}
	r := ori.Addr(expand.Whole(l.Group(build.Value{lo, sharedHigh(l)})), x.Imm)
	r.Flags &^= ori.Wide
	return r
}

// sharedHigh is the high word of generic addresses of shared memory.
func sharedHigh(l *build.Builder) ori.Operand {
	return l.One(op.S2R, op.Mods{}, ori.Special(op.SRSharedWindowHi))
}

// FenceBefore orders earlier accesses before a release.
func FenceBefore(l *build.Builder, scope op.Mod) {
	if scope == op.MSM || scope == op.NoMod {
		l.Emit(op.MEMBAR, op.M(op.MALL, op.MCTA), nil)
		return
	}
	l.Emit(op.MEMBAR, op.M(op.MALL, scope), nil)
	l.Emit(op.ERRBAR, op.Mods{}, nil)
	if l.Arch.Has(target.Clusters) {
		l.Emit(op.CGAERRBAR, op.Mods{}, nil)
	}
}

// FenceAfter orders an acquire before later accesses. Inside a block the
// machine keeps them in order: only we must not move or join any across.
func FenceAfter(l *build.Builder, scope op.Mod) {
	if scope == op.MSM || scope == op.NoMod {
		l.Emit(op.NOP, op.Mods{}, nil)
		return
	}
	l.Emit(op.CCTL, op.M(op.MIVALL), nil)
}

// ModsOf joins the modifiers of an access.
func ModsOf(x Access, o *Ordering, w op.Mods) op.Mods {
	if !x.Global {
		if x.Load == op.LDS && o.after.Has(op.MSTRONG) {
			return w.With(op.MVOLATILE)
		}
		return w
	}
	return build.Join(build.Join(build.Join(op.M(op.ME), o.before), w), o.after)
}

// vector returns the elements that an access moves, their bits together, and
// the space: the shared memory of another block has generic addresses.
func vector(l *build.Builder, n int, t isa.Type, s isa.Space) ([]sema.Operand, int, isa.Space) {
	es := l.Elements(n)
	bits := t.Bits() * len(es)
	if Remote(l) {
		s = isa.Generic
	}
	return es, bits, s
}

// Part takes element k of a loaded vector.
func Part(l *build.Builder, r build.Value, t isa.Type, k, n int) build.Value {
	w := build.Words(t)
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
	return build.Value{l.One(op.PRMT, op.Mods{}, r[at/4], ori.Imm(sel), expand.RZ())}
}

// AddressWords returns both words of the register in an address. A register of
// 32 bits is extended by zeros where the checker lets one pass
// (widenedAddress of sema/bodies).
func AddressWords(l *build.Builder, a *sema.Operand) build.Value {
	v := l.Words(l.Regs[a.Ref])
	if len(v) < 2 {
		return build.Value{v[0], expand.RZ()}
	}
	return v
}

// MaxOffset is the largest offset an address field holds: 24 bits, signed.
const MaxOffset = 1<<23 - 1

// Address returns the operands that name the memory of an address.
func Address(l *build.Builder, a *sema.Operand, s isa.Space) build.Value {
	if a.Kind != isa.KAddr || a.Index >= 0 {
		l.Unsupported()
	}
	off := int64(a.Value)
	wide := s == isa.SpaceGlobal || s == isa.Generic
	var base build.Value
	switch a.Base {
	case isa.KReg:
		base = l.Words(l.Regs[a.Ref])
	case isa.KSymbol:
		base, off = l.Place(a)
	default:
		base = build.Value{expand.RZ()}
	}
	switch {
	case wide && a.Base == isa.KReg:
		base = AddressWords(l, a)
	case wide && len(base) < 2:
		l.Fail("32-bit address in a 64-bit space")
	case !wide:
		base = base[:1]
	}
	if off > MaxOffset || off < -MaxOffset-1 {
		if wide {
			base = l.Add64(base, expand.Imm(uint64(off), 2), false)
		} else {
			base = build.Value{l.One(op.IADD3, op.Mods{}, base[0], expand.Word(uint32(off)), expand.RZ())}
		}
		off = 0
	}
	if base[0].Kind == ori.KZero {
		return build.Value{ori.Addr(ori.Operand{}, off)}
	}
	if wide {
		return build.Value{ori.Addr(expand.Whole(l.Pair(base)), off)}
	}
	return build.Value{ori.Addr(l.Reg(base[0]), off)}
}

// PolicyDesc returns the memory descriptor that a cache policy is: its two
// words go to uniform registers as they are.
func PolicyDesc(l *build.Builder, v build.Value) ori.Operand {
	u := l.F.NewReg(ori.UR, 2)
	for n := range 2 {
		l.Emit(op.R2UR, op.Mods{}, build.Value{l.F.Word(u, n)}, l.Reg(v[n]))
	}
	d := l.F.Words(u)
	d.Kind = ori.KDesc
	return d
}

// pointer returns an address of global memory as the forms without a
// descriptor want it: a pair of registers, spelled without .64.
func pointer(l *build.Builder, a *sema.Operand, s isa.Space) ori.Operand {
	x := Address(l, a, s)[0]
	x.Flags &^= ori.Wide
	return x
}
