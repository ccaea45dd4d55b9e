package bodies

import (
	"slices"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
	"github.com/goptxas/goptxas/internal/target"
)

// copiesAlone reports whether copies to other blocks are not the machine's.
func (k *checker) copiesAlone() bool {
	arch := k.Module.Opts.Arch
	return arch == nil || !arch.Has(target.Multicast)
}

// groups returns which groups of blocks the words of an instruction name.
func groups(words []isa.Word) (g uint8) {
	for _, w := range words {
		switch w {
		case isa.WCtaGroup1:
			g |= sema.GroupOne
		case isa.WCtaGroup2:
			g |= sema.GroupTwo
		}
	}
	return g
}

// instruction resolves and checks one instruction and adds it to the body.
func (k *checker) instruction(in *syntax.Instr) {
	k.instr, k.instrAt = in, in.OpPos
	k.handled, k.loud, k.faulty = false, false, false
	words := syntax.List{First: int32(len(k.body.Words)), Len: in.Mods.Len}
	for i := in.Mods.First; i < in.Mods.First+in.Mods.Len; i++ {
		w := k.Tree.Mods[i].Word
		k.body.Words = append(k.body.Words, w)
		k.facts.Routines = k.facts.Routines || w == isa.WGrad && in.Op == isa.WTex || w == isa.WSharedCluster && in.Op == isa.WCp && k.copiesAlone()
	}
	if in.Op == isa.WTcgen05 {
		k.facts.Groups |= groups(k.body.Words[words.First:])
	}
	if in.Call {
		k.call(in, words)
		return
	}
	k.body.Instrs = append(k.body.Instrs, sema.Inst{Op: in.Op, Mods: words, Guard: -1, Call: -1, Pos: in.OpPos})
	out := &k.body.Instrs[len(k.body.Instrs)-1]
	k.guard(in, out)
	first := len(k.stack)
	for i := in.Args.First; i < in.Args.First+in.Args.Len; i++ {
		k.stack = append(k.stack, k.operand(&k.Tree.Operands[i]))
	}
	out.Args = syntax.List{First: int32(len(k.body.Operands)), Len: in.Args.Len}
	k.body.Operands = append(k.body.Operands, k.stack[first:]...)
	k.stack = k.stack[:first]
	if k.Unit.Fatal() {
		return
	}
	k.labelArgs(in, out)
	if k.Module.Opts.Patch && barred(in.Op, k.body.ModsOf(out)) {
		k.facts.Barred = append(k.facts.Barred, in.Op)
	}
	if k.judge(in, out) {
		k.memory(in, out)
	}
}

// guard resolves @p.
func (k *checker) guard(in *syntax.Instr, out *sema.Inst) {
	k.guardKind = isa.KBad
	if in.Guard == syntax.None {
		return
	}
	g := &k.Tree.Operands[in.Guard]
	o, l := k.named(g.Name)
	if o.Kind == isa.KBad {
		k.unknown(g)
	}
	if o.Kind == isa.KReg && o.Type == isa.Pred && (l == nil || l.vec == 1) {
		k.guardKind = isa.KReg
	}
	out.Guard, out.GuardNot = o.Ref, g.Flags&syntax.FlagNot != 0
}

// labelArgs: a name without a meaning where a label belongs is a label that
// is still to come.
func (k *checker) labelArgs(in *syntax.Instr, out *sema.Inst) {
	if in.Op != isa.WBra {
		return
	}
	for i := range in.Args.Len {
		if o := &k.body.Operands[out.Args.First+i]; o.Kind == isa.KBad {
			p := &k.scope.pending[len(k.scope.pending)-1]
			p.patch = out.Args.First + i
			o.Kind, o.Ref = isa.KLabel, -1
		}
	}
}

// memory makes the checks that need to know the variables behind operands.
func (k *checker) memory(in *syntax.Instr, out *sema.Inst) {
	if k.Module.Opts.WarnDouble {
		k.double(out)
	}
	if k.Module.NoDwarf || k.Module.Unknown {
		k.routine(out)
	}
	args := k.body.Of(out.Args)
	switch in.Op {
	case isa.WLd, isa.WSt:
		k.paramAccess(in, out, args)
		k.bounds(in, out, args)
	case isa.WMov, isa.WCvta:
		k.addressValue(in, out, args)
	}
	n := 0
	for i := range args {
		a := &args[i]
		if a.Kind != isa.KAddr {
			continue
		}
		if a.Base == isa.KReg && a.Elems.Len == 0 && a.Type.Bits() < 64 {
			k.narrowAddress(in, out, a, n)
		}
		n++
	}
}

// narrowAddress notes an address register that cannot hold an address of
// its space. n counts the addresses of the instruction before this one.
func (k *checker) narrowAddress(in *syntax.Instr, out *sema.Inst, a *sema.Operand, n int) {
	space := isa.Generic
	switch {
	case n < int(out.NSpaces) && n < len(out.Spaces):
		space = out.Spaces[n]
	case out.NSpaces > 0:
		space = isa.SpaceShared // a barrier beside the data
	case in.Op == isa.WTcgen05:
		return // tensor memory has 32-bit addresses
	case defaultShared(in.Op, k.body.ModsOf(out)):
		return
	}
	if b := space.Base(); b == isa.Generic || b == isa.SpaceGlobal {
		if widest := widenedAddress(in.Op, k.body.ModsOf(out)); widest > 0 {
			if a.Type.Bits() < widest {
				k.Error(k.instrPos(), "Arguments mismatch for instruction 'mov'")
			}
			return
		}
		_, line := k.Tree.File.Line(k.instrPos())
		k.facts.Narrow = append(k.facts.Narrow, sema.NarrowUse{Line: line, Bits: a.Type.Bits()})
	}
}

// widenedAddress returns the least bits of address registers that an instruction
// extends by zeros, and 0 for those that want all 64. The reference rewrites the
// former before it looks at addresses.
func widenedAddress(op isa.Word, mods []isa.Word) int {
	switch op {
	case isa.WCp: // takes what the register holds, however short it is
		return 8
	case isa.WLdmatrix, isa.WStmatrix, isa.WWmma, isa.WCreatepolicy, isa.WTensormap, isa.WFence:
		return 32
	case isa.WPrefetch:
		if slices.Contains(mods, isa.WTensormap) {
			return 32
		}
	case isa.WMultimem:
		if slices.Contains(mods, isa.WRed) {
			return 64
		}
	}
	return 0
}

// defaultShared reports whether an instruction without a space means shared
// memory: the asynchronous stores and reductions, st.bulk, and what asks for
// other clusters.
func defaultShared(op isa.Word, mods []isa.Word) bool {
	return len(mods) > 0 && (mods[0] == isa.WAsync || mods[0] == isa.WBulk && op == isa.WSt || op == isa.WClusterlaunchcontrol)
}

// addressValue checks mov and cvta of a variable or function.
func (k *checker) addressValue(in *syntax.Instr, out *sema.Inst, args []sema.Operand) {
	if in.Op == isa.WCvta && out.NTypes > 0 && out.Types[0].Bits() < 64 { // all addresses are such
		_, line := k.Tree.File.Line(k.instrPos())
		k.facts.Narrow = append(k.facts.Narrow, sema.NarrowUse{Line: line, Bits: out.Types[0].Bits()})
		return
	}
	for i := range args {
		a := &args[i]
		switch a.Kind {
		case isa.KFunc:
			k.funcUse(a.Ref, in.OpPos, false)
		case isa.KSymbol:
			if a.Local() >= 0 && a.Formal() < 0 && a.Space == isa.SpaceParam {
				k.Error(k.instrPos(), "Illegal to take address of parameter '"+k.body.Vars[a.Local()].Name+"'")
			}
			bits := out.Types[0].Bits()
			if a.Space == isa.SpaceGlobal && bits < 64 && out.NTypes > 0 {
				_, line := k.Tree.File.Line(k.instrPos())
				k.facts.Narrow = append(k.facts.Narrow, sema.NarrowUse{Line: line, Bits: bits})
			}
		}
	}
}

// bounds tells when a scalar variable is accessed with a wider type.
func (k *checker) bounds(in *syntax.Instr, out *sema.Inst, args []sema.Operand) {
	if out.Vec > 1 || out.NTypes != 1 {
		return
	}
	for i := range args {
		a := &args[i]
		if a.Kind != isa.KAddr || a.Base != isa.KSymbol {
			continue
		}
		ref := sema.Operand{Kind: isa.KSymbol, Ref: a.Ref}
		s := k.shapeOf(&ref, nil)
		if s == nil || s.Array || s.Vec > 1 || s.Type.IsOpaque() || s.Type == isa.Pred || out.Types[0].Bits() <= s.Type.Bits() {
			continue
		}
		k.Unit.Report(diag.Info, k.instrPos(), "Potential out of bound access while accessing symbol '"+
			k.Name(k.Tree.Operands[in.Args.First+int32(i)].Name)+"' of type '"+s.Type.String()+
			"' with instruction type '"+out.Types[0].String()+"'.")
	}
}

// paramUse remembers which local .param variables a call has written.
type paramUse struct{ written []uint64 }

func (p *paramUse) reset() { p.written = p.written[:0] }

func (p *paramUse) write(v int32) {
	for len(p.written) <= int(v)/64 {
		p.written = append(p.written, 0)
	}
	p.written[v/64] |= 1 << (v % 64)
}

func (p *paramUse) isWritten(v int32) bool {
	return int(v)/64 < len(p.written) && p.written[v/64]>>(v%64)&1 != 0
}

// paramAccess checks ld.param and st.param: inputs are read, results are
// written, and the parameters of a call are not touched conditionally.
func (k *checker) paramAccess(in *syntax.Instr, out *sema.Inst, args []sema.Operand) {
	if out.NSpaces == 0 || out.Spaces[0].Base() != isa.SpaceParam {
		return
	}
	for i := range args {
		a := &args[i]
		if a.Kind != isa.KAddr || a.Base != isa.KSymbol || a.Space != isa.SpaceParam {
			continue
		}
		if f := a.Formal(); f >= 0 {
			name := k.Func.Formal(int(f)).Name
			switch {
			case in.Op == isa.WSt && int(f) >= len(k.Func.Rets):
				k.Error(k.instrPos(), "Illegal to write to function input parameter '"+name+"'")
			case in.Op == isa.WLd && int(f) < len(k.Func.Rets):
				k.Error(k.instrPos(), "Illegal to read function return parameter '"+name+"'")
			}
			continue
		}
		v := a.Local()
		if v < 0 {
			continue
		}
		if k.Version < 20 {
			// The kernel's own parameter, declared in its body.
			if in.Op == isa.WSt {
				k.Error(k.instrPos(), "Illegal to write to function input parameter '"+k.body.Vars[v].Name+"'")
			}
			continue
		}
		if in.Guard != syntax.None {
			k.Error(k.instrPos(), "Illegal to predicate instruction '"+in.Op.String()+".param' with operand '"+
				k.body.Vars[v].Name+"'")
			continue
		}
		if in.Op == isa.WLd && !k.param.isWritten(v) {
			k.facts.Unread = append(k.facts.Unread, sema.Unwritten{Pos: k.instrPos(), Name: k.body.Vars[v].Name})
		}
	}
}

// useVar notes that the body names a variable of the module.
func (k *checker) useVar(v int32) {
	if k.seenVar[v/64]>>(v%64)&1 == 0 {
		k.seenVar[v/64] |= 1 << (v % 64)
		k.facts.Vars = append(k.facts.Vars, v)
	}
}

// callUse notes that the body calls a function.
func (k *checker) callUse(f int32) {
	if k.seenFunc[f/64]>>(f%64)&1 == 0 {
		k.seenFunc[f/64] |= 1 << (f % 64)
		k.facts.Calls = append(k.facts.Calls, f)
	}
}
