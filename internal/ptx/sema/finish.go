package sema

import (
	"strconv"
	"strings"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/target"
)

// Finish makes the checks that need the whole text, after every body was
// checked and only when the text is free of errors: target against
// architecture, externs, address width, launch bounds, pragmas, limits. It
// reports whether code can be generated. None of its messages has a place.
func (m *Module) Finish(sink *diag.Sink) bool {
	u := sink.Open(nil)
	defer u.Close()
	if why := m.Target.mismatch(m.Opts.Arch); why != "" {
		u.Report(diag.Fatal, noPos, why)
		return false
	}
	for _, step := range [...]func(*diag.Unit){
		m.externVars, m.oldObjects, m.narrowWarnings, m.debugLines, m.externFuncs, m.addressWidth, m.twoKernels, m.selectEntries, m.launchBounds,
		m.constData, m.unwrittenParams, m.narrowParams, m.kernels, m.ownVars,
	} {
		if step(u); u.Fatal() {
			return false
		}
	}
	return u.Errors() == 0
}

// externVars: in whole-program compilation an extern variable is one of our
// own, except dynamic shared memory.
func (m *Module) externVars(u *diag.Unit) {
	for _, why := range m.NoABI {
		u.Report(diag.Warning, noPos, why)
	}
	if m.Opts.CompileOnly {
		return
	}
	for i := range m.Vars {
		v := &m.Vars[i]
		if v.Linkage != Extern && !v.WasExtern {
			continue
		}
		if v.Shape.Open {
			if v.Space == isa.SpaceShared {
				continue
			}
			u.Report(diag.Fatal, noPos, "Unresolved extern variable '"+v.Name+"'")
			return
		}
		u.Report(diag.Warning, noPos, "Unresolved extern variable '"+v.Name+
			"' in whole program compilation, ignoring extern qualifier")
	}
}

// narrowWarnings lists addresses in registers that are too small, where the
// file says how wide addresses are.
func (m *Module) narrowWarnings(u *diag.Unit) {
	if !m.wide {
		return
	}
	for i := range m.Funcs {
		for _, n := range m.Funcs[i].done.narrow {
			u.Report(diag.Warning, noPos, "Program uses "+strconv.Itoa(n.bits)+"-bit address on line '"+
				strconv.Itoa(n.line)+"' which is conflicting with .address_size 64")
		}
	}
}

// addressWidth refuses 32-bit programs.
func (m *Module) addressWidth(u *diag.Unit) {
	width := 0
	if m.narrow {
		width = 32
	}
	for i := range m.Funcs {
		for _, n := range m.Funcs[i].done.narrow {
			width = max(width, n.bits)
		}
	}
	if width == 0 {
		return
	}
	if !m.wide {
		u.Report(diag.Warning, noPos, " 64 Bit host architecture (--machine) being used mismatches with .address_size of "+
			strconv.Itoa(width)+" bits")
	}
	switch {
	case width != 32:
	case m.Opts.Arch.Has(target.NewFiles):
		u.Report(diag.Fatal, noPos,
			" 32-Bit ABI (--machine 32 or 32-Bit addressing) is not supported on sm_90 or higher architectures.")
	default:
		u.Report(diag.Fatal, noPos, " 32-Bit compilation is no longer supported")
	}
}

// debugLines judges .loc against the tables they refer to.
func (m *Module) debugLines(u *diag.Unit) {
	locs := false
	for i := range m.Funcs {
		f := &m.Funcs[i]
		locs = locs || f.done.locs
		for _, name := range f.done.inlined {
			if !m.hasLabel(name) {
				u.Report(diag.Error, noPos, "Unresolved label '"+name+"' used in function_name attribute.")
			}
		}
	}
	if locs && len(m.Sources) == 0 {
		u.Report(diag.Warning, noPos, ".loc directive without .file directive is found, "+
			"line information in generated binary may not be complete")
	}
}

func (m *Module) hasLabel(name string) bool {
	for _, l := range m.labels {
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
func (m *Module) externFuncs(u *diag.Unit) {
	for i := range m.Funcs {
		f := &m.Funcs[i]
		if !f.HasBody && f.Linkage != Extern && f.Alias < 0 && !IsSystemCall(f.Name) {
			u.Report(diag.Fatal, noPos, "Unresolved extern function '"+f.Name+"'")
			return
		}
		for _, name := range f.done.inner {
			if m.lookup(f.File, []byte(name)) < 0 {
				u.Report(diag.Fatal, noPos, "Unresolved extern function '"+name+"'")
				return
			}
		}
	}
	if m.Opts.CompileOnly {
		return
	}
	for i := range m.Funcs {
		f := &m.Funcs[i]
		for _, c := range f.done.calls {
			if t := &m.Funcs[c]; !t.HasBody && t.Alias < 0 && !IsSystemCall(t.Name) {
				u.Report(diag.Fatal, noPos, "Unresolved extern function '"+t.Name+"'")
				return
			}
		}
		if m.takenFault(u, f) {
			return
		}
	}
	m.initFuncs(u)
}

// initFuncs: only functions with code can be initial values.
func (m *Module) initFuncs(u *diag.Unit) {
	list := m.addressed
	for i := range m.Funcs {
		list = append(list, m.Funcs[i].done.addressed...)
	}
	for _, i := range list {
		if f := &m.Funcs[i]; !f.HasBody && f.Alias < 0 {
			u.Report(diag.Fatal, noPos, "Cannot take address of function '"+f.Name+"' ")
			return
		}
	}
}

func (m *Module) takenFault(u *diag.Unit, f *Func) bool {
	for _, t := range f.done.taken {
		fn := &m.Funcs[t.fn]
		switch {
		case t.arith:
			u.Report(diag.Fatal, noPos, "Line No: "+strconv.Itoa(t.line)+": Cannot take address of function '"+fn.Name+
				"' in arithmetic expressions")
			return true
		case !fn.HasBody && fn.Alias < 0:
			u.Report(diag.Fatal, noPos, "Cannot take address of function '"+fn.Name+"' ")
			return true
		}
	}
	return false
}

// twoKernels: kernels of one name in two files cannot both be put into the
// output.
func (m *Module) twoKernels(u *diag.Unit) {
	if len(m.Files) == 1 {
		return
	}
	seen := map[string]bool{}
	for i := range m.Funcs {
		f := &m.Funcs[i]
		if !f.Entry || !f.HasBody {
			continue
		}
		if seen[f.Name] {
			u.Report(diag.Fatal, noPos, "Internal error: symbol already assigned")
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
func (m *Module) launchBounds(u *diag.Unit) {
	for _, i := range m.Kernels() {
		f := &m.Funcs[i]
		bounded := m.launchBound(u, f, m.Opts.Arch)
		m.registerCap(u, f, bounded)
		m.localBound(u, f)
	}
	m.localFuncs(u)
}

func (m *Module) launchBound(u *diag.Unit, f *Func, arch *target.Arch) (bounded bool) {
	l := &f.Launch
	switch {
	case l.MaxNReg > maxRegs:
		u.Report(diag.Warning, noPos, "Too many maxnreg specified for entry "+f.Name+", will be ignored")
		l.MaxNReg = 0
	case l.MaxNReg > 0 && l.MaxNReg < minRegs:
		u.Report(diag.Warning, noPos, "For entry "+f.Name+" adjusting per thread register count of "+
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
		u.Report(diag.Warning, noPos, "Value of minnctapersm for entry "+f.Name+
			" is out of range. minnctapersm will be ignored")
		l.MinNCTAPerSM = 0
	}
	most := uint64(arch.Warps) * warp
	threads := uint64(dims[0]) * uint64(dims[1]) * uint64(dims[2])
	blocks := uint64(l.MinNCTAPerSM)
	switch {
	case threads > most && blocks > 0:
		u.Report(diag.Warning, noPos, "Value of maxntid, for entry "+f.Name+
			" is out of range. .minnctapersm and .maxntid will be ignored")
		l.MinNCTAPerSM = 0
		return false
	case threads > most:
		u.Report(diag.Warning, noPos, "Value of threads per SM for entry "+f.Name+
			" is out of range. .minnctapersm and .maxntid will be ignored")
		return false
	case threads*blocks > most:
		u.Report(diag.Warning, noPos, "Value of threads per SM for entry "+f.Name+
			" is out of range. .minnctapersm will be ignored")
		l.MinNCTAPerSM = 0
	}
	return true
}

// constData checks the size of the constant bank.
func (m *Module) constData(u *diag.Unit) {
	at := uint64(0)
	for i := range m.Vars {
		if v := &m.Vars[i]; v.Space == isa.SpaceConst && !(v.Linkage == Extern && m.Opts.CompileOnly) {
			at = place(at, &v.Shape)
		}
	}
	for i := range m.Funcs {
		for j := range m.Funcs[i].done.consts {
			at = place(at, &m.Funcs[i].done.consts[j])
		}
	}
	if at > constSpace {
		u.Report(diag.Error, noPos, "File uses too much global constant data (0x"+strconv.FormatUint(at, 16)+
			" bytes, 0x"+strconv.FormatUint(constSpace, 16)+" max)")
	}
}

// unwrittenParams refuses to read a local parameter that no call before has
// returned. The reference crashes.
func (m *Module) unwrittenParams(u *diag.Unit) {
	for i := range m.Funcs {
		f := &m.Funcs[i]
		for _, p := range f.done.unread {
			name, line := m.Files[f.File].File.Line(p.pos)
			u.Add(diag.Message{
				Severity: diag.Error, File: name, Line: line,
				Text: "Parameter '" + p.name + "' is read although no call before has returned it",
			})
		}
	}
}

// place returns the end of a shape put at the next aligned offset from at.
func place(at uint64, s *Shape) uint64 {
	return (at+s.Align-1)&^(s.Align-1) + s.Size()
}

// kernels makes the checks of code generation that need no code: pragmas
// and shared memory of each kernel, last first.
func (m *Module) kernels(u *diag.Unit) {
	some := false
	for _, i := range m.Kernels() {
		f := &m.Funcs[i]
		some = true
		reach := m.reach(i)
		m.modulePragmas(u)
		for _, r := range reach {
			m.funcPragmas(u, &m.Funcs[r])
		}
		m.sharedData(u, f, reach)
	}
	if !some {
		m.modulePragmas(u)
	}
	if m.Opts.CompileOnly {
		m.loosePragmas(u)
	}
}

// loosePragmas: with -c visible functions are compiled for themselves.
func (m *Module) loosePragmas(u *diag.Unit) {
	called := make([]bool, len(m.Funcs))
	for i := range m.Funcs {
		if m.Funcs[i].Entry && m.Funcs[i].HasBody {
			for _, r := range m.reach(int32(i)) {
				called[r] = true
			}
		}
	}
	for i := range m.Funcs {
		if f := &m.Funcs[i]; f.HasBody && !called[i] {
			m.funcPragmas(u, f)
		}
	}
}

// reach returns f and the functions it calls, in order of first call.
func (m *Module) reach(f int32) []int32 {
	list := []int32{f}
	seen := map[int32]bool{f: true}
	for i := 0; i < len(list); i++ {
		for _, c := range m.Funcs[list[i]].done.calls {
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

func (m *Module) modulePragmas(u *diag.Unit) {
	for _, p := range m.Pragmas {
		if p != nounroll {
			u.Report(diag.Error, noPos, "Pragma '"+p+"' not supported")
		}
	}
}

func (m *Module) funcPragmas(u *diag.Unit, f *Func) {
	for _, p := range f.Pragmas {
		row := findPragma(p)
		switch {
		case p == nounroll:
		case row == nil:
			u.Report(diag.Warning, noPos, "Pragma '"+p+"' unsupported")
		case row.name == "used_bytes_mask":
			if faults := pragmaFaults(p); len(faults) > 0 {
				u.Report(diag.Error, noPos, faults[0])
			}
		}
	}
}

// sharedData adds up the static shared memory of a kernel: what it and its
// callees name, and all that their bodies declare. How much an object takes
// is the linker's to say.
func (m *Module) sharedData(u *diag.Unit, f *Func, reach []int32) {
	if m.Opts.Relocatable {
		return
	}
	used := make(map[int32]bool)
	for _, r := range reach {
		for _, v := range m.Funcs[r].done.vars {
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
		for j := range m.Funcs[r].done.shared {
			at = place(at, &m.Funcs[r].done.shared[j])
		}
	}
	if limit := staticShared(m.Opts.Arch, m.Opts.ExtendedShared); at > limit {
		u.Report(diag.Error, noPos, "Entry function '"+f.Name+"' uses too much shared data (0x"+
			strconv.FormatUint(at, 16)+" bytes, 0x"+strconv.FormatUint(limit, 16)+" max)")
	}
}
