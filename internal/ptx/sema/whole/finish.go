package whole

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/setting"
	"github.com/goptxas/goptxas/internal/target"
)

// Module makes the checks that need the whole text, after every body was
// checked and only when the text is free of errors: target against
// architecture, externs, address width, launch bounds, pragmas, limits. It
// reports whether code can be generated. None of its messages has a place.
func Module(m *sema.Module, sink *diag.Sink) bool {
	u := sink.Open(nil)
	defer u.Close()
	if why := m.Target.Mismatch(m.Opts.Arch); why != "" {
		u.Report(diag.Fatal, setting.NoPos, why)
		return false
	}
	for _, step := range [...]func(*sema.Module, *diag.Unit){
		externVars, oldObjects, narrowWarnings, debugLines, externFuncs, addressWidth, selectEntries, twoNamed, launchBounds,
		constData, unwrittenParams, narrowParams, mixedGroups,
	} {
		if step(m, u); u.Fatal() {
			return false
		}
	}
	return u.Errors() == 0
}

// Kernels makes the checks that come with the code of kernels, behind all
// others. It reports whether their code may be written.
func Kernels(m *sema.Module, sink *diag.Sink) bool {
	u := sink.Open(nil)
	defer u.Close()
	if kernels(m, u); u.Fatal() {
		return false
	}
	m.OwnVars()
	return u.Errors() == 0
}

// externVars: in whole-program compilation an extern variable is one of our
// own, except dynamic shared memory.
func externVars(m *sema.Module, u *diag.Unit) {
	for _, why := range m.NoABI {
		u.Report(diag.Warning, setting.NoPos, why)
	}
	if m.Opts.CompileOnly {
		return
	}
	for i := range m.Vars {
		v := &m.Vars[i]
		if v.Linkage != sema.Extern && !v.WasExtern {
			continue
		}
		if v.Shape.Open {
			if v.Space == isa.SpaceShared {
				continue
			}
			u.Report(diag.Fatal, setting.NoPos, "Unresolved extern variable '"+v.Name+"'")
			return
		}
		u.Report(diag.Warning, setting.NoPos, "Unresolved extern variable '"+v.Name+
			"' in whole program compilation, ignoring extern qualifier")
	}
}

// narrowWarnings lists addresses in registers that are too small, where the
// file says how wide addresses are.
func narrowWarnings(m *sema.Module, u *diag.Unit) {
	if !m.Wide {
		return
	}
	for i := range m.Funcs {
		for _, n := range m.Funcs[i].Facts.Narrow {
			u.Report(diag.Warning, setting.NoPos, "Program uses "+strconv.Itoa(n.Bits)+"-bit address on line '"+
				strconv.Itoa(n.Line)+"' which is conflicting with .address_size 64")
		}
	}
}

// addressWidth refuses 32-bit programs.
func addressWidth(m *sema.Module, u *diag.Unit) {
	width := 0
	if m.Narrow {
		width = 32
	}
	for i := range m.Funcs {
		for _, n := range m.Funcs[i].Facts.Narrow {
			width = max(width, n.Bits)
		}
	}
	if width == 0 {
		return
	}
	if width == 32 && !m.Wide && m.Opts.Debug {
		u.Report(diag.Fatal, setting.NoPos, " 64 Bit host architecture (--machine) being used must match with .address_size of 32 bits for -g compilation")
		return
	}
	if !m.Wide {
		u.Report(diag.Warning, setting.NoPos, " 64 Bit host architecture (--machine) being used mismatches with .address_size of "+
			strconv.Itoa(width)+" bits")
	}
	switch {
	case width != 32:
	case m.Opts.Arch.Has(target.NewFiles):
		u.Report(diag.Fatal, setting.NoPos,
			" 32-Bit ABI (--machine 32 or 32-Bit addressing) is not supported on sm_90 or higher architectures.")
	default:
		u.Report(diag.Fatal, setting.NoPos, " 32-Bit compilation is no longer supported")
	}
}

// debugLines judges .loc against the tables they refer to.
func debugLines(m *sema.Module, u *diag.Unit) {
	locs := false
	for i := range m.Funcs {
		f := &m.Funcs[i]
		locs = locs || f.Facts.Locs
		for _, name := range f.Facts.Inlined {
			if !hasLabel(m, name) {
				u.Report(diag.Error, setting.NoPos, "Unresolved label '"+name+"' used in function_name attribute.")
			}
		}
	}
	if locs && len(m.Sources) == 0 {
		u.Report(diag.Warning, setting.NoPos, ".loc directive without .file directive is found, "+
			"line information in generated binary may not be complete")
	}
}

func hasLabel(m *sema.Module, name string) bool {
	for _, l := range m.Labels {
		if l == name {
			return true
		}
	}
	return false
}

// systemCalls are functions of the driver that any program may call.
var systemCalls = [...]string{"vprintf", "malloc", "free", "__assertfail"}

// IsSystemCall reports whether name is a function the driver provides.
func IsSystemCall(name string) bool {
	for _, s := range systemCalls {
		if s == name {
			return true
		}
	}
	return strings.HasPrefix(name, "cnp")
}

// externFuncs looks for functions that nobody defines.
func externFuncs(m *sema.Module, u *diag.Unit) {
	for i := range m.Funcs {
		f := &m.Funcs[i]
		if !f.HasBody && f.Linkage != sema.Extern && f.Alias < 0 && !IsSystemCall(f.Name) {
			u.Report(diag.Fatal, setting.NoPos, "Unresolved extern function '"+f.Name+"'")
			return
		}
		for _, name := range f.Facts.Inner {
			if m.Lookup(f.File, []byte(name)) < 0 {
				u.Report(diag.Fatal, setting.NoPos, "Unresolved extern function '"+name+"'")
				return
			}
		}
	}
	if m.Opts.CompileOnly {
		return
	}
	for i := range m.Funcs {
		f := &m.Funcs[i]
		for _, c := range f.Facts.Calls {
			if t := &m.Funcs[c]; !t.HasBody && t.Alias < 0 && !IsSystemCall(t.Name) {
				u.Report(diag.Fatal, setting.NoPos, "Unresolved extern function '"+t.Name+"'")
				return
			}
		}
		if takenFault(m, u, f) {
			return
		}
	}
	initFuncs(m, u)
}

// initFuncs: only functions with code can be initial values.
func initFuncs(m *sema.Module, u *diag.Unit) {
	list := m.Addressed
	for i := range m.Funcs {
		list = append(list, m.Funcs[i].Facts.Addressed...)
	}
	for _, i := range list {
		if f := &m.Funcs[i]; !f.HasBody && f.Alias < 0 {
			u.Report(diag.Fatal, setting.NoPos, "Cannot take address of function '"+f.Name+"' ")
			return
		}
	}
}

func takenFault(m *sema.Module, u *diag.Unit, f *sema.Func) bool {
	for _, t := range f.Facts.Taken {
		fn := &m.Funcs[t.Fn]
		switch {
		case t.Arith:
			u.Report(diag.Fatal, setting.NoPos, "Line No: "+strconv.Itoa(t.Line)+": Cannot take address of function '"+fn.Name+
				"' in arithmetic expressions")
			return true
		case !fn.HasBody && fn.Alias < 0:
			u.Report(diag.Fatal, setting.NoPos, "Cannot take address of function '"+fn.Name+"' ")
			return true
		}
	}
	return false
}

// twoNamed: kernels of one name in two files cannot both be put into the
// output, nor functions into an object.
func twoNamed(m *sema.Module, u *diag.Unit) {
	if len(m.Files) == 1 {
		return
	}
	seen := map[string]bool{}
	for i := range m.Funcs {
		f := &m.Funcs[i]
		if !f.Entry && !m.Opts.Relocatable || !f.HasBody {
			continue
		}
		if seen[f.Name] {
			u.Report(diag.Fatal, setting.NoPos, "Internal error: symbol already assigned")
			return
		}
		seen[f.Name] = true
	}
}

// The register counts that .maxnreg may ask for.
const (
	minRegs = 24
	maxRegs = 255
	warp    = 32 // threads
)

// launchBounds judges the tuning directives against the architecture, last
// kernel first.
func launchBounds(m *sema.Module, u *diag.Unit) {
	list := judged(m)
	if m.Opts.CompileOnly && !m.Opts.Relocatable && !m.Opts.AllKernels && !m.Opts.InOrder { // an extensible program is judged before it is taken apart, too
		for _, i := range list {
			f := m.Funcs[i]
			registerCap(m, u, &f, launchBound(m, u, &f, m.Opts.Arch))
		}
	}
	if m.Opts.MaxNTid[0] != 0 && (m.Opts.Relocatable || m.Opts.Debug) {
		list = compiled(m)
	}
	for _, i := range list {
		f := &m.Funcs[i]
		if !f.Entry {
			optionBound(m, u, *f)
			continue
		}
		bounded := launchBound(m, u, f, m.Opts.Arch)
		registerCap(m, u, f, bounded)
		localBound(m, u, f)
	}
	localFuncs(m, u)
}

// optionBound judges the bounds of the command line for a function that is
// compiled by itself: they are those of the kernels that will call it.
func optionBound(m *sema.Module, u *diag.Unit, f sema.Func) {
	f.Launch = sema.Launch{MaxNTid: m.Opts.MaxNTid, MinNCTAPerSM: m.Opts.MinNCTAPerSM}
	launchBound(m, u, &f, m.Opts.Arch)
}

// compiled lists functions that are compiled by themselves in the order of
// messages about them: as the text has them, those that only the module sees
// last, or what a function calls before it, the last of all first.
func compiled(m *sema.Module) []int32 {
	list := byText(m)
	hidden := func(f int32) bool { return m.Funcs[f].Linkage == sema.Static }
	slices.SortFunc(list, func(a, b int32) int {
		if hidden(a) != hidden(b) {
			if hidden(b) {
				return -1
			}
			return 1
		}
		return cmp.Compare(a, b)
	})
	if m.Opts.Debug || m.Opts.Forward {
		return list
	}
	order, seen := make([]int32, 0, len(list)), make([]bool, len(m.Funcs))
	var visit func(f int32)
	visit = func(f int32) {
		if seen[f] || !m.Funcs[f].HasBody {
			return
		}
		seen[f] = true
		for _, c := range slices.Backward(m.Funcs[f].Facts.Calls) {
			visit(c)
		}
		order = append(order, f)
	}
	for _, f := range slices.Backward(list) {
		visit(f)
	}
	return order
}

// judged lists the kernels in the order of messages about them. Where functions
// stay apart those that only the module sees come last, or first where the
// last kernel is the first.
func judged(m *sema.Module) []int32 {
	list := m.Kernels()
	if !m.Opts.Relocatable && !m.Opts.Debug && !m.Opts.AllKernels {
		p := PointersOf(m)
		return p.First(list, p.Comes)
	}
	forward := m.Opts.Debug || m.Opts.AllKernels || m.Opts.Forward
	slices.Sort(list)
	if !forward {
		slices.Reverse(list)
	}
	slices.SortStableFunc(list, func(a, b int32) int {
		hidden := func(f int32) bool { return m.Funcs[f].Linkage == sema.Static }
		switch {
		case hidden(a) == hidden(b):
			return 0
		case hidden(b) == forward:
			return -1
		}
		return 1
	})
	return list
}

func launchBound(m *sema.Module, u *diag.Unit, f *sema.Func, arch *target.Arch) (bounded bool) {
	l := &f.Launch
	switch {
	case l.MaxNReg > maxRegs:
		u.Report(diag.Warning, setting.NoPos, "Too many maxnreg specified for entry "+f.Name+", will be ignored")
		l.MaxNReg = maxRegs
	case l.MaxNReg > 0 && l.MaxNReg < minRegs:
		u.Report(diag.Warning, setting.NoPos, "For entry "+f.Name+" adjusting per thread register count of "+
			strconv.Itoa(int(l.MaxNReg))+" to lower bound of "+strconv.Itoa(minRegs))
		l.MaxNReg = minRegs
	}
	dims := l.MaxNTid
	if l.ReqNTid[0] != 0 {
		dims = l.ReqNTid
	}
	if dims[0] == 0 {
		l.MinNCTAPerSM = 0
		return false
	}
	if uint64(l.MinNCTAPerSM) > uint64(arch.Blocks) {
		u.Report(diag.Warning, setting.NoPos, "Value of minnctapersm for entry "+f.Name+
			" is out of range. minnctapersm will be ignored")
		l.MinNCTAPerSM = 0
	}
	most := uint64(arch.Warps) * warp
	threads := uint64(dims[0] * dims[1] * dims[2]) // in 32 bits, as the reference counts
	blocks := uint64(l.MinNCTAPerSM)
	switch {
	case threads > most && blocks > 0:
		u.Report(diag.Warning, setting.NoPos, "Value of maxntid, for entry "+f.Name+
			" is out of range. .minnctapersm and .maxntid will be ignored")
		l.MinNCTAPerSM = 0
		return false
	case threads > most:
		u.Report(diag.Warning, setting.NoPos, "Value of threads per SM for entry "+f.Name+
			" is out of range. .minnctapersm and .maxntid will be ignored")
		return false
	case threads*blocks > most:
		u.Report(diag.Warning, setting.NoPos, "Value of threads per SM for entry "+f.Name+
			" is out of range. .minnctapersm will be ignored")
		l.MinNCTAPerSM = 0
	}
	return true
}

// constData checks the size of the constant bank.
func constData(m *sema.Module, u *diag.Unit) {
	at := uint64(0)
	for i := range m.Vars {
		if v := &m.Vars[i]; v.Space == isa.SpaceConst && !(v.Linkage == sema.Extern && m.Opts.CompileOnly) {
			at = place(at, &v.Shape)
		}
	}
	for i := range m.Funcs {
		for j := range m.Funcs[i].Facts.Consts {
			at = place(at, &m.Funcs[i].Facts.Consts[j])
		}
	}
	if at > sema.ConstSpace {
		u.Report(diag.Error, setting.NoPos, "File uses too much global constant data (0x"+strconv.FormatUint(at, 16)+
			" bytes, 0x"+strconv.FormatUint(sema.ConstSpace, 16)+" max)")
	}
}

// unwrittenParams refuses to read a local parameter that no call before has
// returned. The reference crashes.
func unwrittenParams(m *sema.Module, u *diag.Unit) {
	for i := range m.Funcs {
		f := &m.Funcs[i]
		for _, p := range f.Facts.Unread {
			name, line := m.Files[f.File].File.Line(p.Pos)
			u.Add(diag.Message{
				Severity: diag.Error, File: name, Line: line,
				Text: "Parameter '" + p.Name + "' is read although no call before has returned it",
			})
		}
	}
}

// place returns the end of a shape put at the next aligned offset from at.
func place(at uint64, s *sema.Shape) uint64 {
	return (at+s.Align-1)&^(s.Align-1) + s.Size()
}

// kernels makes the checks of code generation that need no code: pragmas
// and shared memory of each kernel, last first.
func kernels(m *sema.Module, u *diag.Unit) {
	some := false
	for _, i := range judged(m) {
		f := &m.Funcs[i]
		some = true
		reach := reach(m, i)
		modulePragmas(m, u)
		for _, r := range reach {
			funcPragmas(m, u, &m.Funcs[r])
		}
		sharedData(m, u, f, reach)
	}
	if !some {
		modulePragmas(m, u)
	}
	if m.Opts.CompileOnly {
		loosePragmas(m, u)
	}
}

// loosePragmas: with -c visible functions are compiled for themselves.
func loosePragmas(m *sema.Module, u *diag.Unit) {
	called := make([]bool, len(m.Funcs))
	for i := range m.Funcs {
		if m.Funcs[i].Entry && m.Funcs[i].HasBody {
			for _, r := range reach(m, int32(i)) {
				called[r] = true
			}
		}
	}
	for i := range m.Funcs {
		if f := &m.Funcs[i]; f.HasBody && !called[i] {
			funcPragmas(m, u, f)
		}
	}
}

// reach returns f and the functions it calls, in order of first call.
func reach(m *sema.Module, f int32) []int32 {
	list := []int32{f}
	seen := map[int32]bool{f: true}
	for i := 0; i < len(list); i++ {
		for _, c := range m.Funcs[list[i]].Facts.Calls {
			if a := m.Funcs[c].Alias; a >= 0 {
				c = a
			}
			if !seen[c] {
				seen[c] = true
				list = append(list, c)
			}
		}
	}
	return list
}

func modulePragmas(m *sema.Module, u *diag.Unit) {
	for _, p := range m.Pragmas {
		if p != setting.Nounroll {
			u.Report(diag.Error, setting.NoPos, "Pragma '"+p+"' not supported")
		}
	}
}

func funcPragmas(m *sema.Module, u *diag.Unit, f *sema.Func) {
	for _, p := range f.Pragmas {
		row := setting.FindPragma(p)
		switch {
		case p == setting.Nounroll:
		case row == nil:
			u.Report(diag.Warning, setting.NoPos, "Pragma '"+p+"' unsupported")
		case row.Name == "used_bytes_mask":
			if faults := setting.PragmaFaults(p); len(faults) > 0 {
				u.Report(diag.Error, setting.NoPos, faults[0])
			}
		}
	}
}

// sharedData adds up the static shared memory of a kernel: what it and its
// callees name, and all that their bodies declare. How much an object takes
// is the linker's to say.
func sharedData(m *sema.Module, u *diag.Unit, f *sema.Func, reach []int32) {
	if m.Opts.Relocatable {
		return
	}
	used := make(map[int32]bool)
	for _, r := range reach {
		for _, v := range m.Funcs[r].Facts.Vars {
			used[v] = true
		}
	}
	at := uint64(0)
	for i := range m.Vars {
		if v := &m.Vars[i]; v.Space == isa.SpaceShared && used[int32(i)] && !v.Shape.Open {
			at = place(at, &v.Shape)
		}
	}
	for _, r := range reach {
		for j := range m.Funcs[r].Facts.Shared {
			at = place(at, &m.Funcs[r].Facts.Shared[j])
		}
	}
	if limit := sema.StaticShared(m.Opts.Arch, m.Opts.ExtendedShared); at > limit {
		u.Report(diag.Error, setting.NoPos, "Entry function '"+f.Name+"' uses too much shared data (0x"+
			strconv.FormatUint(at, 16)+" bytes, 0x"+strconv.FormatUint(limit, 16)+" max)")
	}
}
