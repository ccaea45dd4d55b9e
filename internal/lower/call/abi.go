package call

import (
	"github.com/goptxas/goptxas/internal/codegen/abi"
	"github.com/goptxas/goptxas/internal/codegen/expand"
	"github.com/goptxas/goptxas/internal/lower/build"
	"github.com/goptxas/goptxas/internal/lower/memory"
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/target"
)

// room takes bytes of the frame.
func room(l *build.Builder, size, align int64) int64 {
	at := build.AlignUp(l.Top, align)
	l.Top = at + size
	l.FrameAlign(align)
	l.F.Props.LocalBytes = max(l.F.Props.LocalBytes, int32(build.AlignUp(l.Top, 8)))
	return at
}

// transfer emits a call: arguments go to their places, go gives the return
// address and the target, results come back.
func transfer(l *build.Builder, c *sema.Call, sig signature, how func(back build.Value, next *ori.Block) (op.Mods, ori.Operand)) {
	args := actuals(l, c.Actuals)
	back := hidden(sig.rets)
	places, n, _ := spots(sig.params, back)
	results, nr, _ := spots(sig.rets, 0)
	buffer := int64(0)
	if back > 0 {
		var size int64
		results, size = inMemory(sig.rets)
		nr, buffer = 0, room(l, size, memory.StackAlign)
	}
	l.F.Props.HasCalls = true
	for k, s := range places {
		if s.reg < 0 && k < len(args) {
			memory.Assign(l, &build.Variable{Size: int64(sig.params[k].Shape.Size()), Off: s.off, Out: true}, args[k])
		}
	}
	var srcs build.Value
	if n > 0 {
		r := l.Fixed(abi.FirstArgReg, n)
		if back > 0 {
			l.Emit(op.IADD3, op.Mods{}, l.Words(r)[:1], l.Stack(), ori.Imm(buffer), expand.RZ())
		}
		for k, s := range places {
			if s.reg >= 0 && k < len(args) {
				memory.Assign(l, &build.Variable{Size: int64(4 * s.words), Words: l.Words(r)[s.reg : s.reg+s.words]}, args[k])
			}
		}
		srcs = append(srcs, l.F.Words(r))
	}
	ra := l.Fixed(abi.ReturnReg, 2)
	next := l.F.NewBlock()
	next.Kept = true
	m, target := how(l.Words(ra), next)
	srcs = append(build.Value{target, l.F.Words(ra)}, srcs...)
	var dsts build.Value
	var r ori.Reg
	if nr > 0 {
		r = l.Fixed(abi.FirstArgReg, nr)
		dsts = build.Value{l.F.Words(r)}
	}
	l.Emit(op.CALL, m, dsts, srcs...)
	l.Fall(next)
	for k, a := range l.Body.Of(c.Rets) {
		if k >= len(results) {
			break
		}
		s := results[k]
		v := &build.Variable{Size: int64(sig.rets[k].Shape.Size()), Off: buffer + s.off}
		if s.reg >= 0 {
			v = &build.Variable{Size: int64(4 * s.words), Words: l.Words(r)[s.reg : s.reg+s.words]}
		}
		result(l, &a, v)
	}
}

// callFunc calls a function of the module by the full convention.
func callFunc(l *build.Builder, c *sema.Call, fn int32) {
	f := &l.Module.Funcs[fn]
	if l.Layout.Object {
		transfer(l, c, signature{f.Rets, f.Params}, func(back build.Value, next *ori.Block) (op.Mods, ori.Operand) {
			memory.ReturnAbs(l, back, next)
			return op.M(op.MABS, op.MNOINC), l.SymbolPart(f.Name, ori.PartLo)
		})
		return
	}
	need(l.Plan, fn)
	transfer(l, c, signature{f.Rets, f.Params}, func(back build.Value, next *ori.Block) (op.Mods, ori.Operand) {
		returnTo(l, back, next)
		return op.M(op.MREL, op.MNOINC), ori.Operand{Kind: ori.KSymbol, Reg: l.F.Module.Symbol(f.Name)}
	})
}

// returnTo sets the return address: an offset from the start of the
// kernel's code.
func returnTo(l *build.Builder, back build.Value, next *ori.Block) {
	l.Emit(op.MOV, op.Mods{}, back[:1], ori.Label(next))
	l.Emit(op.MOV, op.Mods{}, back[1:], expand.RZ())
}

// callSystem calls a routine of the driver, whose address stands in bank 4.
func callSystem(l *build.Builder, c *sema.Call, fn int32) {
	f := &l.Module.Funcs[fn]
	transfer(l, c, signature{f.Rets, f.Params}, func(back build.Value, next *ori.Block) (op.Mods, ori.Operand) {
		t := l.Tmp(2)
		l.Emit(op.LDC, op.M(op.M64), build.Value{expand.Whole(t)}, ori.Operand{Kind: ori.KSymbol, Reg: l.F.Module.Symbol(f.Name)})
		if !l.Arch.Has(target.PlaceAddress) { // has no form of LEPC that names a place
			memory.ReturnAbs(l, back, next)
		} else {
			l.Emit(op.LEPC, op.Mods{}, build.Value{expand.Whole(back)}, ori.Label(next))
		}
		return op.M(op.MABS, op.MNOINC), expand.Whole(t)
	})
}

// callIndirect calls through a pointer: an offset in bank 2, where the
// offset of the function in the kernel's code stands.
func callIndirect(l *build.Builder, c *sema.Call) {
	sig, ok := indirectSignature(l, c)
	if !ok || c.Target.Kind != isa.KReg {
		l.Unsupported()
	}
	var at ori.Operand
	if l.Layout.Object {
		indirect(l.Plan, build.Prototype(sig.rets, sig.params))
	} else {
		l.Plan.Pointers = true
		needPointers(l.Plan)
		at = ori.Const(bank2, 0)
		at.Reg, at.Class = memory.Index(l, &c.Target), ori.R
	}
	join := l.F.NewBlock() // threads may go to different functions
	join.Kept = true
	k := l.F.Words(l.F.NewReg(ori.B, 1))
	l.Emit(op.BSSY, op.Mods{}, build.Value{k}, ori.Label(join))
	transfer(l, c, sig, func(back build.Value, next *ori.Block) (op.Mods, ori.Operand) {
		if l.Layout.Object {
			t := l.Pair(l.Read(&c.Target, isa.B64))
			memory.ReturnAbs(l, back, next)
			return op.M(op.MABS, op.MNOINC), expand.Whole(t)
		}
		t := l.Tmp(2)
		l.Emit(op.LDC, op.M(op.M64), build.Value{expand.Whole(t)}, at)
		returnTo(l, back, next)
		return op.M(op.MREL, op.MNOINC), expand.Whole(t)
	})
	l.Fall(join)
	l.Emit(op.BSYNC, op.Mods{}, nil, k)
}

// bank2 holds the compiler's own constants.
const bank2 = ori.LiteralBank

// indirectSignature finds the signature of an indirect call: that of its
// prototype, or of the first function of its list of targets.
func indirectSignature(l *build.Builder, c *sema.Call) (signature, bool) {
	if c.Table < 0 {
		return signature{}, false
	}
	t := &l.Body.Tables[c.Table]
	if t.Proto >= 0 {
		p := &l.Body.Protos[t.Proto]
		return signature{p.Rets, p.Params}, true
	}
	if t.List.Len == 0 {
		return signature{}, false
	}
	f := &l.Module.Funcs[l.Callee(l.Body.Targets[t.List.First])]
	return signature{f.Rets, f.Params}, true
}

// EnterFunc begins a function called by the full convention: what comes in
// registers is copied to the formal parameters, the return address kept.
func EnterFunc(l *build.Builder) {
	first := hidden(l.Fn.Rets)
	places, n, stack := spots(l.Fn.Params, first)
	back := l.Fixed(abi.ReturnReg, 2)
	in := build.Value{l.F.Words(back)}
	if stack > 0 {
		in = append(in, l.F.Words(l.Fixed(abi.CallerReg, 1)))
	}
	var args ori.Reg
	if n > 0 {
		args = l.Fixed(abi.FirstArgReg, n)
		in = append(in, l.F.Words(args))
	}
	l.Emit(op.UNDEF, op.Mods{}, in)
	l.Back = l.Tmp(2)
	l.Copy(l.Back, l.Words(back))
	if first > 0 {
		l.Buffer = l.Tmp(1)
		l.Copy(l.Buffer, l.Words(args)[:1])
	}
	var caller ori.Operand
	if stack > 0 {
		t := l.Tmp(1)
		l.Copy(t, build.Value{in[1]})
		caller = t[0]
	}
	nr := len(l.Fn.Rets)
	for k, s := range places {
		v := &build.Variable{Size: int64(l.Fn.Params[k].Shape.Size()), Off: s.off, Base: caller}
		if s.reg >= 0 {
			v = &build.Variable{Size: int64(4 * s.words), Words: l.Words(args)[s.reg : s.reg+s.words]}
		}
		memory.Assign(l, l.Formals[nr+k], v)
	}
}

// LeaveFunc returns from a function called by the full convention.
func LeaveFunc(l *build.Builder) {
	places, n, _ := spots(l.Fn.Rets, 0)
	if hidden(l.Fn.Rets) > 0 {
		places, _ = inMemory(l.Fn.Rets)
		for k, s := range places {
			memory.Assign(l, &build.Variable{Size: int64(l.Fn.Rets[k].Shape.Size()), Off: s.off, Base: l.Buffer[0]}, l.Formals[k])
		}
		n = 0
	}
	var srcs build.Value
	if n > 0 {
		r := l.Fixed(abi.FirstArgReg, n)
		for k, s := range places {
			memory.Assign(l, &build.Variable{Size: int64(4 * s.words), Words: l.Words(r)[s.reg : s.reg+s.words]}, l.Formals[k])
		}
		srcs = append(srcs, l.F.Words(r))
	}
	back := l.Fixed(abi.ReturnReg, 2)
	l.Copy(l.Words(back), l.Back)
	how := op.MREL
	if l.Layout.Object {
		how = op.MABS
	}
	l.Emit(op.RET, op.M(how, op.MNODEC), nil, append(build.Value{l.F.Words(back)}, srcs...)...)
}
