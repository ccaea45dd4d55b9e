package emit

import (
	"github.com/goptxas/goptxas/internal/ori"
	"github.com/goptxas/goptxas/internal/ori/op"
	"github.com/goptxas/goptxas/internal/target"
)

// legacyForm rewrites an instruction for architectures that spell it otherwise:
// before sm_90 all threads of a warp are named by a mask, and sm_75 has no
// memory descriptors, says of every global access how far it is seen, calls the
// threads of a block by their name instead of the SM's, and leaves out what low
// words came to where that holds.
func legacyForm(a *target.Arch, i *ori.Instr) *ori.Instr {
	if nameless(i) || i.Op.Has(op.Described) && !a.Has(target.Descriptors) {
		i = withoutDescriptor(i)
		if !a.Has(target.Descriptors) {
			i.Mods = scoped(i.Mods)
		}
		return i
	}
	switch {
	case a.Has(target.WarpSyncAll):
	case i.Op == op.WARPSYNC && i.Mods.Has(op.MALL):
		x := *i
		x.Mods = op.Mods{}
		x.Args = []ori.Operand{ori.Imm(-1)}
		return &x
	case !a.Has(target.Descriptors) && i.Op == op.ISETP && i.Mods.Has(op.MEX) && isTrue(&i.Args[len(i.Args)-1]):
		x := *i
		x.Args = i.Args[:len(i.Args)-1]
		return &x
	case !a.Has(target.DeferredBars) && i.Op == op.BAR && i.Mods.Has(op.MDEFER_BLOCKING):
		x := *i
		x.Mods = without(i.Mods, op.MDEFER_BLOCKING)
		return &x
	}
	return i
}

// isTrue reports whether o is the predicate that always holds.
func isTrue(o *ori.Operand) bool { return o.Kind == ori.KZero && o.Class == ori.P && o.Flags == 0 }

// without returns the modifiers but one.
func without(m op.Mods, drop op.Mod) op.Mods {
	var out op.Mods
	for _, x := range m {
		if x != op.NoMod && x != drop {
			out = out.With(x)
		}
	}
	return out
}

// nameless reports whether a descriptor of global memory is to be left out.
func nameless(i *ori.Instr) bool {
	for _, o := range i.Srcs() {
		if o.Kind == ori.KDesc {
			return o.Reg == ori.NoReg
		}
	}
	return false
}

// withoutDescriptor is a global access in the form that names none.
func withoutDescriptor(i *ori.Instr) *ori.Instr {
	x := *i
	x.Args = make([]ori.Operand, 0, len(i.Args))
	for _, o := range i.Args {
		if o.Kind == ori.KDesc {
			continue
		}
		if o.Kind == ori.KAddr {
			o.Flags &^= ori.Wide
		}
		x.Args = append(x.Args, o)
	}
	return &x
}

// scoped are the modifiers of an access as sm_75 has them, with the scope.
func scoped(mods op.Mods) (out op.Mods) {
	scoped := false
	for _, m := range mods {
		switch m {
		case op.NoMod:
			continue
		case op.MSM:
			m = op.MCTA
			scoped = true
		case op.MGPU, op.MSYS:
			scoped = true
		}
		out = out.With(m)
	}
	if !scoped {
		out = out.With(op.MSYS)
	}
	return out
}
