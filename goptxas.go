// Package goptxas compiles PTX to cubins that the CUDA driver loads. It is
// the compiler behind the goptxas command, as a library: no global state, so
// any number of compilations may run at once in one process.
//
// Beside it stand three small packages for what comes out: sass decodes,
// encodes and prints machine instructions, cubin reads files, and sim runs
// kernels without a GPU.
package goptxas

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/goptxas/goptxas/internal/driver"
	"github.com/goptxas/goptxas/internal/engine/diag"
)

// Input is one PTX text. Several inputs become one module.
type Input struct {
	Name string // shown in messages
	Text []byte
}

// Output is the result of a compilation.
type Output struct {
	Cubin    []byte    // nil where only checking was asked for
	Kernels  []Kernel  // in the order of the text
	Messages []Message // warnings, and what Options.Verbose reports
	Log      string    // the same as the command prints it, one a line
}

// Kernel is a compiled kernel, or in an object (Options.Relocatable) also a
// function.
type Kernel struct {
	Name      string
	Registers int    // of a thread
	Barriers  int    // of a block
	Stack     int    // bytes of local memory of a thread
	Shared    int    // bytes of shared memory of a block, without what a launch adds
	Spills    Spills // between registers and local memory
	Code      []byte // machine words of 16 bytes; names in them are not yet resolved
	Cheaper   bool   // a limit of time or memory left phases out
}

// Spills are the bytes of code that move registers to local memory and back.
type Spills struct{ Stores, Loads int }

// Severity says what a message does to a compilation.
type Severity string

// The severities.
const (
	Info    Severity = "info"
	Warning Severity = "warning"
	Fault   Severity = "error"
	Fatal   Severity = "fatal"
)

// Message is one diagnostic.
type Message struct {
	Severity  Severity
	Code      string // stable name of the kind of message, listed in docs/messages.md; "" where it has none
	Text      string
	File      string   // name of the input; "" where the message is about none
	Line      int      // from 1
	Column    int      // from 1, in bytes
	EndColumn int      // behind the word that is meant
	Notes     []string // what else helps, such as the name that was perhaps meant
}

// Error is a compilation that failed.
type Error struct {
	Messages []Message
	Log      string // what the command would have printed
}

// Error returns the first line that tells of an error.
func (e *Error) Error() string {
	for line := range strings.Lines(e.Log) {
		if strings.Contains(line, "error   :") || strings.Contains(line, "fatal   :") {
			return strings.TrimSpace(line)
		}
	}
	return strings.TrimSpace(e.Log)
}

// Compile compiles the inputs. The error is an *Error when the PTX or the
// options are at fault, and ctx.Err() when the context ended first: that
// returns at once, and what still runs inside ends soon after.
func Compile(ctx context.Context, inputs []Input, opts Options) (*Output, error) {
	return CompileKernel(ctx, inputs, opts, nil)
}

// CompileKernel compiles the inputs as Compile does, and hands over every
// kernel as soon as its code is there, in the order in which they are done.
// Calls of done do not overlap; none comes after CompileKernel has returned.
func CompileKernel(ctx context.Context, inputs []Input, opts Options, done func(*Kernel)) (*Output, error) {
	if len(inputs) == 0 {
		return nil, errors.New("goptxas: no input")
	}
	r := &run{done: done}
	args, err := opts.args()
	if err != nil {
		return nil, err
	}
	req := driver.Request{Args: args, Log: &r.log, Take: r.take, Kernel: r.kernel}
	for _, in := range inputs {
		req.Texts = append(req.Texts, driver.Text(in))
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.cubin, r.ok = req.Compile(ctx)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !r.ok:
		return nil, &Error{r.messages, r.log.String()}
	}
	return &Output{Cubin: r.cubin, Kernels: r.inOrder(), Messages: r.messages, Log: r.log.String()}, nil
}

// run is one compilation.
type run struct {
	done func(*Kernel)

	log      bytes.Buffer
	messages []Message
	cubin    []byte
	ok       bool

	mu      sync.Mutex
	over    bool // nobody listens any more
	kernels []placed
}

// placed is a kernel and its place in the file.
type placed struct {
	at int
	k  Kernel
}

// take turns a message into one for users of the library.
func (r *run) take(m *diag.Message) {
	x := Message{Severity: Severity(strings.TrimSuffix(m.Severity.String(), "*")), Code: m.Code, Text: m.Text, File: m.File, Line: m.Line, Notes: m.Notes}
	if p, ok := m.Place(); ok {
		x.Column, x.EndColumn = p.Col, p.End
	}
	r.messages = append(r.messages, x)
}

// kernel takes a kernel that is done.
func (r *run) kernel(at int, f driver.Facts, code []byte, spared bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	k := Kernel{
		Name: f.Function, Registers: f.Registers, Barriers: f.Barriers, Stack: f.Stack, Shared: f.Shared,
		Spills: Spills{f.SpillStores, f.SpillLoads}, Code: code, Cheaper: spared,
	}
	r.kernels = append(r.kernels, placed{at, k})
	if r.done != nil {
		r.done(&k)
	}
}
