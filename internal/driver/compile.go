package driver

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/goptxas/goptxas/internal/cubin"
	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/knobs"
	"github.com/goptxas/goptxas/internal/engine/par/jobserver"
	"github.com/goptxas/goptxas/internal/engine/stats"
	"github.com/goptxas/goptxas/internal/link"
	"github.com/goptxas/goptxas/internal/pipeline"
	"github.com/goptxas/goptxas/internal/ptx/sema"
	"github.com/goptxas/goptxas/internal/ptx/sema/whole"
	"github.com/goptxas/goptxas/internal/ptx/syntax"
	"github.com/goptxas/goptxas/internal/ptx/syntax/printer"
	"github.com/goptxas/goptxas/internal/target"
)

// Job is one compilation: settings, inputs and the place for messages.
type Job struct {
	Settings *cli.Settings
	Files    []Source
	Sink     *diag.Sink
	Stdout   io.Writer // for --print-ptx
	Watch    Watcher   // sees the compilation from inside; may be nil

	CacheFolder string         // where compiled kernels are kept; "": nowhere
	Kernels     pipeline.Cache // a further place for them; may be nil

	Resume *pipeline.Resume // a function that is read from a dump; may be nil

	progress *progress // nil: nobody is told how far it is
	limits   *limits   // nil: none
	search   *search   // nil: nobody looks for faster code
	// variation are settings that a search tries or found, see pipeline.Sampler.
	variation string
	kernel    func(at int, f Facts, code []byte, spared bool)

	rec    *stats.Recorder
	tokens *jobserver.Client // nil: no jobserver
	noJobs error             // why there is none although one was asked for
}

// Result is what a job leaves behind.
type Result struct {
	OK    bool
	Cubin []byte // nil: nothing to write
	Stats *stats.Report
	spans *spans // what ran when, where a trace was asked for
}

// aborted is the last line of a run that ends while the text is checked.
const aborted = "Ptx assembly aborted due to errors"

// Run compiles. A bug of ours ends it with a message and no file.
func (j *Job) Run(ctx context.Context) *Result {
	res := &Result{}
	guard := diag.Guard{Level: diag.Module, Repro: func(b *diag.Bug) string { return keepInput(b, j.Files[0].File.Text) }}
	err := guard.Run(func() error {
		j.compile(ctx, res)
		return nil
	})
	if err != nil {
		res.Cubin, res.OK = nil, false
		if ctx.Err() == nil {
			j.Sink.Say(diag.Fatal, err.Error())
		}
	}
	return res
}

// compile runs the stages. Every stage reports all it finds; the run stops at
// the next gate after an error, and the last line says so only while the input
// and the options are still being judged.
func (j *Job) compile(ctx context.Context, res *Result) {
	j.rec = stats.NewRecorder()
	defer func() {
		if j.tokens != nil {
			j.tokens.Close()
		}
		res.Stats = j.rec.Report()
	}()
	j.warnRelocs()
	j.openJobserver()
	parsed := j.rec.Start(stats.Parse)
	m := j.check(ctx)
	parsed()
	if j.measured() {
		j.rec.AddPeak(stats.Parse, heapBytes())
	}
	if ctx.Err() != nil || j.gate() {
		return
	}
	line := j.Settings.Line
	if line.Has(cli.PrintPTX) {
		res.OK = j.printPTX(m)
		return
	}
	if !j.judgeTarget(m) {
		return
	}
	if j.judgeOptions(m); j.Sink.Fatal() || j.gate() {
		return
	}
	if line.Has(cli.ParseOnly) || j.Settings.Virtual {
		res.OK = m.FitsTarget(j.Sink)
		return
	}
	j.applyLaunchOptions(m)
	fits := whole.Module(m, j.Sink)
	if !fits && (j.Sink.Fatal() || !j.Settings.Verbose && j.Sink.Raised() == 0) {
		return
	}
	j.judgeDebug(m)
	if (fits || j.Sink.Raised() > 0) && j.gate() {
		return
	}
	if !whole.Kernels(m, j.Sink) {
		if fits = false; j.Sink.Fatal() || !j.Settings.Verbose || j.Sink.Raised() > 0 {
			return
		}
	}
	j.skipDebug(m)
	j.generate(ctx, m, res)
	if !fits { // kernels beyond a limit are reported on, not written
		res.OK, res.Cubin = false, nil
	}
}

// measured reports whether somebody asks for the memory of the stages.
func (j *Job) measured() bool { return len(j.Settings.Line.List(cli.CompilerStats)) > 0 }

// gate ends the run when there are errors.
func (j *Job) gate() bool {
	if j.Sink.Errors() == 0 {
		return false
	}
	j.Sink.Say(diag.Fatal, aborted)
	return true
}

func (j *Job) warnf(format string, args ...any) {
	j.Sink.Say(diag.Warning, fmt.Sprintf(format, args...))
}

// judgeOptions reports options that do not suit the program. Messages and
// their order are the reference's.
func (j *Job) judgeOptions(m *sema.Module) {
	s, line := j.Settings, j.Settings.Line
	if s.SuppressDebug && !s.Debug && !s.LineInfo {
		j.warnf("Option suppress-debug-info requires option device-debug or lineinfo; ignoring since latter is not specified")
	}
	if s.ToolsPatch {
		whole.JudgePatch(m, j.Sink)
	}
	if !line.Has(cli.ParseOnly) && !s.Virtual && !m.FitsTarget(j.Sink) {
		return
	}
	if line.Has(cli.LegacyBar) {
		j.warnf("'--legacy-bar-warp-wide-behavior' is a deprecated option, It will be removed in future release and is not recommended")
		if target.Find(m.Target.Name) != nil { // newer than those it was meant for
			j.warnf("Command line option '--legacy-bar-warp-wide-behavior' not supported for '.target sm_70', will be ignored")
		}
		if s.Relocatable {
			j.warnf("Option '--legacy-bar-warp-wide-behavior' may not work as expected in separate compilation unless all modules participating in linking have this option specified.")
		}
	}
	if (line.Has(cli.TMemCheck) || line.Has(cli.NoTMemCheck)) && !hasTensorMemory(m) {
		j.Sink.Say(diag.Info, fmt.Sprintf("Command line option '--g-tensor-memory-access-check / --gno-tensor-memory-access-check' not supported for '.target %s', will be ignored", m.Target.Name))
	}
}

// judgeDebug looks for the sections that a debugger needs.
func (j *Job) judgeDebug(m *sema.Module) {
	if !j.Settings.Debug {
		return
	}
	for _, name := range [...]string{".debug_abbrev", ".debug_info"} {
		if sectionsOf(m, name) == 0 {
			j.warnf(" %s section not found", name)
		}
	}
}

// skipDebug tells which of them are of no use.
func (j *Job) skipDebug(m *sema.Module) {
	if !j.Settings.Debug || j.Settings.SuppressDebug || sectionsOf(m, ".debug_abbrev") > 0 {
		return
	}
	for range sectionsOf(m, ".debug_info") {
		j.Sink.Say(diag.Info, "skipping .debug_info section due to missing .debug_abbrev section")
	}
}

// sectionsOf counts the debug sections of a name.
func sectionsOf(m *sema.Module, name string) (n int) {
	for i := range m.Sections {
		if m.Sections[i].Name == name {
			n++
		}
	}
	return n
}

// printPTX writes the inputs in normal form.
func (j *Job) printPTX(m *sema.Module) bool {
	var ps syntax.Parser
	for _, t := range m.Files {
		text, fault := printer.Module(nil, t, &ps)
		if fault != nil {
			j.Sink.Say(diag.Fatal, fault.Msg)
			return false
		}
		if _, err := j.Stdout.Write(text); err != nil {
			j.Sink.Say(diag.Fatal, err.Error())
			return false
		}
	}
	return true
}

// generate makes the cubin.
func (j *Job) generate(ctx context.Context, m *sema.Module, res *Result) {
	host, ok := j.judged(m)
	if !ok {
		return
	}
	set, fault := readKnobs(j.Settings.Line)
	if fault != nil {
		j.Sink.Say(diag.Fatal, fault.Text)
		return
	}
	o := j.options(ctx, set, host)
	var told followers
	if told = j.follow(m, o.Arch); len(told) > 0 {
		o.Follow = told
	}
	if o.Search = j.search.estimated(j.progress); !j.vary(ctx, &o) {
		return
	}
	workers := j.Settings.Split
	if workers == 0 {
		workers = runtime.NumCPU()
	}
	out, err := pipeline.Module(m, o, workers, cubin.TKInfo{Tool: "goptxas", Version: "13.0"})
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		j.Sink.Say(diag.Fatal, err.Error())
		return
	}
	for i := range out.Failures {
		f := &out.Failures[i]
		u := j.Sink.Open(f.File)
		u.Report(diag.Error, f.Pos, f.Text)
		u.Close()
	}
	j.recordCode(m, out)
	if !told.reported() {
		j.warnCode(m, out)
		j.reportCode(m, o.Arch, out)
	}
	j.limits.tell(j, m, out)
	j.search.report(j.Sink, namesOf(m, out))
	res.spans = told.spans()
	res.Cubin, res.OK = out.Cubin, len(out.Failures) == 0
	if !res.OK {
		j.Sink.Say(diag.Fatal, fmt.Sprintf("Code generation for '%s' failed, no file was written", j.Settings.Arch))
	}
}

// judged holds the options against the program before code is generated, and
// returns what --nv-host asks to be put into the file.
func (j *Job) judged(m *sema.Module) (host []byte, ok bool) {
	if po := j.Settings.Line.List(cli.ProfileOptions); len(po) > 0 {
		key, _, _ := strings.Cut(po[0], "=")
		j.Sink.Say(diag.Fatal, fmt.Sprintf("Unknown profile option '%s'", key))
		return nil, false
	}
	if host, ok = j.hostFile(); !ok {
		return nil, false
	}
	if j.judgeJobserver(); !j.honours() {
		return nil, false
	}
	if s := j.Settings; !s.Relocatable && !s.Extensible && !s.ToolsPatch && !s.Debug && !s.Line.Has(cli.PositionIndependent) && link.Crowded(m) {
		j.Sink.Say(diag.Info, "Disabling default position-independent-code(pic) compilation mode as program requires more resources than allowed.")
	}
	return host, j.judgeDump(func(name string) bool {
		return slices.ContainsFunc(m.Funcs, func(f sema.Func) bool { return f.Name == name })
	})
}

// options are those of the pipeline that follow from the command line.
func (j *Job) options(ctx context.Context, set *knobs.Set, host []byte) pipeline.Options {
	s := j.Settings
	o := pipeline.Options{
		Arch: target.Find(s.Arch), Level: s.Opt, MaxRegs: s.MaxRegs, Override: s.Override, NoFMA: !s.FMA, LineInfo: s.LineInfo, NoLines: s.SuppressDebug && (s.Debug || s.LineInfo),
		Knobs: set, Phases: s.Line.List(cli.Phase), Trace: os.Stderr, Create: (&dumps{log: os.Stderr}).create, Repro: keepInput,
	}
	if j.measured() {
		o.Heap = heapBytes
	}
	o.Fast = fastLevel(s)
	if j.limits != nil {
		o.Limits = j.limits
	}
	o.Resume = j.Resume
	if j.Watch == nil && j.Resume == nil { // a kept kernel passes through no phase that could be watched
		if cache, version := j.openCache(); cache != nil {
			o.Cache, o.Version = cache, version
		}
	}
	o.Watch, o.Context = j.Watch, ctx
	o.Caches, o.Debug = caches(s), s.Debug && !s.SuppressDebug
	o.Errors, o.Blocks = s.Line.Has(cli.MakeErrorsVisible) || s.Debug, s.Line.Bool(cli.BlocksAreClusters, false)
	o.Guards, o.Extensible = guards(s), s.Extensible
	o.Rela, o.Host = s.Line.Has(cli.ForceRela), host
	o.Keep = s.Line.Bool(cli.PreserveRelocs, false)
	o.Patch = s.ToolsPatch
	o.NoLiterals = s.Line.Has(cli.DisableOptimizerConsts)
	if s.Line.Bool(cli.NoUniforms, false) || o.Patch {
		o.Phases = append([]string{"UniformRoots/off", "UniformValues/off"}, o.Phases...)
	}
	if j.tokens != nil {
		o.Limiter = j.tokens
	}
	return o
}

// fastLevel is how much time the options ask to save.
func fastLevel(s *cli.Settings) pipeline.Fast {
	switch {
	case s.FastCompile == "max":
		return pipeline.FastMax
	case s.FastCompile == "mid":
		return pipeline.FastMid
	case s.FastCompile == "min", s.OldFastCompile:
		return pipeline.FastMin
	}
	return pipeline.FastOff
}

// keepInput writes the input of a compile that met a bug of ours to a
// temporary file and returns its name, "" if it cannot be written.
func keepInput(_ *diag.Bug, ptx []byte) string {
	f, err := os.CreateTemp("", "goptxas-bug-*.ptx")
	if err != nil {
		return ""
	}
	defer f.Close()
	if _, err := f.Write(ptx); err != nil {
		return ""
	}
	return f.Name()
}
