package bodies

import (
	"slices"

	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/ptx/isa"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/setting"
	"github.com/goptxas/goptxas/internal/target"
)

const doubleText = "Program is doing double precision computations."

// The reference puts texts of its own in place of some instructions and
// warns of every instruction on 64-bit floats in them at the line of the one
// they replace, unless there is an error before it in the file. Behind all
// files it warns of the routines those texts call, by their lines.

// doubleTexts says how often it warns; the first row that fits counts. mods
// are modifiers that the instruction must have, calls says that it calls a
// routine.
var doubleTexts = [...]struct {
	op    isa.Word
	mods  []isa.Word
	times int
	calls bool
}{
	{isa.WCvt, nil, 2, false},
	{isa.WTestp, nil, 2, false},
	{isa.WCopysign, nil, 3, false},
	{isa.WDiv, []isa.Word{isa.WRn}, 19, true},
	{isa.WDiv, []isa.Word{isa.WRz}, 1, true},
	{isa.WDiv, []isa.Word{isa.WRm}, 1, true},
	{isa.WDiv, []isa.Word{isa.WRp}, 1, true},
	{isa.WRcp, []isa.Word{isa.WRn}, 14, true},
	{isa.WRcp, []isa.Word{isa.WRz}, 1, true},
	{isa.WRcp, []isa.Word{isa.WRm}, 1, true},
	{isa.WRcp, []isa.Word{isa.WRp}, 1, true},
	{isa.WRcp, []isa.Word{isa.WApprox}, 2, false},
	{isa.WSqrt, []isa.Word{isa.WRn}, 20, true},
	{isa.WSqrt, []isa.Word{isa.WRz}, 1, true},
	{isa.WSqrt, []isa.Word{isa.WRm}, 1, true},
	{isa.WSqrt, []isa.Word{isa.WRp}, 1, true},
	{isa.WRsqrt, []isa.Word{isa.WFtz}, 2, false},
	{isa.WRsqrt, nil, 16, true},
	{isa.WMma, nil, 2, false},
	{isa.WWmma, []isa.Word{isa.WLoad, isa.WC}, 4, false},
	{isa.WWmma, []isa.Word{isa.WLoad}, 3, false},
	{isa.WWmma, []isa.Word{isa.WStore}, 4, false},
	{isa.WWmma, nil, 2, false},
}

// doubleRoutines are the lines with 64-bit floats of each routine, in the
// order in which they are warned of; a negative one is of a text that the
// routine itself has in place of an instruction. then are routines without
// such lines that stand between it and the next; all others stand before.
var doubleRoutines = [...]struct {
	name  string
	lines *[]int16
	then  []string
}{
	{"rcp.rz.f64", &rcpZero, []string{"rcp.rz.f32", "rcp.rp.ftz.f32"}},
	{"rcp.rm.f64", &rcpDirected, []string{"rcp.rn.f32", "rcp.rn.ftz.f32", "rcp.rm.ftz.f32", "rcp.rp.f32"}},
	{"rcp.rp.f64", &rcpDirected, []string{"rcp.rm.f32"}},
	{"sqrt.rz.f64", &sqrtDirected, nil},
	{"sqrt.rp.f64", &sqrtDirected, nil},
	{"sqrt.rn.f64", &sqrtNearest, nil},
	{"sqrt.rm.f64", &sqrtDirected, nil},
	{"rsqrt.approx.f64", &rsqrtNearest, []string{"div.rz.ftz.f32", "div.u64", "div.s64", "div.u16", "div.s16"}},
	{"div.rz.f64", &divDown, []string{"div.rz.f32", "div.rp.ftz.f32"}},
	{"div.rp.f64", &divUp, []string{"div.rp.f32"}},
	{"div.rn.f64", &divNearest, []string{"div.rm.ftz.f32"}},
	{"div.rm.f64", &divDown, []string{"div.rm.f32"}},
	{"rcp.rn.f64", &rcpNearest, nil},
}

var (
	rcpZero      = []int16{10, 20, 21, 22, 28, 29, 36, 37, 48, 49, 64, 65, -3, 66, 67, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 126, 128}
	rcpDirected  = []int16{10, 20, 21, 22, 28, 29, 36, 37, 48, 49, 64, 65, -3, 66, 67, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 124, 125, 127, 154, 156}
	rcpNearest   = []int16{10, 15, 17, 18, 37, -3, 42, 43, 44, 45, 46, 47, 48, 52, 53, 54, 55, 56, 63, 64, -3, 69, 70, 71, 72, 73, 74, 75, 76, 84}
	sqrtDirected = []int16{10, 28, 29, 36, 37, 39, 40, 41, 44, 47, 48, 54, 55, 68, -1, 72, -1, 73, 74, 75, 76, 77, 78, 79, 82, 83, 86, 87, 88, 89, 90, 91, 92, 93, 101, 103}
	sqrtNearest  = []int16{12, 14, 15, 16, 22, 34, 38, 42, 43, 44, 45, 48, 61, 62, -1, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 80, 81, 82}
	rsqrtNearest = []int16{9, 12, 14, 15, 24, 26, 29, 30, -1, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 43, 50}
	divDown      = []int16{11, 12, 31, 39, -3, 65, 66, 67, 84, 87, 91, 109, 116, 117, 118, 119, 120, 121, 122, 123, 124, 133, 134, 135, 153}
	divUp        = []int16{10, 11, 30, 38, -3, 64, 65, 66, 83, 86, 90, 108, 115, 116, 117, 118, 119, 120, 121, 122, 123, 132, 133, 134, 152}
	divNearest   = []int16{10, 11, 31, 39, -3, 40, 69, 70, 71, 85, 86, 87, 88, 89, 90, 91, 92, 93, 103, 106, 110, 138, 148, 161, 179, 180, 194, 212}
)

// callers are the instructions that call routines with the first type and one
// of the modifiers; those with none of the latter call them without.
var callers = [...]struct {
	op    isa.Word
	types []isa.Type
	mods  []isa.Word
	early bool // on machines before Hopper only
}{
	{isa.WDiv, []isa.Type{isa.U64, isa.S64, isa.U16, isa.S16}, nil, false},
	{isa.WRem, []isa.Type{isa.U64, isa.S64, isa.U16, isa.S16}, nil, false},
	{isa.WDiv, []isa.Type{isa.F32, isa.F64}, rounded, false},
	{isa.WRcp, []isa.Type{isa.F32, isa.F64}, rounded, false},
	{isa.WSqrt, []isa.Type{isa.F32, isa.F64}, rounded, false},
	{isa.WRsqrt, []isa.Type{isa.F64}, []isa.Word{isa.WApprox}, false},
	{isa.WShfl, nil, synced, true},
	{isa.WVote, nil, synced, true},
	{isa.WMatch, nil, synced, true},
	{isa.WBar, nil, []isa.Word{isa.WWarp}, true},
	{isa.WBarrier, nil, nil, true},
}

var (
	rounded = []isa.Word{isa.WRn, isa.WRz, isa.WRm, isa.WRp}
	synced  = []isa.Word{isa.WSync}
)

// routine marks a call of a routine where somebody asks for it.
func (k *checker) routine(out *sema.Inst) {
	mods := k.body.ModsOf(out)
	has := func(w isa.Word) bool { return slices.Contains(mods, w) }
	for _, r := range callers {
		if r.op != out.Op || r.types != nil && !slices.Contains(r.types, out.Types[0]) || r.mods != nil && !slices.ContainsFunc(r.mods, has) {
			continue
		}
		if r.early && (k.Module.Opts.Arch.Has(target.Clusters) || has(isa.WAligned)) || r.op == isa.WRsqrt && has(isa.WFtz) {
			continue
		}
		k.Unit.Repeat(diag.Info, k.instrPos(), "", k.routineName(out))
		return
	}
}

// routineName names the routine that an instruction calls: there is one for
// each instruction with its modifiers and types, with and without a second
// result, and for each way to write the operands of a barrier.
func (k *checker) routineName(out *sema.Inst) string {
	name := []byte(out.Op.String())
	for _, m := range k.body.ModsOf(out) {
		name = append(append(name, '.'), m.String()...)
	}
	for n, a := range k.body.Of(out.Args) {
		switch {
		case n == 0 && a.Flags&sema.Paired != 0:
			name = append(name, '|')
		case out.Op == isa.WBarrier && (a.Kind == isa.KReg || out.NTypes > 0): // one that reduces takes either
			name = append(name, " r"...)
		case out.Op == isa.WBarrier:
			name = append(name, " i"...)
		}
	}
	return string(name)
}

// double warns of double precision when the user asks for it.
func (k *checker) double(out *sema.Inst) {
	if !slices.Contains(out.Types[:min(int(out.NTypes), len(out.Types))], isa.F64) {
		return
	}
	times, calls, mods := 1, false, k.body.ModsOf(out)
	for _, r := range doubleTexts {
		if r.op == out.Op && !slices.ContainsFunc(r.mods, func(w isa.Word) bool { return !slices.Contains(mods, w) }) {
			times, calls = r.times, r.calls
			break
		}
	}
	k.Warning(k.instrPos(), doubleText)
	for range times - 1 {
		k.Unit.Repeat(diag.Warning, k.instrPos(), doubleText, "")
	}
	if calls {
		k.Unit.Repeat(diag.Info, k.instrPos(), "", k.routineName(out))
	}
}

// macroFile is what messages call the texts of routines.
const macroFile = "<macro util>"

// End tells what comes behind all files, after every body was checked.
func End(m *sema.Module, sink *diag.Sink) {
	routines(m, sink)
	unknownTarget(m, sink)
}

// unknownTarget reports that some file's version does not know its target, as
// the reference does: with the names and the line of the last file, or of the
// texts of routines if there are any.
func unknownTarget(m *sema.Module, sink *diag.Sink) {
	if !m.Unknown {
		return
	}
	last := len(m.Late) - 1
	for last > 0 && m.Late[last].Text == "" {
		last--
	}
	l := &m.Late[last]
	if !l.Ended.Load() {
		return
	}
	if sink.Form() == diag.Plain && len(sink.Marks()) > 0 {
		u := sink.Open(nil)
		defer u.Close()
		u.Add(diag.Message{Severity: diag.Error, File: macroFile, Line: macroTarget, Text: l.Text})
		return
	}
	u := sink.Reopen(m.Files[last].File)
	defer u.Close()
	u.Report(diag.Error, l.Pos, l.Text)
}

// macroTarget is the line of .target in the texts of routines.
const macroTarget = 2

// routines tells what the reference says of the routines that texts in place
// of instructions call, which are one more file to it. Only who compares
// messages with the reference's wants to know.
func routines(m *sema.Module, sink *diag.Sink) {
	marks := sink.Marks()
	if len(marks) == 0 || sink.Form() != diag.Plain {
		return
	}
	u := sink.Open(nil)
	defer u.Close()
	missing := func(n int) {
		for range n {
			u.Report(diag.Error, setting.NoPos, sema.NoDwarf)
		}
	}
	if !m.NoDwarf {
		missing = func(int) {}
	}
	before := len(marks)
	for _, r := range &doubleRoutines {
		before -= calledOf(marks, r.name) + calledOf(marks, r.then...)
	}
	missing(before)
	for _, r := range &doubleRoutines {
		called := calledOf(marks, r.name)
		if called > 0 && m.Opts.WarnDouble {
			routineLines(u, *r.lines)
		}
		missing(called + calledOf(marks, r.then...))
	}
}

// calledOf counts the routines that are called.
func calledOf(marks []string, names ...string) int {
	n := 0
	for _, name := range names {
		if slices.Contains(marks, name) {
			n++
		}
	}
	return n
}

// routineLines warns of the lines of a routine.
func routineLines(u *diag.Unit, lines []int16) {
	for _, line := range lines {
		name := macroFile
		if line < 0 {
			name, line = "<builtin>", -line
		}
		u.Add(diag.Message{Severity: diag.Warning, File: name, Line: int(line), Text: doubleText})
	}
}
