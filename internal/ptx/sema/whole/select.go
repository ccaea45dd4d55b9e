package whole

import (
	"slices"
	"strconv"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/setting"
)

// aborted is the last line of a run that ends while the text is judged.
const aborted = "Ptx assembly aborted due to errors"

// selectEntries judges the kernels that were asked for by name: each must be
// a kernel of the module, and none may come twice, except where kernels are
// compiled in order. Relocatable code ignores
// the choice but not names that do not exist.
func selectEntries(m *sema.Module, u *diag.Unit) {
	for n, name := range m.Opts.Entries {
		sym := m.Anywhere(name)
		switch {
		case sym < 0 || m.Syms[sym].Func < 0:
			u.Report(diag.Fatal, setting.NoPos, "Unknown function "+name)
		case m.Opts.Relocatable:
		case !m.Funcs[m.Syms[sym].Func].Entry:
			u.Report(diag.Error, setting.NoPos, "Entry function '"+name+"' not found")
			continue
		case !m.Opts.InOrder && slices.Contains(m.Opts.Entries[:n], name):
			u.Report(diag.Fatal, setting.NoPos, "Internal error: symbol already assigned")
		}
		if u.Fatal() {
			return
		}
	}
	if len(m.Opts.Entries) > 0 && u.Errors() > 0 {
		u.Report(diag.Fatal, setting.NoPos, aborted)
	}
}

// noRegLimit is what the report calls the limit of a kernel without one.
const noRegLimit = 256

// registerCap reports which of two register limits of a kernel counts.
func registerCap(m *sema.Module, u *diag.Unit, f *sema.Func, bounded bool) {
	n := m.Opts.MaxRRegCount
	own := f.Launch.MaxNReg
	if v := launchRegs(&f.Launch); n > 0 && m.Opts.Verbose && own == 0 && v > 0 && v != n {
		u.Report(diag.Info, setting.NoPos, "Overriding global maxrregcount "+strconv.Itoa(int(n))+
			" with entry-specific value "+strconv.Itoa(int(v))+" computed using thread count")
	}
	switch {
	case n == 0 || !m.Opts.Verbose:
	case own == n:
	case own > 0 && !m.Opts.Override:
		u.Report(diag.Info, setting.NoPos, "Overriding global maxrregcount "+strconv.Itoa(int(n))+
			" with entry-specific value "+strconv.Itoa(int(own))+" of .maxnreg")
	case own == 0 && bounded && !m.Opts.Override:
	default:
		if own == 0 {
			own = noRegLimit
		}
		u.Report(diag.Info, setting.NoPos, "Overriding maximum register limit "+strconv.Itoa(int(own))+" for '"+f.Name+
			"' with  "+strconv.Itoa(int(n))+" of maxrregcount option")
	}
}

// launchRegs is how many registers a thread may have if as many blocks as the
// kernel asks for are to run on a multiprocessor, whose four parts have as many
// warps each; 0 if it does not ask.
func launchRegs(l *sema.Launch) uint32 {
	const warp, parts, unit, perSM = 32, 4, 8, 65536
	size, threads := l.ReqNTid, uint32(1)
	if size[0] == 0 {
		size = l.MaxNTid
	}
	for _, n := range size {
		threads *= max(1, n)
	}
	if size[0] == 0 || l.MinNCTAPerSM == 0 || threads == 0 { // it is counted in 32 bits
		return 0
	}
	warps := (threads + warp - 1) / warp * l.MinNCTAPerSM
	warps = (warps + parts - 1) / parts * parts
	return min(maxRegs, perSM/(warps*warp)/unit*unit)
}

// localBound judges the bound on the registers of one function's own code. It
// only ever lowers the bound that holds anyway.
func localBound(m *sema.Module, u *diag.Unit, f *sema.Func) {
	l := &f.Launch
	switch n := l.LocalMaxNReg; {
	case n == 0:
	case n > maxRegs:
		u.Report(diag.Warning, setting.NoPos, "Too many local_maxnreg specified for entry "+f.Name+", will be ignored")
		l.LocalMaxNReg = 0
	case n < minRegs:
		u.Report(diag.Warning, setting.NoPos, "For entry "+f.Name+" adjusting per thread register count of "+
			strconv.Itoa(int(n))+" to lower bound of "+strconv.Itoa(minRegs))
		l.LocalMaxNReg = minRegs
	}
	global := l.MaxNReg
	if r := m.Opts.MaxRRegCount; r > 0 && (global == 0 || m.Opts.Override) {
		global = uint32(r)
	}
	if n := l.LocalMaxNReg; global > 0 && n > global {
		u.Report(diag.Warning, setting.NoPos, "Value specified in pragma local_maxnreg "+strconv.Itoa(int(n))+" for '"+f.Name+
			"' should be lower than the global register limit specified "+strconv.Itoa(int(global))+". Ignoring local_maxnreg")
		l.LocalMaxNReg = 0
	}
}

// localFuncs: device functions have a bound of their own in objects only.
func localFuncs(m *sema.Module, u *diag.Unit) {
	kept := kept(m)
	for i := range m.Funcs {
		f := &m.Funcs[i]
		if f.Entry || !f.HasBody || !kept[i] || f.Launch.LocalMaxNReg == 0 {
			continue
		}
		if m.Opts.CompileOnly {
			localBound(m, u, f)
			continue
		}
		u.Report(diag.Warning, setting.NoPos, "Construct '.local_maxnreg' on device functions is supported only with --compile-only option, ignoring construct")
		f.Launch.LocalMaxNReg = 0
	}
}

// JudgePatch reports what code for instrumentation tools must not have:
// memory of its own and kernels.
func JudgePatch(m *sema.Module, sink *diag.Sink) {
	var has [5]bool
	for i := range m.Vars {
		switch v := &m.Vars[i]; {
		case v.Space == isa.SpaceShared:
			has[0] = true
		case v.Shape.Type == isa.Texref:
			has[1] = true
		case v.Shape.Type == isa.Surfref:
			has[2] = true
		case v.Space == isa.SpaceConst:
			has[3] = true
		}
	}
	for i := range m.Funcs {
		f := &m.Funcs[i]
		has[0] = has[0] || len(f.Facts.Shared) > 0
		has[3] = has[3] || len(f.Facts.Consts) > 0
		has[4] = has[4] || f.Entry
	}
	for i, what := range [...]string{
		"Allocating additional shared memory", "Allocating additional textures", "Allocating additional surfaces",
		"Allocating additional constants", "Entry function",
	} {
		if has[i] {
			sink.Say(diag.Error, what+notInPatch)
		}
	}
	for i := range m.Funcs {
		for _, w := range m.Funcs[i].Facts.Barred {
			if w == isa.WRedux {
				sink.Say(diag.Fatal, "Instruction '"+w.String()+"'"+notInPatch)
				return
			}
			sink.Say(diag.Error, "Instruction '"+w.String()+"'"+notInPatch)
		}
	}
	if sink.Errors() == 0 {
		judgePointers(m, sink)
	}
}

// notInPatch ends what is said of such code.
const notInPatch = " is not allowed when command line option '--compile-as-tools-patch' is specified "

// judgePointers reports calls through pointers and functions whose address is
// used.
func judgePointers(m *sema.Module, sink *diag.Sink) {
	taken := false
	for i := range m.Funcs {
		f := &m.Funcs[i].Facts
		if f.Indirect {
			sink.Say(diag.Fatal, "Using indirect function calls"+notInPatch)
			return
		}
		taken = taken || len(f.Taken)+len(f.Addressed) > 0
	}
	for i := range m.Vars {
		for _, r := range m.Vars[i].Relocs {
			taken = taken || m.Syms[r.Sym].Func >= 0
		}
	}
	if taken {
		sink.Say(diag.Fatal, "Taking address of device functions"+notInPatch)
	}
}
