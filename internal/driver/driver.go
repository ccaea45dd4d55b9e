// Package driver is the front door: it turns a command line into files. It
// reads options and inputs, runs the compiler, prints messages, the -v
// report and the statistics, and writes the output in one step, so that a
// failed run leaves no trace. It alone talks to the world: files, streams,
// signals and the clock.
package driver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/pipeline"
)

// Failed is the exit code of every run that did not succeed.
const Failed = 255

// Env is what a run sees of the process around it.
type Env struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Viewer         func() Viewer // makes pages for --view; may be nil
	Remote         Remote        // reaches compile servers; may be nil
	Bound          func(int64)   // bounds the memory of the process; may be nil
	Large          func(int)     // makes ready for inputs of so many bytes, which are not few; may be nil
	// Kernels is a further place where compiled kernels are looked for and
	// kept; may be nil.
	Kernels pipeline.Cache
}

// Main runs one command line and returns the exit code.
func Main(ctx context.Context, w Env) int {
	line, warnings, fault := cli.Parse(w.Args)
	early := earlySink(line, w.Stderr)
	for _, m := range warnings {
		early.Say(m.Severity, m.Text)
	}
	if fault != nil {
		early.Say(diag.Fatal, fault.Text)
		return Failed
	}
	if answer(line, w.Stdout) {
		return 0
	}
	for _, d := range dependents {
		if line.Has(d.id) && cli.Table[d.id].Kind == cli.Long && line.Long(d.id, 0) == 0 {
			continue // the reference takes it for not given
		}
		if line.Has(d.id) && (!line.Has(d.on) || cli.Table[d.on].Kind == cli.Choices && len(line.List(d.on)) == 0) {
			plainSink(line, w.Stderr).Say(diag.Warning, fmt.Sprintf("Option '%s' requires option '--%s'; ignoring since latter is not specified", d.shown, cli.Table[d.on].Long))
		}
	}
	if len(line.Inputs) == 0 && !line.Has(cli.InputAsString) && !line.Has(cli.QueryControls) {
		cli.WriteHelp(w.Stdout)
		return 0
	}
	return compileLine(ctx, line, w)
}

// dependents are the options that mean nothing without another, as the
// reference spells them in its warning.
var dependents = [...]struct {
	id, on cli.ID
	shown  string
}{
	{cli.CompilerStatsFile, cli.CompilerStats, "--compiler-stats-file"},
	{cli.TracePID, cli.TimeTrace, "--use-trace-pid', "},
	{cli.TraceAfter, cli.TimeTrace, "--ftrace-phase-after"},
}

// earlySink takes the messages found while the line is read: they carry the
// program's own name, and no option about warnings touches them.
func earlySink(line *cli.Line, out io.Writer) *diag.Sink {
	return diag.NewSink(out, messageOptions(line, out))
}

// answer handles lines that ask a question instead of compiling, in order
// of precedence.
func answer(line *cli.Line, out io.Writer) bool {
	switch {
	case line.Has(cli.Help):
		cli.WriteHelp(out)
	case line.Has(cli.Version):
		cli.WriteVersion(out)
	case line.Has(cli.ListVersion):
		cli.WritePTXVersions(out)
	case line.Has(cli.ListKnobs):
		writeKnobs(out)
	case slices.Contains(line.List(cli.Phase), "help"):
		pipeline.WritePhases(out)
	default:
		return false
	}
	return true
}

// compileLine runs a line that names inputs.
func compileLine(ctx context.Context, line *cli.Line, w Env) int {
	form := sinkOptions(line, w.Stderr)
	p := startProgress(ctx, line, &w)
	defer p.end()
	sink := diag.NewSink(w.Stderr, form)
	files, fault := readInputs(line, w.Stdin)
	if fault == nil {
		if code, done := away(ctx, line, files, w); done {
			return code
		}
	}
	if n := bytesOf(files); w.Large != nil && !line.Has(cli.MemoryLimit) && n >= largeInputs {
		w.Large(n)
	}
	var resume *pipeline.Resume
	if fault == nil {
		files, resume, fault = takeDump(line, files)
	}
	takeTarget(line, files)
	var s *cli.Settings
	if fault == nil {
		s, fault = cli.Check(line, sink.Say)
	}
	if fault == nil {
		fault = controls(line)
	}
	if fault == nil && len(files) == 0 && line.Has(cli.QueryControls) { // nothing to compile was asked for
		return 0
	}
	job := &Job{Settings: s, Files: files, Sink: sink, Stdout: w.Stdout, CacheFolder: cacheFolder(line), Kernels: w.Kernels, Resume: resume, progress: p}
	var watch Viewer
	if fault == nil {
		watch, fault = viewer(line, &w)
	}
	if fault == nil {
		fault = job.tune(line, &w)
	}
	if fault != nil {
		sink.Say(diag.Fatal, fault.Text)
		return Failed
	}
	if watch != nil {
		job.Watch = watch
	}
	return job.runToFiles(ctx, line, watch)
}

// tune reads the settings of a job that are goptxas's own: knobs, limits of
// time and memory, a search. w is nil where no process is around it.
func (j *Job) tune(line *cli.Line, w *Env) (fault *cli.Fault) {
	if j.Settings.Knobs, fault = readKnobs(line); fault != nil {
		return fault
	}
	if j.limits, fault = readLimits(line, w); fault != nil {
		return fault
	}
	j.search, fault = readSearch(line)
	return fault
}

// runToFiles runs a job and writes its files; watch may be nil.
func (j *Job) runToFiles(ctx context.Context, line *cli.Line, watch Viewer) int {
	res := j.Run(ctx)
	if ctx.Err() != nil {
		return Failed
	}
	j.progress.enter("writing")
	if !res.OK {
		return Failed
	}
	if res.Cubin != nil && j.Sink.Errors() == 0 { // warnings about code may be errors
		if err := writeOutput(ctx, line.Text(cli.OutputFile, "elf.o"), res.Cubin); err != nil {
			j.Sink.Say(diag.Fatal, err.Error())
			return Failed
		}
	}
	if watch != nil {
		if err := writeView(ctx, line.Text(cli.View, ""), watch, j, res); err != nil {
			j.Sink.Say(diag.Fatal, err.Error())
			return Failed
		}
	}
	return finish(ctx, line, j.Sink, j, res)
}

// newSink makes the sink of a compilation from the options about messages.
func newSink(line *cli.Line, out io.Writer) *diag.Sink {
	return diag.NewSink(out, sinkOptions(line, out))
}

func sinkOptions(line *cli.Line, out io.Writer) diag.Options {
	o := messageOptions(line, out)
	o.NoWarnings = line.Has(cli.DisableWarnings)
	o.WarningsAreErrors = line.Has(cli.WarningAsError) && !line.Has(cli.DisableWarnings)
	o.Tool = toolName(line)
	return o
}

// plainSink is newSink for messages that -w and -Werror do not touch.
func plainSink(line *cli.Line, out io.Writer) *diag.Sink {
	o := messageOptions(line, out)
	o.Tool = toolName(line)
	return diag.NewSink(out, o)
}

// toolName returns the name that replaces ours in messages, or nil.
func toolName(line *cli.Line) *string {
	if !line.Has(cli.ToolName) {
		return nil
	}
	name := line.Text(cli.ToolName, "")
	return &name
}

// controls writes and reads control files. The reference seals its own: it
// writes the same bytes whatever it compiles, and refuses them, as any other
// file, when they come back. Ours lists the knobs.
func controls(line *cli.Line) *cli.Fault {
	if line.Has(cli.QueryControls) {
		name := line.Text(cli.QueryControls, "")
		var text bytes.Buffer
		writeKnobs(&text)
		if err := os.WriteFile(name, text.Bytes(), 0o644); err != nil {
			return cli.Faultf("File '%s' could not be opened", name)
		}
	}
	if line.Has(cli.ApplyControls) {
		name := line.Text(cli.ApplyControls, "")
		f, err := os.Open(name)
		if err != nil {
			return cli.Faultf("File '%s' could not be opened", name)
		}
		f.Close()
		return cli.Faultf("Input file '%s' not in expected format", name)
	}
	return nil
}
