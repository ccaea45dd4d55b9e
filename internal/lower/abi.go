package lower

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// Registers of the calling convention (abi.md): twelve words from R4 on pass
// arguments and results, R20 and R21 the return address.
const (
	firstArgReg = 4
	numArgRegs  = 12
	returnReg   = 20
)

// CallerReg holds the caller's stack pointer where a function begins that
// has arguments on the stack: the frame may lie any distance below them.
const CallerReg = 3

// spot is where a call passes one value.
type spot struct {
	reg   int   // first argument register, or -1
	off   int64 // on the stack otherwise
	words int
}

// spots places values in order: in the first argument registers that are
// free and aligned, else on the stack, whole. A later value may still find
// registers. The first hidden registers are taken. It returns the words of
// registers and the bytes of stack used.
func spots(params []sema.Param, hidden int) (list []spot, regs int, stack int64) {
	var used [numArgRegs]bool
	for n := range hidden {
		used[n] = true
	}
	regs = hidden
	free := func(at, n int) bool {
		for k := range n {
			if at+k >= numArgRegs || used[at+k] {
				return false
			}
		}
		return true
	}
	for n := range params {
		s := &params[n].Shape
		size, align := int64(s.Size()), int64(max(1, s.Align))
		x := spot{reg: -1, words: int((size + 3) / 4)}
		step := int(max(1, min(align, 16)/4))
		for at := 0; at < numArgRegs && x.reg < 0; at += step {
			if free(at, x.words) {
				x.reg = at
			}
		}
		if x.reg < 0 {
			stack = alignUp(stack, align)
			x.off = stack
			stack += size
		} else {
			for k := range x.words {
				used[x.reg+k] = true
			}
			regs = max(regs, x.reg+x.words)
		}
		list = append(list, x)
	}
	return list, regs, stack
}

// fixed returns a new register that stands for physical ones.
func (l *lowerer) fixed(at, n int) ori.Reg {
	r := l.f.NewReg(ori.R, n)
	i := &l.f.Regs[r]
	i.Phys, i.Fixed, i.Align = int16(at), true, 1
	return r
}

// signature is what a call must know of its callee.
type signature struct {
	rets, params []sema.Param
}

// hidden is the number of registers before the arguments: results that do
// not fit the registers are written to memory, whose address in the caller's
// frame comes first.
func hidden(rets []sema.Param) int {
	if _, _, rest := spots(rets, 0); rest > 0 {
		return 1
	}
	return 0
}

// inMemory places results one behind the other.
func inMemory(rets []sema.Param) (list []spot, size int64) {
	for n := range rets {
		s := &rets[n].Shape
		size = alignUp(size, int64(max(1, s.Align)))
		list = append(list, spot{reg: -1, off: size})
		size += int64(s.Size())
	}
	return list, size
}

// room takes bytes of the frame.
func (l *lowerer) room(size, align int64) int64 {
	at := alignUp(l.top, align)
	l.top = at + size
	l.f.Props.LocalBytes = max(l.f.Props.LocalBytes, int32(alignUp(l.top, 8)))
	return at
}

// transfer emits a call: arguments go to their places, go gives the return
// address and the target, results come back.
func (l *lowerer) transfer(c *sema.Call, sig signature, how func(back value, next *ori.Block) (op.Mods, ori.Operand)) {
	args := l.actuals(c.Actuals)
	back := hidden(sig.rets)
	places, n, _ := spots(sig.params, back)
	results, nr, _ := spots(sig.rets, 0)
	buffer := int64(0)
	if back > 0 {
		var size int64
		results, size = inMemory(sig.rets)
		nr, buffer = 0, l.room(size, stackAlign)
	}
	l.f.Props.HasCalls = true
	for k, s := range places {
		if s.reg < 0 && k < len(args) {
			l.assign(&variable{size: int64(sig.params[k].Shape.Size()), off: s.off, out: true}, args[k])
		}
	}
	var srcs value
	if n > 0 {
		r := l.fixed(firstArgReg, n)
		if back > 0 {
			l.emit(op.IADD3, op.Mods{}, l.words(r)[:1], l.stack(), ori.Imm(buffer), rz())
		}
		for k, s := range places {
			if s.reg >= 0 && k < len(args) {
				l.assign(&variable{size: int64(4 * s.words), words: l.words(r)[s.reg : s.reg+s.words]}, args[k])
			}
		}
		srcs = append(srcs, l.f.Words(r))
	}
	ra := l.fixed(returnReg, 2)
	next := l.f.NewBlock()
	next.Kept = true
	m, target := how(l.words(ra), next)
	srcs = append(value{target, l.f.Words(ra)}, srcs...)
	var dsts value
	var r ori.Reg
	if nr > 0 {
		r = l.fixed(firstArgReg, nr)
		dsts = value{l.f.Words(r)}
	}
	l.emit(op.CALL, m, dsts, srcs...)
	l.fall(next)
	for k, a := range l.body.Of(c.Rets) {
		if k >= len(results) {
			break
		}
		s := results[k]
		v := &variable{size: int64(sig.rets[k].Shape.Size()), off: buffer + s.off}
		if s.reg >= 0 {
			v = &variable{size: int64(4 * s.words), words: l.words(r)[s.reg : s.reg+s.words]}
		}
		l.result(&a, v)
	}
}

// callFunc calls a function of the module by the full convention.
func (l *lowerer) callFunc(c *sema.Call, fn int32) {
	f := &l.m.Funcs[fn]
	if l.layout.Object {
		l.transfer(c, signature{f.Rets, f.Params}, func(back value, next *ori.Block) (op.Mods, ori.Operand) {
			l.returnAbs(back, next)
			return op.M(op.MABS, op.MNOINC), l.symbolPart(f.Name, ori.PartLo)
		})
		return
	}
	l.plan.need(fn)
	l.transfer(c, signature{f.Rets, f.Params}, func(back value, next *ori.Block) (op.Mods, ori.Operand) {
		l.returnTo(back, next)
		return op.M(op.MREL, op.MNOINC), ori.Operand{Kind: ori.KSymbol, Reg: l.f.Module.Symbol(f.Name)}
	})
}

// returnTo sets the return address: an offset from the start of the
// kernel's code.
func (l *lowerer) returnTo(back value, next *ori.Block) {
	l.emit(op.MOV, op.Mods{}, back[:1], ori.Label(next))
	l.emit(op.MOV, op.Mods{}, back[1:], rz())
}

// callSystem calls a routine of the driver, whose address stands in bank 4.
func (l *lowerer) callSystem(c *sema.Call, fn int32) {
	f := &l.m.Funcs[fn]
	l.transfer(c, signature{f.Rets, f.Params}, func(back value, next *ori.Block) (op.Mods, ori.Operand) {
		t := l.tmp(2)
		l.emit(op.LDC, op.M(op.M64), value{whole(t)}, ori.Operand{Kind: ori.KSymbol, Reg: l.f.Module.Symbol(f.Name)})
		if !l.arch.Has(target.PlaceAddress) { // has no form of LEPC that names a place
			l.returnAbs(back, next)
		} else {
			l.emit(op.LEPC, op.Mods{}, value{whole(back)}, ori.Label(next))
		}
		return op.M(op.MABS, op.MNOINC), whole(t)
	})
}

// callIndirect calls through a pointer: an offset in bank 2, where the
// offset of the function in the kernel's code stands.
func (l *lowerer) callIndirect(c *sema.Call) {
	sig, ok := l.indirectSignature(c)
	if !ok || c.Target.Kind != isa.KReg {
		l.unsupported()
	}
	var at ori.Operand
	if l.layout.Object {
		l.plan.indirect(Prototype(sig.rets, sig.params))
	} else {
		l.plan.Pointers = true
		l.plan.needPointers()
		at = ori.Const(bank2, 0)
		at.Reg, at.Class = l.index(&c.Target), ori.R
	}
	meet := l.f.NewBlock() // threads may go to different functions
	meet.Kept = true
	k := l.f.Words(l.f.NewReg(ori.B, 1))
	l.emit(op.BSSY, op.Mods{}, value{k}, ori.Label(meet))
	l.transfer(c, sig, func(back value, next *ori.Block) (op.Mods, ori.Operand) {
		if l.layout.Object {
			t := l.pair(l.read(&c.Target, isa.B64))
			l.returnAbs(back, next)
			return op.M(op.MABS, op.MNOINC), whole(t)
		}
		t := l.tmp(2)
		l.emit(op.LDC, op.M(op.M64), value{whole(t)}, at)
		l.returnTo(back, next)
		return op.M(op.MREL, op.MNOINC), whole(t)
	})
	l.fall(meet)
	l.emit(op.BSYNC, op.Mods{}, nil, k)
}

// bank2 holds the compiler's own constants.
const bank2 = 2

// indirectSignature finds the signature of an indirect call: that of its
// prototype, or of the first function of its list of targets.
func (l *lowerer) indirectSignature(c *sema.Call) (signature, bool) {
	if c.Table < 0 {
		return signature{}, false
	}
	t := &l.body.Tables[c.Table]
	if t.Proto >= 0 {
		p := &l.body.Protos[t.Proto]
		return signature{p.Rets, p.Params}, true
	}
	if t.List.Len == 0 {
		return signature{}, false
	}
	f := &l.m.Funcs[l.callee(l.body.Targets[t.List.First])]
	return signature{f.Rets, f.Params}, true
}

// enterFunc begins a function called by the full convention: what comes in
// registers is copied to the formal parameters, the return address kept.
func (l *lowerer) enterFunc() {
	first := hidden(l.fn.Rets)
	places, n, stack := spots(l.fn.Params, first)
	back := l.fixed(returnReg, 2)
	in := value{l.f.Words(back)}
	if stack > 0 {
		in = append(in, l.f.Words(l.fixed(CallerReg, 1)))
	}
	var args ori.Reg
	if n > 0 {
		args = l.fixed(firstArgReg, n)
		in = append(in, l.f.Words(args))
	}
	l.emit(op.UNDEF, op.Mods{}, in)
	l.back = l.tmp(2)
	l.copy(l.back, l.words(back))
	if first > 0 {
		l.buffer = l.tmp(1)
		l.copy(l.buffer, l.words(args)[:1])
	}
	var caller ori.Operand
	if stack > 0 {
		t := l.tmp(1)
		l.copy(t, value{in[1]})
		caller = t[0]
	}
	nr := len(l.fn.Rets)
	for k, s := range places {
		v := &variable{size: int64(l.fn.Params[k].Shape.Size()), off: s.off, base: caller}
		if s.reg >= 0 {
			v = &variable{size: int64(4 * s.words), words: l.words(args)[s.reg : s.reg+s.words]}
		}
		l.assign(l.formals[nr+k], v)
	}
}

// leaveFunc returns from a function called by the full convention.
func (l *lowerer) leaveFunc() {
	places, n, _ := spots(l.fn.Rets, 0)
	if hidden(l.fn.Rets) > 0 {
		places, _ = inMemory(l.fn.Rets)
		for k, s := range places {
			l.assign(&variable{size: int64(l.fn.Rets[k].Shape.Size()), off: s.off, base: l.buffer[0]}, l.formals[k])
		}
		n = 0
	}
	var srcs value
	if n > 0 {
		r := l.fixed(firstArgReg, n)
		for k, s := range places {
			l.assign(&variable{size: int64(4 * s.words), words: l.words(r)[s.reg : s.reg+s.words]}, l.formals[k])
		}
		srcs = append(srcs, l.f.Words(r))
	}
	back := l.fixed(returnReg, 2)
	l.copy(l.words(back), l.back)
	how := op.MREL
	if l.layout.Object {
		how = op.MABS
	}
	l.emit(op.RET, op.M(how, op.MNODEC), nil, append(value{l.f.Words(back)}, srcs...)...)
}
