package lower

import (
	"goptxas/internal/ori"
	"goptxas/internal/ori/op"
	"goptxas/internal/ptx/isa"
)

// atomics maps the operations of atom and red to the machine's.
var atomics = [...]struct {
	word isa.Word
	mod  op.Mod
}{
	{isa.WAdd, op.MADD}, {isa.WMin, op.MMIN}, {isa.WMax, op.MMAX}, {isa.WInc, op.MINC}, {isa.WDec, op.MDEC},
	{isa.WAnd, op.MAND}, {isa.WOr, op.MOR}, {isa.WXor, op.MXOR}, {isa.WExch, op.MEXCH}, {isa.WCas, op.MCAS},
}

// atom lowers atom and red.
func (l *lowerer) atom() {
	t := l.typ(0)
	red := l.in.Op == isa.WRed
	at := 1
	if red {
		at = 0
	}
	a := &l.args[at]
	s := l.space(a)
	var fn op.Mod
	o := ordering{scope: op.MGPU}
	for _, w := range l.body.ModsOf(l.in) {
		for _, x := range atomics {
			if x.word == w {
				fn = x.mod
				l.knows(w)
			}
		}
		switch w {
		case isa.WRelaxed, isa.WGpu, isa.WCluster, isa.WNoftz, isa.WCta, isa.WSys, isa.WAcquire, isa.WRelease, isa.WAcqRel:
			l.knows(w)
		}
		switch w {
		case isa.WCta:
			o.scope = op.MSM
		case isa.WSys:
			o.scope = op.MSYS
		case isa.WAcquire:
			o.acquire = true
		case isa.WRelease:
			o.release = true
		case isa.WAcqRel:
			o.acquire, o.release = true, true
		case isa.WV2, isa.WV4, isa.WV8, isa.WL2CacheHint, isa.WSharedCluster:
			l.unsupported()
		}
	}
	if o.release {
		l.fenceBefore(o.scope)
	}
	switch s {
	case isa.SpaceGlobal:
		l.atomGlobal(t, fn, o.scope, at, red)
	case isa.SpaceShared:
		l.atomShared(t, fn, at, red)
	default:
		l.unsupported()
	}
	if o.acquire {
		l.fenceAfter(o.scope)
	}
}

// kindOf returns the modifiers that name the type of an atomic operation.
func kindOf(t isa.Type, fn op.Mod) (op.Mods, bool) {
	switch t {
	case isa.U32, isa.B32:
		return op.Mods{}, true
	case isa.S32:
		return op.M(op.MS32), true
	case isa.U64, isa.B64:
		return op.M(op.M64), true
	case isa.S64:
		return op.M(op.MS64), fn == op.MMIN || fn == op.MMAX
	case isa.F32:
		return op.M(op.MF32, op.MFTZ, op.MRN), fn == op.MADD
	case isa.F64:
		return op.M(op.MF64, op.MRN), fn == op.MADD
	case isa.F16x2:
		return op.M(op.MF16x2, op.MRN), fn == op.MADD
	case isa.BF16x2:
		return op.M(op.MBF16x2, op.MRN), fn == op.MADD
	}
	return op.Mods{}, false
}

// atomGlobal lowers an atomic operation on global memory.
func (l *lowerer) atomGlobal(t isa.Type, fn, scope op.Mod, at int, red bool) {
	kind, ok := kindOf(t, fn)
	if !ok {
		l.unsupported()
	}
	addr := l.address(&l.args[at], isa.SpaceGlobal)
	b := whole(l.group(l.src(at+1, t)))
	m := join(join(op.M(op.ME, fn), kind), op.M(op.MSTRONG, scope))
	if fn == op.MCAS {
		c := whole(l.group(l.src(at+2, t)))
		r := l.tmp(words(t))
		addr[0].Flags &^= ori.Wide // this form takes no descriptor and is spelled without .64
		l.emit(op.ATOMG, m, value{pt(), whole(r)}, append(addr, b, c)...)
		if !red {
			l.copy(l.dst(0), r)
		}
		return
	}
	srcs := append(value{l.descriptor()}, addr...)
	srcs = append(srcs, b)
	if red && fn != op.MEXCH {
		l.emit(l.redOp(), m, nil, srcs...)
		return
	}
	r := l.tmp(words(t))
	l.emit(op.ATOMG, m, value{pt(), whole(r)}, srcs...)
	if !red {
		l.copy(l.dst(0), r)
	}
}

// redOp is the reduction without a result on global memory.
func (l *lowerer) redOp() op.Op {
	if l.arch.SM < 90 {
		return op.RED
	}
	return op.REDG
}

// atomShared lowers an atomic operation on shared memory.
func (l *lowerer) atomShared(t isa.Type, fn op.Mod, at int, red bool) {
	wide := words(t) == 2
	simple := t.Class() != isa.Float && t.Class() != isa.PackedFloat && (!wide || fn == op.MEXCH || fn == op.MCAS)
	if !simple {
		l.unsupported()
	}
	addr := l.address(&l.args[at], isa.SpaceShared)
	b := whole(l.group(l.src(at+1, t)))
	m := op.M(fn)
	switch {
	case wide:
		m = m.With(op.M64)
	case t == isa.S32 && (fn == op.MMIN || fn == op.MMAX || fn == op.MADD):
		m = m.With(op.MS32)
	}
	srcs := append(addr, b)
	if fn == op.MCAS {
		srcs = append(srcs, whole(l.group(l.src(at+2, t))))
	}
	r := l.tmp(words(t))
	l.emit(op.ATOMS, m, value{whole(r)}, srcs...)
	if !red {
		l.copy(l.dst(0), r)
	}
}
