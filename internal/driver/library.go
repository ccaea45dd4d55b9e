package driver

import (
	"context"
	"io"

	"github.com/goptxas/goptxas/internal/driver/cli"
	"github.com/goptxas/goptxas/internal/engine/diag"
	"github.com/goptxas/goptxas/internal/engine/src"
)

// Text is an input that is already in memory.
type Text struct {
	Name string
	Text []byte
}

// CompileTexts runs the words of a command line over texts in memory. The
// messages and reports go to log; ok tells whether the compilation
// succeeded. It touches no file but those that args name: options files, and
// a folder of compiled kernels.
func CompileTexts(ctx context.Context, args []string, texts []Text, log io.Writer) (cubin []byte, ok bool) {
	r := Request{Args: args, Texts: texts, Log: log}
	return r.Compile(ctx)
}

// Request is a compilation of texts in memory.
type Request struct {
	Args  []string // as on a command line, without inputs
	Texts []Text
	Log   io.Writer           // gets messages and reports
	Take  func(*diag.Message) // gets the messages as they are shown; may be nil
	// Kernel gets every kernel when it is done: its place in the file, its
	// numbers, its code, and whether a limit left phases out. It may be called
	// from many goroutines at once; may be nil.
	Kernel func(at int, f Facts, code []byte, spared bool)
	// Watch sees the compilation from inside; may be nil.
	Watch Watcher
}

// Compile runs the request; ok tells whether the compilation succeeded.
func (r *Request) Compile(ctx context.Context) (cubin []byte, ok bool) {
	log := r.Log
	line, warnings, fault := cli.Parse(r.Args)
	o := messageOptions(line, log)
	o.Take = r.Take
	early := diag.NewSink(log, o)
	for _, m := range warnings {
		early.Say(m.Severity, m.Text)
	}
	if fault == nil && len(line.Inputs) > 0 {
		fault = &cli.Fault{Text: "Input file '" + line.Inputs[0] + "' given to a compilation of texts"}
	}
	if fault != nil {
		early.Say(diag.Fatal, fault.Text)
		return nil, false
	}
	o = sinkOptions(line, log)
	o.Take = r.Take
	sink := diag.NewSink(log, o)
	files := make([]Source, len(r.Texts))
	for i, t := range r.Texts {
		files[i] = Source{File: &src.File{Name: t.Name, Text: t.Text}}
	}
	takeTarget(line, files)
	s, fault := cli.Check(line, sink.Say)
	job := &Job{Settings: s, Files: files, Sink: sink, Stdout: log, Watch: r.Watch, CacheFolder: line.Text(cli.CacheFolder, ""), kernel: r.Kernel}
	if fault == nil {
		fault = job.tune(line, nil)
	}
	if fault != nil {
		sink.Say(diag.Fatal, fault.Text)
		return nil, false
	}
	res := job.Run(ctx)
	return res.Cubin, res.OK
}
